"""Remembers sessions: masked, embedded together, stored in one transaction each, then archived as text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..core.core import Core
from ..core.names import session_place
from ..models.embed import Progress
from ..records import RememberReport
from ..store.masks import Mask, masked_name
from .archive import archive_pending
from .pipeline import PreparedDrafts, Request, prepare_drafts, store_prepared
from .waiting_segments import embed_in_passing


def remember_requests(core: Core, requests: Iterable[Request], progress: Progress | None = None) -> RememberReport:
    """Store checked sessions: embedded together, one transaction each, then archived."""
    if group := list(requests):
        return remember_prepared(core, prepare_requests(core, group, progress))
    archive_pending(core.archive_folder, core.store)
    return RememberReport()


def prepare_requests(core: Core, requests: Iterable[Request], progress: Progress | None = None) -> PreparedDrafts:
    """Look what checked sessions would add, and embed it; another thread may store meanwhile."""
    return prepare_drafts(core.store, core.embedder, (masked_request(core, request) for request in requests), progress)


def remember_prepared(core: Core, prepared: PreparedDrafts) -> RememberReport:
    """Store what was prepared, one transaction a session, then write the text files."""
    report = store_prepared(core, prepared)
    if prepared.vectors is not None and len(prepared.vectors):
        embed_in_passing(core)
    return report


def masked_request(core: Core, request: Request, mask: Mask | None = None) -> Request:
    """A request whose turns are masked, with the names around them and its title masked as well."""
    mask = mask or core.mask
    title = None if request.title is None else mask(request.title).text
    source = None if request.source is None else masked_name(request.source, mask)
    conversation, session = session_place(core, request.conversation, request.session, mask)
    named = replace(request, conversation=conversation, session=session, title=title, source=source)
    return replace(named, mask=core.look)
