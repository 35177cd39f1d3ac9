"""From what was found to an answer: a quote with its sources, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...language.lexical import stems
from ...language.question_language import question_language
from ...language.text import infer_role
from ...language.unspaced import has_runs
from ...recall.of_a_time import is_of_a_time
from ...records.people import Answer, Evidence, Verdict
from ..questions.asserted import are_alike, asserted, was_to_be
from ..questions.codes import tells_code
from ..questions.doers import AskedSubject, asked_subject
from ..questions.kind_of_answer import has_marks, is_of_another, tells_kind, thing_thought_of
from ..questions.named_others import named_others, speaks_of_them, tells_of_another
from ..questions.owned_things import attribute_words, speaks_of_owned
from ..questions.question_form import QuestionForm, has_wanted_name
from ..questions.question_scope import Route
from .attribution import Attributed, AttributedQuestion, culprit, features
from .calculate import CalculatedAmount
from .claim_answers import ClaimAnswer
from .event_gap import EventGap
from .first_of_two import EventOrder
from .latest import corrected, corrects, first_statement, latest_of, restated
from .read_turns import ReadTurn
from .sentences import (
    QUESTION_MARKS,
    TurnSentence,
    asks_unmarked,
    find_content_stems,
    share_of_words,
    split_turn,
)
from .short_answer import asks_likely, short_answer
from .verdict import (
    LEAST_KNOWN,
    LEAST_OWN,
    confidence,
    judge,
    judge_across,
    known,
    measure_quote,
    verdict_by_parts,
    verdict_by_words,
)
from .wording import ENGLISH, answer_language, nothing_said, shown_speaker, told_at, told_by, worded
from .worked_out import put_in_order, tell_amount, tell_gap

MOST_EVIDENCE = 8
LEAST_SHARE = 0.03  # of the best turn's weight: what is below it is no evidence
LOOKED_AT = 10  # turns by which a chat is told from talk
CLAIMED = 0.5  # confidence from which on a claim is an answer
UNHEARD = 1.0  # how rare a word is that nobody said
NOT_THEIRS = 0.3  # confidence at most, where a claim says that it is somebody else's or the words for it are not there


@dataclass(frozen=True, slots=True)
class Findings:
    """All that an answer is made of."""

    question: str
    route: Route
    form: QuestionForm
    asked: AttributedQuestion
    found: Sequence[Attributed]
    read: Sequence[ReadTurn]
    claims: ClaimAnswer
    compared: EventOrder | None
    calculated: CalculatedAmount | None = None
    gap: EventGap | None = None
    is_english_encoder: bool = True  # what it finds for a question in another language shares words with it, or nothing
    unheard: tuple[str, ...] = ()  # names that it asks for, of what was said, and that nobody said
    unsaid: tuple[str, ...] = ()  # other names in it that nobody said
    me: str = ""  # what the user is called, where that was said
    of_user: bool = False  # it asks about the user alone, who also talks under that name
    asked_in: str = ""  # the language that it tells, or else that of the talk which was found; "" is English

    @property
    def language(self) -> str:
        """In which the answer is worded."""
        return answer_language(self.question, self.asked_in)


@dataclass(frozen=True, slots=True)
class Quoted:
    """What would be answered: the sentence, its turn, the short answer, and how sure it is."""

    sentence: str
    first: Evidence
    short: str
    sure: float
    beside: tuple[Evidence, ...] = ()
    before: str = ""  # the turn before it, and what it corrects
    rest: str = ""  # what follows the sentence and belongs to it
    by_claim: bool = False  # a claim says so
    is_other: bool = False  # a claim says that it is somebody else's, or of another time


def compose_answer(f: Findings) -> Answer:
    """The answer to a question, or why there is none."""
    trace: dict[str, Any] = {name: round(value, 4) for name, value in features(f.asked, f.found).items()}
    trace["threshold"] = LEAST_KNOWN
    if f.asked_in != question_language(f.question):
        trace["language"] = f.asked_in
    blank = Answer(f.question, "", True, "", f.route.person, (), 0.0, f.route.kind, f.route.scope, trace)
    if f.unheard:
        return replace(blank, reason=nothing_said(f.language, None, f.unheard), verdict="not known")
    if not f.found or not any(sign.isalnum() for sign in f.question):  # "。。。" asks for nothing
        return replace(blank, reason=worded(f.language, "nothing_close"), verdict="not known")
    if f.compared is not None:
        return put_in_order(blank, f.compared, f.me)
    if f.calculated is not None:
        return tell_amount(blank, f.calculated)
    if f.gap is not None:
        return tell_gap(blank, f.gap)
    if is_of_a_time(f.question):
        return _of_a_time(f, blank)
    quoted, measured = _quoted(f)
    trace |= {name: round(value, 4) for name, value in measured.items()}
    blank = replace(blank, trace=trace)
    if quoted is None:
        reason, sources = why_not(f.route, f.asked, f.found, f.language, f.me)
        return replace(blank, reason=reason, evidence=sources, verdict="not known")
    trace["known"] = round(known(measured), 4)
    verdict = _verdict(f, quoted, measured)
    return _judged(f, replace(blank, confidence=round(quoted.sure, 4), verdict=verdict), quoted)


def _of_a_time(f: Findings, blank: Answer) -> Answer:
    """What was said in a time that is asked for as a whole: shown, since no one sentence answers it."""
    shown = tuple(one.said.evidence for one in f.found[:MOST_EVIDENCE])
    reason = worded(f.language, "unsure", told=told_by(f.language, shown[0], f.me))
    return replace(blank, quote=split_turn(shown[0].text)[0].text, evidence=shown, reason=reason, verdict="unsure")


def _why_not(f: Findings, quoted: Quoted) -> tuple[str, tuple[Evidence, ...]]:
    """Why it is not known: a claim says whose or of when it is, or what was found does."""
    if quoted.is_other and f.claims.owner:
        return was_other(f.language, f.claims.owner, f.claims.evidence[0], f.me), f.claims.evidence
    if quoted.is_other and f.claims.only_now:
        return f"nothing from before {f.claims.only_now} was said", ()
    return why_not(f.route, f.asked, f.found, f.language, f.me)


def _verdict(f: Findings, quoted: Quoted, measured: Mapping[str, float]) -> Verdict:
    """The verdict over the quote; what a claim says outweighs what was measured."""
    if quoted.is_other:
        return "not known"
    by_user = infer_role(quoted.first.speaker, None) == "user"
    is_unnamed = not has_wanted_name(f.form, f.question, quoted.sentence, by_user)
    if quoted.by_claim and quoted.sure >= CLAIMED and not is_unnamed:
        return "answered"
    of_people = bool(f.asked.people) and not is_chat(f, quoted.first.speaker)
    is_across = "meant" in measured
    verdict = (judge_across if is_across else judge)(f.form, measured, quoted.sure, of_people)
    if not any(sign.isalnum() for sign in quoted.sentence):
        return "not known"  # "." or "?!" says nothing
    if verdict == "answered" and _asks_alike(f, quoted.sentence):
        verdict = "unsure"  # who asks "Do I have a spare one?" was not told so
    if verdict == "answered" and (f.unsaid or (f.form.wants == "yes_no" and not _tells_whether(f, quoted))):
        verdict = "unsure"  # it does not say whether it is so, or a name that is asked for was never said
    if verdict == "answered" and f.form.wants == "code" and not tells_code(f.question, quoted.first.text):
        return "unsure"
    if verdict == "answered" and is_unnamed:
        return "unsure"  # it speaks of the cat, and does not name her
    if verdict == "answered" and (not _speaks_of_it(f, quoted) or _is_never_said(f) or _has_no_word(f, quoted)):
        return "unsure"
    if verdict == "answered" and not f.asked_in and _is_of_others(f, quoted):
        return "unsure"
    if is_across:
        return verdict
    if has_runs(f.question):
        is_theirs = measured["own"] >= LEAST_OWN
        said = (quoted.first.text, quoted.before)
        return verdict_by_parts(verdict, f.question, f.asked.people, *said, is_theirs, _is_across(f, quoted))
    if verdict == "not known" or not f.asked_in:
        return verdict
    shared = share_of_words(f.question, f.asked.people, quoted.first.text, f.asked_in)
    return verdict_by_words(verdict, shared, _is_across(f, quoted))


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
    if not claim.is_of(quoted.sentence, _asked_subject(f, quoted.first.speaker)):
        return False
    return not others or not said.isdisjoint(others)


def _asked_subject(f: Findings, speaker: str) -> AskedSubject | None:
    """Of whom a statement of this speaker must be to say yes or no; None if anybody's will do."""
    names = asked_subject(f.question)
    if not names:
        return None
    if names == {"i"}:
        is_known = bool(f.me or f.asked.people) or infer_role(speaker, None) is not None
        is_own = infer_role(speaker, None) == "user" or speaker in (f.me, *f.asked.people)
        return AskedSubject(frozenset(f.me.lower().split()), is_own) if is_known else None
    own = {word for person in f.asked.people for word in person.lower().split()}
    return AskedSubject(names | own, speaker in f.asked.people or not names.isdisjoint(speaker.lower().split()))


