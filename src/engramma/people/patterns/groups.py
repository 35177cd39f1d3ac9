"""Verb groups: "have never really been thinking of" as one verb with what is told about it."""

from __future__ import annotations

from dataclasses import dataclass

from engramma.people.patterns.sets import wordset
from engramma.people.patterns.verbs import BE, FORMS, Form
from engramma.people.patterns.words import Words
from engramma.records.people import Modality

ADVERBS = wordset(
    "also just really recently actually finally still always already even totally definitely currently usually often"
    " sometimes both all now then only simply mostly mainly truly literally basically honestly lately once ever again"
    " so too very quite pretty super rather occasionally rarely seldom regularly constantly originally initially"
    " eventually soon officially successfully happily luckily fortunately sadly personally especially almost nearly"
    " kinda first obviously clearly seriously completely fully genuinely deeply certainly absolutely gladly"
)
_HEDGES = wordset("probably maybe perhaps possibly apparently supposedly likely might may")
_NOT = wordset("not n't never no-longer hardly barely neither")
_MODALS: dict[str, Modality] = {
    "would": "hypothetical", "could": "hypothetical", "should": "hypothetical", "might": "hypothetical",
    "may": "hypothetical", "will": "plan", "shall": "plan", "'ll": "plan", "gonna": "plan", "must": "hypothetical",
}  # fmt: skip
# What comes before another verb: words after the verb, what it makes of the whole, and how the next verb stands.
_LEADS: dict[str, tuple[tuple[tuple[str, ...], Modality | None, str], ...]] = {
    "go": ((("to",), "plan", "base"),),
    "plan": ((("to",), "plan", "base"), (("on",), "plan", "ing")),
    "intend": ((("to",), "plan", "base"),),
    "hope": ((("to",), "wish", "base"),),
    "want": ((("to",), "wish", "base"),),
    "wan": ((("na",), "wish", "base"),),
    "need": ((("to",), "plan", "base"),),
    "have": ((("to",), "plan", "base"),),
    "decide": ((("to",), "plan", "base"), (("on",), "plan", "ing")),
    "look": ((("forward", "to"), "plan", "ing"), (("to",), "plan", "base")),
    "think": ((("of",), "wish", "ing"), (("about",), "wish", "ing")),
    "consider": (((), "wish", "ing"),),
    "dream": ((("of",), "wish", "ing"), (("about",), "wish", "ing")),
    "try": ((("to",), "plan", "base"),),
    "use": ((("to",), None, "base"),),
    "get": ((("to",), None, "base"),),
    "manage": ((("to",), None, "base"),),
    "happen": ((("to",), None, "base"),),
    "end": ((("up",), None, "ing"),),
    "keep": ((("on",), None, "ing"), ((), None, "ing")),
}
_PREDICATES: dict[str, tuple[str, Modality | None]] = {
    "going": ("to", "plan"), "about": ("to", "plan"), "ready": ("to", "plan"), "able": ("to", None),
    "excited": ("to", "plan"), "determined": ("to", "plan"), "eager": ("to", "wish"), "keen": ("to", "wish"),
    "hoping": ("to", "wish"), "planning": ("to", "plan"), "supposed": ("to", "plan"), "trying": ("to", "plan"),
    "looking": ("to", "plan"), "set": ("to", "plan"), "lucky": ("to", None), "happy": ("to", None),
}  # fmt: skip
_WISHES = wordset("love like prefer enjoy")


@dataclass(frozen=True, slots=True)
class Group:
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
    ended: bool  # "used to": it was so and is no more
    leads: tuple[str, ...]  # verbs before the main one: want, plan, keep


