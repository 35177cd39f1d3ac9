"""The lock files name everything that pyproject.toml asks for, at a version that fits, with its hashes."""

from __future__ import annotations

import platform
import re
import sys
import tomllib
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
LOCKS = ("pip.txt", "dev.txt", "engines.txt")
HASH = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")


def locked(*names: str) -> list[tuple[Requirement, int]]:
    """The packages of lock files, and how many hashes each has."""
    found: list[tuple[Requirement, int]] = []
    for name in names:
        for line in (ROOT / "requirements" / name).read_text(encoding="utf-8").splitlines():
            if line.startswith(" "):
                assert HASH.fullmatch(line), line
                found[-1] = (found[-1][0], found[-1][1] + 1)
            else:
                found.append((Requirement(line.removesuffix("\\").strip()), 0))
    return found


def installed(names: tuple[str, ...], python: str, machine: str) -> dict[str, str]:
    """Name -> version of what pip installs from lock files on a machine with Linux."""
    here = default_environment() | {
        "python_version": python,
        "python_full_version": f"{python}.1",
        "implementation_version": f"{python}.1",
        "platform_machine": machine,
        "sys_platform": "linux",
        "platform_system": "Linux",
        "os_name": "posix",
    }
    found: dict[str, str] = {}
    for one, _ in locked(*names):
        if one.marker is None or one.marker.evaluate(here):
            assert canonicalize_name(one.name) not in found, f"{one.name} twice"
            (pin,) = one.specifier
            assert pin.operator == "==" and "*" not in pin.version
            found[canonicalize_name(one.name)] = pin.version
    return found


EXTRAS = PROJECT["project"]["optional-dependencies"]
OF_SETUP = [*PROJECT["build-system"]["requires"], *PROJECT["project"]["dependencies"], *EXTRAS["dev"]]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(
    ("files", "wanted"),
    [(("dev.txt",), OF_SETUP), (("dev.txt", "engines.txt"), [*OF_SETUP, *EXTRAS["dev-engines"]])],
    ids=["setup", "engines"],
)
def test_what_pyproject_asks_for_is_locked_at_a_version_that_fits(files, wanted, python, machine):
    found = installed(files, python, machine)
    asked = [Requirement(text) for text in wanted]
    names = [canonicalize_name(one.name) for one in asked]
    stale = [str(one) for name, one in zip(names, asked, strict=True) if found.get(name, "0") not in one.specifier]
    assert stale == [], "run `make lock`"


def test_every_package_has_hashes_and_comes_from_no_particular_place():
    assert all(hashes >= 1 and one.url is None for one, hashes in locked(*LOCKS))
    text = "".join((ROOT / "requirements" / name).read_text(encoding="utf-8") for name in LOCKS)
    assert "://" not in text and "file:" not in text and "--index" not in text and "+cpu" not in text


def test_the_pip_that_installs_the_rest_is_locked_alone():
    ((pip, _),) = locked("pip.txt")
    assert pip.name == "pip" and str(pip.specifier).startswith("==")


def test_what_the_tests_run_with_lacks_nothing_that_a_package_asks_for():
    """`make setup` installs the locked packages and looks for no others."""
    there = {canonicalize_name(one.metadata["Name"]) for one in distributions()}
    locked_here = installed(("dev.txt",), f"{sys.version_info.major}.{sys.version_info.minor}", platform.machine())
    missing = {
        str(wanted)
        for name in locked_here.keys() & there
        for wanted in map(Requirement, distribution(name).requires or ())
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""})
        if locked_here.get(canonicalize_name(wanted.name), "0") not in wanted.specifier
    }
    assert missing == set()


def test_nothing_is_locked_that_takes_gigabytes():
    assert not {"torch", "tensorflow", "triton", "jax"} & {one.name for one, _ in locked("dev.txt", "engines.txt")}


def test_every_extra_is_part_of_what_the_tests_run_with():
    """Otherwise a test would need a package that `make setup` does not install."""
    tested = {canonicalize_name(Requirement(one).name) for one in (*EXTRAS["dev"], *EXTRAS["dev-engines"])}
    for extra, wanted in EXTRAS.items():
        assert {canonicalize_name(Requirement(one).name) for one in wanted} <= tested, extra
