"""A question that does not name whom it asks about, but describes them: "How old is the one who likes reading?".

Such a question has two steps: which message fits the description, and what another one says of whom that is about.
What is looked for are relative clauses of the languages below; a question that none of them fits is asked as it stands.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..patterns import late
from .first_person import tells_of_oneself

SHORTEST = 2  # characters of a description
LONGEST = 500  # characters of a question that is looked at: more is something pasted

_PEOPLE = {
    "en": "ones?|person|people|man|woman|guy|girl|boy|lady|gentleman|fellow|friend|colleague|co-?worker|neighbou?r|"
    "cousin|uncle|aunt|niece|nephew|brother|sister|relative|boss|manager|classmate|roommate|flatmate",
    "de": "Person|Mensch|Mann|Frau|Junge|Mädchen|Herrn?|Dame|Typ|Freund(?:in)?|Kolleg(?:en?|in)|Nachbarn?|Nachbarin|"
    "Bekannten?|Verwandten?|Chef(?:in)?|Leuten?",
    "fr": "personne|homme|femme|gars|type|fille|garçon|dame|monsieur|ami|amie|copain|copine|collègue|voisine?|gens",
    "es": "persona|hombre|mujer|tipo|tipa|chic[oa]|señora?|amig[oa]|compañer[oa]|colega|vecin[oa]|gente",
    "it": "persona|uomo|donna|tipo|tipa|ragazz[oa]|signora?|amic[oa]|collega|vicin[oa]",
    "pt": "pessoa|homem|mulher|cara|rapaz|moç[oa]|senhora?|amig[oa]|colega|vizinh[oa]",
    "nl": "persoon|man|vrouw|jongen|meisje|vent|heer|dame|vriend(?:in)?|collega|buur(?:man|vrouw)?|mensen",
}


class RelativeClause(NamedTuple):
    """Relative pronouns, and the pattern of whom they follow, one of them, and the description.

    The description ends at a comma or with the question, since no sign ends it before.
    """

    pronouns: frozenset[str]
    pattern: re.Pattern[str]


def _clause(before: str, pronouns: str, comma: str = ",?", between: str = "") -> RelativeClause:
    one_of = pronouns.replace(" ", "|")
    pattern = late(rf"\b(?:{before}){comma}\s+{between}(?:{one_of})\s+([^,?]+)", re.I)
    return RelativeClause(frozenset(pronouns.split()), pattern)


_CLAUSES = (
    # the plumber who fixed the boiler, my friend whose dog is ill; the person that, my colleague from Ghent
    _clause(r"(?:the|that|my|our|his|her|their|\w+['’]s)\s+(?:[\w'’-]+\s+){0,3}?[\w'’-]+", "who whose whom"),
    _clause(
        rf"(?:the|that|my|our|his|her|their|\w+['’]s)\s+(?:[\w'’-]+\s+){{0,2}}?(?:{_PEOPLE['en']})", "that from with"
    ),
    _clause(
        rf"de[rnm](?:jenigen)?|derjenige|die(?:jenigen?)?|(?:de[rnm]|die|das)\s+(?:{_PEOPLE['de']})|"
        r"(?:mein|unser)(?:e[nmrs]?)?\s+\w+",
        "der die das dem den deren dessen",
        comma=",",
        between=r"(?:(?:mit|bei|von|zu|für|in|an|auf)\s+)?",
    ),
    _clause(
        rf"celui|celle|ceux|celles|(?:la|le|les|l['’]|cett?e)\s*(?:{_PEOPLE['fr']})|(?:mon|ma|notre)\s+\w+", "qui dont"
    ),
    _clause(
        r"(?<!\ben )(?<!\bpor )(?<!\bpara )(?<!\bcon )(?:el|la|los|las)|aquel|aquella|"
        rf"(?:el|la|es[ea]|l[oa]s)\s+(?:{_PEOPLE['es']})|(?:mi|nuestr[oa])\s+\w+",
        "que cuyo cuya",
    ),
    _clause(rf"quell[oa]|col[ue]i|(?:il|la|lo|l['’])\s*(?:{_PEOPLE['it']})|(?:mi[oa]|nostr[oa])\s+\w+", "che cui"),
    _clause(rf"aquel[ea]|(?:[oa]|ess[ea])\s+(?:{_PEOPLE['pt']})|(?:meu|minha|noss[oa])\s+\w+", "que cujo cuja"),
    _clause(rf"di?egene|(?:de|die|het)\s+(?:{_PEOPLE['nl']})|(?:mijn|onze)\s+\w+", "die dat wiens"),
    _clause(
        r"тот|та|того|той|тому|человек\w*|мужчин\w+|женщин\w+|друг\w*|подруг\w+|коллег\w+|сосед\w*",
        "кто который которая которое которые которого которой которому чей чья чьё",
        comma=",",
    ),
)
_CHINESE = late("那[个個位名家场場次]([^？?]{2,}?)的(?:人|家伙|傢伙|[^，,？?的人]{0,4}(?=[，,]))")  # 那个喜欢阅读的人
# Where the description comes first: 在银行上班的那个人, 読書が好きな人は, 책을 좋아하는 사람은
_DESCRIBED_BEFORE = (
    late("的?那[个個位](?:人|家伙|傢伙)"),
    late("(?<=[るただなのいうくすつぬぶむぐ])(?:人|方|ひと|子|友達|同僚)(?=[はのがにも、])"),
    late("(?<=[는은한인던된난간산온])\\s?(?:사람|분|친구|동료|이웃)(?=[은이의가과도,\\s])"),
)
_SIGN = late("[，,。、？?.!！：:；;]")
_ASKS_WHO = late(r"\s*(?:and\s+)?who(?:['’]s|\s+(?:is|was|are|were))\s+(?:the|my|our)\b", re.I)


def description_in(question: str) -> str:
    """The words by which a question describes whom it asks about; "" if it does not, or tells something itself.

    "Who is the one who ...?" asks for nothing more than the message that fits.
    """
    if len(question) > LONGEST or _ASKS_WHO.match(question):
        return ""
    described = _after_pronoun(question) or ("" if question.isascii() else _in_runs(question))
    return "" if len(described) < SHORTEST or tells_of_oneself(question) else described


def _after_pronoun(question: str) -> str:
    words = set(question.lower().split())
    found = (one.pattern.search(question) for one in _CLAUSES if not words.isdisjoint(one.pronouns))
    return next((match[1].strip() for match in found if match is not None), "")


def _in_runs(question: str) -> str:
    if (found := _CHINESE.search(question)) is not None:
        return found[1].strip()
    before = next(filter(None, (pattern.search(question) for pattern in _DESCRIBED_BEFORE)), None)
    return "" if before is None else _SIGN.split(question[: before.start()])[-1].strip()
