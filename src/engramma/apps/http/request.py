"""The context of every handler: the daemon, the caller, the requested namespace, and the caller's right in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import BoundedSemaphore
from typing import Annotated, Any

from fastapi import Depends, Query, Request

from ...memory import Memory
from ...records.team import Right, Who
from ...store import audit
from ..daemon.guard import WHO
from ..daemon.state import Daemon
from .backup_jobs import BackupJobs
from .jobs import Jobs
from .problems import RequestRefused
from .request_models import Text
from .write_turns import Writes

MOST_ANSWERS = 12  # at once by the language model; each may take a thread for minutes

NEEDED = {"read": "read", "write": "write", "admin": "forget, undo or administer"}


@dataclass(slots=True)
class Face:
    """A daemon, its writers and its imports."""

    daemon: Daemon
    jobs: Jobs = field(init=False)
    writes: Writes = field(default_factory=Writes)
    listeners: int = 0  # of events
    backups: BackupJobs = field(default_factory=BackupJobs)
    answers: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MOST_ANSWERS))  # that a model writes

    def __post_init__(self) -> None:
        self.jobs = Jobs(self.daemon.memories.get)


@dataclass(frozen=True, slots=True)
class Where:
    """The namespace a request is about, and who asks."""

    face: Face
    namespace: str
    who: Who

    @property
    def memory(self) -> Memory:
        """Opened when first asked for; to be called in a thread."""
        return self.face.daemon.memories.get(self.namespace)

    @contextmanager
    def writing(self) -> Iterator[Memory]:
        """The memory, while nobody else in this process writes."""
        memory = self.memory
        with self.face.writes.alone():
            yield memory

    def check(self, right: Right, namespace: str | None = None) -> None:
        """Refuse whoever has no such right. Whether there is a namespace they may not read is not told."""
        name = self.namespace if namespace is None else namespace
        if not self.who.may("read", name):
            raise RequestRefused(
                404, f"There is no namespace {name!r:.200} for {self.who.name}. GET /api/namespaces lists them."
            )
        if not self.who.may(right, name):
            raise RequestRefused(
                403, f"{self.who.name} has no right to {NEEDED[right]} in {name!r:.200}. Ask its admin."
            )

    def check_owner(self) -> None:
        if not self.who.is_owner:
            raise RequestRefused(403, "Only the store's owner may do this.")

    def own(self, figures: dict[str, Any]) -> dict[str, Any]:
        """Figures without what they say of the store as a whole, for those who may not know of it."""
        if self.who.rights is None:
            return figures
        hidden: dict[str, Any] = {"store": "", "namespaces": sorted(self.who.rights), "bytes": {}}
        return {name: hidden.get(name, value) for name, value in figures.items()}


def knowing(face: Face) -> Any:
    """A dependency that lets the handlers of a router know the daemon."""

    async def know_face(request: Request) -> None:
        request.state.face = face

    return Depends(know_face)


NamespaceParam = Annotated[
    Annotated[Text, Query(min_length=1, max_length=200)] | None,
    Query(description="Which namespace; by default the daemon's own."),
]


async def _asked(request: Request, namespace: NamespaceParam = None) -> Where:
    """Whoever may read. The guard says who it is; without one nobody is let in."""
    face: Face = request.state.face
    who: Who | None = request.scope.get(WHO)
    if who is None:
        raise RequestRefused(401, "The request has no user.")
    name = namespace or (face.daemon.namespace if who.is_owner else who.home)
    if name is None:
        raise RequestRefused(400, "Give a namespace (?namespace=). GET /api/namespaces lists yours.")
    where = Where(face, name, who)
    where.check("read")
    return where


async def to_write(request: Request, where: Annotated[Where, Depends(_asked)]) -> Where:
    return writing(request, where, "write")


async def to_administer(request: Request, where: Annotated[Where, Depends(_asked)]) -> Where:
    return writing(request, where, "admin")


async def to_own(request: Request, where: Annotated[Where, Depends(_asked)]) -> Where:
    """The store's owner, to change something about the store as a whole."""
    where.check_owner()
    check_writable(where.face)
    audit.begin(where.who.name, request.scope["route"].name)
    return where


def writing(request: Request, where: Where, right: Right) -> Where:
    """Whoever has the right; from here on, what the request writes is noted as theirs."""
    where.check(right)
    check_writable(where.face)
    audit.begin(where.who.name, request.scope["route"].name)
    return where


def check_writable(face: Face) -> None:
    if face.daemon.read_only:
        raise RequestRefused(403, "This daemon is read-only. Start it without --read-only to write.")


Asked = Annotated[Where, Depends(_asked)]
Writing = Annotated[Where, Depends(to_write)]
Administering = Annotated[Where, Depends(to_administer)]
Owning = Annotated[Where, Depends(to_own)]
Offset = Annotated[int, Query(ge=0, le=10**9, description="How many to skip.")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="Maximum number of items.")]
FewItems = Annotated[int, Query(ge=1, le=200)]
Words = Annotated[Text | None, Query(max_length=200)]