def _speaks_of_it(f: Findings, quoted: Quoted) -> bool:
    """Whether the turn quoted, or the one before, speaks of the accountant asked for, and tells the place or number."""
    question, turn, sentence = f.question, quoted.first.text, quoted.sentence
    is_told = bool(f.asked_in) or (
        tells_kind(question, f"{sentence}{quoted.rest}") and not is_of_another(question, sentence, quoted.before, turn)
    )
    said = f"{quoted.before}\n{turn.partition(sentence)[0]}{sentence}"
    return is_told and has_marks(question, turn) and speaks_of_owned(question, said)


def _is_of_others(f: Findings, quoted: Quoted) -> bool:
    """Whether a quote does not speak of the one whom the question names, or says it of another."""
    talkers = {*f.asked.people, f.me, quoted.first.speaker, *(one.said.speaker for one in f.found)}
    around = (quoted.first.text, quoted.before, quoted.first.title or "")
    return not speaks_of_them(named_others(f.question, talkers), *around) or tells_of_another(
        f.question, quoted.sentence
    )


def _has_no_word(f: Findings, quoted: Quoted) -> bool:
    """Whether a day would be told of something else: no word of the question stands in the turn or the one before."""
    if f.form.wants != "date" or not f.asked.rarity or f.asked_in:
        return False
    said = find_content_stems(f"{quoted.before}\n{quoted.first.text}")
    return not any(are_alike(stem, other) for stem in said for other in f.asked.rarity)


