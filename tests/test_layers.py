"""A module imports its own group or lower lines (ARCHITECTURE.md), and no group is skipped by accident."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from pathlib import Path

import engramma
from engramma.memory import Memory

ROOT = Path(engramma.__file__).parent

# From the bottom up. Rooms on one line do not know each other.
LINES: list[list[str]] = [
    ["errors"],
    ["records", "patterns"],
    ["files", "language", "redaction"],
    ["config", "encryption"],
    ["store", "models", "sources"],
    ["index"],
    ["core"],
    ["ingest", "recall"],
    ["notes", "links", "documents", "topics", "people", "steward", "namespaces"],
    ["forget", "rescan", "review"],
    ["transfer"],
    ["admin"],
    ["features"],
    ["memory"],
    ["evaluate"],
    ["apps"],
    ["__main__"],
]
LEVEL = {name: level for level, line in enumerate(LINES) for name in line}

# The benchmarks work through what users have: the facade, its imports and figures, records, recipes, models.
OPEN_TO_BENCHMARKS = ("memory", "transfer", "admin", "sources", "records", "errors", "config", "language", "files")
SEAMS_FOR_BENCHMARKS = (
    *("engramma.models.embed", "engramma.models.load", "engramma.models.llm"),
    *("engramma.recall", "engramma.recall.recipes"),
)


def group_of(module: str) -> str:
    return module.split(".")[1]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """All of a file's syntax."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports_of(path: Path) -> set[str]:
    """Modules of engramma that a file imports, absolute names."""
    here = ("engramma", *path.relative_to(ROOT).with_suffix("").parts)
    package = here[:-1]
    found: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("engramma.")}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            if module == "engramma":
                found |= {f"engramma.{alias.name}" for alias in node.names if (ROOT / f"{alias.name}.py").exists()}
                found |= {f"engramma.{alias.name}" for alias in node.names if (ROOT / alias.name).is_dir()}
            elif module.startswith("engramma."):
                found.add(module)
    return found


def test_every_module_has_a_place_in_the_layers():
    groups = {path.relative_to(ROOT).parts[0].removesuffix(".py") for path in ROOT.rglob("*.py")}
    assert groups - {"__init__"} <= set(LEVEL)


def test_modules_import_only_their_own_group_or_lower_lines():
    wrong = []
    for path in ROOT.rglob("*.py"):
        own = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        for module in imports_of(path):
            other = group_of(module)
            if not (other == own or LEVEL[other] < LEVEL[own]):
                wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_people_have_one_door():
    """Other packages import from `engramma.people`, not from what is behind it."""
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] != "people"
        for module in imports_of(path)
        if module.startswith("engramma.people.")
    ]
    assert wrong == []


def test_benchmarks_use_what_users_have():
    wrong = [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in ROOT.glob("evaluate/**/*.py")
        for module in imports_of(path)
        if group_of(module) not in ("evaluate", *OPEN_TO_BENCHMARKS) and module not in SEAMS_FOR_BENCHMARKS
    ]
    assert wrong == []


def test_no_circle_of_files():
    """No file imports, over whichever others, itself. Imports inside functions count too."""
    files = {".".join(("engramma", *path.relative_to(ROOT).with_suffix("").parts)): path for path in ROOT.rglob("*.py")}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    imports = {name: {one for one in names_in(path) if one in files} - {name} for name, path in files.items()}
    done: set[str] = set()
    for start in files:
        walk(start, imports, done, [])


def names_in(path: Path) -> set[str]:
    """Every module that a file imports, or may import a name from."""
    package = ("engramma", *path.relative_to(ROOT).parts[:-1])
    found: set[str] = set()
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            inner = {f"{module}.{alias.name}" for alias in node.names}
            found |= {one for one in inner if (ROOT.parent / one.replace(".", "/")).with_suffix(".py").exists()} or {
                module
            }
    return found


def walk(name: str, imports: dict[str, set[str]], done: set[str], way: list[str]) -> None:
    assert name not in way, f"a circle of files: {' -> '.join([*way[way.index(name) :], name])}"
    if name not in done:
        for other in sorted(imports[name]):
            walk(other, imports, done, [*way, name])
        done.add(name)


def test_sql_stands_only_in_sql_files():
    """SELECT, INSERT, UPDATE and DELETE are written in store/sql and nowhere else."""
    words = ("SELECT ", "INSERT INTO", "UPDATE ", "DELETE FROM")
    strings = [
        (path, node.value)
        for path in ROOT.rglob("*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    found = [f"{path.relative_to(ROOT)}: {text[:40]}" for path, text in strings if text.lstrip().startswith(words)]
    assert found == []


def test_the_read_and_write_pipelines_do_not_import_faces():
    for path in [*ROOT.glob("ingest/*.py"), *ROOT.glob("recall/*.py")]:
        assert not any(".apps" in module for module in imports_of(path))


@cache
def attributes_in_faces() -> list[tuple[str, ast.Attribute]]:
    """Every attribute that a face uses, with where it stands."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}", node)
        for path in ROOT.glob("apps/**/*.py")
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute)
    ]


def test_faces_reach_the_core_and_the_store_through_a_memory_alone():
    """No `.core` at all, and no `.store` of a memory: the `.store` of a daemon or an option is a path."""
    of_memory = ("memory", "memory()", "core", "_core")
    wrong = [
        place
        for place, node in attributes_in_faces()
        if node.attr == "core" or (node.attr == "store" and ast.unparse(node.value).split(".")[-1] in of_memory)
    ]
    assert wrong == []


def test_faces_use_nothing_private_of_others():
    own = ("self", "cls", "os")  # os._exit ends a process at once
    wrong = [
        place
        for place, node in attributes_in_faces()
        if node.attr.startswith("_") and not node.attr.startswith("__")
        if not (isinstance(node.value, ast.Name) and node.value.id in own)
    ]
    assert wrong == []


def test_a_memory_has_few_verbs_of_its_own():
    verbs = [name for name, _ in inspect.getmembers(Memory, inspect.isroutine) if not name.startswith("_")]
    assert len(verbs) <= 25, verbs
