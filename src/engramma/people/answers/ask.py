"""Answers a question: recall, read, verify whose it is, and quote it, let a model write it, or say why not."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from ...core.core import Core
from ...core.names import conversation_name, user_name
from ...core.speakers import own_speakers
from ...errors import EngrammaError, StoreError
from ...language.text import DOCUMENTS, MAIL, NOTES, infer_role
from ...language.whose_words import call_it_assistant
from ...models.embed import MINI, PACKAGED
from ...models.llm import LLM
from ...models.reader import load_reader
from ...recall.count import note_recalled
from ...recall.identifiers import list_identifiers, unsaid_identifiers
from ...recall.pipeline import newest, recall_by_plan
from ...recall.query import checked_query
from ...recall.recipes import GOES_ON
from ...records import Query
from ...records.people import Answer, Evidence
from ...store.keys import context_key
from ...store.store import encode_keys
from ..claims.store import claims_up_to_date
from ..entities.known_names import first_names
from ..llm.answer_check import asked_words
from ..llm.answer_prompt import turns_to_show, write_prompt
from ..llm.answer_stream import ANSWER_SECONDS, AnswerStream, WritingTask, without_model, write_answer
from ..llm.reader import LLMReader
from ..questions.asked_language import language_asked_in
from ..questions.calculation import find_calculation
from ..questions.question import ParsedQuestion
from ..questions.question_scope import Route
from ..questions.reported import who_is_to_say
from ..questions.time_between import find_time_between
from .across import QuestionAcross
from .answer import compose_answer, is_for_a_model
from .asked_otherwise import read_otherwise
from .attribution import Attributed, AttributedQuestion, attributed, speaks_of_self, spoken_of
from .calculate import CalculatedAmount, calculate
from .claim_answers import ClaimAnswer, answer_from_claims
from .event_gap import EventGap, find_event_gap
from .findings import Findings
from .first_of_two import EventOrder, Find, compare
from .placed_turns import place_turns
from .read_turns import ReadTurn, read_turns
from .sentences import telling
from .turns import RecalledTurn
from .unheard import unheard_names, unsaid_names
from .verdict import LEAST_OWN

CANDIDATES = 40  # segments whose shares are counted
READ = 12  # turns that are read
TALK = 9  # turns whose language tells that of a question that tells none
NEAREST = 3  # turns whose script tells how a name may be written
BLOCKS = 20  # of 200 turns, extracted before a question that claims may answer; the rest waits
SHOWN = 12  # entries whose turns a model is shown, with their neighbours, as far as they fit into its prompt
# Evidence that prefers the person asked about, whose it is being asked later; and that of messages that ask nothing.
BLIND_TO = ("other_speaker", "absent", *GOES_ON)
# The verdict was fitted to shares made with no more than these: with more, every first hit looks certain.
MOST_WEIGHT = {"stands_out": 8.0, "meaning_stands_out": 0.0, "quoted": 0.0, "standing": 0.0}


# Who spoke in which conversations, as of a turn and an act.
Speakers = tuple[int, int, dict[str, frozenset[str]]]
_STRESS = re.compile(r" (?:actually|in the end|finally|eventually)\b", re.IGNORECASE)  # words that nobody said again
_WRITES = re.compile(r"^(\s*what (?:did|does) (?:\w+ ){1,3})write(?= (?:about|to)\b)", re.IGNORECASE)
_BLANKS = re.compile(r"(\s)\s{2,}")  # rows of blanks say nothing, and patterns would go through them again and again


class Ask:
    """Answers questions with their sources, or says why it does not."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._models = LLMReader(core)
        self._people: Speakers = (0, -1, {})

    def answer(self, question: str, conversation: str | None = None, llm: LLM | Literal[False] | None = None) -> Answer:
        """What `Memory.ask` answers: recall, read, attribute, quote; written by a model where one is wanted."""
        with self.stream(question, conversation, llm) as stream:
            return stream.answer

    def stream(
        self, question: str, conversation: str | None = None, llm: LLM | Literal[False] | None = None
    ) -> AnswerStream:
        """The same while it is written: without a model all at once, else sentence by sentence."""
        self._core.store.check_place()
        talk = None if conversation is None else conversation_name(self._core, conversation)
        text = checked_query(Query(question, CANDIDATES))[0].text
        speakers = self._speakers()
        may_be_it = any(infer_role(speaker, None) == "assistant" for speaker in speakers)
        question, text = _BLANKS.sub(r"\1", question), call_it_assistant(_BLANKS.sub(r"\1", text), may_be_it)
        text = _WRITES.sub(r"\1say", _STRESS.sub("", text))
        read = ParsedQuestion(text, speakers, talk, me=own_speakers(self._core.store, speakers)).as_own()
        within = read.route.conversations
        if within is not None and talk is None:
            within = (*within, NOTES, DOCUMENTS)  # what was noted may be about anybody
            if read.is_of_user:
                within = tuple(dict.fromkeys((*within, *_mails(speakers))))
        findings, degraded = self._findings(question, read, within)
        answer = compose_answer(findings)
        if answer.verdict == "not known" and talk is None and within is not None and _is_elsewhere(speakers, within):
            elsewhere, _ = self._findings(question, read, None)
            told = compose_answer(elsewhere) if elsewhere.found else answer
            if told.verdict != "not known":
                findings, answer = elsewhere, told
        if degraded is not None:
            answer = replace(answer, trace={**answer.trace, "degraded": degraded})
        return self._written(findings, answer, llm)

    def _findings(
        self, question: str, read: ParsedQuestion, within: tuple[str, ...] | None
    ) -> tuple[Findings, str | None]:
        """What an answer is made of, from some conversations; and why words alone found it, if so.

        From anywhere (None) about somebody who talks in some: what others say elsewhere, and only by that name.
        """
        said, degraded = self._said(read.text, within)
        language = language_asked_in(read.text, read.speakers, self._talk(said))
        read = replace(read, language=language)
        asked = self._asked(read.text, read.route.named, language)
        if within is None and read.route.conversations is not None:
            said = tuple(turn for turn in said if is_named_elsewhere(turn, read.route))
        if read.is_of_user:
            said = tuple(as_own_document(turn, read.route.named) for turn in said)
        found = attributed(asked, said)
        is_worked_out = find_calculation(read.text) is not None or find_time_between(read.text) is not None
        form = replace(read.form, is_worked_out=True) if is_worked_out else read.form
        nearest = [turn.text for turn in said[:NEAREST]]
        findings = Findings(
            question,
            replace(read.route, conversations=within),
            form,
            asked,
            found,
            self._read(read, asked, found),
            self._told_by_claims(read, found),
            self._compared(read),
            self._calculated(read),
            self._gap(read),
            self._core.embedder.name == MINI,
            unheard_names(self._core.store, read.text, read.speakers, nearest, language)
            or unsaid_identifiers(self._core.store, list_identifiers(read.text)),
            unsaid_names(self._core.store, read.text, {*read.speakers, *read.me}, nearest, language),
            user_name(self._core),
            bool(read.me) and read.is_of_user,
            asked_in=language,
        )
        if language or findings.of_user:
            return findings, degraded
        otherwise = read_otherwise(load_reader().read, read.text, asked, found, findings.read)
        return replace(findings, otherwise=otherwise), degraded

    def _written(self, f: Findings, answer: Answer, llm: LLM | Literal[False] | None) -> AnswerStream:
        """The answer as a model is to write it, if one is wanted and the question is one for it."""
        if llm is False:
            return AnswerStream(answer)
        try:
            settings = self._models.settings()
            if llm is None:
                llm = self._models.model() if settings is not None and settings.answers else None
        except EngrammaError as error:  # whatever is wrong with the settings: there is an answer without them
            return AnswerStream(answer if llm is not None else without_model(answer, "", str(error), "failed"))
        if llm is None:
            return AnswerStream(answer)
        if not is_for_a_model(f, answer):
            return AnswerStream(replace(answer, trace={**answer.trace, "written": "not asked"}))
        turns = turns_to_show((*answer.evidence, *self._shown(f)), f.asked.rarity)
        task = WritingTask(
            answer,
            turns,
            write_prompt(f.question, turns, f.asked.rarity, context_key(self._core.store)),
            asked_words(f.question, f.route.named),
            ANSWER_SECONDS if settings is None else settings.answer_timeout,
        )
        return AnswerStream(answer, partial(write_answer, llm, task))

    def _shown(self, f: Findings) -> list[Evidence]:
        """The turns of a recall as an assistant gets it, the best first, then those that the answer was sought in."""
        plan = self._core.default_plan
        recalled = recall_by_plan(
            self._core, plan, Query(f.question, SHOWN, within=f.route.conversations), is_shown=False
        )
        turns = [turn.evidence for turn in place_turns(self._core.store, recalled.candidates, 0.0, 1.0)]
        return [*turns, *(one.said.evidence for one in f.found)]

    def _read(self, question: ParsedQuestion, asked: AttributedQuestion, found: Sequence[Attributed]) -> list[ReadTurn]:
        """The turns that may answer, as the reader sees them: about whom the question asks, if there are any, and the
        assistant's only where it is asked for them, or for a code, which it may have given."""
        is_of_both = question.form.of_assistant or question.form.wants == "code"
        may = [one for one in found if is_of_both or not one.said.by_assistant]
        theirs = [one for one in may if one.own >= LEAST_OWN]
        first = sorted((one.said for one in theirs or may), key=lambda turn: -turn.score)[:READ]
        if not first:
            return []
        across = None
        if self._core.embedder.name == PACKAGED:
            across = QuestionAcross(question.text, asked.people, question.language, self._core.embedder.embed)
        return read_turns(load_reader().read, question.text, first, asked.rarity, question.language, across)

    def _compared(self, question: ParsedQuestion) -> EventOrder | None:
        """The two things that a question compares by time; None if it does not."""
        if question.form.options is None:
            return None
        return compare(question.form, self._finder(question), lambda thing: self._asked(thing, ()).rarity)

    def _calculated(self, question: ParsedQuestion) -> CalculatedAmount | None:
        """What comes out where a question asks for a sum or a difference of things that were said; else None.

        Not for people who talk to each other: whose amount it is would have to be told first.
        """
        asked = find_calculation(question.text)
        if asked is None or _names_others(question):
            return None
        return calculate(asked, self._finder(question), lambda thing: self._asked(thing, ()).rarity)

    def _gap(self, question: ParsedQuestion) -> EventGap | None:
        """The time between two events, where a question asks for it; else None, and for people as above."""
        asked = find_time_between(question.text)
        if asked is None or _names_others(question):
            return None
        return find_event_gap(asked, self._finder(question), lambda event: self._asked(event, ()).rarity)

    def _finder(self, question: ParsedQuestion) -> Find:
        """Looks for what people said of one of the things that a question names."""

        def find(thing: str) -> Sequence[RecalledTurn]:
            said, _ = self._said(thing, question.route.conversations)
            whose = question.me if question.is_of_user else ()
            return [turn for turn in said if not turn.by_assistant and (not whose or turn.speaker in whose)]

        return find

    def _told_by_claims(self, question: ParsedQuestion, found: Sequence[Attributed]) -> ClaimAnswer:
        """What claims say to the question, where it asks for a relation outright."""
        if question.wanted is None:
            return ClaimAnswer()
        try:
            claims_up_to_date(self._core.store, BLOCKS)
        except StoreError:
            self._core.store.check_place()
        near = {(turn.said.conversation, turn.said.turn_id) for turn in found}
        with self._core.store.snapshot():
            return answer_from_claims(
                self._core.store, question.wanted, question.route.person, question.conversation, near
            )

    def _talk(self, said: Sequence[RecalledTurn]) -> Iterator[str]:
        """What tells the language of a question that tells none: the nearest turns, or else any."""
        if said:
            yield from (turn.text for turn in said[:TALK])
            return
        keys = encode_keys(row["key"] for row in self._core.store.all("segment_sample", limit=TALK))
        yield from (turn["text"] for turn in self._core.store.all("turns_by_segments", keys=keys))

    def _asked(self, text: str, named: tuple[str, ...], language: str = "") -> AttributedQuestion:
        """A question's telling words, without names and dates, and how rare each is here."""
        words = telling(text, named, newest(self._core.store), language)
        counts = self._core.store.document_counts(words.values())
        total = math.log(len(self._core.live_index().fresh()[0]) + 2)
        rarity = {stem: max(0.0, min(1.0, 1 - math.log(counts[word] + 1) / total)) for stem, word in words.items()}
        return AttributedQuestion(named, rarity, words, bool(who_is_to_say(text)))

    def _speakers(self) -> Mapping[str, frozenset[str]]:
        """Who spoke in which conversations; what was stored since the last call is added."""
        age = self._core.store.one("ask_age")
        assert age is not None
        turn, act, known = self._people
        if act != age["act"] or turn > age["turn"]:
            turn, known = 0, {}
        if turn != age["turn"]:
            known = dict(known)  # another thread may be reading the one before
            for row in self._core.store.all("ask_people", after=turn):
                known[row["speaker"]] = known.get(row["speaker"], frozenset()) | {row["conversation"]}
        self._people = (age["turn"], age["act"], known)
        return known

    def _said(self, text: str, within: tuple[str, ...] | None) -> tuple[tuple[RecalledTurn, ...], str | None]:
        """What was said that matters for the question, whoever said it; and why words alone found it, if so."""
        plan = self._core.default_plan
        weights = {
            name: min(weight, MOST_WEIGHT.get(name, weight))
            for name, weight in plan.weights.items()
            if name not in BLIND_TO
        }
        blind = replace(plan, weights=weights, lateral=0, vertical=0, rerank=0)
        found = recall_by_plan(self._core, blind, Query(text, CANDIDATES, within=within), is_shown=False)
        note_recalled(self._core, found)
        usual = {} if (measured := self._core.known_thresholds(blind)) is None else measured.background
        placed = place_turns(
            self._core.store, found.candidates, usual.get("question_mean", 0.0), usual.get("question_sd", 1.0)
        )
        return tuple(one for one in placed if not _is_front_matter(one)), found.trace.degraded


