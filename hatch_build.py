"""Build hook: generates the Python code of the protobuf definitions into ``proto/gen/python``.

The proto packages' paths equal the Python paths (``palio/v1/play.proto`` -> ``palio/v1/play_pb2.py``), so the
generated imports work as they are. ``python hatch_build.py`` does the same outside a build (``make proto``).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent


def generate(root: Path = ROOT) -> list[Path]:
    """Run protoc over every proto file and return the generated files.

    Raises:
        RuntimeError: protoc reported an error (it has printed it already).
    """
    import grpc_tools
    from grpc_tools import protoc

    source, target = root / "proto", root / "proto" / "gen" / "python"
    protos = sorted(path.relative_to(source) for path in (source / "palio").rglob("*.proto"))
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    # grpc_tools bundles google/protobuf/*.proto; google/rpc comes from googleapis-common-protos at run time only.
    bundled = Path(grpc_tools.__file__).parent / "_proto"
    plugins = [f"--plugin={name}={_script(name)}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    status = protoc.main(
        [
            "protoc",
            f"--proto_path={source}",
            f"--proto_path={bundled}",
            *plugins,
            f"--python_out={target}",
            f"--grpc_python_out={target}",
            f"--mypy_out=quiet:{target}",
            f"--mypy_grpc_out=quiet:{target}",
            *map(str, protos),
        ]
    )
    if status != 0:
        raise RuntimeError(f"protoc failed with status {status}")
    return sorted(target.rglob("*.py*"))


def _script(name: str) -> Path:
    """The console script next to this interpreter: an isolated build does not put it on the PATH."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        raise RuntimeError(f"{name} not found: install mypy-protobuf")
    return Path(found)


class ProtoBuildHook(BuildHookInterface[Any]):
    """Generates the code before the files of a wheel or of an editable install are collected."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        generate(Path(self.root))


if __name__ == "__main__":
    print(f"generated {len(generate())} files")  # noqa: T201
