"""People whom a noun introduces by name: "a man named …", "a colleague of Joost's, …", "the plumber – Tomos Reed –".

A name beside a noun for somebody is believed to be that person's only if it is written like one (`is_persons_name`):
"my client, Acme Widgets Ltd", "a woman in Lisbon, Portugal" and "the chef at my favourite place, Casa Morena" are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engramma.people.claims.names import KIN, LONGEST_NAME, NO_NAMES, is_name
from engramma.people.entities.known_names import PARTICLES, TITLES, first_names, head_type, place_names, word_names
from engramma.people.grammar.acts import RelationReading
from engramma.people.grammar.clauses import Clause, verbless
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.subjects import SpeakerScene, Subject, apposed
from engramma.people.grammar.verbs import FORMS
from engramma.people.grammar.words import TextWords, WordRun
from engramma.records.people import UNKNOWN

from ..grammar.nouns import is_job

Told = Iterator[tuple[Clause, list[RelationReading]]]

_OWNERS = wordset("my our your")
_ARTICLES = wordset("a an another some this one")
_DETERMINERS = _OWNERS | _ARTICLES | wordset("the his her their that")
# Nouns for anybody, and whether "he" or "she" may mean them.
_PEOPLE = {
    **dict.fromkeys(("man", "guy", "bloke", "chap", "gentleman", "boy", "lad", "fella", "widower", "handyman"), "he"),
    **dict.fromkeys(("postman", "mailman", "choirmaster", "headmaster", "godfather", "godson"), "he"),
    **dict.fromkeys(("woman", "lady", "girl", "widow", "godmother", "goddaughter", "headmistress"), "she"),
    **dict.fromkeys(("person", "stranger", "physio", "physiotherapist", "warden", "client", "customer", "patient"), ""),
    **dict.fromkeys(("classmate", "acquaintance", "gp", "solicitor", "optician", "osteopath", "chiropractor"), ""),
    **dict.fromkeys(("hygienist", "instructor", "headteacher", "principal", "vicar", "rabbi", "imam", "organist"), ""),
    **dict.fromkeys(
        ("conductor", "cleaner", "babysitter", "childminder", "carer", "decorator", "roofer", "joiner"), ""
    ),
    **dict.fromkeys(("locksmith", "glazier", "agent", "tenant", "lodger", "guide", "treasurer", "beekeeper"), ""),
}
_RELATIVES = wordset("has_child has_partner has_sibling has_parent has_relative")
_IN_LAW = "-in-law"
# Nouns for what is somebody as often as a thing or a firm: beside them a name has to be one that people are given.
_OR_THINGS = wordset(
    "player driver model lead editor operator assistant trainer guide courier conductor agent client customer"
    " contractor tenant broker producer partner guard"
)
# What may stand between the noun and a name after a comma: "a man from my choir, …", "the guy who painted it, …".
_TAIL_STARTS = wordset("from in at on of with next across down up near opposite behind upstairs downstairs who that")
LONGEST_TAIL = 7  # words
LONGEST_LEAD = 4  # words between "the" and the noun: "the kids' swimming coach"
_OPENERS = {",": (",",), "–": ("–",), "—": ("—",), "-": ("-",), "--": ("--",), "(": (")",)}


def person_called(words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene) -> Told:
    """A man named Duncan Ashworth, a man from Olten called Krasniqi, my physio is called Bettina Kunz."""
    low, at = words.low, i - 1
    is_said = at > sentence.first and low[at] in ("is", "'s", "was")
    at -= is_said
    if at - 2 >= sentence.first and low[at - 1] == "from" and is_name(words.as_is[at]):
        at -= 2
    if at <= sentence.first or not _is_person_noun(low[at]):
        return
    if not is_said and low[i] == "called" and _ARTICLES.isdisjoint(low[max(sentence.first, at - 2) : at]):
        return  # "my boss called Peter"
    name, end = apposed(words, i + 1, sentence.last)
    if name and low[i + 1] != "," and low[end : end + 1] != ("&",):  # Smith & Sons is no plumber's name
        yield from _introduced(words, at, name, end, sentence, scene)


def one_of_theirs(words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene) -> Told:
    """A colleague of Joost's, Ilse Maurer: a whole name, so that no list of names is taken for one."""
    low, at = words.low, i + 2
    while at < sentence.last and is_name(words.as_is[at]):
        at += 1
    at += low[at : at + 1] == ("'s",)
    is_owned = at > i + 2 or low[at : at + 1] in (("mine",), ("ours",))
    at += at == i + 2
    if not is_owned or low[at : at + 1] != (",",) or not _is_person_noun(low[i]):
        return
    end = at + 1
    while end < sentence.last and is_name(words.as_is[end]):
        end += 1
    is_closed = end == sentence.last or low[end] in (",", ".", "!", ";", ")")
    if is_closed and 2 <= end - at - 1 <= LONGEST_NAME:
        yield from _introduced(words, i, words.slice(at + 1, end), end, sentence, scene)


