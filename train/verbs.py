"""Forms of English verbs, as far as the question rules need them."""

from __future__ import annotations

import re

from .wordlists import word_set

# base, past, participle; regular ones are made by rule
_IRREGULAR = """
be was been|become became become|begin began begun|bend bent bent|bet bet bet|bite bit bitten|bleed bled bled
blow blew blown|break broke broken|breed bred bred|bring brought brought|build built built|burn burnt burnt
burst burst burst|buy bought bought|catch caught caught|choose chose chosen|come came come|cost cost cost
cut cut cut|deal dealt dealt|dig dug dug|do did done|draw drew drawn|dream dreamt dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found
fit fit fit|fly flew flown|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten
give gave given|go went gone|grow grew grown|hang hung hung|have had had|hear heard heard|hide hid hidden
hit hit hit|hold held held|hurt hurt hurt|keep kept kept|know knew known|lay laid laid|lead led led
learn learnt learnt|leave left left|lend lent lent|let let let|lie lay lain|light lit lit|lose lost lost
make made made|mean meant meant|meet met met|pay paid paid|put put put|quit quit quit|read read read
ride rode ridden|ring rang rung|rise rose risen|run ran run|say said said|see saw seen|seek sought sought
sell sold sold|send sent sent|set set set|sew sewed sewn|shake shook shaken|shoot shot shot|show showed shown
shut shut shut|sing sang sung|sink sank sunk|sit sat sat|sleep slept slept|speak spoke spoken|spend spent spent
spread spread spread|stand stood stood|steal stole stolen|stick stuck stuck|strike struck struck|swear swore sworn
sweep swept swept|swim swam swum|take took taken|teach taught taught|tear tore torn|tell told told
think thought thought|throw threw thrown|understand understood understood|upset upset upset|wake woke woken
wear wore worn|win won won|write wrote written
"""
IRREGULAR = {row.split()[0]: tuple(row.split()[1:]) for row in re.split(r"[|\n]", _IRREGULAR.strip())}
BASE_OF_PAST = {past: base for base, (past, _) in IRREGULAR.items() if past != base}
BASE_OF_PARTICIPLE = {participle: base for base, (_, participle) in IRREGULAR.items() if participle != base}
MODALS = word_set("can could will would shall should may might must cannot won't can't couldn't wouldn't didn't")
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnprt]")
_NOT_DOUBLED = word_set("visit edit open listen happen offer order enter cover gather deliver remember wonder travel")


def third_person(base: str) -> str:
    """She goes, has, tries, watches."""
    if base in ("be", "have"):
        return {"be": "is", "have": "has"}[base]
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search(r"(s|x|z|ch|sh|[^aeo]o)$", base) else "s")


def past(base: str) -> str:
    """She went, tried, stopped."""
    return IRREGULAR[base][0] if base in IRREGULAR else _regular_past(base)


def participle(base: str) -> str:
    """She has gone, tried, stopped."""
    return IRREGULAR[base][1] if base in IRREGULAR else _regular_past(base)


def gerund(base: str) -> str:
    """She is going, making, stopping."""
    if base == "be":
        return "being"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return _doubled(base) + "ing"


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ied"
    return _doubled(base) + "ed"


def _doubled(base: str) -> str:
    ends = _DOUBLED.fullmatch(base[-3:]) is not None and base not in _NOT_DOUBLED
    return base + base[-1] if ends and len(re.findall(r"[aeiou]+", base)) == 1 else base
