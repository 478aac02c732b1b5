// Generates src/gen from ../../proto. The protobuf compiler is the one of Python's grpcio-tools: $PYTHON, else the
// repository's .venv, else python3. Nothing is done when the generated code is newer than all that it comes from.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const proto = join(here, "..", "..", "proto");
const target = join(here, "src", "gen");
const stamp = join(target, ".generated");

const protos = readdirSync(join(proto, "palio"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".proto"))
  .map((entry) => join(entry.parentPath, entry.name))
  .sort();
const sources = [...protos, fileURLToPath(import.meta.url), join(here, "package-lock.json")];
const modified = (file) => (existsSync(file) ? statSync(file).mtimeMs : 0);
if (sources.every((file) => modified(file) < modified(stamp))) process.exit(0);

const venv = join(here, "..", "..", ".venv", "bin", "python");
const python = process.env.PYTHON || (existsSync(venv) ? venv : "python3");
let common;
try {
  const find = "import grpc_tools, google.rpc.status_pb2 as s; print(s.__file__)";
  common = dirname(dirname(dirname(execFileSync(python, ["-c", find], { encoding: "utf8" }).trim())));
} catch {
  console.error(`${python} lacks grpcio-tools or googleapis-common-protos: run "make setup" in the repository's root,`);
  console.error('or "pip install grpcio-tools googleapis-common-protos" and set PYTHON to that Python');
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
execFileSync(
  python,
  [
    "-m",
    "grpc_tools.protoc",
    `--proto_path=${proto}`,
    `--proto_path=${common}`,
    `--plugin=${join(here, "node_modules", ".bin", "protoc-gen-es")}`,
    `--es_out=${target}`,
    "--es_opt=target=ts,import_extension=js",
    ...protos.map((file) => relative(proto, file)),
    "google/rpc/status.proto", // these two say how errors look
    "google/rpc/error_details.proto",
  ],
  { stdio: "inherit" },
);
writeFileSync(stamp, "");
