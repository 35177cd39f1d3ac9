"""A question, read once for everybody: whom it is about, which claims answer it, what it asks the graph for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from .pattern import Pattern, pattern_of
from .question_form import QuestionForm, form_of
from .question_scope import Route, route
from .relation_questions import RelationQuestion, parse_relation_question


@dataclass(frozen=True)
class ParsedQuestion:
    """The words of a question, with what they are read by; each reading is made when it is first asked for."""

    text: str
    speakers: Mapping[str, Collection[str]] = field(default_factory=dict)  # with the conversations they took part in
    conversation: str | None = None  # the only one to look in
    own: str = ""  # whose "my" is

    @cached_property
    def route(self) -> Route:
        """Whom it is about, in which conversations to look, and what kind of answer it wants."""
        return route(self.text, self.speakers, self.conversation)

    @cached_property
    def form(self) -> QuestionForm:
        """What kind of words would answer it."""
        return form_of(self.text)

    @cached_property
    def wanted(self) -> RelationQuestion | None:
        """Which claims answer it; None where it asks for no relation outright."""
        return parse_relation_question(self.text)

    @cached_property
    def pattern(self) -> Pattern | None:
        """What it asks the graph for; None where it has none of the known shapes."""
        return pattern_of(self.text, self.own)
