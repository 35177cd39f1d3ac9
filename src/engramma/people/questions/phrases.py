"""The phrases by which structured questions ask: which words mean which relation, asked forwards or backwards.

Forwards ("What does Ana like?") is read off the questions that each relation answers (`relations.RELATIONS`);
backwards ("Who likes hiking?") has a table of verbs here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..claims.relations import RELATIONS

# Relations that are asked for together: who moved to a place lives there, who dates somebody has a partner.
GROUPS: dict[str, tuple[str, ...]] = {
    "lives_in": ("lives_in", "moved_to"),
    "works_at": ("works_at", "hired_by", "founded"),
    "works_as": ("works_as", "is_a"),
    "likes": ("likes", "favourite", "prefers"),
    "has_partner": ("has_partner", "dating", "engaged_to", "married_to"),
    "spouse": ("married_to", "has_partner"),
    "has_relative": ("has_relative", "has_child", "has_sibling", "has_parent"),
    "went_to": ("went_to", "visited", "travelled_to", "attended"),
    "visited": ("visited", "travelled_to", "went_to"),
    "has": ("has", "bought", "got"),
    "owns": ("has", "bought", "got", "has_pet", "has_child", "has_sibling", "has_condition"),
    "being": ("is_a", "works_as"),
    "uses": ("uses", "depends_on", "runs_on"),
    "took_part_in": ("took_part_in", "ran", "attended"),
    "does": ("does", "plays", "likes"),
    "did": ("did", "ran", "attended", "went_to", "took_part_in", "made"),
}

# Verbs before a value, in the plain form: "Who works at …?", "What projects use …?"
BACKWARDS: tuple[tuple[str, str], ...] = (
    (r"works? (?:at|for)|(?:is|are) employed (?:at|by)|worked (?:at|for)", "works_at"),
    (r"works? as|worked as", "works_as"),
    (r"works? on|(?:is|are) working on|worked on", "works_on"),
    (r"works? in", "works_in"),
    (r"lives? in|lived in|(?:is|are) living in", "lives_in"),
    (r"lives? with", "lives_with"),
    (r"moved to", "moved_to"),
    (r"(?:is|are|comes?) from", "from"),
    (r"(?:was|were) born in", "born_in"),
    (r"stud(?:y|ies|ied) at", "studies_at"),
    (r"stud(?:y|ies|ied)", "studies"),
    (r"teach(?:es)?|taught", "teaches"),
    (r"learns?|(?:is|are) learning", "learns"),
    (r"speaks?", "speaks"),
    (r"founded|started the company", "founded"),
    (r"volunteers? (?:at|for|with)", "volunteers_at"),
    (r"joined", "joined"),
    (r"left", "left_job"),
    (r"(?:is|are) married to|married", "married_to"),
    (r"(?:is|are) dating", "dating"),
    (r"knows?", "knows"),
    (r"met", "met"),
    (r"(?:is|are) allergic to", "allergic_to"),
    (r"(?:has|have|owns?) (?:a |the )?(?:pet|dog|cat) (?:called|named)", "has_pet"),
    (r"dislikes?|hates?|do(?:es)?n't like", "dislikes"),
    (r"likes?|loves?|enjoys?", "likes"),
    (r"prefers?", "prefers"),
    (r"wants?", "wants"),
    (r"needs?", "needs"),
    (r"plans?", "plans"),
    (r"eats?", "eats"),
    (r"plays?|played", "plays"),
    (r"listens? to", "listens_to"),
    (r"read|reads", "read"),
    (r"watch(?:es|ed)?", "watched"),
    (r"bought", "bought"),
    (r"made", "made"),
    (r"painted", "painted"),
    (r"wrote", "wrote"),
    (r"ran", "ran"),
    (r"won", "won"),
    (r"attended", "attended"),
    (r"took part in|takes part in", "took_part_in"),
    (r"visited|went to|travell?ed to", "visited"),
    (r"uses?|used", "uses"),
    (r"depends? on", "depends_on"),
    (r"runs? on", "runs_on"),
    (r"(?:is|are) (?:written|built|made) (?:in|with|on)", "uses"),
    (r"blocks?", "blocks"),
    (r"(?:is|are) good at", "good_at"),
    (r"has|have|owns?", "owns"),
    (r"(?:is|are) an?", "being"),
)
# What a question may ask for, with the type of such entities.
TYPES = {
    "person": "person people persons friends colleagues somebody someone",
    "project": "project projects",
    "tool": "tool tools language languages framework frameworks library libraries app apps",
    "organisation": "company companies organisation organisations organization organizations team teams club clubs",
    "place": "place places city cities country countries town towns",
    "pet": "pet pets dog dogs cat cats animal animals",
    "event": "event events",
    "work": "book books film films movie movies song songs show shows",
}
TYPE_OF = {word: type for type, words in TYPES.items() for word in words.split()}
KIN = {
    "has_friend": "friend friends",
    "has_partner": "partner boyfriend girlfriend",
    "spouse": "husband wife spouse",
    "has_child": "child children kid kids son sons daughter daughters",
    "has_sibling": "brother brothers sister sisters sibling siblings",
    "has_parent": "mother father mom mum dad mama papa parent parents",
    "has_relative": "family relatives cousin cousins aunt uncle niece nephew grandmother grandfather grandma grandpa"
    " granny nan granddad",
    "has_pet": "pet pets dog dogs cat cats",
    "knows": "boss colleague colleagues neighbour neighbours neighbor neighbors",
    "works_at": "company employer",
    "works_on": "project projects",
}
KIN_OF = {word: relation for relation, words in KIN.items() for word in words.split()}
# Nouns that mean all of a relation: a partner may be a wife, a child a son.
ANY_NOUNS = """
partner spouse child children kid kids sibling siblings parent parents family relatives friend friends pet pets
company employer project projects
"""
ANY_OF = frozenset(ANY_NOUNS.split())
OF_THINGS = frozenset({"uses", "depends_on", "runs_on", "blocks"})  # what things do as well: "What uses Python?"
# Nouns of a person that are asked for as they are: "Ana's job", "Ana's pets".
NOUNS = {
    "job": "works_as",
    "work": "works_as",
    "profession": "works_as",
    "occupation": "works_as",
    "employer": "works_at",
    "company": "works_at",
    "home": "lives_in",
    "hometown": "from",
    "birthday": "birthday",
    "age": "age",
    "hobbies": "likes",
    "interests": "likes",
    "plans": "plans",
    "goals": "wants",
    "projects": "works_on",
    "tools": "uses",
    "allergies": "allergic_to",
    "relationship status": "relationship_status",
}
WHICH_ONE = "best|closest|older|elder|eldest|oldest|younger|youngest|little|big|late|new|current"  # of several friends
RELATED = (
    r"(?:what|who) (?:is|are) (?:(?:related|connected|linked) (?:to|with)|around|about) (.+)",
    r"(?:what do (?:you|we) know|what is known|tell me|everything|what was said|what did (?:we|they|people) say)"
    r" about (.+)",
    r"(?:who|what) (?:has|have) to do with (.+)",
    r"(?:related|connected) (?:to|with) (.+)",
)


@dataclass(frozen=True, slots=True)
class Inverse:
    """A question for whom something is true: what it asks for, by which relations, of which value."""

    what: str
    relations: tuple[str, ...]
    value: str


def explicit(text: str) -> tuple[str | None, str | None, str | None, str | None] | None:
    """subject=… relation=… value=… type=…, in any order; a value with blanks in quotes, or up to the next name."""
    names = r"(subject|relation|value|type)\s*="
    if not re.match(names, text, re.IGNORECASE):
        return None
    parts = re.split(names, text, flags=re.IGNORECASE)[1:]
    given = {name.lower(): part.strip().strip("\"'") for name, part in zip(parts[::2], parts[1::2], strict=True)}
    found = [given.get(name) or None for name in ("subject", "relation", "value", "type")]
    return (found[0], found[1].replace(" ", "_") if found[1] else None, found[2], found[3]) if any(found) else None


def related(text: str) -> str | None:
    """What everything related is asked of."""
    for shape in RELATED:
        if found := re.fullmatch(shape, text, re.IGNORECASE):
            return found[1].strip()
    return None


def inverse(text: str) -> Inverse | None:
    """Who or what does something to a value: "Who works at TechCorp?", "What projects use Python?"."""
    asked = re.match(r"(who|what|(?:what|which|whose|list(?: all)?|all) (?P<what>[\w ]+?)) (?=\w)", text, re.IGNORECASE)
    if asked is None:
        return None
    for verbs, relation in BACKWARDS:
        lead = "what|" if relation in OF_THINGS else ""
        lead += r"who(?: else)?(?: all)?|(?:what|which|list(?: all)?|all) (?P<what>[\w-]+(?: [\w-]+)?)"
        shape = rf"(?:{lead})(?: that| who| which)? (?:{verbs}) (?P<value>(?!.*\bdo(?:es)?\b).+)"
        if found := re.fullmatch(shape, text, re.IGNORECASE):
            what = (found["what"] or "people").lower()
            if what in ("is", "are", "does", "do", "did", "was", "has") or what.split()[0] in ("does", "did", "is"):
                continue
            return Inverse(what, GROUPS.get(relation, (relation,)), trimmed(found["value"]))
    return None


def forwards(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Whom a question is about and by which relations it is answered: "What does Ana like?", "What is Ana's job?"."""
    for shape, relation in shapes():
        if (found := shape.fullmatch(text)) is not None:
            return trimmed(found["s"]), GROUPS.get(relation, (relation,))
    if found := re.fullmatch(
        r"(?:what|who|where|when) (?:is|are|was|were) (?P<s>.+)'s? (?P<n>\w+(?: \w+)?)", text, re.I
    ):
        noun = found["n"].lower()
        relation = NOUNS.get(noun) or KIN_OF.get(noun) or ""
        if relation:
            return trimmed(found["s"]), GROUPS.get(relation, (relation,))
    have = r"(?:what|which|how many) (?P<n>\w+) (?:do|does|did) (?P<s>.+) "
    have += r"(?P<v>have|own|use|like|play|read|watch|visit|work on)"
    if found := re.fullmatch(have, text, re.IGNORECASE):
        verb, noun = found["v"].lower(), found["n"].lower()
        relation = KIN_OF.get(noun, "has") if verb in ("have", "own") else VERBS[verb]
        return trimmed(found["s"]), GROUPS.get(relation, (relation,))
    return None


