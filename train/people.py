"""Questions about scenes between several people, who bear their own names: FriendsQA."""

from __future__ import annotations

from pathlib import Path

from .pairs import Book
from .reader_data import first_name, joined, load

LEAST = 12  # characters of an utterance that may stand alone
ROLE = "told"  # its text bears its label already


def friends(book: Book, path: Path, session: int) -> int:
    """Adds the scenes, a session each; the number of the session after the last."""
    for scene in load(path)["data"]:
        for paragraph in scene["paragraphs"]:
            said = [
                (first_name(spoken["speakers"]), joined(spoken["utterance"].split())[0])
                for spoken in paragraph["utterances:"]
            ]
            numbers = {
                place: book.add(f"{speaker}: {text}", ROLE, session)
                for place, (speaker, text) in enumerate(said)
                if len(text) >= LEAST and not speaker.startswith("#")  # a note on the scene
            }
            for asked in paragraph["qas"]:
                question, group = joined(asked["question"].split())[0], book.group()
                for place in sorted({answer["utterance_id"] for answer in asked["answers"]}):
                    if place in numbers:
                        book.ask(question, numbers[place], "people", group)
            session += 1
    return session