def _is_never_said(f: Findings) -> bool:
    """Whether what is asked of somebody, such as a shoe size, was never spoken of by anybody."""
    asked = attribute_words(f.question)
    return any(f.asked.rarity.get(stem, 0.0) >= UNHEARD for word in asked for stem in stems(word))


def _is_across(f: Findings, quoted: Quoted) -> bool:
    """Whether the quote may be in another language than the question's and still be what was asked for."""
    return not f.is_english_encoder and question_language(quoted.first.text) != f.asked_in


def _asks_alike(f: Findings, sentence: str) -> bool:
    """Whether a quote is itself a question that leaves open what is asked: whether something is so, or the very same.

    In other languages than English any question is held for one, since the reader was not trained to read them.
    """
    if f.form.wants == "yes_no" and asks_unmarked(sentence):
        return True
    if not sentence.rstrip().endswith(QUESTION_MARKS):
        return False
    if f.form.wants == "yes_no" or f.asked_in:
        return True
    return find_content_stems(sentence) == find_content_stems(f.question)


def _judged(f: Findings, blank: Answer, quoted: Quoted) -> Answer:
    """The quote as an answer, as something found that may not be one, or not at all."""
    shown = replace(blank, quote=f"{quoted.sentence}{quoted.rest}", evidence=_sources(f, quoted))
    if blank.verdict == "answered":
        text = quoted.short or shown.quote
        return replace(
            shown, text=text, short=quoted.short, abstained=False, reason=told_by(f.language, quoted.first, f.me)
        )
    if blank.verdict == "unsure":
        told = told_by(f.language, quoted.first, f.me)
        if f.form.is_worked_out:
            return replace(shown, reason=f"this has to be worked out from what was said: {told}")
        return replace(shown, reason=worded(f.language, "unsure", told=told))
    reason, other = _why_not(f, quoted)
    return replace(blank, reason=reason, evidence=other)


def is_for_a_model(f: Findings, answer: Answer) -> bool:
    """Whether a model may write the answer: not where nothing was found, nor where it is known to be somebody else's.

    Whose it is, attribution tells better than a small model.
    """
    is_others = answer.verdict == "not known" and bool(answer.evidence or f.claims.owner or f.claims.only_now)
    return bool(f.found) and not f.unheard and not is_others


def is_chat(f: Findings, speaker: str) -> bool:
    """Whether what was found is a chat with an assistant, rather than people who talk to each other.

    Of the user, who does both, it is by the `speaker` of what is quoted.
    """
    if f.of_user:
        return infer_role(speaker, None) is not None
    said = [one.said for one in f.found[:LOOKED_AT]]
    return sum(infer_role(turn.speaker, None) is not None for turn in said) * 2 > len(said)