VERBS = {"use": "uses", "like": "likes", "play": "plays", "read": "read", "watch": "watched", "visit": "visited"}
VERBS["work on"] = "works_on"


def kin(subject: str) -> tuple[str, tuple[str, ...]] | None:
    """Whose people are meant, and by which tie: "Ana's friends"."""
    found = re.fullmatch(r"(?P<s>.+?)'s? (?P<n>\w+)", subject)
    if found is None or (relation := KIN_OF.get(found["n"].lower())) is None:
        return None
    return trimmed(found["s"]), GROUPS.get(relation, (relation,))


def one_of(text: str) -> str:
    """The noun by which one kind of relative is asked for: "wife", "sister"; "" for friends and the like."""
    nouns = [word.lower() for word in re.findall(r"'s? (\w+)", text)]
    return next((noun for noun in nouns if noun in KIN_OF and noun not in ANY_OF), "")


def type_named(what: str) -> str | None:
    """The type that a plural noun asks for; None for people and things in general."""
    word = what.split()[-1]
    return None if what in ("people", "things", "thing", "else") else TYPE_OF.get(word)


def trimmed(name: str) -> str:
    return name.strip().strip("\"'").strip()


@cache
def shapes() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The questions that the relations answer, as patterns with a place for the subject; do, does and did are one."""
    found = []
    for relation in RELATIONS.values():
        for ask in relation.asks:
            before, mark, after = ask.rstrip("?").partition("{s}")
            if not mark:
                continue
            parts = [re.escape(part).replace(r"\ ", " ") for part in (before, after)]
            lead = re.sub(r"\b(?:do|does|did)\b", "(?:do|does|did)", parts[0])
            lead = re.sub(r"\b(?:is|are|was)\b", "(?:is|are|was|were)", lead)
            lead = re.sub(r"^(?:What|Which)\b", "(?:what|which)", lead)
            found.append((re.compile(rf"{lead}(?P<s>.+?){parts[1]}", re.IGNORECASE), relation.name))
    found.sort(key=lambda pair: -len(pair[0].pattern))  # the closest shape first
    return tuple(found)
