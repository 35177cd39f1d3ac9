"""Everyday statements with questions in other words, written for this project (scenes.toml)."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path
from typing import Any

from .pairs import Book

SCENES = Path(__file__).with_name("scenes.toml")
TELLINGS = 6  # of every scene, each with other values in its slots
TALK = 25  # scenes that make up a session
QUESTIONS = 4  # a telling
_SLOT = re.compile(r"\{(\w+)\}")


def fill(book: Book, rng: random.Random, session: int, path: Path = SCENES) -> None:
    """Adds the scenes to the book; all tellings of a scene share their group, since their questions are alike."""
    with path.open("rb") as file:
        read = tomllib.load(file)
    told = [(number, scene) for number, scene in enumerate(read["scene"]) for _ in range(TELLINGS)]
    rng.shuffle(told)
    groups = book.groups
    book.groups += len(read["scene"])
    for place, (number, scene) in enumerate(told):
        said, asked = _told(scene, read["slots"], rng)
        utterance = book.add(said, "user", session + place // TALK)
        for question in asked:
            book.ask(question, utterance, "scene", groups + number)


def _told(scene: dict[str, Any], slots: dict[str, list[str]], rng: random.Random) -> tuple[str, list[str]]:
    """One statement and some of the questions, with the same values in both."""
    values = {name: rng.choice(options) for name, options in slots.items()}

    def filled(text: str) -> str:
        text = _SLOT.sub(lambda slot: values[slot[1]], text)
        return text[0].upper() + text[1:]

    said = rng.choice(scene["said"])
    known = set(_SLOT.findall(said))
    # A question may only name what the statement chosen tells.
    fitting = [question for question in scene["asked"] if set(_SLOT.findall(question)) <= known]
    return filled(said), [filled(question) for question in rng.sample(fitting, min(QUESTIONS, len(fitting)))]
