"""Clauses: who does what in a sentence, and whether it is said, planned, wished, supposed, asked or denied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engramma.people.claims.names import is_name
from engramma.people.grammar.auxiliaries import ADVERBS, HEDGES
from engramma.people.grammar.nouns import INJURABLE
from engramma.people.grammar.sets import wordset
from engramma.people.grammar.spoken_of import told_of_another
from engramma.people.grammar.subjects import SpeakerScene, Subject, read_subject
from engramma.people.grammar.values import DETERMINERS, PREPOSITIONS, clause_end
from engramma.people.grammar.verb_groups import Guess, VerbGroup, read_group
from engramma.people.grammar.verbs import BE, FORMS, TALK
from engramma.people.grammar.words import TextWords, WordRun
from engramma.records.people import UNKNOWN, Modality

_AUXILIARIES = wordset("do does did have has had are is was were am will would can could should")
_ASKING = wordset("what where who why how when which whose whom")
_OPENERS = wordset(
    ", : - -- — – ( ; and but so because that if when while since although though then after before plus or"
    " whenever as well yeah yes yep oh wow hey actually also anyway unless whether until now where today yesterday"
    " tonight"
)
_BEFORE_VERBS = _OPENERS | ADVERBS  # of a sentence without a subject
_BEFORE_SUBJECTS = wordset(
    "what how why who where which everything anything something all glad happy sure sorry hope wish maybe perhaps once"
    " monday tuesday wednesday thursday friday saturday sunday week weekend month year morning night evening summer"
    " winter spring autumn fall january february march april may june july august september october november december"
    " ago like except lately recently usually thankfully till me him her us them"
)
# "I'd like a cake" is a wish, "I'd need courses" a plan.
_POLITE: dict[str, Modality] = {"like": "wish", "love": "wish", "need": "plan"}
_ALL_THAT = wordset("what everything whatever all anything which")
_DOUBTING = wordset("think guess suppose believe reckon assume bet imagine expect")
_WISHING = wordset("wish hope")
_TELLING = wordset("say tell mention explain promise swear")
_SUPPOSING = wordset("if unless whether")
_SUPPOSE = wordset("suppose supposing imagine assume assuming pretend")  # at the beginning: all that follows is made up
_ADVISING = ("suggest", "recommend", "advis", "propos", "insist", "urge")  # "She suggested that I keep a journal"
# A sentence may begin with its verb, "I" left out; these would be orders, thanks or remarks.
_NO_BEGINNING = TALK | wordset("have be do let come thank work set keep stay rest sign post")
_GERUNDS = BE | wordset(
    "'s can will would could helps makes takes gives brings means feels has does"
)  # after "Trying it"
_SIDES = wordset("one side hand handed eye ear ankle right")  # after "left", which is no verb there
_DESCRIBING = wordset("packed filled loaded stuffed topped coated based located set made")
_BEGINNING_PARTS = ("gonna", "wanna", "been")
_BEGINNING_ING = wordset("think plan work learn try go hope look")
_ASKS = wordset("what which who how do does did is are have has")


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject with its verb, the words after it, and how it is meant."""

    subject: Subject
    group: VerbGroup
    first: int  # where the quote begins
    rest: int  # the first word after the verb
    end: int  # the place after the last word of the clause
    sentence_end: int
    modality: Modality
    hedged: bool = False
    reported: str = ""  # who said so
    elided: bool = False  # the subject was left out or stands further ahead
    timeless: bool = False  # said in passing: the sentence's time is not its own
    relative: bool = False  # it tells about the noun right before it
    before: int = -1  # the last word before the subject, where a noun may stand that the clause tells about


