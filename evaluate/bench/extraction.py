"""How fast claims are extracted by rules, and what they are: turns a second on one core, claims a turn, by relation.

    python evaluate/bench/extraction.py [FILE] [--sample 20] [--seed 1] [--json OUT]

FILE is anything that `engramma import` reads (the demo's talk without one). --sample prints claims drawn at random with
the words they quote, for judging them by eye; questions are left out. Seconds are of processor time, the best of three.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import time
from collections import Counter
from datetime import UTC, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

from engramma.people.claims.extract import extract
from engramma.records import Conversation
from engramma.records.people import Claim
from engramma.sources import read_source

ROUNDS = 3
GAP = timedelta(minutes=30)


def conversations_of(path: Path | None) -> list[Conversation]:
    """The talk of a file, or the demo's."""
    if path is not None:
        return [item for item in read_source(path, zone=UTC, idle_gap=GAP) if isinstance(item, Conversation)]
    with resources.as_file(resources.files("engramma.apps") / "demo" / "conversations.jsonl") as demo:
        return [item for item in read_source(demo, zone=UTC, idle_gap=GAP) if isinstance(item, Conversation)]


def claims_of(conversations: list[Conversation]) -> list[Claim]:
    return [
        claim
        for conversation in conversations
        for session in conversation.sessions
        for claim in extract(session.turns, conversation.id, session.id)
    ]


def measured(conversations: list[Conversation]) -> dict[str, Any]:
    """Speed and counts."""
    turns = sum(len(session.turns) for conversation in conversations for session in conversation.sessions)
    seconds = []
    claims: list[Claim] = []
    for _ in range(ROUNDS):
        started = time.process_time()
        claims = claims_of(conversations)
        seconds.append(time.process_time() - started)
    return {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "turns": turns,
        "claims": len(claims),
        "claims_per_turn": round(len(claims) / max(turns, 1), 3),
        "turns_per_second": round(turns / min(seconds)),
        "with_time": sum(claim.valid_from is not None for claim in claims),
        "of_unknown": sum(claim.subject == "unknown" for claim in claims),
        "by_modality": dict(Counter(claim.modality for claim in claims).most_common()),
        "by_relation": dict(Counter(claim.relation for claim in claims).most_common()),
    }


def shown(claim: Claim) -> str:
    mood = "" if claim.modality == "fact" else f" ({claim.modality})"
    said = f"{claim.subject} {'NOT ' if claim.negated else ''}{claim.relation} {claim.value!r}{mood}"
    when = f" {claim.valid_from:%Y-%m-%d}" if claim.valid_from else ""
    return f"{claim.conversation} {claim.turn_ids[0]} {claim.speaker}: {said}{when}  <- {claim.quote!r}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    conversations = conversations_of(options.file)
    figures = measured(conversations)
    print(json.dumps(figures, indent=1))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    told = [claim for claim in claims_of(conversations) if claim.modality != "question"]
    for claim in random.Random(options.seed).sample(told, min(options.sample, len(told))):
        print(shown(claim))


if __name__ == "__main__":
    main()
