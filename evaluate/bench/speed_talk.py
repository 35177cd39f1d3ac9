"""The talk that speed.py measures with: a LoCoMo file cut to so many turns, or one that is made up.

A folder `work` holds it for all processes: talk.json in LoCoMo's form, sessions.json with each session's texts as they
are embedded, questions.json.
"""

from __future__ import annotations

import json
import random
import re
import resource
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

QUESTIONS = 40
A_SESSION = 20  # made-up turns
PEOPLE = ("Ana", "Ben")
START = datetime(2023, 5, 8, 13, 56)

_WORDS = """
    boat garden letter kitchen river bakery violin cousin train harbour lesson winter orchard bicycle museum recipe
    sister lighthouse pottery marathon neighbour library camera market festival sweater mountain doctor puppy balcony
    painting interview concert ticket blanket teacher chess bridge candle notebook summer island piano coffee
"""
WORDS = _WORDS.split()
SAID = (
    "I finally went to the {} with my {} yesterday, and we stayed until the {} closed because of the rain.",
    "That sounds great! How did you get the {} from the {} back home?",
    "We want to paint the {} near the {} in {} if nothing comes in between, what do you think?",
    "My {} told me about the {}, so I have been thinking of a new {} for weeks now.",
    "Oh no, I am sorry about the {}. Did the {} help you at all?",
    "The {} is much better than last year, and the {} even won a prize for its {}!",
)
ASKED = ("What did {} say about the {}?", "When did {} go to the {}?", "Who told {} about the {}?")


def read_talk(path: Path | None, turns: int) -> list[dict[str, Any]]:
    """LoCoMo's samples up to so many turns, whole sessions; without a file, a talk that is made up."""
    samples = made_up(turns) if path is None else json.loads(path.read_text(encoding="utf-8"))
    found, left = [], turns
    for sample in samples:
        if left <= 0:
            break
        talk, kept = sample["conversation"], dict[str, Any]()
        for name, value in talk.items():
            number = re.fullmatch(r"session_(\d+)(?:_date_time)?", name)
            if number is None:
                kept[name] = value
            elif left > 0 and isinstance(talk.get(f"session_{number[1]}"), list):
                kept[name] = value
                left -= len(value) if isinstance(value, list) else 0
        found.append({**sample, "conversation": kept})
    return found


def made_up(turns: int) -> list[dict[str, Any]]:
    """A talk between two people, the same every time: sentences of ordinary length that share words."""
    draw, talk = random.Random(1), dict[str, Any](speaker_a=PEOPLE[0], speaker_b=PEOPLE[1])
    for session in range(1, -(-turns // A_SESSION) + 1):
        at = START + timedelta(days=4 * session)
        talk[f"session_{session}_date_time"] = at.strftime("%I:%M %p on %d %B, %Y").lower()
        talk[f"session_{session}"] = [
            {"speaker": PEOPLE[n % 2], "dia_id": f"D{session}:{n + 1}", "text": sentence(draw, SAID)}
            for n in range(A_SESSION)
        ]
    asked = [{"question": sentence(draw, ASKED, PEOPLE[n % 2])} for n in range(QUESTIONS)]
    return [{"sample_id": "made-up", "conversation": talk, "qa": asked}]


def sentence(draw: random.Random, forms: tuple[str, ...], *names: str) -> str:
    form = draw.choice(forms)
    return form.format(*names, *draw.sample(WORDS, form.count("{}") - len(names)))


def sessions_of(samples: list[dict[str, Any]]) -> list[list[str]]:
    """The texts of every session, as they are embedded: under their speaker's name."""
    return [
        [f"{turn['speaker']}: {turn['text']}" for turn in turns]
        for sample in samples
        for name, turns in sample["conversation"].items()
        if re.fullmatch(r"session_\d+", name) and isinstance(turns, list)
    ]


def questions_of(samples: list[dict[str, Any]]) -> list[str]:
    """So many questions, from all over the samples."""
    asked = [str(item["question"]) for sample in samples for item in sample.get("qa", [])]
    return asked[:: max(1, len(asked) // QUESTIONS)][:QUESTIONS] or ["What did they say?"]


def lay_out(work: Path, path: Path | None, turns: int) -> int:
    """Write the talk for all processes; returns how many turns it has."""
    samples = read_talk(path, turns)
    sessions = sessions_of(samples)
    for name, content in (
        ("talk", samples),
        ("sessions", sessions),
        ("questions", questions_of(samples)),
    ):
        (work / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return sum(map(len, sessions))


def peak_mb() -> float:
    """The most memory that this process has had."""
    status = Path("/proc/self/status")
    if status.exists():  # the figure below has on Linux what the process had that started this one
        return round(int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 2**10, 1)
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10), 1)


def laid_out(work: Path, name: str) -> Any:
    return json.loads((work / f"{name}.json").read_text(encoding="utf-8"))
