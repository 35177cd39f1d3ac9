"""The objects that a memory has for its features, each made, and its modules loaded, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from .core.core import Core

if TYPE_CHECKING:
    from .admin.admin import Admin
    from .core.undo import Undo
    from .documents.documents import Documents
    from .ingest.ingest import Ingest
    from .links.links import Links
    from .links.surroundings import Surroundings
    from .namespaces.namespaces import Namespaces
    from .namespaces.team import Team
    from .notes.notes import Notes
    from .people import Ask, Claims, Entities, LLMReader, People, Profiles
    from .recall.browse import Browse
    from .recall.changes import Changes
    from .rescan.redactor import Redactor
    from .review.review import ReviewQueue
    from .steward.acts import Acts
    from .steward.steward import Steward
    from .topics.topics import Topics
    from .transfer.transfer import Transfer

Made = TypeVar("Made")


class Features:
    """An object for each feature, over one Core."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._made: dict[Any, Any] = {}

    def _once(self, kind: Callable[..., Made], *needed: Any) -> Made:
        """The one object of a kind; of threads that make it at the same time, all get the first."""
        made: Made | None = self._made.get(kind)
        return self._made.setdefault(kind, kind(*needed)) if made is None else made

    @property
    def notes(self) -> Notes:
        from .notes.notes import Notes

        return self._once(Notes, self._core)

    @property
    def links(self) -> Links:
        from .links.links import Links

        return self._once(Links, self._core)

    @property
    def surroundings(self) -> Surroundings:
        from .links.surroundings import Surroundings

        return self._once(Surroundings, self._core)

    @property
    def documents(self) -> Documents:
        from .documents.documents import Documents

        return self._once(Documents, self._core)

    @property
    def topics(self) -> Topics:
        from .topics.topics import Topics

        return self._once(Topics, self._core)

    @property
    def people(self) -> People:
        from .people import People

        return self._once(People, self._core)

    @property
    def profiles(self) -> Profiles:
        from .people import Profiles

        return self._once(Profiles, self._core, self.people)

    @property
    def claims(self) -> Claims:
        from .people import Claims

        return self._once(Claims, self._core)

    @property
    def entities(self) -> Entities:
        from .people import Entities

        return self._once(Entities, self._core)

    @property
    def llm(self) -> LLMReader:
        from .people import LLMReader

        return self._once(LLMReader, self._core)

    @property
    def namespaces(self) -> Namespaces:
        from .namespaces.namespaces import Namespaces

        return self._once(Namespaces, self._core)

    @property
    def team(self) -> Team:
        from .namespaces.team import Team

        return self._once(Team, self._core.database)

    @property
    def steward(self) -> Steward:
        from .steward.steward import Steward

        return self._once(Steward, self._core)

    @property
    def acts(self) -> Acts:
        from .steward.acts import Acts

        return self._once(Acts, self._core, self._once(ways_back))

    @property
    def review(self) -> ReviewQueue:
        from .review.review import ReviewQueue

        return self._once(ReviewQueue, self._core, self.steward, self.people, self.entities)

    @property
    def redactor(self) -> Redactor:
        from .rescan.redactor import Redactor

        return self._once(Redactor, self._core)

    @property
    def browse(self) -> Browse:
        from .recall.browse import Browse

        return self._once(Browse, self._core)

    @property
    def changes(self) -> Changes:
        from .recall.changes import Changes

        return self._once(Changes, self._core)

    @property
    def ingest(self) -> Ingest:
        from .ingest.ingest import Ingest

        return self._once(Ingest, self._core)

    @property
    def transfer(self) -> Transfer:
        from .transfer.transfer import Transfer

        return self._once(Transfer, self._core)

    @property
    def admin(self) -> Admin:
        from .admin.admin import Admin

        return self._once(Admin, self._core)

    @property
    def _ask(self) -> Ask:
        from .people import Ask

        return self._once(Ask, self._core)


def ways_back() -> Undo:
    """How every kind of act is undone: each feature knows its own."""
    from .forget import forget
    from .links import links
    from .notes import revise
    from .people import UNDO
    from .review import review
    from .steward import undo

    return {**undo.UNDO, **revise.UNDO, **links.UNDO, **UNDO, **forget.UNDO, **review.UNDO}
