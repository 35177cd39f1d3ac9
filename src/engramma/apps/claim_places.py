"""What a reader knows the place and the speaker of a claim by, for pages that list facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..language.quoting import name_line
from ..language.text import DOCUMENTS, NOTES, shorten, speaker_name
from .hits import place_name

if TYPE_CHECKING:
    from ..memory import Memory
    from ..people import Fact
    from ..records.people import Claim

TITLED = 60  # characters of a title


@dataclass(frozen=True, slots=True)
class ClaimPlaces:
    """The titles of the conversations in which claims were made, and the user's name, if it is known."""

    titles: Mapping[str, str | None]  # by the conversations' ids
    me: str

    def place(self, claim: Claim) -> str:
        """What a reader knows the place of a claim by."""
        title = self.titles.get(claim.conversation)
        name = shorten(place_name(claim.conversation, claim.session, title), TITLED)
        return f'"{name}"' if title or claim.conversation == DOCUMENTS else name

    def who(self, speaker: str) -> str:
        return name_line(speaker_name(speaker, self.me))


def claim_places(memory: Memory, facts: Iterable[Fact]) -> ClaimPlaces:
    """Where some facts were said."""
    talks = {claim.conversation for fact in facts for claim in fact.claims}
    threads = {talk: memory.browse.thread(talk) for talk in talks if talk not in (NOTES, DOCUMENTS)}
    titles = {talk: None if thread is None else thread.title for talk, thread in threads.items()}
    return ClaimPlaces(titles, memory.user_name)
