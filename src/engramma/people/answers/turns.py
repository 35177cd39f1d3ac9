"""A turn that recall found, as answers are made of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ...language.text import infer_role
from ...records.people import Evidence


@dataclass(frozen=True, slots=True)
class FollowingTurn:
    """A turn soon after another one, which may answer it or take it back."""

    turn_id: str
    speaker: str
    said_at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class RecalledTurn:
    """A turn that recall found: who said it to whom, its share of the ranking, and what was said around it."""

    conversation: str
    session: str
    turn_id: str
    speaker: str
    said_at: datetime
    text: str
    share: float  # of the ranking's mass; all of them together 1
    near: float  # how near in meaning it is, in deviations above what is ordinary in the store
    to: tuple[str, ...] = ()  # whom it was said to
    around: str = ""  # the turns before and after it, and itself
    before: str = ""  # "Emma: the turn before"
    score: float = 0.0  # of its segment, by recall: 0 to 1
    title: str | None = None  # of its conversation
    after: tuple[FollowingTurn, ...] = ()  # what was said next, in order
    own_document_of: str = ""  # who asks about themself, if it is of a document: a diary says "I", and names nobody

    @property
    def teller(self) -> str:
        """Whose words they are."""
        return self.own_document_of or self.speaker

    @property
    def by_assistant(self) -> bool:
        return infer_role(self.speaker, None) == "assistant"

    @property
    def evidence(self) -> Evidence:
        return Evidence(
            self.conversation, self.session, self.turn_id, self.speaker, self.said_at, self.text, self.title
        )
