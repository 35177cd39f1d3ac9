"""From what was found to an answer: a quote with its sources, or why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...language.dates import intervals
from ...language.folded_names import named_so
from ...language.question_language import question_language
from ...language.text import DOCUMENTS, infer_role
from ...language.times import wall_clock
from ...language.unspaced import has_runs
from ...recall.of_a_time import is_of_a_time, one_of_a_time
from ...records.people import Answer, Evidence, Verdict
from ..questions.named_others import named_others, names_another, speaks_of_them
from ..questions.question_form import has_shape, has_wanted_name
from ..questions.question_scope import Route
from .attribution import NAMED, Attributed, AttributedQuestion, culprit, features
from .bounds import read_bounds, within_first
from .doubts import is_of_other_matter, lacks_name, leaves_open, talkers, tells_little
from .findings import Findings, Quoted, is_across_languages, is_chat, subject_asked
from .latest import corrected, corrects, first_statement, latest_count, latest_of, restated
from .read_turns import ReadTurn
from .sentences import TurnSentence, begins_asking, find_content_stems, share_of_words, split_turn
from .short_answer import short_answer
from .unsettled import is_taken_back
from .verdict import (
    ANSWERED,
    LEAST_KNOWN,
    LEAST_OWN,
    confidence,
    doubted,
    judge,
    judge_across,
    known,
    least_known,
    measure_quote,
    verdict_by_parts,
    verdict_by_words,
)
from .wording import ENGLISH, nothing_said, shown_speaker, told_at, told_by, told_unsurely, worded
from .worked_out import put_in_order, tell_amount, tell_gap

MOST_EVIDENCE = 8
LEAST_SHARE = 0.03  # of the best turn's weight: what is below it is no evidence
CLAIMED = 0.5  # confidence from which on a claim is an answer
NOT_THEIRS = 0.3  # confidence at most, where a claim says that it is somebody else's or the words for it are not there


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
    speakers, asked = {one.said.speaker for one in f.found}, one_of_a_time(f.question)
    is_of_one = len(speakers) == 1 and asked and named_so((*speakers, f.me), asked)
    if is_of_one or is_of_a_time(f.question):
        return _of_a_time(f, blank)
    quoted, measured = _quoted(f)
    trace |= {name: round(value, 4) for name, value in measured.items()}
    blank = replace(blank, trace=trace)
    if quoted is None:
        reason, sources = why_not(f.route, f.asked, f.found, f.language, f.me)
        return replace(blank, reason=reason, evidence=sources, verdict="not known")
    trace |= {"known": round(known(measured), 4), "threshold": least_known(measured)}
    verdict, sure = _verdict(f, quoted, measured)
    if sure < quoted.sure:
        quoted = replace(quoted, short="")  # a guess tells no more than was said
    return _judged(f, replace(blank, confidence=round(sure, 4), verdict=verdict), quoted)


def _of_a_time(f: Findings, blank: Answer) -> Answer:
    """What was said in a time that is asked for as a whole: shown, since no one sentence answers it."""
    shown = tuple(one.said.evidence for one in f.found[:MOST_EVIDENCE])
    reason = told_unsurely(f.language, shown[0])
    return replace(blank, quote=split_turn(shown[0].text)[0].text, evidence=shown, reason=reason, verdict="unsure")


def _why_not(f: Findings, quoted: Quoted) -> tuple[str, tuple[Evidence, ...]]:
    """Why it is not known: a claim says whose or of when it is, or what was found does."""
    if quoted.is_other and f.claims.owner:
        return was_other(f.language, f.claims.owner, f.claims.evidence[0], f.me), f.claims.evidence
    if quoted.is_other and f.claims.only_now:
        return f"nothing from before {f.claims.only_now} was said", ()
    return why_not(f.route, f.asked, f.found, f.language, f.me)


def _verdict(f: Findings, quoted: Quoted, measured: Mapping[str, float]) -> tuple[Verdict, float]:
    """The verdict over the quote, and how sure it is; what a claim says outweighs what was measured."""
    sure = quoted.sure
    if quoted.is_other:
        return "not known", sure
    by_user = infer_role(quoted.first.speaker, None) == "user"
    is_unnamed = not has_wanted_name(f.form, f.question, quoted.sentence, by_user)
    if quoted.by_claim and sure >= CLAIMED and not is_unnamed:
        return "answered", sure
    is_note = bool(f.asked.people) and quoted.first.conversation == DOCUMENTS and measured["own"] >= NAMED
    if is_note and sure < ANSWERED:
        return "not known", sure  # how often the others are named in a note that names somebody tells nothing
    of_people = bool(f.asked.people) and not is_note and not is_chat(f, quoted.first.speaker)
    is_across = "meant" in measured
    verdict = (judge_across if is_across else judge)(f.form, measured, sure, of_people)
    if not any(sign.isalnum() for sign in quoted.sentence):
        return "not known", sure  # "." or "?!" says nothing
    is_answered = verdict == "answered"
    is_open = is_answered and leaves_open(f, quoted)
    is_other = is_answered and not is_open and is_of_other_matter(f, quoted)
    # also what speaks of the cat, and does not name her
    is_doubtful = is_answered and not is_open and (is_unnamed or tells_little(f, quoted))
    is_without = is_answered and lacks_name(f, quoted)
    if is_answered and of_people and not is_across and "changed" in measured:
        return doubted(sure, measured, is_open or is_other, is_doubtful, is_without)
    if is_open or is_other or is_doubtful or is_without:
        verdict = "unsure"
    if has_runs(f.question) and not is_across:
        if is_other or is_doubtful or is_without:
            return verdict, sure
        is_theirs = measured["own"] >= LEAST_OWN
        said = (quoted.first.text, quoted.before)
        is_foreign = is_across_languages(f, quoted)
        return verdict_by_parts(verdict, f.question, f.asked.people, *said, is_theirs, is_foreign), sure
    if is_across or verdict == "not known" or not f.asked_in:
        return verdict, sure
    shared = share_of_words(f.question, f.asked.people, quoted.first.text, f.asked_in)
    return verdict_by_words(verdict, shared, is_across_languages(f, quoted)), sure


def _judged(f: Findings, blank: Answer, quoted: Quoted) -> Answer:
    """The quote as an answer, as something found that may not be one, or not at all."""
    shown = replace(blank, quote=f"{quoted.sentence}{quoted.rest}", evidence=_sources(f, quoted))
    if blank.verdict == "answered":
        text = quoted.short or shown.quote
        return replace(
            shown, text=text, short=quoted.short, abstained=False, reason=told_by(f.language, quoted.first, f.me)
        )
    if blank.verdict == "unsure":
        if f.form.is_worked_out:
            told = told_by(f.language, quoted.first, f.me)
            return replace(shown, reason=f"this has to be worked out from what was said: {told}")
        return replace(shown, reason=told_unsurely(f.language, quoted.first))
    reason, other = _why_not(f, quoted)
    return replace(blank, reason=reason, evidence=other)


def is_for_a_model(f: Findings, answer: Answer) -> bool:
    """Whether a model may write the answer: not where nothing was found, nor where it is known to be somebody else's.

    Whose it is, attribution tells better than a small model.
    """
    is_others = answer.verdict == "not known" and bool(answer.evidence or f.claims.owner or f.claims.only_now)
    return bool(f.found) and not f.unheard and not is_others


def _quoted(f: Findings) -> tuple[Quoted | None, dict[str, float]]:
    """The sentence that answers best, by claims where they know it, else by the reader."""
    if not f.read:
        return None, {}
    by_english_rules = not f.asked_in and f.read[0].meant is None
    last = wall_clock(max(one.said.said_at for one in f.found))
    read = within_first(f.read, read_bounds(f.question, last)) if by_english_rules else f.read
    best = latest_of(read, f.form, f.asked.rarity, f.question) if by_english_rules else first_statement(f.read)
    if by_english_rules and best is read[0] and begins_asking(best.sentence.text):
        best = first_statement(read)
    measured = {**measure_quote(f.form, f.asked, f.found, f.read, best), **f.otherwise}
    if best.meant is None:
        sure = confidence(measured, is_chat(f, best.turn.speaker))
    else:
        sure, measured = best.meant.sure, measured | best.meant.measured
    said, found = best.sentence.text, best.turn
    best = best if f.form.of_assistant else corrected(best, f.read)  # as sure as of what it corrects
    best = latest_count(best, f.read, f.form, f.question) if by_english_rules else best
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
    asked = subject_asked(f, best.turn.speaker)
    short = short_answer(f.question, f.form, told, turn, best.turn.said_at, f.asked.rarity, asked)
    sure = min(sure, NOT_THEIRS) if is_other else sure
    before = best.turn.before if sentence.text == said else f"{said}\n{best.turn.before}"
    rest = "" if short else _rest(f, sentence, best.turn.text)
    taken_back = is_taken_back(found)
    return Quoted(
        sentence.text, first, short, sure, (), before, rest, is_other=is_other, is_taken_back=taken_back
    ), measured


def _on_the_matter(f: Findings, best: ReadTurn) -> TurnSentence:
    """The sentence to quote: for yes or no one that has a word of the question, if the turn has one that tells; for
    when, too, where the one that was picked tells no time."""
    if not f.asked_in and (of_them := _sentence_of_them(f, best)) is not None:
        return of_them
    if not f.asked_in and not has_shape(f.form.wants, best.sentence.text):
        return _sentence_of_shape(f, best)
    is_dated = f.form.wants == "date" and not f.asked_in and not intervals(best.sentence.text, best.turn.said_at)
    if not (f.form.wants == "yes_no" or is_dated) or not best.sentence.stems.isdisjoint(f.asked.rarity):
        return best.sentence
    told = [part for part in split_turn(best.turn.text) if not part.asks]
    closest = max(told, key=lambda part: f.asked.overlap(part.stems), default=best.sentence)
    return closest if f.asked.overlap(closest.stems) else best.sentence


def _sentence_of_them(f: Findings, best: ReadTurn) -> TurnSentence | None:
    """The sentence of the turn that names the one asked about, where the one that was picked is of another."""
    names = named_others(f.question, talkers(f, best.turn.speaker))
    is_who = f.route.kind == "who" and not speaks_of_them(names, best.sentence.text)
    if not is_who and not names_another(names, best.sentence.text):
        return None
    theirs = [part for part in split_turn(best.turn.text) if speaks_of_them(names, part.text) and not part.asks]
    return max(theirs, key=lambda part: f.asked.overlap(part.stems), default=None) if names else None


def _sentence_of_shape(f: Findings, best: ReadTurn) -> TurnSentence:
    """The sentence of the turn that tells the number or the like asked for, where the one that was picked does not."""
    told = [part for part in split_turn(best.turn.text) if not part.asks and has_shape(f.form.wants, part.text)]
    fitting = [part for part in told if f.asked.overlap(part.stems)]
    return max(fitting, key=lambda part: f.asked.overlap(part.stems), default=best.sentence)


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