def apposed_person(words: TextWords, i: int, sentence: WordRun, scene: SpeakerScene) -> Told:
    """A man from my choir, Gwilym Parry; our vet, Dr. Priya Raman; the plumber – Tomos Reed –; our plumber Tom."""
    noun, low, last = _singular(words, i, sentence), words.low, sentence.last
    lead = next(
        (k for k in range(i - 1, max(sentence.first, i - 1 - LONGEST_LEAD) - 1, -1) if low[k] in _DETERMINERS), -1
    )
    if not noun or lead < 0 or i in words.quoted or not all(_leads(low[k]) for k in range(lead + 1, i)):
        return
    if low[lead] in _OWNERS and noun in KIN and apposed(words, i + 1, last)[0]:
        return  # "my sister Ines", whose she is as well
    opener = i + 1
    if low[opener : opener + 1] and low[opener] in _TAIL_STARTS:
        while opener < last and opener - i <= LONGEST_TAIL and _is_in_tail(words, opener):
            opener += 1
    if opener + 1 >= last:
        return
    closers = _OPENERS.get(low[opener])
    if closers is None and opener > i + 1:
        return
    start = opener + (closers is not None)
    name, end, is_titled = read_person_name(words, start, last)
    is_direct = closers is None and low[lead] in _OWNERS
    if not name or not (is_titled or _is_believed(name.split(), noun, is_direct)):
        return
    if closers is None:
        if low[end : end + 1] in (("'s",), ("&",)):
            return  # "the builder Hartley & Sons"
    elif not _is_closed(words, end, last, closers):
        return
    yield from _introduced(words, i, name, end, sentence, scene, noun, low[lead])


def _is_believed(name: Sequence[str], noun: str, is_direct: bool) -> bool:
    """Whether a name is that of the one whom the noun means; a first name alone only right after: "our cook Tom"."""
    is_given = is_first_name(name[0])
    if len(name) == 1:
        return is_given and is_direct
    return is_persons_name(name) and (is_given or noun not in _OR_THINGS)


def _singular(words: TextWords, i: int, sentence: WordRun) -> str:
    """A noun for somebody, or "" if it is none; many of them only after "one of": "one of my students"."""
    noun = words.low[i]
    if _is_somebody(noun):
        return noun
    is_one = "of" in words.low[max(sentence.first, i - 3) : i] and "one" in words.low[max(sentence.first, i - 4) : i]
    return noun[:-1] if is_one and noun.endswith("s") and _is_somebody(noun[:-1]) else ""


def _leads(word: str) -> bool:
    """Whether a word may stand between "the" and the noun: "new", "retired", "kids'"; not another verb."""
    is_verb = word in FORMS and not word.endswith(("ing", "ed"))
    return word in ("'", "'s", "of") or (word.replace("-", "").isalpha() and not is_verb)


def _is_in_tail(words: TextWords, at: int) -> bool:
    word = words.low[at]
    return (word.replace("-", "").isalpha() or word == "'s") and not _is_somebody(word) and word not in ("and", "or")


def _is_closed(words: TextWords, end: int, last: int, closers: Sequence[str]) -> bool:
    """Whether a name ends with what opened it, or the sentence; a comma must not go on to the next of a list."""
    if end >= last:
        return ")" not in closers
    if words.low[end] not in closers:
        return False
    after = end + 1 + (words.low[end + 1 : end + 2] in (("and",), ("or",)))
    return closers[0] != "," or after >= last or not is_name(words.as_is[after])


