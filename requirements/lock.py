"""Writes the lock files of `make setup` and `make engines` from pyproject.toml: every package, pinned, with its hashes;
and that of the pip that installs them.

    python requirements/lock.py [--upgrade]

Run by `make lock`. It resolves for every Python and platform at once against PyPI and needs the network; nothing of
this machine's pip settings goes into the files. Pins stay as they are unless pyproject.toml asks for another version or
--upgrade is given. It ends with an error if a package offers no wheel for one of the machines that Engramma is for.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
import venv
from pathlib import Path

from pip._internal.models.index import PyPI

HERE = Path(__file__).parent
PROJECT = HERE.parent / "pyproject.toml"
INDEX = PyPI.simple_url  # the registry that pip itself asks unless it is told otherwise
RESOLVER = "uv>=0.9"
PYTHONS = ("311", "312", "313", "314")
MACHINES = ("x86_64", "aarch64")
# Building the package in its place (`pip install -e`) asks the backend for this one, which pyproject.toml cannot name.
EDITABLE = "editables>=0.5"
# Older ones read the index's pages and match wheels with machines much more slowly.
PIP = "pip>=26"
# A package with its line of markers and its lines of hashes.
PACKAGE = re.compile(r"^(?P<name>[A-Za-z0-9_.-]+)==(?P<version>[^ ;\\]+)[^\n]*\n(?:    --hash=[^\n]+\n)+", re.MULTILINE)
SINCE_312, UNTIL_312 = "python_full_version >= '3.12'", "python_full_version < '3.12'"
# A file on a page of the index.
FILE = re.compile(r"/([^/\"#]+)#sha256=([0-9a-f]{64})")


def main(options: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        resolver = installed(Path(folder))
        build = Path(folder) / "build.in"
        wanted = [*tomllib.loads(PROJECT.read_text(encoding="utf-8"))["build-system"]["requires"], EDITABLE]
        build.write_text("\n".join(wanted), encoding="utf-8")
        base = resolved(resolver, [build, PROJECT], ["--extra", "dev", *options], HERE / "dev.txt")
        installer = Path(folder) / "pip.in"
        installer.write_text(PIP, encoding="utf-8")
        pip = resolved(resolver, [installer], options, HERE / "pip.txt")
        whole = Path(folder) / "engines.txt"
        whole.write_text(base + read(HERE / "engines.txt"), encoding="utf-8")
        extras = ["--extra", "dev", "--extra", "dev-engines", "--constraints", str(HERE / "dev.txt"), *options]
        both = resolved(resolver, [build, PROJECT], extras, whole)
    known = {found["name"] for found in PACKAGE.finditer(base)}
    more = "".join(found[0] for found in PACKAGE.finditer(both) if found["name"] not in known)
    (HERE / "engines.txt").write_text(more, encoding="utf-8")
    missing = [line for found in PACKAGE.finditer(pip + base + more) for line in unserved(found)]
    print("\n".join(missing) or f"{len(known)} packages in dev.txt, {more.count('==')} more in engines.txt")
    return bool(missing)


def installed(folder: Path) -> Path:
    """The resolver, in an environment of its own."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", RESOLVER], check=True)
    return python


def resolved(python: Path, sources: list[Path], options: list[str], target: Path) -> str:
    """Resolve into a file that may hold earlier pins; returns what stands in it."""
    command = [python, "-m", "uv", "pip", "compile", "--universal", "--generate-hashes", "--quiet", "--no-config"]
    command += [
        "--fork-strategy",
        "fewest",
    ]  # one version for every Python where there is one
    command += ["--python-version", "3.11", "--no-header", "--no-annotate", "--default-index", INDEX]
    subprocess.run([*command, *options, "--output-file", target, *sources], check=True)
    return read(target)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def unserved(found: re.Match[str]) -> list[str]:
    """What is wrong with a package: hashes that are not PyPI's, or a machine or Python without a wheel."""
    told, hashes = f"{found['name']} {found['version']}", set(re.findall(r"sha256:([0-9a-f]{64})", found[0]))
    with urllib.request.urlopen(f"{INDEX}/{found['name']}/", timeout=60) as reply:
        offered = {sha256: name for name, sha256 in FILE.findall(reply.read().decode("utf-8"))}
    if foreign := hashes - offered.keys():
        return [f"{told}: {len(foreign)} hashes are not of files that PyPI offers"]
    wheels = [offered[sha256] for sha256 in hashes if offered[sha256].endswith(".whl")]
    if "sys_platform == 'win32'" in found[0] or any(name.endswith("-any.whl") for name in wheels):
        return []
    return [
        f"{told}: no wheel for Python {python[0]}.{python[1:]} on {machine}"
        for python in PYTHONS
        if not ((python == "311" and SINCE_312 in found[0]) or (python != "311" and UNTIL_312 in found[0]))
        for machine in MACHINES
        if not any(fits(name, python, machine) for name in wheels)
    ]


def fits(wheel: str, python: str, machine: str) -> bool:
    """Whether a wheel is for Linux on a machine and for a Python: built for it, or for any from an older one on."""
    *_, interpreter, abi, platform = wheel.removesuffix(".whl").split("-")
    stable = abi == "abi3" and any(int(one[3:]) <= int(python[1:]) for one in re.findall(r"cp3\d+", interpreter))
    is_for = f"cp{python}" in interpreter.split(".") or abi == "none" or stable
    return is_for and "manylinux" in platform and machine in platform


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