def _is_front_matter(turn: RecalledTurn) -> bool:
    """Whether a turn is the settings at the top of a note and nothing more: its tags and title answer nothing."""
    text = turn.text.rstrip()
    return turn.conversation == DOCUMENTS and text.startswith("---\n") and text.find("\n---") == len(text) - 4


def _is_elsewhere(speakers: Mapping[str, frozenset[str]], within: Collection[str]) -> bool:
    """Whether anybody talks in other conversations than these."""
    known = frozenset(within)
    return any(not talks <= known for talks in speakers.values())


def _mails(speakers: Mapping[str, frozenset[str]]) -> list[str]:
    """The conversations by mail: what is in somebody's mailbox was written by them or to them."""
    return sorted({talk for talks in speakers.values() for talk in talks if talk.startswith(MAIL)})


def as_own_document(turn: RecalledTurn, asking: Sequence[str]) -> RecalledTurn:
    """A turn as who asks about themself means it: what their documents say, they may have written, and mail of nobody
    in particular (a booking, a bill) is about whom it was sent to."""
    if turn.conversation.startswith(MAIL) and {turn.speaker, *turn.to}.isdisjoint(asking):
        is_of_somebody = speaks_of_self(turn.text) or turn.speaker.split(" ")[0].casefold() in first_names()
        return replace(turn, **({"to": (*turn.to, asking[0])} if is_of_somebody else {"own_document_of": asking[0]}))
    return replace(turn, own_document_of=asking[0]) if turn.conversation == DOCUMENTS else turn


def is_named_elsewhere(turn: RecalledTurn, where: Route) -> bool:
    """Whether a turn of another conversation than theirs names one of those asked about."""
    is_other = where.conversations is None or turn.conversation not in where.conversations
    return is_other and bool(spoken_of(turn.text, where.named, (turn.speaker, *turn.to)))


def _names_others(question: ParsedQuestion) -> bool:
    """Whether a question names one of those who talk to each other, rather than the user."""
    return bool(question.route.named) and not question.is_of_user
