"""Throw-away environments: the base install of Engramma for its size, the other stores to run them."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
OF_EVERY_ENVIRONMENT = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
ENCODER = ("onnxruntime", "tokenizers", "numpy")  # for speed_plain.py, in the versions that run here
# sqlite-vec is an extension of SQLite, which not every Python lets in.
LETS_EXTENSIONS_IN = hasattr(sqlite3.Connection, "enable_load_extension")
NEEDED = {
    "engramma": [str(ROOT)],
    "langgraph": ["langgraph-checkpoint-sqlite", *([] if LETS_EXTENSIONS_IN else ["sqlean.py"])],
    "chroma": ["chromadb"],
}
SHOWN = {
    "engramma": ("engramma",),
    "langgraph": ("langgraph-checkpoint-sqlite", "langgraph-checkpoint", "sqlite-vec"),
    "chroma": ("chromadb",),
}


def environment(name: str, folder: Path) -> Path:
    """An environment with what a store needs, made if it is not there; returns its Python."""
    home = folder / name
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if (home / "installed").exists():
        return python
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
    wanted = [*NEEDED[name], *(f"{one}=={version(one)}" for one in ENCODER if name != "engramma")]
    subprocess.run([str(python), "-m", "pip", "install", "-qq", "--no-compile", *wanted], check=True, stdout=sys.stderr)
    (home / "installed").touch()
    return python


def installed_mb(python: Path) -> float:
    """Megabytes of what was installed, without bytecode and what every environment has."""
    total = 0
    for site in python.parents[1].rglob("site-packages"):
        for path in site.rglob("*"):
            own = path.relative_to(site).parts[0].split(".")[0].split("-")[0]
            if path.is_file() and "__pycache__" not in path.parts and own not in OF_EVERY_ENVIRONMENT:
                total += path.lstat().st_size
    return round(total / 1e6, 1)


def installed_versions(name: str, python: Path) -> dict[str, str]:
    code = "import sys, importlib.metadata as m; print(*(m.version(one) for one in sys.argv[1:]))"
    told = subprocess.run([str(python), "-c", code, *SHOWN[name]], check=True, capture_output=True, text=True)
    return dict(zip(SHOWN[name], told.stdout.split(), strict=True))
