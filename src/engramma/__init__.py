"""Engramma: a private, local-first memory for AI assistants.

>>> from engramma import Memory, Turn
>>> with Memory.open("my-memory") as memory:
...     memory.remember_session("thread-1", "monday", [Turn("Ana", "My cat is called Pixel.", said_at, "t1")])
...     print(memory.recall("What is Ana's cat called?").context)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .config.version import __version__ as __version__

# name -> module. Loaded when first used, so that `engramma --help` does not pay for numpy.
_HOME = {
    "Memory": "memory",
    "LiveSession": "ingest.live_session",
    "Config": "config.settings",
    **dict.fromkeys(("redact", "Redacted", "Redaction"), "redaction"),
    **dict.fromkeys(
        (
            "Turn",
            "Session",
            "SessionInfo",
            "Conversation",
            "Segment",
            "Candidate",
            "Path",
            "Query",
            "Recall",
            "RememberReport",
            "Problem",
            "Thresholds",
            "Trace",
            "Act",
            "Forgotten",
            "Ingested",
            "Link",
            "NamespaceInfo",
            "Neighbor",
            "Note",
            "RedactReport",
            "Remembered",
            "Repeat",
            "StewardAct",
            "StewardReport",
            "Topic",
        ),
        "records",
    ),
    **dict.fromkeys(("Answer", "AnswerSentence", "Evidence"), "records.people"),
    "AnswerStream": "people",
    **dict.fromkeys(
        (
            "EngrammaError",
            "BadInput",
            "BadTurn",
            "UnknownRecipe",
            "SessionClosed",
            "StoreError",
            "ModelError",
            "EmbedderMismatch",
            "UnreadableSource",
        ),
        "errors",
    ),
}

__all__ = ["__version__", *_HOME]

if TYPE_CHECKING:
    from .config.settings import Config as Config
    from .errors import BadInput as BadInput
    from .errors import BadTurn as BadTurn
    from .errors import EmbedderMismatch as EmbedderMismatch
    from .errors import EngrammaError as EngrammaError
    from .errors import ModelError as ModelError
    from .errors import SessionClosed as SessionClosed
    from .errors import StoreError as StoreError
    from .errors import UnknownRecipe as UnknownRecipe
    from .errors import UnreadableSource as UnreadableSource
    from .ingest.live_session import LiveSession as LiveSession
    from .memory import Memory as Memory
    from .people import AnswerStream as AnswerStream
    from .records import Act as Act
    from .records import Candidate as Candidate
    from .records import Conversation as Conversation
    from .records import Forgotten as Forgotten
    from .records import Ingested as Ingested
    from .records import Link as Link
    from .records import NamespaceInfo as NamespaceInfo
    from .records import Neighbor as Neighbor
    from .records import Note as Note
    from .records import Path as Path
    from .records import Problem as Problem
    from .records import Query as Query
    from .records import Recall as Recall
    from .records import RedactReport as RedactReport
    from .records import Remembered as Remembered
    from .records import RememberReport as RememberReport
    from .records import Repeat as Repeat
    from .records import Segment as Segment
    from .records import Session as Session
    from .records import SessionInfo as SessionInfo
    from .records import StewardAct as StewardAct
    from .records import StewardReport as StewardReport
    from .records import Thresholds as Thresholds
    from .records import Topic as Topic
    from .records import Trace as Trace
    from .records import Turn as Turn
    from .records.people import Answer as Answer
    from .records.people import AnswerSentence as AnswerSentence
    from .records.people import Evidence as Evidence
    from .redaction import Redacted as Redacted
    from .redaction import Redaction as Redaction
    from .redaction import redact as redact


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"engramma.{_HOME[name]}"), name)
    raise AttributeError(f"module 'engramma' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