def clauses(words: TextWords, sentence: WordRun, scene: SpeakerScene) -> Iterator[Clause]:
    """The clauses of a sentence that have a person or a named thing as their subject."""
    low, i, last = words.low, sentence.first, sentence.last
    opens, previous = True, None
    doubted = denied = False
    wished = low[i] in _WISHING and low[i + 1 : i + 2] == ("you",)  # "Hope you have a good night"
    reported = ""
    supposed_until = last if low[i] in _SUPPOSING or low[i] in _SUPPOSE else -1
    while i < last:
        word = low[i]
        if word in _SUPPOSING and i > sentence.first and "know" not in low[max(0, i - 3) : i]:
            supposed_until = next((at for at in range(i, last) if low[at] == ","), last)
        subject = read_subject(words, i, last, scene, opens)
        if subject is not None:
            inverted = (
                low[i - 1] if i > sentence.first and low[i - 1] in _AUXILIARIES and _inverts(words, i, sentence) else ""
            )
            group = read_group(words, subject.last, last, inverted, _guess(subject))
            if group is not None and _agrees(subject, group):
                clause = _clause(words, sentence, subject, group, i)
                group = clause.group
                if (not opens or low[i - 1] in _ALL_THAT) and not inverted and i > sentence.first:
                    clause = replace(clause, relative=_is_noun(words, i - 1) or low[i - 1] in _ALL_THAT)
                modality = _modality(words, clause, sentence, inverted, i < supposed_until, wished)
                clause = replace(clause, modality=modality, hedged=group.hedged or doubted, reported=reported)
                if group.lemma in _TELLING and subject.how != "self":
                    reported = subject.name
                    scene.tells(subject)
                if subject.how == "self":
                    doubted = doubted or group.lemma in _DOUBTING
                    wished = wished or (group.lemma in _WISHING and not group.past)
                if denied:
                    clause = replace(clause, group=replace(group, negated=not group.negated))
                denied = subject.how == "self" and group.lemma in _DOUBTING and group.negated
                yield clause
                previous = clause
                if group.lemma in TALK or group.lemma in _TELLING:
                    i, opens = group.end, True
                    if group.lemma in _TELLING and i < last and low[i] in ("me", "us", "you", "him", "her"):
                        i += 1
                else:
                    i = max(clause.end, group.end)
                    opens = i == group.end or i >= last or low[i] in _OPENERS
                continue
            if not is_name(words.as_is[i]) or word == "i":
                i, opens = subject.last, False
                continue
        joined = _joined(words, i, last, sentence, previous, scene, opens)
        if joined is not None:
            clause = _clause(words, sentence, joined[0], joined[1], i)
            modality = _modality(words, clause, sentence, "", i < supposed_until, wished)
            clause = replace(
                clause, modality=modality, elided=True, hedged=joined[1].hedged or doubted, reported=reported
            )
            yield clause
            previous = clause
            i, opens = max(clause.end, joined[1].end), True
            if joined[1].lemma in _TELLING and joined[0].how != "self":
                reported = joined[0].name
            continue
        doubted = doubted or (opens and word in HEDGES)  # "Apparently Kim bought it"
        opens = word in _OPENERS or (opens and (word in ADVERBS or word in HEDGES))
        i += 1


def verbless(words: TextWords, subject: Subject, first: int, last: int, sentence: WordRun) -> Clause:
    """A clause without a verb, for what is said in passing."""
    group = VerbGroup("have", first, last, "base", False, "fact", False, False, False, False, False, ())
    asked = sentence.mark == "?" and words.low[sentence.first] in _ASKS and first == sentence.first
    return Clause(subject, group, first, last, last, sentence.last, "question" if asked else "fact", timeless=True)


def _clause(words: TextWords, sentence: WordRun, subject: Subject, group: VerbGroup, i: int) -> Clause:
    end = clause_end(words, group.end, sentence.last)
    if group.lemma in ("stand", "bear") and group.negated and "can" in group.leads:  # "I can't stand him"
        group = replace(group, lemma="dislike", negated=False, leads=())
    return Clause(subject, group, i, group.end, end, sentence.last, group.modality, before=i - 1)


def _guess(subject: Subject) -> Guess:
    """Which unknown words after a subject may be its verb: after a name many are nouns ("FLAC files")."""
    return "" if not subject.known else "past" if subject.how == "named" else "any"


def _agrees(subject: Subject, group: VerbGroup) -> bool:
    """Whether a verb has the form that one named subject asks for: "Ines likes", not "Events like"."""
    plain = group.kind == "base" and group.modality == "fact" and not group.leads and not group.negated
    named = subject.how == "named" and not subject.plural
    return not (named and plain and not group.past and group.lemma != "be")


def _is_noun(words: TextWords, i: int) -> bool:
    """Whether a word right before a subject is a noun that the clause tells about, as far as can be told."""
    word = words.low[i]
    known = word in _OPENERS or word in ADVERBS or word in PREPOSITIONS or word in DETERMINERS or word in BE
    return (
        word.isalpha()
        and not known
        and word not in _BEFORE_SUBJECTS
        and (word not in FORMS or (i > 0 and words.low[i - 1] in DETERMINERS))
    )


def _inverts(words: TextWords, i: int, sentence: WordRun) -> bool:
    """Whether the auxiliary before a subject asks: it begins the sentence, or a question word stands before it."""
    at = i - 2
    if at < sentence.first:
        return True
    return words.low[at] in _OPENERS or any(word in _ASKING for word in words.low[sentence.first : at + 1])


def _modality(
    words: TextWords, clause: Clause, sentence: WordRun, inverted: str, supposed: bool, wished: bool
) -> Modality:
    low, group = words.low, clause.group
    if inverted:
        return "question"
    if sentence.mark == "?":
        asks = low[sentence.first] in _ASKING or (
            low[sentence.first] in _AUXILIARIES | BE and clause.first > sentence.first
        )
        tagged = clause.subject.how == "self" and "," in low[clause.rest : sentence.last]
        if asks or not tagged:
            return "question"
    if any(word in _ASKING for word in low[clause.first - 1 : clause.first]) and clause.end == clause.rest:
        return "question"
    if supposed or _is_advised(words, clause.first):
        return "hypothetical"
    if wished and group.lemma not in ("wish", "hope") and group.modality != "hypothetical":
        return "hypothetical" if clause.subject.how == "addressee" else "wish"  # "I hope you have a good night"
    if group.modality == "hypothetical" and not group.hedged and group.lemma in _POLITE:
        return _POLITE[group.lemma]
    return group.modality


