"""Checks a model's claim by rules: where its quote is, its relation, its time, and its mood."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, cast

from ...language.dates import intervals
from ...language.lexical import STOP_WORDS, stems, terms
from ...language.text import digest
from ...language.times import wall_clock
from ...records.people import Claim, Modality
from ..claims.relations import RELATIONS
from ..grammar.times import bounds, since_in, times_in

SURE = 0.5  # how sure the rules must be to contradict a model
OPEN_RELATION = re.compile(r"[a-z]{2,}(?:_[a-z]+){0,4}")  # what may be kept as a model says it: "mentors", "sponsors"
SHORTEST_QUOTE = 2  # words, unless the turn itself is shorter

_QUOTES = {"'": "['’‘`´]", "’": "['’‘`´]", "‘": "['’‘`´]", '"': '["“”„«»]', "“": '["“”„«»]', "”": '["“”„«»]'}
_DASHES = {"-": "[-‐‑–—]", "–": "[-‐‑–—]", "—": "[-‐‑–—]"}
_LIKE = {**_QUOTES, **_DASHES, "…": r"(?:…|\.\.\.)"}
_NEGATIONS = re.compile(r"\b(?:not|never|no longer|cannot|without|nobody|none|no)\b|n['’]t\b", re.IGNORECASE)
_MOODS: tuple[tuple[Modality, re.Pattern[str]], ...] = (
    ("hypothetical", re.compile(r"\b(?:if|unless|whether|would|could|might|maybe|perhaps)\b|['’]d\b", re.IGNORECASE)),
    ("wish", re.compile(r"\b(?:wish|hope|hoping|dream of|would love|want|wanna)\b", re.IGNORECASE)),
    ("plan", re.compile(r"\b(?:going to|gonna|plan|planning|will|intend)\b|['’]ll\b", re.IGNORECASE)),
)
# What models write for relations that have another name here.
OTHER_NAMES = {
    other: name
    for name, others in {
        "works_as": "job occupation profession role job_title work_as has_job career is_employed_as",
        "works_at": "employer works_for employed_by employed_at company job_at",
        "works_on": "working_on project has_project",
        "aspires_to": "wants_to_become wants_to_be career_goal dream_job aspires",
        "studies": "study studying major field_of_study",
        "studies_at": "school university attends_school",
        "lives_in": "lives_at location resides_in residence home based_in located_in",
        "moved_to": "move_to relocated_to moved",
        "from": "comes_from origin is_from hometown nationality",
        "age": "has_age is_aged years_old",
        "has_child": "child children has_children has_son has_daughter son daughter parent_of has_kid has_kids",
        "has_partner": "partner husband wife boyfriend girlfriend has_husband has_wife spouse",
        "has_sibling": "brother sister sibling has_brother has_sister",
        "has_parent": "mother father has_mother has_father mom dad parent child_of",
        "has_friend": "friend friend_of is_friend_of friends_with",
        "has_pet": "pet has_dog has_cat owns_pet dog cat",
        "married_to": "is_married_to married spouse_of",
        "dating": "in_a_relationship_with is_dating",
        "has_condition": "condition illness disease health_condition suffers_from diagnosed_with",
        "allergic_to": "is_allergic_to allergy",
        "likes": "like loves love enjoys enjoy fan_of interested_in hobby is_interested_in passionate_about",
        "dislikes": "dislike hates hate",
        "plans": "plan plans_to planning will going_to intends_to",
        "wants": "want wants_to desires",
        "has": "owns own possesses have possession",
        "bought": "buy purchased",
        "visited": "visit went visited_place",
        "went_to": "go_to goes_to attended_at",
        "attended": "attend participated_in",
        "took_part_in": "participates_in joined_in takes_part_in",
        "painted": "paints drew",
        "made": "created built cooked baked",
        "read": "reads reading",
        "plays": "play plays_instrument plays_sport",
        "uses": "use using used",
        "speaks": "language speaks_language",
        "learns": "learning learn",
        "feels": "feel felt emotion feeling",
        "believes": "thinks think believe",
        "is_called": "name named called has_name is_named",
        "is_a": "is type type_of",
        "did": "do done event activity",
    }.items()
    for other in others.split()
}


def span_of(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text; spaces, kinds of quotation marks and dashes, and case may differ."""
    words = quote.strip().strip("\"“”„«»'‘’ ").removesuffix("…").removesuffix("...").split()
    if not words or len(words) < min(SHORTEST_QUOTE, len(text.split())):
        return None
    pattern = r"\s+".join("".join(_LIKE.get(char, re.escape(char)) for char in word) for word in words)
    edges = (r"(?<!\w)" if words[0][0].isalnum() else "", r"(?!\w)" if words[-1][-1].isalnum() else "")
    found = re.search(f"{edges[0]}{pattern}{edges[1]}", text, re.IGNORECASE)
    return found.span() if found else None