def read_person_name(words: TextWords, i: int, last: int) -> tuple[str, int, bool]:
    """The name that begins at a word, without a title, where it ends, and whether it had one: Dr. Priya Raman,
    Gerrit van Dijk. A surname keeps its title: Mrs. Lopez."""
    low, first = words.low, i
    if i < last and low[i] in TITLES and words.as_is[i][:1].isupper():
        first = i + 1 + (low[i + 1 : i + 2] == (".",))
    end = first
    while end < last and end - first < LONGEST_NAME and _goes_on(words, first, end, last):
        end += 1
    is_titled = first > i
    if end == first or (low[first] in FORMS and not is_titled):
        return "", i, False
    return words.slice(i if is_titled and end - first == 1 else first, end), end, is_titled


def _goes_on(words: TextWords, first: int, at: int, last: int) -> bool:
    """Whether a name has this word, too: a capital, the stop of an initial, or "van" before a capital."""
    if is_name(words.as_is[at]):
        return True
    if at == first:
        return False
    is_initial = words.low[at] == "." and len(words.as_is[at - 1]) == 1
    return is_initial or (words.low[at] in PARTICLES and any(map(is_name, words.as_is[at + 1 : min(at + 3, last)])))


def is_first_name(name: str) -> bool:
    """Whether a name is one that is given to people, and nothing else."""
    return name.casefold() in first_names() and name.casefold() not in word_names() | place_names()


def is_persons_name(name: Sequence[str]) -> bool:
    """Whether a name of several words is written like a person's: with a given name, or a first word that English does
    not have, and nothing in it that names a place, a firm or a day."""
    first, last = name[0].casefold(), name[-1].casefold()
    joined = " ".join(name).casefold()
    if (
        len(name) < 2
        or joined in place_names()
        or head_type(joined)
        or any(word.casefold() in NO_NAMES for word in name)
    ):
        return False
    if not all(_is_plain(word) or word in PARTICLES for word in name):
        return False
    if is_first_name(first):
        return True
    from engramma.models.common_words import common_words, is_english  # its vocabulary costs only who needs it

    if first in common_words():
        return first in word_names() and not is_english(last)  # Grace Okafor
    is_many = last.endswith("s") and (last[:-1] in common_words() or is_job(last[:-1]))  # Pimlico Plumbers
    return not is_many and first not in place_names()


def _is_plain(word: str) -> bool:
    letters = word.rstrip(".").replace("-", "").replace("'", "").replace("’", "")
    return letters.isalpha() and not (letters.isupper() and len(letters) > 1)


def _introduced(
    words: TextWords,
    at: int,
    name: str,
    end: int,
    sentence: WordRun,
    scene: SpeakerScene,
    noun: str = "",
    lead: str = "",
) -> Told:
    """Somebody whom a noun introduces by name: what the noun says is what is known; of a relative, whose they are."""
    noun = noun or words.low[at]
    scene.cast.named.setdefault(name.lower(), name)
    scene.cast.gender.setdefault(name, _PEOPLE.get(noun, KIN[noun][1] if noun in KIN else ""))
    relation = _kin_relation(noun)
    if relation in _RELATIVES and lead in _OWNERS and (owner := scene.owner(lead, at)) != UNKNOWN:
        scene.cast.kin.setdefault(f"{owner}'s {noun}".lower(), name)
        subject = Subject(owner, "person", "self" if owner == scene.speaker else "addressee", at, at + 1)
        yield verbless(words, subject, at, end, sentence), [RelationReading(relation, name, "person")]
        return
    subject = Subject(name, "person", "named", at, at + 1)
    yield verbless(words, subject, at, end, sentence), [RelationReading("is_a", noun, "role")]


def _kin_relation(noun: str) -> str:
    return KIN[noun][0] if noun in KIN else "has_relative" if noun.endswith(_IN_LAW) else ""


def _is_person_noun(noun: str) -> bool:
    """Whether a noun is somebody: a man, a plumber, a colleague; relatives are told by whose they are."""
    return noun in _PEOPLE or is_job(noun) or (noun in KIN and KIN[noun][0] in ("has_friend", "knows"))


def _is_somebody(noun: str) -> bool:
    """The same, and relatives; no group of people."""
    return _is_person_noun(noun) or (_kin_relation(noun) in _RELATIVES and not (noun.endswith("s") and noun != "sis"))