def _is_advised(words: TextWords, i: int) -> bool:
    """Whether a clause is what somebody advises: "suggested that I keep a journal"."""
    at = i - 2 if i > 1 and words.low[i - 1] == "that" else i - 1
    return at >= 0 and words.low[at].startswith(_ADVISING)


def _joined(
    words: TextWords, i: int, last: int, sentence: WordRun, previous: Clause | None, scene: SpeakerScene, opens: bool
) -> tuple[Subject, VerbGroup] | None:
    """A verb without a subject of its own: "... and bought a bike", or a sentence that begins "Went to ..."."""
    low, at = words.low, i
    while at < last and low[at] in ADVERBS:
        at += 1
    if at >= last or not opens or i in words.quoted:
        return None
    form = FORMS.get(low[at])
    if previous is not None and i > sentence.first and low[i - 1] in ("and", ",", "but", "then", "or"):
        if form is None or previous.modality == "question":
            return None
        group = read_group(words, i, last)
        talks = group is not None and group.lemma in TALK and group.lemma not in _TELLING
        if group is None or talks or not _continues(words, group, previous, last):
            return None
        mood = previous.group.modality if group.modality == "fact" else group.modality
        return previous.subject, replace(group, modality=mood, negated=group.negated)
    if form is None and low[at] not in _BEGINNING_PARTS:
        return None
    begins = all(low[k] in _BEFORE_VERBS for k in range(sentence.first, i))
    if not begins or scene.is_assistant or sentence.mark == "?" or scene.speaker == UNKNOWN:
        return None
    if told_of_another(words, sentence.first, last, scene.cast, scene.speaker, scene.of_another):
        return None  # "Ate a sock", of the dog
    speaker = Subject(scene.speaker, "person", "self", i, i)
    following = low[at + 1] if at + 1 < last else ""
    if low[at] in _BEGINNING_PARTS or (form is not None and form.kinds == {"ing"}):
        early = at > i or form is None or form.lemma in _BEGINNING_ING
        if not early or following in BE or not _GERUNDS.isdisjoint(low[at + 1 : at + 14]):
            return None
        group = read_group(words, i, last, "have" if low[at] == "been" else "am" if form else "")
        return (speaker, group) if group and group.lemma not in TALK and group.lemma != "be" else None
    if form is None or "past" not in form.kinds or "base" in form.kinds or form.lemma in _NO_BEGINNING:
        return None
    if following in ("by", "and", "for", ",", "") or following in BE:
        return None
    if _is_no_verb(words, at, last):
        return None
    if form.lemma == "take" and following in ("some", "a", "time", "me", "us", "ages", "lots", "so", "forever"):
        return None  # "Took a while": it did
    group = read_group(words, i, last)
    return (speaker, group) if group else None


def _is_no_verb(words: TextWords, at: int, last: int) -> bool:
    """Whether what looks like a verb at a sentence's beginning is none: "Left knee", "sat 23 may", "Fried eggs are"."""
    low, following = words.low, words.low[at + 1] if at + 1 < last else ""
    if low[at] == "left" and (following in INJURABLE or following in _SIDES):
        return True
    if low[at] == "sat" and following[:1].isdigit():
        return True
    if following in ("with", "of", "on", "in") and low[at] in _DESCRIBING:  # "Packed with protein"
        return True
    for k in range(at + 1, min(at + 5, last)):
        form = FORMS.get(low[k])
        if k > at + 1 and (low[k] in BE or (form is not None and "base" in form.kinds and low[k - 1].endswith("s"))):
            return True
        if form is not None or low[k] in PREPOSITIONS or low[k] in DETERMINERS or not low[k].isalpha():
            return False
    return False


def _continues(words: TextWords, group: VerbGroup, previous: Clause, last: int) -> bool:
    """Whether a verb after "and" goes on in the form that the one before had."""
    kind, before = group.kind, previous.group.kind
    if group.lemma == "be":
        return False
    if kind in ("past", "part"):
        return before in ("past", "part") or previous.group.past
    following = words.low[group.end] if group.end < last else ""
    if kind == "base":
        return before == "base" and (following in DETERMINERS or following in PREPOSITIONS)
    is_third = previous.subject.how in ("named", "pronoun") and not previous.group.past
    return kind == "s" and (before == "s" or (is_third and (previous.group.passive or previous.group.lemma == "be")))
