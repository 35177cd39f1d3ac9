"""Asks the present product every validation question once: recall's entries, and what `ask` answers.

One gzipped JSON file a set: stores with their segments, and questions with gold, entries and answer. These sets
only measure; of LongMemEval all questions are asked, under the third that each belongs to.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .longmemeval import fold_of, is_kept_apart

DEPTH = 20  # entries a question
SETS = ("longmemeval", "realmem", "beam", "locomo", "realtalk")
Row = dict[str, Any]


def jobs(quality: Any) -> Iterator[tuple[str, int]]:
    """The stores to fill, the largest first."""
    counts = {
        "longmemeval": 1,
        "realmem": len(list((quality.HERE / "realmem").glob("*.gz"))),
        "beam": len(list((quality.HERE / "beam100k").glob("*.chat.json.gz"))),
        "locomo": len(quality.load(*quality.LOCOMO)),
        "realtalk": len(list((quality.HERE / "realtalk").glob("*.gz"))),
    }
    yield from ((name, number) for name in SETS for number in range(counts[name]))


def measure(tools: Path, name: str, number: int, cores: int) -> tuple[str, Row]:
    """One store of one set, filled and asked."""
    if hasattr(os, "sched_setaffinity"):
        everyone = sorted(os.sched_getaffinity(0))
        first = (os.getpid() * cores) % len(everyone)
        mine = {everyone[(first + step) % len(everyone)] for step in range(4 * cores if number == 0 else cores)}
        os.sched_setaffinity(0, mine)
    quality = load_tools(tools)
    asked = {"longmemeval": _longmemeval, "realmem": _realmem, "beam": _beam}.get(name, _talk)
    start = time.perf_counter()
    store: Row = asked(quality, name, number)
    store["seconds"] = round(time.perf_counter() - start, 1)
    return name, store


def load_tools(path: Path) -> Any:
    """The readers of the sets: a file of the evaluation, not of this package."""
    spec = importlib.util.spec_from_file_location("quality", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Store:
    """A memory that is being filled and asked, and what came back."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory
        self.before: dict[str, tuple[str, str]] = {}  # a turn's predecessor, by the turn's id
        self.segments: dict[str, Row] = {}
        self.questions: list[Row] = []

    def fill(self, conversation: str, session: str, at: datetime, turns: list[tuple[str, str, str]]) -> None:
        from engramma import Turn

        last: tuple[str, str] | None = None
        for number, speaker, text in turns:
            if last is not None:
                self.before[number] = last
            last = (speaker, text)
        made = [Turn(speaker=speaker, text=text, said_at=at, id=number) for number, speaker, text in turns]
        self.memory.remember_session(conversation=conversation, session=session, turns=made)

    def ask(self, question: str, answers: bool = True, **known: Any) -> None:
        start = time.perf_counter()
        found = [c for c in self.memory.recall(question, k=DEPTH).candidates if c.role == "entry"]
        row = {"question": question, "recall_ms": round(1000 * (time.perf_counter() - start), 1), **known}
        row["entries"] = [
            [c.segment_id, c.score, c.channels["semantic"].score if "semantic" in c.channels else 0.0] for c in found
        ]
        for c in found:
            if c.segment_id not in self.segments:
                self.segments[c.segment_id] = {
                    "turns": list(c.turn_ids),
                    "session": c.session_id,
                    "said_at": c.said_at.isoformat(),
                    "text": c.text,
                    "spoken": [[s.speaker, s.start, s.end] for s in c.spoken],
                    "before": self.before.get(c.turn_ids[0]) if c.turn_ids else None,
                }
        if answers:
            said = self.memory.ask(question)
            quote = said.evidence[0].text if said.evidence else ""
            row["ask"] = {
                "text": said.text,
                "abstained": said.abstained,
                "confidence": said.confidence,
                "quote": quote,
                "kind": said.kind,
            }
        self.questions.append(row)

    def row(self) -> Row:
        return {"segments": self.segments, "questions": self.questions}


def _talk(quality: Any, name: str, number: int) -> Row:
    """LoCoMo and REALTALK: two people, gold turns, answers; LoCoMo's category 5 cannot be answered."""
    if name == "locomo":
        raw = quality.load(*quality.LOCOMO)[number]
        conversation, sessions, _ = next(iter(quality.locomo([raw])))
        asked = raw["qa"]
    else:
        conversation, sessions, _ = list(quality.realtalk())[number]
        asked = json.loads(gzip.decompress((quality.HERE / "realtalk" / conversation).read_bytes()))["qa"]
    with tempfile.TemporaryDirectory() as folder, quality.open_memory(folder) as memory:
        store = Store(memory)
        for session, at, turns in sessions:
            store.fill(conversation, f"{conversation}:{session}", at, [t for t in turns if t[2].strip()])
        known = {turn for _, _, turns in sessions for turn, _, _ in turns}
        for q in asked:
            store.ask(
                q["question"],
                kind=q["category"],
                gold=quality.ids_in(q.get("evidence"), known),
                answer=str(q.get("answer", "")),
                answerable=not (name == "locomo" and q["category"] == 5),
            )
        return store.row()


