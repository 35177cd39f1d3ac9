"""The nouns: frozen records, a sentence each. Behaviour lives in functions elsewhere.

Times are timezone-aware and in UTC; `similarity` means higher is better, `rank` starts at 1,
and `score` exists only after ranking. Words are explained in docs/glossary.md.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

# module -> its names. Loaded when first used: a hundred records take as long to define as a recall to run.
_NAMES = {
    "documents": ("Block", "BlockKind", "Chunk", "Document", "DocumentKind", "Ingested"),
    "notes": (
        "Act",
        "Link",
        "LinkKind",
        "Note",
        "Remembered",
        "Repeat",
        "State",
        "StewardAct",
        "StewardReport",
        "Topic",
    ),
    "plan": ("Plan",),
    "query": ("Query",),
    "recall": ("Candidate", "CandidateRole", "Neighbor", "Path", "Recall", "Standing", "Thresholds", "Trace"),
    "reports": ("Forgotten", "NamespaceInfo", "RedactReport"),
    "talk": (
        "Conversation",
        "Extra",
        "Origin",
        "Problem",
        "RememberReport",
        "Role",
        "Segment",
        "SegmentKind",
        "Session",
        "SessionInfo",
        "Spoken",
        "Turn",
    ),
}
_HOME = {name: module for module, names in _NAMES.items() for name in names}

if TYPE_CHECKING:
    from .documents import Block as Block
    from .documents import BlockKind as BlockKind
    from .documents import Chunk as Chunk
    from .documents import Document as Document
    from .documents import DocumentKind as DocumentKind
    from .documents import Ingested as Ingested
    from .notes import Act as Act
    from .notes import Link as Link
    from .notes import LinkKind as LinkKind
    from .notes import Note as Note
    from .notes import Remembered as Remembered
    from .notes import Repeat as Repeat
    from .notes import State as State
    from .notes import StewardAct as StewardAct
    from .notes import StewardReport as StewardReport
    from .notes import Topic as Topic
    from .plan import Plan as Plan
    from .query import Query as Query
    from .recall import Candidate as Candidate
    from .recall import CandidateRole as CandidateRole
    from .recall import Neighbor as Neighbor
    from .recall import Path as Path
    from .recall import Recall as Recall
    from .recall import Standing as Standing
    from .recall import Thresholds as Thresholds
    from .recall import Trace as Trace
    from .reports import Forgotten as Forgotten
    from .reports import NamespaceInfo as NamespaceInfo
    from .reports import RedactReport as RedactReport
    from .talk import Conversation as Conversation
    from .talk import Extra as Extra
    from .talk import Origin as Origin
    from .talk import Problem as Problem
    from .talk import RememberReport as RememberReport
    from .talk import Role as Role
    from .talk import Segment as Segment
    from .talk import SegmentKind as SegmentKind
    from .talk import Session as Session
    from .talk import SessionInfo as SessionInfo
    from .talk import Spoken as Spoken
    from .talk import Turn as Turn


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(f".{_HOME[name]}", __name__), name)
    return found
