"""Questions about oneself: "my wife" is the user's wife, and a relative is asked for by the noun that names her."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...language.text import infer_role
from ...store.store import Store
from ..claims.hydrate import Fact
from .phrases import ANY_OF, KIN

_OWN = re.compile(r"\b(?:i|my|mine|am i|(?:about|around|with|to|of) me)\b", re.IGNORECASE)
_REWRITTEN = (
    (r"\bdo i\b", "does {}"),
    (r"\bhave i\b", "has {}"),
    (r"\bam i\b", "is {}"),
    (r"\bmy\b", "{}'s"),
    (r"\b(about|around|with|to|of) me\b", r"\1 {}"),
    (r"\bi\b", "{}"),
)
_TOLD_OF_ONESELF = (
    (r"\b{}['’]s?(?!\w)", "my"),
    (r"\b(?i:does) {}\b", "do I"),
    (r"\b(?i:has) {}\b", "have I"),
    (r"\b(?i:is) {}\b", "am I"),
    (r"\b((?i:about|around|with|to|of|for|from|by|at)) {}\b", r"\1 me"),
    (r"\b{}\b", "I"),
)
# Nouns that mean the same relative.
_ALIKE = ("mother mom mum mama", "father dad papa", "grandmother grandma granny nan", "grandfather grandpa granddad")
_ALIKE_OF = {word: frozenset(words.split()) for words in _ALIKE for word in words.split()}
NOBODY = (
    "'I' and 'my' mean the user of a chat with an assistant, or the only one who says anything here, and there is "
    "neither. Ask by the name: Who is Ana's wife?"
)


def is_own(text: str) -> bool:
    """Whether a question is about the one who asks it."""
    return _OWN.search(text) is not None


def own_name(store: Store) -> str:
    """What the one who asks is called here: the user of chats, else the only one who speaks; "" if that is nobody."""
    speakers = {row["speaker"] for row in store.all("ask_people", after=0) if row["speaker"].strip()}
    users = sorted(speaker for speaker in speakers if infer_role(speaker, None) == "user")
    people = sorted(speaker for speaker in speakers if infer_role(speaker, None) is None)
    return users[0] if users else people[0] if len(people) == 1 else ""


def of_somebody(text: str, name: str) -> str:
    """A question about oneself as one about somebody of that name: "Who is my wife" -> "Who is user's wife"."""
    for own, theirs in _REWRITTEN:
        text = re.sub(own, theirs.replace("{}", name.replace("\\", r"\\")), text, flags=re.IGNORECASE)
    return text


def of_oneself(text: str, names: Iterable[str]) -> str:
    """A question about somebody of these names as one about oneself: "Where does Ana work?" -> "Where do I work?"."""
    words = {word for name in names if infer_role(name, None) is None for word in re.findall(r"\w+", name)}
    if not words:
        return text
    one = "|".join(sorted(map(re.escape, words), key=lambda word: (-len(word), word)))
    name, flags = rf"(?:{one})(?:\s+(?:{one}))*", re.NOFLAG if re.search(rf"\b(?:{one})\b", text) else re.IGNORECASE
    for theirs, own in _TOLD_OF_ONESELF:
        text = re.sub(theirs.replace("{}", name), own, text, flags=flags)
    return text[:1].upper() + text[1:]


def of_noun(facts: Iterable[Fact], noun: str) -> list[Fact]:
    """The ties that are what a noun says: a sister is a sibling, but not every sibling is a sister."""
    given = list(facts)
    meant = _ALIKE_OF.get(noun, frozenset({noun}))
    kind = next((words.split() for words in KIN.values() if noun in words.split()), [])
    others = frozenset(kind) - meant - ANY_OF - {f"{noun}s"}
    named = [fact for fact in given if _says(fact, meant)]
    return named or [fact for fact in given if not _says(fact, others)]


def _says(fact: Fact, nouns: frozenset[str]) -> bool:
    said = {word for claim in fact.claims for word in re.findall(r"\w+", claim.quote.lower())}
    return not nouns.isdisjoint(said)
