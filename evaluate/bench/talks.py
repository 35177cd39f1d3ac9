"""Recall and `ask` on the talks of train/talks: everyday talk that was written with questions about it.

    python evaluate/bench/talks.py [--recipe default] [--rows rows.json] [--limit N]

Each talk is a store. A quote is right if its turn is one that answers, or has the answer's words; turns that come near
count neither way. Prints a table by the kind of question; `--rows` adds the rows for evaluate/bench/verdict_fit.py. The
packaged reader was not trained on these talks, and no weight was fitted to them.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC
from functools import partial
from pathlib import Path
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parents[2]))

from train.talks import ANSWERED, Asked, WrittenTalk, all_talks
from verdict_rows import Asker, Row

from engramma import Memory, Turn
from engramma.people.answers import ask as asking
from engramma.records.people import Evidence

DEPTHS = (1, 3, 5, 10)
KINDS = {"?": "answered there", "x": "the wrong person", "c": "one word changed", "n": "nothing near"}


def remember(memory: Memory, talk: WrittenTalk) -> None:
    """The talk, a session for each time."""
    sessions = defaultdict[str, list[Turn]](list)
    for turn in talk.turns:
        said = Turn(turn.speaker, turn.text, said_at=turn.said_at.replace(tzinfo=UTC), id=f"t{turn.number}")
        sessions[turn.said_at.isoformat()].append(said)
    for name, turns in sessions.items():
        memory.remember_session(conversation=" and ".join(talk.people), session=name, turns=turns)


def is_right(one: Asked, first: Evidence) -> bool:
    return first.turn_id in {f"t{number}" for number in one.turns} or one.answer.lower() in first.text.lower()


def depth_of(memory: Memory, one: Asked, recipe: str) -> int:
    """The place of the first turn that answers among those recalled; 0 if none does."""
    gold = {f"t{number}" for number in one.turns}
    found = memory.recall(one.question, k=max(DEPTHS), recipe=recipe).candidates
    return next((place for place, hit in enumerate(found, 1) if gold & set(hit.turn_ids)), 0)


def table(rows: Sequence[Row], depths: Sequence[int]) -> str:
    """Recall of what answers, and what becomes of each kind of question."""
    found = ", ".join(f"{sum(0 < n <= k for n in depths) / max(1, len(depths)):.1%} among {k}" for k in DEPTHS)
    lines = [
        f"found: {found}",
        "",
        "| | questions | right | wrong | unsure, right turn | unsure, another | not known |",
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for kind, name in KINDS.items():
        asked = [row for row in rows if row["kind"] == kind]
        said = [row for row in asked if row["verdict"] == "answered"]
        shown = [row for row in asked if row["verdict"] == "unsure"]
        right, near = (sum(row["right"] for row in some) for some in (said, shown))
        counts = (right, len(said) - right, near, len(shown) - near, len(asked) - len(said) - len(shown))
        cells = " | ".join(f"{100 * count / max(1, len(asked)):.1f}" for count in counts)
        lines.append(f"| {name} | {len(asked)} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--rows", type=Path, help="write a row a question here")
    parser.add_argument("--limit", type=int, default=None, help="talks")
    options = parser.parse_args()
    asker, depths = Asker([]), list[int]()
    with patch.object(asking, "compose_answer", asker.watch):
        for talk in list(all_talks())[: options.limit]:
            with tempfile.TemporaryDirectory() as folder, Memory.open(folder) as memory:
                remember(memory, talk)
                for one in talk.asked:
                    is_answered = one.kind == ANSWERED
                    depths += [depth_of(memory, one, options.recipe)] if is_answered else []
                    asker.ask(memory, "talks", one.kind, one.question, partial(is_right, one) if is_answered else None)
    if options.rows:
        options.rows.write_text(json.dumps(asker.rows) + "\n", encoding="utf-8")
    print(table(asker.rows, depths))


if __name__ == "__main__":
    main()
