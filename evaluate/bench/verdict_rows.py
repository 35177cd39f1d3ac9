"""Asks the questions of five sets and writes one row a question, for evaluate/bench/verdict_fit.py; prints a table.

    python evaluate/bench/verdict_rows.py --tools quality.py --out rows.json [--sets locomo,beam]

Sets are read by the evaluation's own tool. A quote is right if its turn is a gold turn (LoCoMo, REALTALK, BEAM), if it
is of a gold session (RealMem), or if the turn has the words of the gold answer (LongMemEval, where only the questions
are asked that the packaged reader was not trained on).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2]))

from train.longmemeval import is_kept_apart
from train.reader_candidates import load_tools

from engramma import Memory, Turn
from engramma.people.answers import ask as asking
from engramma.people.answers.answer import compose_answer
from engramma.people.answers.findings import Findings, is_chat
from engramma.people.answers.latest import latest_of
from engramma.people.answers.verdict import measure_quote
from engramma.records.people import Answer, Evidence

Row = dict[str, Any]
IsRight = Callable[[Evidence], bool]
LONGEST_GOLD = 8  # words of a gold answer that a sentence can be compared with


@dataclass(slots=True)
class Asker:
    """Asks and notes what the verdict was made of."""

    rows: list[Row]
    seen: Findings | None = None

    def watch(self, findings: Findings) -> Answer:
        self.seen = findings
        return compose_answer(findings)

    def ask(self, memory: Memory, name: str, kind: str, question: str, is_right: IsRight | None) -> None:
        """One row; `is_right` is None where the question cannot be answered."""
        answer = memory.ask(question)
        found = self.seen
        if found is None or not found.read or found.compared is not None:
            measured, first, best = None, answer.evidence[0] if answer.evidence else None, None
        else:
            best = latest_of(found.read, found.form, found.asked.rarity, found.question)
            measured = measure_quote(found.form, found.asked, found.found, found.read, best)
            first = best.turn.evidence
        self.rows.append(
            {
                "set": name,
                "kind": str(kind),
                "is_chat": found is not None and is_chat(found, first.speaker if first else ""),
                "names_people": found is not None and bool(found.asked.people),
                "answerable": is_right is not None,
                "right": bool(is_right and first and is_right(first)),
                "verdict": answer.verdict,
                "confidence": answer.confidence,
                "measured": measured,
                "question": question,
                "text": answer.text,
                "sentence": best.sentence.text if best else "",
                "turn": best.turn.text if best else "",
                "before": best.turn.before if best else "",
                "speaker": best.turn.speaker if best else "",
            }
        )


def _is_turn_of(gold: set[str], first: Evidence) -> bool:
    return first.turn_id in gold


def _is_session_of(gold: set[str], first: Evidence) -> bool:
    return first.session in gold


def _has_words_of(tools: Any, gold: str, first: Evidence) -> bool:
    return bool(tools.covers(first.text, gold))


def _plain_ids(evidence: Sequence[str], known: set[str]) -> list[str]:
    return [one for one in evidence if one in known]


def ask_talks(asker: Asker, tools: Any, name: str, talks: Iterator[Any], gold_of: Callable[..., list[str]]) -> None:
    """Sets of conversations, a store each, with gold turns; category 5 asks for what was not said of that person."""
    for place, sessions, questions in talks:
        known = {turn for _, _, turns in sessions for turn, _, _ in turns}
        with tempfile.TemporaryDirectory() as folder, tools.open_memory(folder) as memory:
            tools.fill(memory, place, sessions)
            for question, kind, evidence in questions:
                gold = set(gold_of(evidence, known))
                if kind in (5, "abstention"):
                    asker.ask(memory, name, kind, question, None)
                elif gold:
                    asker.ask(memory, name, kind, question, partial(_is_turn_of, gold))
        print(f"{name} {place}: {len(asker.rows)} rows", flush=True)


def beam_talks(tools: Any) -> Iterator[Any]:
    """BEAM with the questions that cannot be answered."""
    for name, sessions, questions in tools.beam():
        path = tools.HERE / "beam100k" / name.replace("chat.json", "probing_questions.json")
        kinds = json.loads(gzip.decompress(path.read_bytes()))
        yield name, sessions, [*questions, *((one["question"], "abstention", []) for one in kinds["abstention"])]


def ask_longmemeval(asker: Asker, tools: Any) -> None:
    """All sessions in one store."""
    rows = tools.load(*tools.LME)
    pool = dict[str, Any]()
    for row in rows:
        told = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
        pool |= {key: (date, turns) for key, date, turns in told if key not in pool}
    with tempfile.TemporaryDirectory() as folder, tools.open_memory(folder) as memory:
        for number, (_, (date, turns)) in enumerate(sorted(pool.items(), key=lambda one: tools.hash_of(one[0]))):
            at = tools.when(date)
            said = [Turn(one["role"], one["content"], said_at=at) for one in turns if one["content"].strip()]
            memory.remember_session(conversation=f"c{number}", session=f"s{number}", turns=said)
        for row in rows:
            if not is_kept_apart(row["question_id"]):
                continue
            gold = row["answer"]
            if row["question_id"].endswith("_abs"):
                asker.ask(memory, "longmemeval", row["question_type"], row["question"], None)
            elif len(tools.bag(gold)) <= LONGEST_GOLD and row["question_type"] != "single-session-preference":
                check = partial(_has_words_of, tools, gold)
                asker.ask(memory, "longmemeval", row["question_type"], row["question"], check)
    print(f"longmemeval: {len(asker.rows)} rows", flush=True)


def ask_realmem(asker: Asker, tools: Any) -> None:
    """Every question over what was said before it."""
    for path in sorted((tools.HERE / "realmem").glob("*.gz")):
        person = json.loads(gzip.decompress(path.read_bytes()))
        with tempfile.TemporaryDirectory() as folder, tools.open_memory(folder) as memory:
            for session in person["sessions"]:
                for one in person["queries"]:
                    if one["session"] == session["id"]:
                        gold = set(one["gold_sessions"])
                        asker.ask(memory, "realmem", "", one["text"], partial(_is_session_of, gold))
                at = datetime.strptime(session["date"][:10], "%Y-%m-%d").replace(tzinfo=UTC)
                turns = [Turn(one["speaker"].lower(), one["text"], said_at=at) for one in session["turns"]]
                talk = session["topic"].split(":")[0]
                said = [turn for turn in turns if turn.text.strip()]
                memory.remember_session(conversation=talk, session=session["id"], turns=said)
        print(f"realmem {path.name}: {len(asker.rows)} rows", flush=True)


def table(rows: Sequence[Row]) -> str:
    """By set: how many are answered rightly, wrongly, and how many that cannot be answered are not."""
    lines = ["| | questions | quoted rightly | wrong | unsure or not known | unanswerable refused | surest third |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(row["set"] for row in rows):
        asked = [row for row in rows if row["set"] == name and row["answerable"]]
        not_known = [row for row in rows if row["set"] == name and not row["answerable"]]
        said = [row for row in asked if row["verdict"] == "answered"]
        right = sum(row["right"] for row in said)
        refused = sum(row["verdict"] != "answered" for row in not_known)
        third = sorted(said, key=lambda row: -row["confidence"])[: max(1, len(said) // 3)]
        cells = [
            f"{len(asked)} + {len(not_known)}",
            _share(right, len(asked)),
            _share(len(said) - right, len(asked)),
            _share(len(asked) - len(said), len(asked)),
            _share(refused, len(not_known)),
            _share(sum(row["right"] for row in third), len(third)),
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, required=True, help="quality.py, which reads the sets")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", default="locomo,realtalk,beam,longmemeval,realmem")
    options = parser.parse_args()
    tools = load_tools(options.tools)
    run(tools, options.sets.split(","), options.out)


def run(tools: Any, sets: Sequence[str], out: Path) -> None:
    """Asks the sets named and writes the rows after each."""
    asker = Asker([])
    ways: dict[str, Callable[[], None]] = {
        "locomo": lambda: ask_talks(asker, tools, "locomo", tools.locomo(tools.load(*tools.LOCOMO)), tools.ids_in),
        "realtalk": lambda: ask_talks(asker, tools, "realtalk", tools.realtalk(), tools.ids_in),
        "beam": lambda: ask_talks(asker, tools, "beam", beam_talks(tools), _plain_ids),
        "longmemeval": lambda: ask_longmemeval(asker, tools),
        "realmem": lambda: ask_realmem(asker, tools),
    }
    with patch.object(asking, "compose_answer", asker.watch):
        for name in sets:
            ways[name]()
            out.write_text(json.dumps(asker.rows) + "\n", encoding="utf-8")
    print(table(asker.rows))


if __name__ == "__main__":
    main()
