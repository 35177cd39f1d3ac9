"""The golden questions over the demo's talks: how each is answered, and whether that is right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from engramma.records.people import Answer

QUESTIONS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("golden_questions.json").read_text(encoding="utf-8")
)


def grade(item: dict[str, Any], answer: Answer) -> str:
    """right (the text says it), quoted (the quoted turn does), unsure, refused, or wrong."""
    if not item["answerable"]:
        return "refused" if answer.abstained else "wrong"
    if answer.verdict == "unsure":
        return "unsure"
    if answer.abstained:
        return "refused"
    said = words_of(f"{answer.evidence[0].speaker} {answer.text}")
    stands = answer.evidence[0].turn_id in item["turns"]
    if any(set(words_of(old)) <= set(said) for old in item["outdated"]) and not stands:
        return "wrong"
    if any(set(words_of(" ".join(options))) <= set(said) for options in item["words"]):
        return "right"
    return "quoted" if stands else "wrong"


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
