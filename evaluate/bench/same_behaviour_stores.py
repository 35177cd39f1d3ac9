"""The stores of a recording: made from the data by `engramma import`, or copied from an earlier recording."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from same_behaviour_parts import Parts, Program, parsed

CONVERSATIONS, POOLS, QUESTIONS = 2, 20, 40  # by default: of LoCoMo, of LongMemEval, and questions a recipe
SETTLE_SECONDS = 180
CONFIG = "[daemon]\nsteward_hours = 0\nuser_rate = 0\n"  # nothing happens by the clock
SEEDS = {
    "ana-ben.txt": "Ana: My cat is called Pixel and she is seven.\nBen: I work at Northwind as a carpenter.\n"
    "Ana: I live in Lisbon and I like green tea.\nBen: My sister Clara moved to Oslo in 2021.\n",
    "ana-cleo.txt": "Ana: My cat Pixel was at the vet on Monday.\nCleo: I work at Northwind, too.\n"
    "Ana: I moved to Porto and I do not like green tea any more.\nCleo: My dog is called Rex.\n",
    "ana-dan.txt": "Ana: My cat is called Tofu, he is two.\nDan: My dog Rex is a beagle.\nAna: I work at Globex.\n",
}
SEED_QUESTIONS = ("What is Ana's cat called?", "Where does Ana live?", "Where does Ben work?", "Who has a dog?")


@dataclass(frozen=True)
class Question:
    """A question to a store, with the time at which it is asked where the data have one."""

    text: str
    asked_at: str | None = None


def read_json(path: Path) -> Any:
    """A JSON file, packed or not."""
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


def locomo(path: Path, wanted: int | None) -> tuple[list[Any], list[Question]]:
    """Samples of LoCoMo and questions about them, taken in turn from each; None: everything."""
    samples = read_json(path)[: None if wanted is None else CONVERSATIONS]
    asked = [[Question(str(one["question"])) for one in sample["qa"]] for sample in samples]
    longest = max(map(len, asked), default=0)
    turns = [talk[number] for number in range(longest) for talk in asked if number < len(talk)]
    return samples, turns[:wanted]


def longmemeval(path: Path, wanted: int | None) -> tuple[list[Any], list[Question]]:
    """Pools of LongMemEval and their questions; None: everything."""
    pools = read_json(path)[: None if wanted is None else POOLS]
    asked = [Question(str(one["question"]), str(one["question_date"])[:10].replace("/", "-")) for one in pools]
    return pools, asked[:wanted]


def make(program: Program, parts: Parts, store: Path, sources: list[Path]) -> None:
    """Import files into a new store, read claims and find topics."""
    store.mkdir(parents=True, mode=0o700)
    (store / "config.toml").write_text(CONFIG, encoding="utf-8")
    given = [str(path) for path in sources]
    steps = {
        "dry run": ["import", "--dry-run", "--date", "2024-01-05T10:00:00", *given],
        "import": ["import", "--date", "2024-01-05T10:00:00", *given],
        "again": ["import", "--date", "2024-01-05T10:00:00", *given],
        "extract": ["extract"],
        "people": ["people"],
        "topics": ["topics", "--find"],
    }
    for name, step in steps.items():
        parts.add("import", f"{store.name} {name}", program.run(*step, "--store", str(store), "--json").value())
    settle(program, store)


def settle(program: Program, store: Path) -> None:
    """Let the daemon decide what waits for a decision, so that it finds nothing to do later, while calls are made."""
    program.needed("start", "--store", str(store), "--port", "0", "--json")
    try:
        for _ in range(SETTLE_SECONDS * 2):
            time.sleep(0.5)
            if not waiting(store):
                return
        raise SystemExit(f"{store.name}: the daemon left people undecided for {SETTLE_SECONDS} seconds")
    finally:
        program.run("stop", "--relay", "--store", str(store))
        shutil.rmtree(store / "daemon")


def waiting(store: Path) -> int:
    """How many people wait for a decision about what is theirs."""
    with closing(sqlite3.connect(f"file:{store / 'memory.db'}?mode=ro", uri=True)) as database:
        return int(database.execute("SELECT count(*) FROM unsettled").fetchone()[0])


def copied(store: Path, target: Path) -> Path:
    """A copy of a store to write into."""
    shutil.copytree(store, target)
    target.chmod(0o700)
    return target


def seeds(folder: Path) -> list[Path]:
    """Small talks in which the same people come up several times, as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in SEEDS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in SEEDS]


ROWS = {
    "segments": "SELECT s.conversation || '/' || s.id || '_' || g.idx, "
    "g.kind, g.first, g.last, g.said_at, g.state, n.name FROM segments g "
    "JOIN sessions s ON s.key = g.session JOIN namespaces n ON n.ns = g.ns ORDER BY g.key",
    "edges": "SELECT s.conversation || '/' || s.id || '_' || g.idx, "
    "e.kind, t.conversation || '/' || t.id || '_' || h.idx, e.weight FROM edges e "
    "JOIN segments g ON g.key = e.src AND g.ns = e.ns JOIN sessions s ON s.key = g.session "
    "JOIN segments h ON h.key = e.dst AND h.ns = e.ns JOIN sessions t ON t.key = h.session "
    "ORDER BY e.ns, e.src, e.kind, e.dst",
    "links": "SELECT s.conversation || '/' || s.id || '_' || g.idx, "
    "e.kind, t.conversation || '/' || t.id || '_' || h.idx, e.weight, e.label, e.author "
    "FROM links e JOIN segments g ON g.key = e.src AND g.ns = e.ns JOIN sessions s ON s.key = g.session "
    "JOIN segments h ON h.key = e.dst AND h.ns = e.ns JOIN sessions t ON t.key = h.session "
    "ORDER BY e.ns, e.src, e.kind, e.dst",
    "vectors": "SELECT ns, key, hex(code), hex(vector) FROM embeddings ORDER BY ns, key",
    "turns": "SELECT ns, key, session, position, id, speaker, role, said_at, text, hidden, meta FROM turns "
    "ORDER BY key",
    "claims": "SELECT * FROM claims ORDER BY ns, key",
    "entities": "SELECT * FROM entities ORDER BY ns, key",
    "mentions": "SELECT * FROM mentions ORDER BY ns, entity, turn, name",
    "decisions": "SELECT * FROM decisions ORDER BY ns, key",
    "topics": "SELECT id, ns, name FROM topics ORDER BY id",
    "topic_members": "SELECT ns, key, topic FROM topic_members ORDER BY ns, key",
    "acts": "SELECT id, ns, kind, reason, detail, undone_at IS NULL FROM acts ORDER BY id",
}


def read_back(value: Any) -> Any:
    """A value of a table, JSON in it read: times in it are seen as such then."""
    return parsed(value) if isinstance(value, str) and value[:1] in ("{", "[") else value


def dump(parts: Parts, part: str, store: Path) -> None:
    """The rows behind a store: segments, edges, vectors, claims and the like."""
    with closing(sqlite3.connect(f"file:{store / 'memory.db'}?mode=ro", uri=True)) as database:
        for name, query in ROWS.items():
            rows = [[read_back(one) for one in row] for row in database.execute(query)]
            parts.add(part, f"{store.name} {name} count", len(rows))
            parts.add_rows(part, f"{store.name} {name}", rows)
