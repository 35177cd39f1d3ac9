"""What hybrid search is worth beside plain search by meaning: recall@10 of evidence turns on a LoCoMo file.

    python evaluate/bench/hybrid.py locomo.json [--engine postgres] [--json OUT]

One store a conversation. `match` and `match --hybrid` are asked every question with evidence; with --engine postgres
the SQL function is asked, too, and its rows are compared with those of the Python call.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from engramma import Candidate, Memory
from engramma.evaluate.tasks import locomo

K = 10


def asked_in_sql(memory: Memory, text: str) -> list[str]:
    """The ids that match_memories_hybrid returns."""
    from engramma.store.postgres.values import vector_text

    core = memory._core
    vector = np.asarray(core.embedder.embed([text], "query")[0], dtype="<f2").tobytes()
    sql = "SELECT id FROM match_memories_hybrid(%s::vector, match_count => %s::int)"
    rows = core.store.database._with_connection(  # type: ignore[attr-defined]
        lambda c: c.execute(sql, (str(vector_text(vector)), K)).fetchall()
    )
    return [row[0] for row in rows]


def found_share(hits: tuple[Candidate, ...], gold: set[str]) -> float:
    return len(gold & {turn for hit in hits for turn in hit.turn_ids}) / len(gold)


def stores(path: Path, engine: str | None) -> Iterator[tuple[Memory, list[tuple[str, bool, set[str]]]]]:
    """Each conversation in a store of its own, with its questions: text, whether of categories 1-4, evidence."""
    from engramma.store.engine import choose

    for sample in json.loads(path.read_text(encoding="utf-8")):
        with tempfile.TemporaryDirectory() as folder:
            one = Path(folder, "one.json")
            one.write_text(json.dumps([sample]), encoding="utf-8")
            if engine:
                Path(folder, "store").mkdir(mode=0o700)
                choose(Path(folder, "store"), engine)
            with Memory.open(Path(folder, "store")) as memory:
                memory.import_(one)
                known = {str(turn.id) for talk in memory.conversations() for s in talk.sessions for turn in s.turns}
                questions = [
                    (str(qa["question"]), qa.get("category") in (1, 2, 3, 4), gold)
                    for qa in sample["qa"]
                    if (gold := set(locomo.evidence(qa.get("evidence") or [], known)))
                ]
                yield memory, questions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("locomo", type=Path)
    parser.add_argument("--engine", help="postgres: also ask the SQL function and compare")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    shares, both, rows, same, asked = defaultdict[str, list[float]](list), 0, 0, 0, 0
    for memory, questions in stores(given.locomo, given.engine):
        for text, is_usual, gold in questions:
            for name, hits in (
                ("match", memory.links.match(text, K)),
                ("match --hybrid", memory.links.match_hybrid(text, K)),
            ):
                shares[f"{name}, all"].append(found_share(hits, gold))
                if is_usual:
                    shares[f"{name}, categories 1-4"].append(found_share(hits, gold))
            rows, both, asked = rows + len(hits), both + sum(len(hit.channels) == 2 for hit in hits), asked + 1
            if given.engine:
                same += asked_in_sql(memory, text) == [hit.segment_id for hit in hits]
    figures = {name: round(100 * sum(values) / len(values), 2) for name, values in shares.items()}
    figures |= {"questions": asked, "rows with both ranks, %": round(100 * both / rows, 1)}
    figures |= {"SQL gives the same rows, %": round(100 * same / asked, 1)} if given.engine else {}
    print(json.dumps(figures, indent=2))
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
