"""A real model writes the answers of `ask`: what it writes, what of it stands up to the check, and how fast.

    python evaluate/bench/llm_real_ask.py URL MODEL [--every 3] [--max-tokens 160] [--seconds 900] [--json FILE]

Any server that speaks OpenAI's protocol will do. The golden questions over the demo (tests/people/answers), every so
many of them, each asked once without and once with the model. A grade is by words: see tests/people/answers/golden.py.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.people.answers.golden import QUESTIONS, grade  # noqa: E402

from engramma import Memory  # noqa: E402
from engramma.apps.cli.demo import fill_demo  # noqa: E402
from engramma.config.settings import Config  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url")
    parser.add_argument("model")
    parser.add_argument("--every", type=int, default=3)
    parser.add_argument("--max-tokens", type=int, default=160)
    parser.add_argument("--seconds", type=float, default=900, help="for one answer")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    table = {"url": given.url, "model": given.model, "answers": True, "retries": 0}
    table |= {"max_tokens": given.max_tokens, "answer_timeout": given.seconds, "timeout": given.seconds}
    rows = list[dict[str, Any]]()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "store", config=Config(llm=table)) as memory,
    ):
        fill_demo(memory)
        for item in QUESTIONS[:: given.every]:
            rows.append(answered(memory, item))
            print(json.dumps(rows[-1], ensure_ascii=False), file=sys.stderr, flush=True)
            if given.json is not None:  # whatever ends it: what was measured is there
                text = json.dumps(figures(memory, given, rows), indent=2, ensure_ascii=False)
                given.json.write_text(text + "\n", encoding="utf-8")
        print(json.dumps(figures(memory, given, rows), indent=2, ensure_ascii=False))


def answered(memory: Memory, item: dict[str, Any]) -> dict[str, Any]:
    """One question, without the model and with it."""
    before = memory.ask(item["question"], llm=False)
    began, first = time.monotonic(), None
    with memory.ask_stream(item["question"]) as stream:
        for _ in stream:
            first = first or time.monotonic() - began
        answer = stream.answer
    left_out = answer.trace.get("unsupported", [])
    return {
        "question": item["question"],
        "kind": item["kind"],
        "written": "by the model" if answer.written_by else str(answer.trace.get("written", "not asked")),
        "without": grade(item, before),
        "with": grade(item, answer),
        "cited": sum(one.evidence[0].turn_id in item["turns"] for one in answer.sentences),
        "sentences": [one.text for one in answer.sentences],
        "left_out": [f"{one['text']} ({one['reason']})" for one in left_out],
        "reasons": [re.sub(r"(names|number) .*", r"\1 …", one["reason"]) for one in left_out],
        "first_sentence_s": None if first is None else round(first, 1),
        "seconds": round(time.monotonic() - began, 1),
    }


def figures(memory: Memory, given: argparse.Namespace, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What all of it comes to."""
    asked = [row for row in rows if row["written"] != "not asked"]
    kept = sum(len(row["sentences"]) for row in rows)
    first = [row["first_sentence_s"] for row in rows if row["first_sentence_s"] is not None]
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}",
        "model": given.model,
        "questions": len(rows),
        "written": dict(Counter(row["written"] for row in rows).most_common()),
        "without": dict(Counter(row["without"] for row in rows).most_common()),
        "with": dict(Counter(row["with"] for row in rows).most_common()),
        "changed": dict(Counter(f"{r['without']} -> {r['with']}" for r in rows if r["without"] != r["with"])),
        "sentences": {"kept": kept, "left out": sum(len(row["left_out"]) for row in rows)},
        "kept_that_cite_a_gold_turn": sum(row["cited"] for row in rows),
        "left_out_because": dict(Counter(reason for row in rows for reason in row["reasons"]).most_common()),
        "seconds": round(statistics.median([row["seconds"] for row in asked]), 1) if asked else None,
        "first_sentence_s": round(statistics.median(first), 1) if first else None,
        "tokens": [
            {"requests": day.requests, "prompt": day.prompt_tokens, "reply": day.completion_tokens}
            for day in memory.llm.status().days
        ],
        "rows": list(rows),
    }


if __name__ == "__main__":
    main()
