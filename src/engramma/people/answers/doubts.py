"""What makes a quote doubtful, however likely it was found to be: it is then shown, and not told as the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...language.lexical import stems
from ...language.proper_names import proper_names
from ...language.sentence_language import is_told_in_another
from ...language.text import DOCUMENTS, infer_role
from ...language.times import wall_clock
from ..grammar.tense import times_of
from ..questions.asserted import are_alike, asserted, was_to_be
from ..questions.codes import tells_code
from ..questions.doers import AskedSubject
from ..questions.kind_of_answer import has_marks, is_of_another
from ..questions.named_others import SHORTEST_NAME, named_others, names_another, speaks_of_them, tells_of_another
from ..questions.own_deeds import is_anothers_deed, is_anothers_thing
from ..questions.owned_things import attribute_words, speaks_of_owned
from ..questions.reported import is_said_by, reports, who_is_to_say
from .findings import Findings, Quoted, subject_asked
from .foreign_doubts import tells_no_answer
from .sentences import QUESTION_MARKS, asks_somebody, asks_unmarked, begins_asking, find_content_stems
from .short_answer import asks_likely
from .unsettled import is_tentative

UNHEARD = 1.0  # how rare a word is that nobody said
_WORD = re.compile(r"[^\W_]+")
# "My second essay", not "the second of May", "the 5th with Ann", "second-hand" or "a second ago".
_NTHS = {"second": "2nd", "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th"}
_NTHS |= {number: word for word, number in _NTHS.items()}
_NOT_COUNTED = (
    "half|of|hand|at|in|on|with|by|from|to|for|and|or|i|we|you|he|she|they|ago"
    "|(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|ember|tember|ober)?"
)
_NTH = re.compile(rf"(?<!\ba )\b((?:[4-9]|1\d)th|{'|'.join(_NTHS)}) (?!(?:{_NOT_COUNTED})\b)[a-z]", re.IGNORECASE)
_HAPPENED = re.compile(r"\s*when (?:did|was|were)\b", re.IGNORECASE)
_NOW = re.compile(r"(?<!right )\bnow\b|\b(?:nowadays|currently|these days|at the moment)\b", re.IGNORECASE)
_THEN = re.compile(r"\b(?:was|were|had|used to|old|before|previous(?:ly)?|former(?:ly)?)\b", re.IGNORECASE)
_ASKS_FIRST = re.compile(r"\?\s+\S")
_CLAUSE = re.compile(r"[,.;:!?…–—]+|\s(?:but|so|because|and|then)\s", re.IGNORECASE)


def leaves_open(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote itself asks, was taken back, or does not say whether it is so."""
    if quoted.is_taken_back:
        return True
    if _asks_alike(f, quoted):
        return True  # who asks "Do I have a spare one?" was not told so
    return f.form.wants == "yes_no" and not _tells_whether(f, quoted)


