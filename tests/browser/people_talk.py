"""Talk and notes for the views of people and of what waits for a word: changes, contradictions, decisions, doubles."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from engramma import Memory, Turn
from tests.steward.helpers import store_notes

HOSTILE = '<img src=x onerror="window.hacked=1"> Zed \u202eevil\u202c \U0001f9ff'
PORT = "The old server in the cold cellar under the wooden stairs of the house listens on port {} every day and night."

# conversation, session, day, speaker, what is said
SAID = (
    ("Nora and Tim", "spring", "2024-03-02", "Nora", "I work as a nurse at Mercy Hospital, and I live in Seattle."),
    ("Nora and Tim", "spring", "2024-03-02", "Tim", "My sister Johanna Berg is a baker."),
    ("Nora and Tim", "spring", "2024-03-02", "Nora", "I have a dog called Pepper. I am dating Sam."),
    ("Nora and Tim", "summer", "2024-07-20", "Nora", "I just moved to Boston, it was a long drive."),
    ("Nora and Tim", "winter", "2024-12-01", "Nora", "I quit nursing. I became a software engineer at Acme."),
    ("Nora and Tim", "spring again", "2025-04-03", "Nora", "I am married to Sam now."),
    ("Nora and Vera", "one", "2025-05-01", "Nora", "I work as a software engineer at Acme. Pepper is my dog."),
    ("Nora and Vera", "two", "2025-05-09", "Nora", "I live in Boston."),
    ("Nora and Vera", "three", "2025-05-10", "Nora", "I live in Chicago."),
    ("Nora and Vera", "three", "2025-05-10", "Vera", "Johanna lives in Oslo."),
    (
        "Nora and Kai",
        "one",
        "2025-09-14",
        "Nora",
        "I work as a software engineer and I study at Northeastern University.",
    ),
)


def tell(memory: Memory) -> None:
    """Put it all into a memory."""
    sessions: dict[tuple[str, str], list[Turn]] = {}
    for number, (talk, session, day, speaker, text) in enumerate(SAID):
        at = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(minutes=number)
        sessions.setdefault((talk, session), []).append(Turn(speaker, text, at, f"p{number}"))
    for (talk, session), turns in sessions.items():
        memory.remember_session(talk, session, turns)
    # Strong enough not to be set aside as of no use, however often others are recalled meanwhile.
    doubled = ["The spare key hangs behind the boiler.", "The spare key hangs behind the boiler!"]
    store_notes(memory, doubled, strength=0.95)
    store_notes(memory, [PORT.format(8080), PORT.format(8081)], strength=0.95)


def tell_hostile(memory: Memory) -> None:
    """Somebody whose name and life would like to be more than text."""
    at = datetime(2025, 1, 2, tzinfo=UTC)
    turns = [Turn(HOSTILE, "I work as a <b>clown</b>. I live in Rome.", at, "<i>h1</i>")]
    memory.remember_session("<script>window.hacked=2</script>", "<u>s</u>", turns)
    more = [Turn(HOSTILE, "I live in <Paris>. I live in Berlin.", at + timedelta(days=1), "h2")]
    memory.remember_session("<script>window.hacked=2</script>", "s2", more)
