"""Verb groups: "have never really been thinking of" as one verb with what is told about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engramma.people.grammar.auxiliaries import (
    ADVERBS,
    AFTER_ALMOST,
    ALMOST_NOT,
    HEDGES,
    LEADS,
    MODALS,
    NO_DOING,
    NO_VERBS,
    NOT,
    PREDICATES,
    WISHES,
)
from engramma.people.grammar.verbs import BE, FORMS, Form
from engramma.people.grammar.words import TextWords
from engramma.records.people import Modality

Guess = Literal["", "past", "any"]


@dataclass(frozen=True, slots=True)
class VerbGroup:
    """The verb of a clause: its plain form, where it stands, and whether it is denied, planned or passive."""

    lemma: str
    verb: int  # the place of the main verb, or of the form of "be"
    end: int  # the place after it
    kind: str  # base, s, past, part or ing
    negated: bool
    modality: Modality
    hedged: bool
    passive: bool
    past: bool
    perfect: bool  # "have been doing"
    ended: bool  # "used to": it was so and is no more
    leads: tuple[str, ...]  # verbs before the main one: want, plan, keep


def read_group(words: TextWords, i: int, last: int, inverted: str = "", guess: Guess = "") -> VerbGroup | None:
    """The verb group that begins at a word, or none.

    `inverted` is an auxiliary that stood before the subject; with `guess` a word that no table has may be a verb,
    in any form or only in -ed.
    """
    low = words.low
    negated = hedged = ended = past = perfect = False
    modality: Modality = "fact"
    leads: list[str] = []
    be, be_at = "", -1
    wanted = ""  # the form that must follow
    if inverted:
        modality = MODALS.get(inverted, "fact")
        be, be_at = (inverted, i - 2) if inverted in BE else ("", -1)
        past = inverted in ("did", "was", "were", "had")
        perfect = inverted in ("have", "has", "had")
    while i < last:
        word = low[i]
        following = low[i + 1] if i + 1 < last else ""
        if word in NOT:
            negated, i = not negated if word != "never" else True, i + 1
            continue
        if word in ALMOST_NOT and not be and following not in AFTER_ALMOST:
            negated, i = True, i + 1
            continue
        if word in ("rarely", "seldom"):
            hedged, i = True, i + 1
            continue
        if word == "no" and following == "longer":
            negated, i = True, i + 2
            continue
        if word in HEDGES and word not in MODALS:
            hedged, i = True, i + 1
            continue
        if word.endswith("ly") and len(word) > 4 and word not in FORMS and not be:
            i += 1
            continue
        if word in ADVERBS and not (word in ("so", "pretty", "super", "very", "all") and be):
            i += 1
            continue
        if word in MODALS and word != be:
            modality = MODALS[word] if modality == "fact" else modality
            hedged = hedged or word in ("might", "may", "must")
            wanted, i = "base", i + 1
            continue
        if word == "can":
            leads.append("can")
            wanted, i = "base", i + 1
            continue
        if word == "'d":
            after = _next_verb(words, i + 1, last)
            if (after and "base" not in after.kinds and after.kinds & {"past", "part"}) or following == "been":
                past = perfect = True
            else:
                modality = "hypothetical"
            i += 1
            continue
        if word in BE or (word == "'s" and not be):
            be, be_at = word, i
            past = past or word in ("was", "were")
            i += 1
            continue
        if word in ("have", "has", "had", "'ve") and not be:
            after = _next_verb(words, i + 1, last)
            is_got = following == "got"
            if word == "'ve" or is_got or following == "been" or _is_participle(words, i + 1, last, bool(guess)):
                past, perfect = past or word == "had", True
                if is_got and not _participle_after_got(words, i + 2, last):
                    return VerbGroup(
                        "have",
                        i + 1,
                        i + 2,
                        "base",
                        negated,
                        modality,
                        hedged,
                        False,
                        False,
                        False,
                        ended,
                        tuple(leads),
                    )
                i += 1
                continue
        if word in ("do", "does", "did") and (
            following in NOT or (following in FORMS and "base" in FORMS[following].kinds and following not in ("time",))
        ):
            past, i = past or word == "did", i + 1
            continue
        if word == "wanna":
            modality, wanted, i = ("wish" if modality == "fact" else modality), "base", i + 1
            leads.append("want")
            continue
        if be and word in PREDICATES and following == PREDICATES[word][0]:
            mood = PREDICATES[word][1]
            if mood is None or (i + 2 < last and _is_form(low[i + 2], "base")):
                if mood:
                    modality = mood if modality == "fact" else modality
                leads.append({"going": "go", "planning": "plan", "hoping": "hope", "trying": "try"}.get(word, word))
                be, wanted, i = "", "base", i + 2
                continue
        form = FORMS.get(word)
        if form is None and guess and words.as_is[i].islower() and (guess == "any" or word.endswith("ed")):
            form = _guessed(word, bool(be), perfect, wanted)
        if form is None and not be and word in ("has", "had"):
            form = Form("have", frozenset({"s" if word == "has" else "past"}))
        if form is None or form.lemma == "be":
            break
        if be and not form.kinds & {"ing", "part"}:
            break
        if be and "ing" not in form.kinds and words.low[be_at] == "'s" and not perfect and form.lemma == "be":
            break
        if not be and not perfect and form.kinds == {"ing"} and not leads and not wanted:
            break
        if wanted == "base" and "base" not in form.kinds:
            return None
        if wanted == "ing" and "ing" not in form.kinds:
            return None
        lead = _lead(words, form, i, last)
        if lead is not None:
            mood, skip, wanted = lead
            if form.lemma == "use":
                if "past" not in form.kinds or be:
                    lead = None
                else:
                    ended = past = True
            if lead is not None:
                done = form.lemma == "have" and (past or word == "had")  # "I had to shut it down"
                if mood and modality in ("fact", "hypothetical") and not done:
                    modality = mood
                past = past or "past" in form.kinds
                leads.append(form.lemma)
                be, perfect, i = "", False, skip
                continue
        if form.lemma in WISHES and modality == "hypothetical" and following == "to":
            leads.append("love")
            modality, wanted, i = "wish", "base", i + 2
            continue
        kind = _kind(form, be, perfect, wanted)
        passive = bool(be) and kind == "part" and "ing" not in form.kinds
        is_past = past or kind == "past" or (perfect and kind == "part" and not be)
        return VerbGroup(
            form.lemma, i, i + 1, kind, negated, modality, hedged, passive, is_past, perfect, ended, tuple(leads)
        )
    if be:
        return VerbGroup("be", be_at, i, "base", negated, modality, hedged, False, past, perfect, ended, tuple(leads))
    return None


def _guessed(word: str, be: bool, perfect: bool, wanted: str) -> Form | None:
    """A word that stands where a verb does, read by its ending."""
    if not word.isalpha() or len(word) < 3 or word in NO_VERBS or word.endswith("ly"):
        return None
    if be:
        is_doing = word.endswith("ing") and len(word) > 5 and word not in NO_DOING
        return Form(_stem(word[:-3]), frozenset({"ing"})) if is_doing else None
    if wanted == "base":
        return Form(word, frozenset({"base"}))
    if word.endswith("ed") and len(word) > 4:
        return Form(_stem(word[:-2]), frozenset({"past", "part"}))
    if perfect:
        return None
    if word.endswith("s") and not word.endswith("ss"):
        return Form(word[:-1], frozenset({"s"}))
    return Form(word, frozenset({"base"}))


def _stem(stem: str) -> str:
    """The plain form behind -ed or -ing, as well as its letters tell."""
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] in "bdgmnprt":
        return stem[:-1]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    return (
        stem + "e"
        if stem.endswith(("at", "iz", "is", "us", "uc", "ag", "rg", "v", "u", "c", "ur", "ir", "am"))
        else stem
    )


def _kind(form: Form, be: str, perfect: bool, wanted: str) -> str:
    if wanted in form.kinds:
        return wanted
    if be:
        return "ing" if "ing" in form.kinds else "part"
    if perfect and "part" in form.kinds:
        return "part"
    return next((kind for kind in ("past", "s", "base", "part", "ing") if kind in form.kinds), "base")


def _lead(words: TextWords, form: Form, i: int, last: int) -> tuple[Modality | None, int, str] | None:
    """What a verb before another one says about it, and where and in which form that other one stands."""
    low = words.low
    for after, mood, wanted in LEADS.get(form.lemma, ()):
        at = i + 1 + len(after)
        if low[i + 1 : at] != after:
            continue
        while at < last and (low[at] in ADVERBS or (low[at].endswith("ly") and low[at] not in FORMS)):
            at += 1
        unknown = wanted == "base" and after[-1:] == ("to",) and at < last and low[at] not in FORMS
        if at < last and (_is_form(low[at], wanted) or (unknown and _guessed(low[at], False, False, "base"))):
            if form.lemma == "go" and "ing" not in form.kinds:
                continue
            return mood, at, wanted
    return None


def _is_form(word: str, kind: str) -> bool:
    if word in ("be", "have", "do") and kind == "base":
        return True
    if word in ("being", "having", "doing", "becoming") and kind == "ing":
        return True
    form = FORMS.get(word)
    return form is not None and kind in form.kinds


def _next_verb(words: TextWords, i: int, last: int) -> Form | None:
    while i < last and (words.low[i] in ADVERBS or words.low[i] in NOT):
        i += 1
    return FORMS.get(words.low[i]) if i < last else None


def _is_participle(words: TextWords, i: int, last: int, guess: bool) -> bool:
    """Whether "have" is followed by a participle, as in "have never read it"."""
    while i < last and (words.low[i] in ADVERBS or words.low[i] in NOT):
        i += 1
    if i >= last:
        return False
    form = FORMS.get(words.low[i])
    if form is None:
        return guess and words.low[i].endswith("ed") and len(words.low[i]) > 4
    return "part" in form.kinds


def _participle_after_got(words: TextWords, i: int, last: int) -> bool:
    return i < last and words.low[i] in ("married", "engaged", "divorced", "promoted", "to", "into", "back")