def is_of_other_matter(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote speaks of something or somebody else than is asked for."""
    if f.form.wants == "code" and not tells_code(f.question, quoted.first.text):
        return True
    if _is_never_said(f) or (f.asked_in and tells_no_answer(f, quoted)):
        return True
    if f.asked_in:
        return False
    if _is_not_the_nth(f, quoted) or (f.form.of_before and _tells_only_now(quoted.sentence)):
        return True
    if _tells_no_day(f, quoted) or is_tentative(f.question, quoted.sentence):
        return True
    return _is_of_others(f, quoted) or _is_anothers(f, quoted) or _is_not_theirs(f, quoted)


def tells_little(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote tells another kind of thing, or has hardly a word of what is asked, or nobody ever spoke of a
    thing that is asked about."""
    if not _speaks_of_it(f, quoted) or _has_no_word(f, quoted) or _was_to_come(f, quoted):
        return True
    return _is_never_said(f, speaks_of=True)


def _tells_whether(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote has a word of the question and the verb that it asserts, or what it says to be so.

    What would be so is told by other things than that it is.
    """
    claim = None if asks_likely(f.question) else asserted(f.question)
    if claim is None:
        return not find_content_stems(quoted.sentence).isdisjoint(f.asked.rarity)
    if not quoted.short and was_to_be(f.question, quoted.sentence):
        return False
    others, said = f.asked.rarity.keys() - claim.stems, find_content_stems(f"{quoted.before}\n{quoted.first.text}")
    if not claim.is_of(quoted.sentence, subject_asked(f, quoted.first.speaker)):
        return False
    return not others or not said.isdisjoint(others)


def _speaks_of_it(f: Findings, quoted: Quoted) -> bool:
    """Whether the turn quoted, or the one before, speaks of the accountant asked for, and has the colour or number."""
    question, turn, sentence = f.question, quoted.first.text, quoted.sentence
    if not f.asked_in and is_of_another(question, sentence, quoted.before, turn):
        return False
    said = f"{quoted.before}\n{turn.partition(sentence)[0]}{sentence}"
    return has_marks(question, turn) and speaks_of_owned(question, said)


def _is_of_others(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote does not speak of the one whom the question names, or says it of another."""
    names = named_others(f.question, talkers(f, quoted.first.speaker))
    if not speaks_of_them(names, quoted.first.text, quoted.before, quoted.first.title or ""):
        return True
    return names_another(names, quoted.sentence) or tells_of_another(f.question, quoted.sentence)


def _is_anothers(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote says of somebody else what the one who asks is to have done, or to have."""
    speaker, is_written = quoted.first.speaker, quoted.first.conversation == DOCUMENTS
    is_own = is_written or infer_role(speaker, None) == "user" or speaker in (f.me, *f.asked.people)
    me = AskedSubject(frozenset(f.me.lower().split()), is_own)
    own_words = is_own and is_anothers_thing(f.question, quoted.sentence)
    return own_words or is_anothers_deed(f.question, quoted.sentence, me)


def _has_no_word(f: Findings, quoted: Quoted) -> bool:
    """Whether something else would be told: a day, or a turn that was not read as the best one, where no word of the
    question stands in the turn or the one before."""
    is_best = bool(f.read) and quoted.first == f.read[0].turn.evidence
    if (is_best and f.form.wants != "date") or quoted.by_claim or not f.asked.rarity or f.asked_in:
        return False
    said = find_content_stems(f"{quoted.before}\n{quoted.first.text}")
    return not any(are_alike(stem, other) for stem in said for other in f.asked.rarity)


def _is_never_said(f: Findings, speaks_of: bool = False) -> bool:
    """Whether what is asked of somebody, such as a shoe size, was never spoken of by anybody; or what it speaks of."""
    asked = attribute_words(f.question, speaks_of)
    return any(f.asked.rarity.get(stem, 0.0) >= UNHEARD for word in asked for stem in stems(word))


def _asks_alike(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote is itself a question that leaves open what is asked: whether something is so, or the very same.

    In other languages than English any question is held for one, since the reader was not trained to read them.
    """
    sentence = quoted.sentence
    if f.form.wants == "yes_no" and asks_unmarked(sentence):
        return True
    if not f.asked_in and (begins_asking(sentence) or _ASKS_FIRST.search(sentence)):
        return True
    # what an assistant is asked for tells of who asks: "Can you suggest a collar for a Golden Retriever"
    if not f.asked_in and infer_role(quoted.first.speaker, None) is None and asks_somebody(sentence, f.question):
        return True
    if not sentence.rstrip().endswith(QUESTION_MARKS):
        return False
    if f.form.wants == "yes_no" or f.asked_in:
        return True
    return find_content_stems(sentence) == find_content_stems(f.question)


def talkers(f: Findings, speaker: str) -> set[str]:
    """Those who talk in what was found."""
    return {*f.asked.people, f.me, speaker, *(one.said.speaker for one in f.found)}


def _is_not_theirs(f: Findings, quoted: Quoted) -> bool:
    """Whether it is asked what somebody said, and this neither says it nor is said by them."""
    who = who_is_to_say(f.question)
    if not who or f.form.of_assistant or is_said_by(who, quoted.first.speaker):
        return False
    around = f"{quoted.first.text}\n{quoted.before}\n{quoted.first.title or ''}"
    return not reports(who, quoted.sentence, around)


def _is_not_the_nth(f: Findings, quoted: Quoted) -> bool:
    """Whether a second or third one is asked for, and neither the turn, nor the one before, nor its title says so."""
    said = f"{quoted.before}\n{quoted.first.text}\n{quoted.first.title or ''}".lower()
    asked = (found[1].lower() for found in _NTH.finditer(f.question))
    return any(one not in said and _NTHS.get(one, one) not in said for one in asked)


def _tells_only_now(sentence: str) -> bool:
    """Whether a sentence tells what is, and not what was before."""
    return _NOW.search(sentence) is not None and _THEN.search(sentence) is None


def lacks_name(f: Findings, quoted: Quoted) -> bool:
    """Whether a name that is asked for, of no one who talks, was never said, or stands neither in the turn nor around
    it."""
    if f.unsaid:
        return True
    if is_told_in_another(quoted.first.text, f.asked_in):
        return False  # names are written otherwise there
    people = _name_words(talkers(f, quoted.first.speaker))
    names = _name_words(name for name in proper_names(f.question) if not name.isupper())
    asked = {name for name in names if not any(one.startswith(name) or name.startswith(one) for one in people)}
    around = next((one.said.around for one in f.found if one.said.evidence == quoted.first), "")
    said = f"{quoted.first.text}\n{quoted.before}\n{quoted.first.title or ''}\n{around}".lower()
    return bool(asked) and asked.isdisjoint(_WORD.findall(said))


def _name_words(names: Iterable[str]) -> set[str]:
    return {word.lower() for name in names for word in _WORD.findall(name) if len(word) >= SHORTEST_NAME}


def _tells_no_day(f: Findings, quoted: Quoted) -> bool:
    """Whether it is asked when something is to be, and neither the quote nor its turn tells any time."""
    first = quoted.first
    return f.form.wants == "date" and f.form.of_plan and not times_of(first.text, wall_clock(first.said_at))


def _was_to_come(f: Findings, quoted: Quoted) -> bool:
    """Whether what is asked of the past is told by a day that was still to come, of something else.

    "Rebook for October" does not say when the test was passed.
    """
    if not _HAPPENED.match(f.question) or f.asked_in:
        return False
    said_at, words = wall_clock(quoted.first.said_at), f.asked.rarity
    told = times_of(quoted.sentence, said_at)
    if not told or any(one.start <= said_at for one in told):
        return False
    clauses = [part for part in _CLAUSE.split(quoted.sentence) if any(one.text in part for one in told)]
    return not any(are_alike(stem, other) for part in clauses for stem in find_content_stems(part) for other in words)