def relation_named(name: Any) -> str | None:
    """The relation that a model means: by our name where there is one, else as said; None if it is none."""
    if not isinstance(name, str) or len(name) > 60:
        return None
    plain = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()).strip("_")
    known = plain if plain in RELATIONS else OTHER_NAMES.get(plain)
    return known or (plain if OPEN_RELATION.fullmatch(plain) else None)


def is_alias_of(alias: str, name: str) -> bool:
    """Whether a name is a form of another: a word of it, the beginning of one, its initials, or a longer form."""
    one, other = alias.casefold().split(), name.casefold().split()
    if not one or not other or alias.casefold() == name.casefold():
        return False
    short, long = sorted((one, other), key=len)
    initials = "".join(word[0] for word in long)
    if len(long) > 1 and "".join(short).replace(".", "") == initials:
        return True
    return all(any(w == v or (len(w) >= 3 and v.startswith(w)) for v in long) for w in short) or (
        len(one) == len(other) == 1 and min(len(one[0]), len(other[0])) >= 3 and one[0].startswith(other[0])
    )


def time_of(told: str, quote: str, said_at: datetime, modality: Modality) -> tuple[datetime | None, datetime | None]:
    """When it holds, by our own calendar: by the words that the model points to if they were said, else the quote's."""
    ahead = modality in ("plan", "wish", "hypothetical")
    if told and told.casefold() in quote.casefold():
        found = intervals(told, wall_clock(said_at), "future" if ahead else "past")
        if found:
            return bounds(found[0])
    times = times_in(quote, said_at, ahead)
    if times:
        return bounds(times[0])
    return since_in(quote, said_at), None


def said_of(
    quote: str,
    value: str,
    text: str,
    start: int,
    subject: str,
    rules: Iterable[Claim],
    turn_id: str,
    told_negated: bool,
    told: str,
) -> tuple[bool, Modality]:
    """Whether it is denied, and how it is meant: as the rules read these words if they did, else by the words near."""
    words, end = set(stems(value)), start + len(quote)
    for claim in rules:
        if claim.turn_ids[0] != turn_id or claim.subject != subject or claim.method != "rules":
            continue
        if claim.start < end and start < claim.start + len(claim.quote) and words & set(stems(claim.value)):
            return claim.negated, claim.modality
    low = quote.casefold()
    before = low[: low.find(value.casefold())] if value.casefold() in low else low
    clause = re.split(r"[,;.!?]|\bbut\b", before)[-1]
    negated = told_negated or bool(_NEGATIONS.search(clause))
    if _is_asked(text, end):
        return negated, "question"
    mood = next((mood for mood, pattern in _MOODS if pattern.search(clause)), None)
    return negated, mood or cast("Modality", told)


def is_another(whom: str, value: str, start: int, quoted: str, rules: Iterable[Claim], people: Sequence[str]) -> bool:
    """Whether our own rules read the same words of a turn as somebody else's doing."""
    words, end = set(stems(value)), start + len(quoted)
    read = {
        claim.subject
        for claim in rules
        if claim.start < end and start < claim.start + len(claim.quote)
        if claim.subject in people and claim.confidence >= SURE and words & set(stems(claim.value))
    }
    return whom in people and bool(read) and whom not in read


def _is_asked(text: str, end: int) -> bool:
    """Whether the sentence in which a quote ends is a question."""
    mark = re.search(r"[.!?\n]", text[max(0, end - 1) :])
    return mark is not None and mark[0] == "?"


def text_in(one: Any, name: str, longest: int) -> str:
    value = one.get(name) if isinstance(one, dict) else None
    if type(value) is int:
        value = str(value)
    return value.strip() if isinstance(value, str) and len(value) <= longest else ""


def is_quoted_in(name: str, text: str) -> bool:
    """Whether the very words stand in a text, as words."""
    return bool(found_in(name, text))


def found_in(name: str, text: str) -> str:
    """The words as they stand in a text, whose case may differ; "" if they do not."""
    found = re.search(rf"(?<!\w){re.escape(name.strip())}(?!\w)", text, re.IGNORECASE) if name.strip() else None
    return found[0] if found else ""


def is_made_of(value: str, texts: Sequence[str]) -> bool:
    """Whether every word of a value that says anything stands in the evidence."""
    said = {stem for text in texts for stem in stems(text)}
    words = [word for word in terms(value) if word not in STOP_WORDS]
    return bool(words) and all(stem in said for word in words for stem in stems(word))


def claim_id(claim: Claim) -> str:
    """From where it was said, what it says, and who read it so: reading twice gives the same."""
    parts = (claim.conversation, claim.session, claim.turn_ids[0], str(claim.start), str(len(claim.quote)))
    said = (claim.subject, claim.relation, claim.value.casefold(), str(claim.negated), claim.method)
    return f"claim_{digest(*parts, *said).hex()[:20]}"
