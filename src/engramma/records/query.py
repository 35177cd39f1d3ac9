"""What is asked, and within which bounds: one record from every face to the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from .talk import Turn

ENTRIES = 10
MOST_IN_BUDGET = 40  # entries that a budget of tokens is filled with


@dataclass(frozen=True, slots=True)
class Query:
    """A question and where to look for its answer."""

    text: str
    k: int | None = None  # most entries; see `most_entries`
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
    def most_entries(self) -> int:
        """How many entries are looked for: as many as asked, else ten, or with a budget as many as may fit."""
        if self.k is not None:
            return self.k
        return ENTRIES if self.budget_tokens is None else MOST_IN_BUDGET

    @property
    def fills_budget(self) -> bool:
        """Whether entries are to fill a budget, and those that do not fit are not wanted."""
        return self.k is None and self.budget_tokens is not None

    @property
    def is_wide(self) -> bool:
        """Whether something is asked for that may have been set aside."""
        return self.archived or self.as_of is not None
