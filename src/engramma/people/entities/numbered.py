"""Things with a number: "deployment issue #42", "PR 17", "OPS-311". They are named wherever they stand in a talk."""

from __future__ import annotations

import re

from ..grammar.verbs import FORMS

_NOUNS = "issue ticket bug incident rfc adr pr mr pull\\s+request merge\\s+request change\\s+request work\\s+item"
_HEAD = "|".join(_NOUNS.split(" "))
_WORD = r"[A-Za-z][\w-]{2,20}"
_MARKED = "task|story|epic|case|order|invoice|build|release|milestone"  # only with a mark: "task 2" is a step
NUMBERED = re.compile(
    rf"(?<![\w#])(?:(?P<what>{_HEAD})\s*(?:#|no\.?\s*|number\s+)?|(?P<marked>{_MARKED})\s*(?:#|no\.\s*|number\s+))"
    rf"(?P<number>\d{{1,7}})(?![\w%:.-]*\d|\w|\s*%)",
    re.IGNORECASE,
)
KEYED = re.compile(r"(?<![\w-])(?P<key>[A-Z][A-Z0-9]{1,9}-\d{1,7})(?![\w-])")
NO_KEYS = frozenset(
    {"UTF", "ISO", "SHA", "MD", "COVID", "GPT", "USB", "HTTP", "TLS", "SSL", "AES", "RSA", "UTC", "GMT"}
)
_BEFORE = re.compile(rf"(?P<word>{_WORD})\s+$")
_PLAIN = "the this that our my your an in on for of to and or with about see fix fixed from by is new old also like"
PLAIN = frozenset(_PLAIN.split(" "))  # words before a number that say nothing of it
MOST = 50  # of one turn: more is a list of numbers


def numbered_things(text: str) -> list[tuple[str, str]]:
    """What a text names by a number, as (the name by which it is one thing, the name as it was said)."""
    found: dict[str, str] = {}
    for match in NUMBERED.finditer(text[:20_000]):
        what = re.sub(r"\s+", " ", (match["what"] or match["marked"]).lower())
        short = {"pull request": "PR", "pr": "PR", "mr": "MR", "merge request": "MR", "rfc": "RFC", "adr": "ADR"}
        name = f"{short.get(what, what)} #{int(match['number'])}"
        before = _BEFORE.search(text[max(0, match.start() - 24) : match.start()])
        said = re.sub(r"\s+", " ", match[0])
        if before and before["word"].islower() and before["word"] not in PLAIN and before["word"] not in FORMS:
            said = f"{before['word']} {said}"
        if len(said) > len(found.get(name, "")):
            found[name] = said
    for match in KEYED.finditer(text[:20_000]):
        if match["key"].partition("-")[0] not in NO_KEYS:
            found.setdefault(match["key"], match["key"])
    return list(found.items()) if len(found) <= MOST else []
