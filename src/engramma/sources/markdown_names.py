"""Names above pieces of a Markdown file: whether they are people who talk, or the headings of a document.

"## Ann" is believed when names come back in turns under one heading, as speakers do and sections do not: the
"### Added" of a changelog comes back too, but once under each version. None that comes back may be a word that heads
sections ("Ingredients", "Monday"), and somebody must speak to somebody: ask, greet, or say "you".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from ..language.dates.words import MONTHS, WEEKDAYS

MAX_NAME = 40
_MAX_WORDS = 4

# "Ann", "Dr. Priya Raman", "Gerrit van Dijk", "Speaker 1", "SPEAKER_00", "Марія", "美咲".
_WORD = r"[^\W\d_][\w.'’&-]*"
_NAME = re.compile(rf"{_WORD}(?:[ ](?:{_WORD}|[0-9]{{1,3}}))*")
_SMALL_WORDS = "van von de der den del della di da dos la le bin ibn al ter ten y e und and the"
_WRITTEN_SMALL = frozenset(_SMALL_WORDS.split())
# Words that head sections, and come back in documents that repeat them: logs, recipes, minutes, questions, reviews.
_SECTION_WORDS = """
    action actions added afternoon agenda answer answers attendees background benefits break breakfast bugs changed
    changes code command comments con conclusion configuration cons context date day decision decisions dependencies
    deprecated description design details dinner directions disadvantages discussion downsides evening example
    examples exercise explanation faq features feedback fix fixed fixes goal goals gratitude guide highlights homework
    how idea ideas important improvements ingredients input install installation instructions introduction issue
    issues item items journal lesson lessons license limitations links list location log lunch materials method
    methods minutes mood morning name next night note notes objective options output overview owner parameters
    participants plan plans preparation problem problems pro pros purpose question questions rating recipe references
    removed reply request requirements resources response result results returns review risk risks schedule scope
    section security session setup sleep solution source sources status step steps strengths summary symptoms
    takeaways task tasks test tests thoughts time tip tips today todo tomorrow tools topic topics update updates usage
    verdict version warning warnings weaknesses weather week what when where who why work workout yesterday abend
    antwort aufgaben beispiel beschreibung ergebnis frage frühstück hinweis mittag morgen nachmittag nachteile notizen
    vorteile zubereitung zusammenfassung zutaten
"""
_HEADS_SECTIONS = frozenset(_SECTION_WORDS.split()) | {*MONTHS, *WEEKDAYS}
_SPEAKS_TO = re.compile(
    r"[?？؟]|(?<!\w)(?:you|your|yours|you['’]\w+|hi|hello|hey|thanks|thank|sorry|"
    r"du|dich|dir|dein\w*|ihr|hallo|danke|tu|toi|te|vous|votre|merci|salut|usted|tú|gracias|hola|ciao|grazie|"
    r"jij|je|bedankt|ты|тебя|тебе|вы|вас|привет|спасибо)(?!\w)",
    re.IGNORECASE,
)
_READ = 2_000  # characters of a turn that are looked at


@dataclass(frozen=True, slots=True)
class NamedPiece:
    """What stands below a name: the section that both are in, the name, whether it is an assistant's, and the text."""

    section: int
    name: str
    is_assistant: bool
    text: str


def reads_like_name(words: str) -> bool:
    """Whether words could be somebody's name: few, with capital letters where the script has them, no digits alone."""
    if len(words) > MAX_NAME or not _NAME.fullmatch(words):
        return False
    parts = words.split()
    if len(parts) > _MAX_WORDS or parts[0].casefold() in _WRITTEN_SMALL:
        return False
    return all(part.casefold() in _WRITTEN_SMALL or not part[0].islower() for part in parts)


def speaking_names(pieces: Sequence[NamedPiece], is_chat: bool = False) -> frozenset[str]:
    """The names that open turns of a talk; none where the text is a document.

    Where the caller knows that it `is_chat`, nobody has to speak to anybody.
    """
    # Answers of assistants have headings of their own, so that these part nothing.
    has_assistant = any(piece.is_assistant for piece in pieces)
    parts = [list(pieces)] if has_assistant else [list(own) for _, own in groupby(pieces, lambda piece: piece.section)]
    if not any(_take_turns([piece.name for piece in part]) for part in parts):
        return frozenset()
    counts = Counter(piece.name for piece in pieces)
    back = {name for name, count in counts.items() if count > 1}
    if any(_heads_sections(name) for name in back):
        return frozenset()
    once = {name for name in counts if name not in back and not _heads_sections(name)}
    names = back if has_assistant else back | once
    spoken = [piece.text[:_READ] for piece in pieces if piece.name in names]
    speaks_to = sum(bool(_SPEAKS_TO.search(text)) for text in spoken)
    return frozenset(names) if is_chat or speaks_to * 10 >= len(spoken) else frozenset()


def _take_turns(names: Sequence[str]) -> bool:
    """Whether names alternate: one comes back after another, and where more than three stand there, two do."""
    counts = Counter(names)
    back = sum(count > 1 for count in counts.values())
    changes = sum(one != other for one, other in pairwise(names))
    return len(counts) > 1 and changes > 1 and back >= min(2, len(names) - 2) and len(counts) <= len(names) / 2 + 1


def _heads_sections(name: str) -> bool:
    return all(part.strip(".").casefold() in _HEADS_SECTIONS or part.isdigit() for part in name.split())