def _quoted(f: Findings) -> tuple[Quoted | None, dict[str, float]]:
    """The sentence that answers best, by claims where they know it, else by the reader."""
    if not f.read:
        return None, {}
    by_english_rules = not f.asked_in and f.read[0].meant is None
    best = latest_of(f.read, f.form, f.asked.rarity, f.question) if by_english_rules else first_statement(f.read)
    measured = measure_quote(f.form, f.asked, f.found, f.read, best)
    if best.meant is None:
        sure = confidence(measured, is_chat(f, best.turn.speaker))
    else:
        sure, measured = best.meant.sure, measured | best.meant.measured
    said = best.sentence.text
    best = best if f.form.of_assistant else corrected(best, f.read)  # as sure as of what it corrects
    first, sentence = best.turn.evidence, _on_the_matter(f, best)
    if f.claims.text and f.claims.evidence:
        return _by_claims(f, max(sure, f.claims.sure)), measured
    is_other = bool(f.claims.owner and first in f.claims.evidence)
    is_other |= bool(f.claims.only_now and f.claims.only_now.lower() in sentence.text.lower())
    cues = find_content_stems(" ".join(f.claims.cues))
    is_other |= bool(cues) and cues.isdisjoint(find_content_stems(best.turn.text))
    told, turn = sentence, best.turn.text
    if sentence.text != said and corrects(sentence.text, said) and (clear := restated(said, sentence.text)):
        told, turn = TurnSentence(clear, 0, find_content_stems(clear)), clear
    asked = _asked_subject(f, best.turn.speaker)
    known_until = max(one.said.said_at for one in f.found)
    short = short_answer(f.question, f.form, told, turn, best.turn.said_at, f.asked.rarity, asked, known_until)
    sure = min(sure, NOT_THEIRS) if is_other else sure
    before = best.turn.before if sentence.text == said else f"{said}\n{best.turn.before}"
    rest = "" if short else _rest(f, sentence, best.turn.text)
    return Quoted(sentence.text, first, short, sure, before=before, rest=rest, is_other=is_other), measured


def _on_the_matter(f: Findings, best: ReadTurn) -> TurnSentence:
    """The sentence to quote: for yes or no one that has a word of the question, if the turn has one that tells."""
    if (thing := thing_thought_of(f.question)) and thing not in best.sentence.text.lower():
        named = [part for part in split_turn(best.turn.text) if thing in part.text.lower() and not part.asks]
        return named[0] if named else best.sentence
    if f.form.wants != "yes_no" or not best.sentence.stems.isdisjoint(f.asked.rarity):
        return best.sentence
    told = [part for part in split_turn(best.turn.text) if not part.asks]
    closest = max(told, key=lambda part: f.asked.overlap(part.stems), default=best.sentence)
    return closest if f.asked.overlap(closest.stems) else best.sentence


def _rest(f: Findings, sentence: TurnSentence, turn: str) -> str:
    """What follows a sentence that tells no yes or no by itself, if that has a word of the question that it lacks.

    "She's allergic to lavender. Oh, and penicillin."
    """
    parts = split_turn(turn)
    if f.form.wants != "yes_no" or sentence not in parts[:-1]:
        return ""
    following = parts[parts.index(sentence) + 1]
    missing = f.asked.rarity.keys() - sentence.stems
    is_more = not following.asks and not following.stems.isdisjoint(missing)
    return turn[sentence.end : following.end] if is_more else ""


def _by_claims(f: Findings, sure: float) -> Quoted:
    """An answer in the words of claims, quoted from the turn that says so."""
    first = f.claims.evidence[0]
    value = f.claims.text.split(", since ")[0].split(", until ")[0]
    sentence = _sentence_with(first.text, value)
    stands = all(stem in sentence.stems for stem in find_content_stems(value))
    return Quoted(sentence.text, first, f.claims.text if stands else "", sure, f.claims.evidence[1:], by_claim=True)


def _sentence_with(text: str, value: str) -> TurnSentence:
    wanted = find_content_stems(value)
    return max(split_turn(text), key=lambda part: (value.lower() in part.text.lower(), len(wanted & part.stems)))


def _sources(f: Findings, quoted: Quoted) -> tuple[Evidence, ...]:
    """The turn that is quoted, then the others that speak of it."""
    ranked = sorted(f.found, key=lambda one: -one.weight)
    beside = (one.said.evidence for one in standing(ranked)) if ranked else ()
    return tuple(dict.fromkeys((quoted.first, *quoted.beside, *beside)))[:MOST_EVIDENCE]


def standing(turns: Sequence[Attributed]) -> list[Attributed]:
    """The turns that count as evidence."""
    return [turn for turn in turns if turn.weight >= LEAST_SHARE * turns[0].weight][:MOST_EVIDENCE]


def why_not(
    way: Route, asked: AttributedQuestion, turns: Sequence[Attributed], language: str = ENGLISH, me: str = ""
) -> tuple[str, tuple[Evidence, ...]]:
    """Why a question is not answered: it was somebody else, or nobody said so."""
    other = culprit(asked, turns) if asked.people else None
    if other is not None:
        name, turn = other
        return was_other(language, name, turn.said.evidence, me), (turn.said.evidence,)
    heard = frozenset[str]().union(*(find_content_stems(turn.said.around) for turn in turns))
    unsaid = [asked.words[stem] for stem in asked.rarity if stem not in heard]
    return nothing_said(language, way.person, unsaid, me), ()


def was_other(language: str, name: str, source: Evidence, me: str = "") -> str:
    """That it was somebody else, and where it was said."""
    return worded(language, "other", who=shown_speaker(language, name, me), place=told_at(language, source))
