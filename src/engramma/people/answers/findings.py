"""What an answer is made of, and the sentence that would be it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...language.question_language import question_language
from ...language.text import infer_role
from ...records.people import Evidence
from ..questions.doers import AskedSubject, asked_subject
from ..questions.question_form import QuestionForm
from ..questions.question_scope import Route
from .attribution import Attributed, AttributedQuestion
from .calculate import CalculatedAmount
from .claim_answers import ClaimAnswer
from .event_gap import EventGap
from .first_of_two import EventOrder
from .read_turns import ReadTurn
from .wording import answer_language

LOOKED_AT = 10  # turns by which a chat is told from talk


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
    otherwise: Mapping[str, float] = field(default_factory=dict)  # what the reader makes of it when asked otherwise
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
    is_taken_back: bool = False  # who said it took it back soon after


def is_chat(f: Findings, speaker: str) -> bool:
    """Whether what was found is a chat with an assistant, rather than people who talk to each other.

    Of the user, who does both, it is by the `speaker` of what is quoted.
    """
    if f.of_user:
        return infer_role(speaker, None) is not None
    said = [one.said for one in f.found[:LOOKED_AT]]
    return sum(infer_role(turn.speaker, None) is not None for turn in said) * 2 > len(said)


def subject_asked(f: Findings, speaker: str) -> AskedSubject | None:
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


def is_across_languages(f: Findings, quoted: Quoted) -> bool:
    """Whether the quote may be in another language than the question's and still be what was asked for."""
    return not f.is_english_encoder and question_language(quoted.first.text) != f.asked_in
