"""Talks that were written for training, with questions about them: `train/talks/*.txt`.

    === friends | Ingrid, Tomasz          a talk: its kind, and who takes part
    @ 2024-03-02 09:14                    a session begins
    1 Ingrid: Guess who adopted a ferret.  a turn, numbered through the talk; "\\n" stands for a line break
    ? What pet did Ingrid adopt? | 1 | a ferret          answered by these turns, in these words of the first
    ? Where does Ingrid live? | 9 | Gdynia | ~ 4         turn 4 comes near: it counts neither way
    x What pet did Tomasz adopt? | 1      asks of the wrong person what this turn tells of another
    c What reptile did Ingrid adopt? | 1  one word changed, so that the turn does not answer
    n What does Ingrid study?             nothing in the talk comes near

`python -m train.talks FILE ...` says what is wrong in files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

TALKS = Path(__file__).parent / "talks"
ANSWERED, OTHER_PERSON, CHANGED, NOWHERE = "?", "x", "c", "n"
_TURN = re.compile(r"(\d+) ([^:|]{1,40}): (.+)")


@dataclass(frozen=True, slots=True)
class SaidTurn:
    number: int
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a talk: the turns that answer it or come near, and the answer's words in the first."""

    kind: str  # ANSWERED, OTHER_PERSON, CHANGED or NOWHERE
    question: str
    turns: tuple[int, ...]
    answer: str = ""
    unclear: tuple[int, ...] = ()


@dataclass(slots=True)
class WrittenTalk:
    kind: str
    people: tuple[str, ...]
    turns: list[SaidTurn] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


def read_talks(text: str) -> tuple[list[WrittenTalk], list[str]]:
    """The talks of a file, and what is wrong in it, line by line. What is wrong is left out."""
    talks: list[WrittenTalk] = []
    wrong: list[str] = []
    at = datetime(2024, 1, 1)
    for place, line in enumerate(text.splitlines(), 1):
        if not (line := line.strip()):
            continue
        try:
            if line.startswith("==="):
                kind, _, people = line.strip("= ").partition("|")
                talks.append(WrittenTalk(kind.strip(), tuple(name.strip() for name in people.split(","))))
            elif line.startswith("@"):
                at = datetime.strptime(line[1:].strip(), "%Y-%m-%d %H:%M")
            elif turn := _TURN.fullmatch(line):
                talks[-1].turns.append(_read_turn(talks[-1], turn, at))
            elif line[:2] in ("? ", "x ", "c ", "n "):
                talks[-1].asked.append(_read_asked(talks[-1], line))
            else:
                raise ValueError("neither a talk, a session, a turn nor a question")
        except (ValueError, IndexError) as error:
            wrong.append(f"line {place}: {error}: {line[:90]}")
    return talks, wrong


def _read_turn(talk: WrittenTalk, found: re.Match[str], at: datetime) -> SaidTurn:
    number = int(found[1])
    if number != len(talk.turns) + 1:
        raise ValueError(f"turn {len(talk.turns) + 1} is next")
    if found[2] not in talk.people:
        raise ValueError(f"{found[2]} takes no part")
    return SaidTurn(number, found[2], found[3].replace("\\n", "\n"), at)


def _read_asked(talk: WrittenTalk, line: str) -> Asked:
    kind, parts = line[0], [part.strip() for part in line[2:].split("|")]
    question = parts[0]
    if not question or len(parts) > 4:
        raise ValueError("a question has at most four parts")
    turns = tuple(int(number) for number in parts[1].split(",")) if len(parts) > 1 else ()
    unclear = tuple(int(n) for n in parts[3].lstrip("~ ").split(",")) if len(parts) > 3 else ()
    if any(not 1 <= number <= len(talk.turns) for number in (*turns, *unclear)):
        raise ValueError("no such turn")
    answer = parts[2].replace("\\n", "\n") if len(parts) > 2 else ""
    if kind == ANSWERED and (not turns or not answer):
        raise ValueError("an answered question has turns and words")
    if answer and answer not in talk.turns[turns[0] - 1].text:
        raise ValueError(f"turn {turns[0]} does not say {answer!r} word for word")
    if kind in (OTHER_PERSON, CHANGED) and not turns:
        raise ValueError("names the turn that comes near")
    return Asked(kind, question, turns, answer, unclear)


def all_talks(folder: Path = TALKS) -> Iterator[WrittenTalk]:
    for path in sorted(folder.glob("*.txt")):
        talks, wrong = read_talks(path.read_text("utf-8"))
        if wrong:
            raise ValueError(f"{path.name}, {wrong[0]}")
        yield from talks


def main(paths: Sequence[str]) -> int:
    failed = 0
    for path in paths:
        talks, wrong = read_talks(Path(path).read_text("utf-8"))
        failed += len(wrong)
        kinds = {kind: sum(one.kind == kind for talk in talks for one in talk.asked) for kind in "?xcn"}
        print(f"{path}: {len(talks)} talks, {sum(len(talk.turns) for talk in talks)} turns, questions {kinds}")
        print("".join(f"  {line}\n" for line in wrong), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
