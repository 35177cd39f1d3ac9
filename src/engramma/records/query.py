"""What is asked, and within which bounds: one record from every face to the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from .talk import Turn


@dataclass(frozen=True, slots=True)
class Query:
    """A question and where to look for its answer."""

    text: str
    k: int = 10
    exclude_session: str | None = None
    active_context: Sequence[str | Turn] = ()
    conversation: str | None = None
    budget_tokens: int | None = None
    asked_at: datetime | None = None
    as_of: datetime | None = None  # answer with what was known then
    archived: bool = False  # look at what was archived, too
    topic: int | None = None  # only in this topic
    within: tuple[str, ...] | None = None  # only in these conversations
    speaker: str | None = None  # only segments in which this person says something; the case of letters is ignored
    since: datetime | None = None  # only what was said then or later
    until: datetime | None = None  # only what was said before
    tag: str | None = None  # only notes with this tag
    source: str | None = None  # only what came from there: a format, a note's source, a document

    @property
    def is_wide(self) -> bool:
        """Whether something is asked for that may have been set aside."""
        return self.archived or self.as_of is not None
