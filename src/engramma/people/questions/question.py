"""A question, read once for everybody: whom it is about, which claims answer it, what it asks the graph for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...language.question_language import question_language
from ...language.text import infer_role
from .pattern import Pattern, pattern_of
from .question_form import QuestionForm, form_of
from .question_scope import Route, route
from .relation_questions import RelationQuestion, parse_relation_question
from .self_questions import of_oneself


@dataclass(frozen=True)
class ParsedQuestion:
    """The words of a question, with what they are read by; each reading is made when it is first asked for."""

    text: str
    speakers: Mapping[str, Collection[str]] = field(default_factory=dict)  # with the conversations they took part in
    conversation: str | None = None  # the only one to look in
    own: str = ""  # whose "my" is
    me: tuple[str, ...] = ()  # under which names the user speaks, where that was said
    language: str = ""  # it is asked in, as the talk tells that was found; "" where it is English, or tells it itself

    @cached_property
    def route(self) -> Route:
        """Whom it is about, in which conversations to look, and what kind of answer it wants."""
        return route(self.text, self.speakers, self.conversation, own=self.me)

    @property
    def is_of_user(self) -> bool:
        """Whether it is about the user alone, by name or as "I"."""
        return bool(self.route.named) and all(
            name in self.me or infer_role(name, None) is not None for name in self.route.named
        )

    def as_own(self) -> ParsedQuestion:
        """The same question as the user asks it of themself, where it names nobody but the user of chats."""
        is_chat = any(infer_role(name, None) is not None for name in self.me)
        if not (is_chat and self.is_of_user and self.me[0] in self.route.named) or question_language(self.text):
            return self
        return replace(self, text=of_oneself(self.text, self.me))

    @cached_property
    def form(self) -> QuestionForm:
        """What kind of words would answer it."""
        return form_of(self.text, self.language)

    @cached_property
    def wanted(self) -> RelationQuestion | None:
        """Which claims answer it; None where it asks for no relation outright."""
        return parse_relation_question(self.text)

    @cached_property
    def pattern(self) -> Pattern | None:
        """What it asks the graph for; None where it has none of the known shapes."""
        return pattern_of(self.text, self.own)
