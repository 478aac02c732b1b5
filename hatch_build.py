"""Build hook: generates the Python code of the protobuf definitions, and compiles what is hot where that is asked for.

The proto packages' paths equal the Python paths (``palio/v1/play.proto`` -> ``palio/v1/play_pb2.py``), so the
generated imports work as they are. ``python hatch_build.py`` does the same outside a build (``make proto``).

Palio is plain Python. With ``PALIO_COMPILE=1`` a wheel holds the rules, and what a choice goes through in the server,
compiled by mypyc too, which Python then prefers. ``python hatch_build.py compile`` puts a compiled copy into the
site-packages of this interpreter (``make compile``), where it comes before the source tree of an editable install;
``uncompile`` takes it away again.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent

RULES = ("palio/engine", "palio/games")
"""Compiled but for what is ``PLAIN``; these folders and those below lie in ``server``."""
SERVER = ("palio/codec", "palio/server")
"""Not compiled but for what is on the ``WAY`` of a choice."""
PLAIN = frozenset(
    {
        *("engine/game.py", "engine/errors.py", "games/variants.py"),
        *(f"games/fidelitas/{name}.py" for name in ("decks", "invariants", "positions", "rules", "text")),
        *(f"games/feudum/{name}.py" for name in ("invariants", "options", "positions", "text")),
    }
)
"""What stays as it is, like every ``__init__``: called seldom, or a class that others fill, subclass or pickle."""
WAY = frozenset(
    {
        "codec/wire.py",
        *(f"codec/fidelitas/{name}.py" for name in ("events", "observations", "options")),
        *(f"codec/feudum/{name}.py" for name in ("codec", "fields", "observations", "parts", "records")),
        *(f"server/match/{name}.py" for name in ("attendance", "caretaker", "clock", "course", "deadline")),
        *(f"server/match/{name}.py" for name in ("encode", "journal", "ledger", "news", "objections")),
        *(f"server/match/{name}.py" for name in ("questions", "room", "seatlog", "timekeeper")),
        *(f"server/{name}.py" for name in ("outbox", "sessions")),
    }
)
"""From a bot's message to the messages that follow from it."""
GROUP = "palio_compiled"
"""Names the one library that all compiled modules share."""


class CannotCompile(RuntimeError):
    """What is missing, as a sentence for the person who asked."""


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


def compile_hot(root: Path, target: Path) -> list[Path]:
    """Compile and return the extension modules, which lie below ``target`` as the sources below ``server``.

    Raises:
        CannotCompile: the tools for it are not there, or mypyc or the compiler gave up (they have said why).
    """
    _check_tools()
    work = root / "build" / "mypyc"
    # In a process of its own: mypyc takes module names from the working directory and ends the process on an error.
    command = [sys.executable, str(root / "hatch_build.py"), "build-here", str(work), str(target)]
    log = work / "log"
    work.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    with log.open("wb") as output:
        status = subprocess.run(command, cwd=root / "server", stdout=output, stderr=output, check=False)
    if status.returncode != 0:
        said = [line for line in log.read_text(errors="replace").splitlines() if "error" in line][-10:]
        raise CannotCompile("\n".join([*said, f"Palio could not be compiled; all of it is in {log}"]))
    return sorted(path for path in target.rglob("*") if path.is_file())


def _check_tools() -> None:
    without = "or do without: everything runs as plain Python too"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        raise CannotCompile(
            f"compiling needs a C compiler, {compiler}: install it (Debian: apt install gcc), {without}"
        )
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise CannotCompile(f"compiling needs {header}, Debian: apt install python3-dev; {without}")
    missing = [name for name in ("mypyc", "setuptools") if find_spec(name) is None]
    if missing:
        raise CannotCompile(f"compiling needs {' and '.join(missing)}: pip install mypy setuptools, {without}")


def _build_here(work: Path, target: Path) -> None:
    """Run mypyc and the compiler; the working directory is ``server``."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    os.environ["MYPYPATH"] = os.pathsep.join([".", str(ROOT / "proto" / "gen" / "python")])
    rules = (path for folder in RULES for path in Path(folder).rglob("*.py") if path.name != "__init__.py")
    names = {path.relative_to("palio").as_posix() for path in rules} - PLAIN | WAY
    wanted = [f"palio/{name}" for name in sorted(names)]
    # That what is not compiled has the right types, and what it needs is installed, is not looked at here.
    lenient = ["--follow-imports=silent", "--ignore-missing-imports"]
    flags = ["--strict", *lenient, "--namespace-packages", "--explicit-package-bases", f"--cache-dir={work / 'cache'}"]
    modules = mypycify(
        [*flags, *wanted], opt_level="2", debug_level="0", multi_file=True, target_dir=str(work), group_name=GROUP
    )
    distribution = Distribution({"name": GROUP, "ext_modules": modules})
    command = distribution.get_command_obj("build_ext")
    command.build_lib, command.build_temp = str(target), str(work / "objects")
    distribution.run_command("build_ext")


def _installed() -> Path:
    return Path(sysconfig.get_path("platlib"))


def install_compiled(root: Path = ROOT) -> int:
    """Put what is compiled, and what lies beside it, into the site-packages of this interpreter; count the former.

    Raises:
        CannotCompile: see :func:`compile_hot`.
    """
    uninstall_compiled()
    found = compile_hot(root, root / "build" / "compiled")
    for folder in (*RULES, *SERVER):
        shutil.copytree(
            root / "server" / folder, _installed() / folder, ignore=shutil.ignore_patterns("__pycache__", "*.so")
        )
    for path in found:
        shutil.copy2(path, _installed() / path.relative_to(root / "build" / "compiled"))
    return len(found)


def uninstall_compiled() -> None:
    """Take it away. A Palio that was installed as a wheel is left alone: what is compiled belongs to it."""
    site = _installed()
    if (site / "palio" / "cli").exists():
        raise CannotCompile("Palio is installed as a wheel here; PALIO_COMPILE=1 pip install … makes a compiled one")
    for folder in (*RULES, *SERVER):
        shutil.rmtree(site / folder, ignore_errors=True)
    for library in site.glob(f"{GROUP}__mypyc*"):
        library.unlink()


class PalioBuildHook(BuildHookInterface[Any]):
    """Generates the code before the files of a wheel or of an editable install are collected."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return ["mypy>=1.18", "setuptools"] if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        generate(root)
        if self.target_name != "wheel" or not _wanted():
            return
        if version == "editable":
            raise CannotCompile("PALIO_COMPILE is for real installs; for an editable one: make compile")
        target = root / "build" / "compiled"
        for path in compile_hot(root, target):
            build_data["force_include"][str(path)] = path.relative_to(target).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _wanted() -> bool:
    return os.environ.get("PALIO_COMPILE", "") not in {"", "0"}


def main(arguments: list[str]) -> str:
    """What ``python hatch_build.py`` does; returns what to print."""
    match arguments:
        case []:
            return f"generated {len(generate())} files"
        case ["compile"]:
            return f"compiled {install_compiled()} modules; make uncompile takes them away"
        case ["uncompile"]:
            uninstall_compiled()
            return "Palio is plain Python"
        case ["build-here", work, target]:
            _build_here(Path(work), Path(target))
            return "built"
        case _:
            raise CannotCompile("usage: python hatch_build.py [compile | uncompile]")


if __name__ == "__main__":
    try:
        print(main(sys.argv[1:]))  # noqa: T201
    except CannotCompile as error:
        sys.exit(str(error))
