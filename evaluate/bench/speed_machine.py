"""What the figures were made on: the processor and what it can do, versions, how busy it was."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from engramma import __version__

# What speeds up an encoder -> the names that Linux and macOS have for it.
FEATURES = {
    "AVX2": ("avx2", "hw.optional.avx2_0"),
    "AVX-512": ("avx512f", "hw.optional.avx512f"),
    "VNNI": ("avx512_vnni", "avx_vnni"),
    "AMX": ("amx_int8",),
    "NEON dotprod": ("asimddp", "hw.optional.arm.FEAT_DotProd"),
    "NEON i8mm": ("i8mm", "hw.optional.arm.FEAT_I8MM"),
}
PACKAGES = ("onnxruntime", "tokenizers", "numpy")


def machine() -> dict[str, Any]:
    """The processor, its features, cores, memory and system."""
    name, flags = processor()
    return {
        "architecture": platform.machine(),
        "processor": name,
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "features": {one: bool(flags & set(names)) for one, names in FEATURES.items()} if flags else "unknown",
        "memory_gb": memory_gb(),
        "system": f"{platform.system()} {platform.release()}",
    }


def processor() -> tuple[str, set[str]]:
    """Its name, and the features it says it has."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        fields = [line.partition(":") for line in information.read_text(encoding="utf-8").splitlines()]
        told = {key.strip(): value.strip() for key, _, value in reversed(fields)}
        flags = told.get("flags", "") + " " + told.get("Features", "")
        return told.get("model name") or told.get("CPU part", "unknown"), set(flags.split())
    if platform.system() == "Darwin":
        lines = subprocess.run(["sysctl", "-a"], capture_output=True, text=True).stdout.splitlines()
        told = {key: value.strip() for key, _, value in (line.partition(":") for line in lines)}
        return told.get("machdep.cpu.brand_string", "unknown"), {key for key, value in told.items() if value == "1"}
    return platform.processor() or "unknown", set()


def memory_gb() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1)
    except (AttributeError, ValueError, OSError):
        return None


def versions() -> dict[str, str]:
    found = {"engramma": __version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def load_now() -> float | None:
    """The load average of the last minute; more than the cores says that others work here, too."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
