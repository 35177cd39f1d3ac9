"""What every handler works with: the daemon, the namespace that was asked for, and the right to write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Query, Request

from ...memory import Memory
from ..daemon.state import Daemon
from .jobs import Jobs
from .problems import Refused
from .shapes import Text
from .writing import Writes


@dataclass(slots=True)
class Face:
    """A daemon, its writers and its imports."""

    daemon: Daemon
    jobs: Jobs
    writes: Writes = field(default_factory=Writes)
    listeners: int = 0  # of events


@dataclass(frozen=True, slots=True)
class Where:
    """The namespace a request is about."""

    face: Face
    namespace: str

    @property
    def memory(self) -> Memory:
        """Opened when first asked for; to be called in a thread."""
        return self.face.daemon.memories.get(self.namespace)


NamespaceParam = Annotated[
    Annotated[Text, Query(min_length=1, max_length=200)] | None,
    Query(description="Which namespace; the daemon's own if none is named."),
]


async def asked(request: Request, namespace: NamespaceParam = None) -> Where:
    face: Face = request.state.face
    return Where(face, namespace or face.daemon.namespace)


async def to_write(where: Annotated[Where, Depends(asked)]) -> Where:
    check_writable(where.face)
    return where


def check_writable(face: Face) -> None:
    if face.daemon.read_only:
        raise Refused(403, "This daemon only reads. Start it without --read-only to write.")


Asked = Annotated[Where, Depends(asked)]
Writing = Annotated[Where, Depends(to_write)]
Offset = Annotated[int, Query(ge=0, le=10**9, description="How many to skip.")]
Limit = Annotated[int, Query(ge=1, le=1_000, description="Most items.")]
