"""Compiles the library that runs the packaged networks (native/), where there is a C compiler.

Without one the package asks for ONNX Runtime, which runs the networks then, more slowly. `CC` names another compiler,
`ENGRAMMA_MACHINE` the machine that it compiles for ("aarch64"; by default this one).
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).parent
SOURCES, LIBRARY = ROOT / "native", ROOT / "src/engramma/models/libnetwork.so"

# No product is fused with a sum, so that every instruction set gives the same bits.
FLAGS = "-std=gnu11 -D_GNU_SOURCE -O3 -fPIC -fvisibility=hidden -ffp-contract=off -fno-math-errno -fno-trapping-math"
AVX512 = "-DREGISTER=16 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512"
KERNELS = {
    "x86_64": {
        "vnni512": f"-DVNNI512 {AVX512} -mavx512vnni",
        "avxvnni": "-DAVXVNNI -DREGISTER=8 -mavx2 -mavxvnni",
        "avx512": f"-DAVX512 {AVX512}",
        "avx2": "-DAVX2 -DREGISTER=8 -mavx2",
        "sse41": "-DSSE41 -msse4.1",
        "plain": "",
    },
    "aarch64": {"neon": "-DNEON -march=armv8.2-a+dotprod", "asimd": "-DASIMD", "plain": ""},
}
INSTEAD = "onnxruntime>=1.20"  # as pyproject.toml asks for it where the library is never compiled
GLIBC = "2_17"  # the oldest that the library runs with, as packages for all of Linux name it


def machine() -> str:
    """What is compiled for, by the name that Linux has for it."""
    name = os.environ.get("ENGRAMMA_MACHINE") or platform.machine()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


def compile_library(target: Path) -> str | None:
    """Writes the library, whole or not at all; what went wrong, or None."""
    if sys.platform == "win32" or machine() not in KERNELS:
        return f"no kernels for {sys.platform} on {machine()}"
    own = KERNELS[machine()]
    try:
        compiler = [*shlex.split(os.environ.get("CC") or "cc"), *FLAGS.split()]
        with tempfile.TemporaryDirectory() as folder:
            objects = {name: str(Path(folder) / f"{name}.o") for name in (*own, "library")}

            def compiled(name: str) -> str:
                names = [f"-DKERNEL=kernel_{name}", f'-DNAME="{name}"']
                return _run(
                    [*compiler, *own[name].split(), *names, "-c", str(SOURCES / "encode.c"), "-o", objects[name]]
                )

            with ThreadPoolExecutor(os.cpu_count()) as pool:
                wrong = dict(zip(own, pool.map(compiled, own), strict=True))
            known = [name for name in own if not wrong[name]]  # an older compiler does not know all instructions
            if wrong["plain"] or (is_for_others() and len(known) < len(own)):
                return "; ".join(filter(None, wrong.values()))
            has = [f"-DHAS_{name.upper()}" for name in known]
            made = Path(folder) / "library"
            link = [*compiler, "-shared", "-s", "-o", str(made), *(objects[name] for name in (*known, "library"))]
            library = [*compiler, *has, "-c", str(SOURCES / "library.c"), "-o", objects["library"]]
            if failed := _run(library) or _run(link):
                return failed
            # A process that has the old library mapped keeps it.
            with tempfile.NamedTemporaryFile(dir=target.parent, prefix="libnetwork.so.", delete=False) as beside:
                beside.write(made.read_bytes())
            Path(beside.name).chmod(0o755)
            Path(beside.name).replace(target)
    except (OSError, ValueError) as error:  # ValueError: CC has a quote without its other one
        return str(error)
    return None


def _run(command: list[str]) -> str:
    try:
        told = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    return "" if told.returncode == 0 else told.stderr.strip() or f"{command[0]} failed"


def is_for_others() -> bool:
    """Whether the wheel is for other machines than this one; then nothing may be missing from it."""
    return bool(os.environ.get("ENGRAMMA_MACHINE"))


def wheel_tag() -> str:
    """Any Python 3, and this platform; Linux with glibc 2.17 or newer where the wheel is for others."""
    own = sysconfig.get_platform().replace("-", "_").replace(".", "_").replace("universal2", machine())
    return f"py3-none-manylinux_{GLIBC}_{machine()}" if is_for_others() else f"py3-none-{own}"


class NativeLibrary(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory()
        is_editable = version == "editable"
        target = LIBRARY if is_editable else Path(self._folder.name) / LIBRARY.name
        wrong = compile_library(target)
        if wrong and is_for_others():
            raise RuntimeError(f"the library in native/ was not built: {wrong}")
        if wrong:
            self.app.display_warning(f"the library in native/ was not built, ONNX Runtime runs the networks: {wrong}")
            build_data["dependencies"].append(INSTEAD)
            return
        if not is_editable:
            build_data["force_include"][str(target)] = "engramma/models/libnetwork.so"
        build_data["pure_python"] = False
        build_data["tag"] = wheel_tag()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self._folder.cleanup()


if __name__ == "__main__":
    sys.exit(compile_library(Path(sys.argv[1]) if len(sys.argv) > 1 else LIBRARY))