def read_group(words: Words, i: int, last: int, inverted: str = "") -> Group | None:
    """The verb group that begins at a word, or none; `inverted` is an auxiliary that stood before the subject."""
    low = words.low
    negated = hedged = ended = past = perfect = False
    modality: Modality = "fact"
    leads: list[str] = []
    be, be_at = "", -1
    wanted = ""  # the form that must follow
    if inverted:
        modality = _MODALS.get(inverted, "fact")
        be, be_at = (inverted, i - 2) if inverted in BE else ("", -1)
        past = inverted in ("did", "was", "were", "had")
        perfect = inverted in ("have", "has", "had")
    while i < last:
        word = low[i]
        following = low[i + 1] if i + 1 < last else ""
        if word in _NOT:
            negated, i = not negated if word != "never" else True, i + 1
            continue
        if word == "no" and following == "longer":
            negated, i = True, i + 2
            continue
        if word in _HEDGES and word not in _MODALS:
            hedged, i = True, i + 1
            continue
        if word in ADVERBS and not (word in ("so", "pretty", "super", "very", "all") and be):
            i += 1
            continue
        if word in _MODALS and word != be:
            modality = _MODALS[word] if modality == "fact" else modality
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
            if (
                word == "'ve"
                or is_got
                or following == "been"
                or (after and after.kinds & {"part"} and _is_near(words, i + 1, last))
            ):
                past, perfect = past or word == "had", True
                if is_got and not _participle_after_got(words, i + 2, last):
                    return _group("have", i + 1, i + 2, "base", negated, modality, hedged, False, False, ended, leads)
                i += 1
                continue
        if word in ("do", "does", "did") and (
            following in _NOT
            or (following in FORMS and "base" in FORMS[following].kinds and following not in ("time",))
        ):
            past, i = past or word == "did", i + 1
            continue
        if word == "wanna":
            modality, wanted, i = ("wish" if modality == "fact" else modality), "base", i + 1
            leads.append("want")
            continue
        if be and word in _PREDICATES and following == _PREDICATES[word][0]:
            mood = _PREDICATES[word][1]
            if mood is None or (i + 2 < last and _is_form(low[i + 2], "base")):
                if mood:
                    modality = mood if modality == "fact" else modality
                leads.append({"going": "go", "planning": "plan", "hoping": "hope", "trying": "try"}.get(word, word))
                be, wanted, i = "", "base", i + 2
                continue
        form = FORMS.get(word)
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
                if mood and modality in ("fact", "hypothetical"):
                    modality = mood
                past = past or "past" in form.kinds
                leads.append(form.lemma)
                be, perfect, i = "", False, skip
                continue
        if form.lemma in _WISHES and modality == "hypothetical" and following == "to":
            leads.append("love")
            modality, wanted, i = "wish", "base", i + 2
            continue
        kind = _kind(form, be, perfect, wanted)
        passive = bool(be) and kind == "part" and "ing" not in form.kinds
        is_past = past or kind == "past" or (perfect and kind == "part" and not be)
        return _group(form.lemma, i, i + 1, kind, negated, modality, hedged, passive, is_past, ended, leads)
    if be:
        return _group("be", be_at, i, "base", negated, modality, hedged, False, past, ended, leads)
    return None


def _group(
    lemma: str, verb: int, end: int, kind: str, negated: bool, modality: Modality, hedged: bool,
    passive: bool, past: bool, ended: bool, leads: list[str],
) -> Group:  # fmt: skip
    return Group(lemma, verb, end, kind, negated, modality, hedged, passive, past, ended, tuple(leads))


def _kind(form: Form, be: str, perfect: bool, wanted: str) -> str:
    if wanted in form.kinds:
        return wanted
    if be:
        return "ing" if "ing" in form.kinds else "part"
    if perfect and "part" in form.kinds:
        return "part"
    return next((kind for kind in ("past", "s", "base", "part", "ing") if kind in form.kinds), "base")


def _lead(words: Words, form: Form, i: int, last: int) -> tuple[Modality | None, int, str] | None:
    """What a verb before another one says about it, and where and in which form that other one stands."""
    low = words.low
    for after, mood, wanted in _LEADS.get(form.lemma, ()):
        at = i + 1 + len(after)
        if low[i + 1 : at] != after:
            continue
        while at < last and low[at] in ADVERBS:
            at += 1
        if at < last and _is_form(low[at], wanted):
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


def _next_verb(words: Words, i: int, last: int) -> Form | None:
    while i < last and (words.low[i] in ADVERBS or words.low[i] in _NOT):
        i += 1
    return FORMS.get(words.low[i]) if i < last else None


def _is_near(words: Words, i: int, last: int) -> bool:
    """Whether the participle after "have" is a verb and no noun's beginning: "have read it", not "have cut flowers"."""
    while i < last and (words.low[i] in ADVERBS or words.low[i] in _NOT):
        i += 1
    return i < last


def _participle_after_got(words: Words, i: int, last: int) -> bool:
    return i < last and words.low[i] in ("married", "engaged", "divorced", "promoted", "to", "into", "back")