def _beam(quality: Any, name: str, number: int) -> Row:
    """BEAM: an assistant's chat; its abstention questions cannot be answered."""
    path = sorted((quality.HERE / "beam100k").glob("*.chat.json.gz"), key=lambda p: int(p.name.split(".")[0]))[number]
    conversation, sessions, asked = list(quality.beam())[number]
    probes = path.with_name(path.name.replace("chat.json", "probing_questions.json"))
    raw = json.loads(gzip.decompress(probes.read_bytes()))
    answers = {q["question"]: str(q.get("answer", "")) for rows in raw.values() for q in rows}
    with tempfile.TemporaryDirectory() as folder, quality.open_memory(folder) as memory:
        store = Store(memory)
        for session, at, turns in sessions:
            store.fill(conversation, f"{conversation}:{session}", at, [t for t in turns if t[2].strip()])
        for question, kind, gold in asked:
            store.ask(question, kind=kind, gold=gold, answer=answers.get(question, ""), answerable=kind != "abstention")
        known = {question for question, _, _ in asked}
        for q in raw.get("abstention", []):
            if q["question"] not in known:
                store.ask(q["question"], kind="abstention", gold=[], answer="", answerable=False)
        return store.row()


def _realmem(quality: Any, name: str, number: int) -> Row:
    """RealMem: at each query only earlier sessions are known; gold are sessions."""
    path = sorted((quality.HERE / "realmem").glob("*.gz"))[number]
    data = json.loads(gzip.decompress(path.read_bytes()))
    with tempfile.TemporaryDirectory() as folder, quality.open_memory(folder) as memory:
        store = Store(memory)
        for session in data["sessions"]:
            for q in data["queries"]:
                if q["session"] == session["id"]:
                    known = {"kind": q["kind"], "gold_sessions": q["gold_sessions"], "answerable": True}
                    store.ask(q["text"], answers=False, **known)
            at = datetime.strptime(session["date"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
            turns = [
                (f"{session['id']}:{place}", turn["speaker"].lower(), turn["text"])
                for place, turn in enumerate(session["turns"])
                if turn["text"].strip()
            ]
            store.fill(session["topic"].split(":")[0], session["id"], at, turns)
        return store.row()


def _longmemeval(quality: Any, name: str, number: int) -> Row:
    """LongMemEval: all sessions of the half in one store, ids remapped; `apart` was never trained on."""
    rows = quality.load(*quality.LME)
    pool = {
        key: (date, turns)
        for row in rows
        for key, date, turns in zip(
            row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True
        )
    }
    gold: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder, quality.open_memory(folder) as memory:
        store = Store(memory)
        for place, key in enumerate(sorted(pool, key=quality.hash_of)):
            date, turns = pool[key]
            made = [(f"{place}:{i}", t["role"], t["content"]) for i, t in enumerate(turns) if t["content"].strip()]
            gold[key] = [f"{place}:{i}" for i, t in enumerate(turns) if t.get("has_answer") and t["content"].strip()]
            store.fill(f"c{place}", f"s{place}", quality.when(date), made)
        for row in rows:
            cannot = row["question_id"].endswith("_abs")
            store.ask(
                row["question"],
                id=row["question_id"],
                kind=row["question_type"],
                gold=[] if cannot else [turn for key in row["answer_session_ids"] for turn in gold[key]],
                answer=str(row["answer"]),
                answerable=not cannot,
                apart=is_kept_apart(row["question_id"]),
                fold=fold_of(row["question_id"]),
            )
        return store.row()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=Path, required=True, help="quality.py, which reads the sets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--only", nargs="*", default=list(SETS))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    wanted = [job for job in jobs(load_tools(options.tools)) if job[0] in options.only]
    cores = max(1, (os.cpu_count() or 1) // options.workers)
    made: dict[str, list[Row]] = {}
    with ProcessPoolExecutor(options.workers, max_tasks_per_child=1) as pool:
        waiting = [pool.submit(measure, options.tools, name, number, cores) for name, number in wanted]
        for future in waiting:
            name, store = future.result()
            made.setdefault(name, []).append(store)
            print(name, len(made[name]), len(store["questions"]), store["seconds"], flush=True)
            (options.out / f"{name}.json.gz").write_bytes(gzip.compress(json.dumps(made[name]).encode()))


if __name__ == "__main__":
    main()
