"""The public surface is deliberate: adding or losing a name is a decision, made here."""

from __future__ import annotations

import inspect
import subprocess
import sys

import engramma
from engramma import Memory, Turn

NAMES = {
    "__version__",
    "Memory",
    "LiveSession",
    "Config",
    "Turn",
    "Session",
    "SessionInfo",
    "Conversation",
    "Segment",
    "Candidate",
    "Path",
    "Query",
    "Recall",
    "Answer",
    "AnswerSentence",
    "AnswerStream",
    "Evidence",
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
    "Remembered",
    "Repeat",
    "StewardAct",
    "StewardReport",
    "Topic",
    "EngrammaError",
    "BadInput",
    "BadTurn",
    "UnknownRecipe",
    "SessionClosed",
    "StoreError",
    "ModelError",
    "EmbedderMismatch",
    "UnreadableSource",
    "redact",
    "RedactReport",
    "Redacted",
    "Redaction",
}


def test_the_public_names_are_these():
    assert set(engramma.__all__) == NAMES


def test_every_public_name_can_be_had():
    for name in engramma.__all__:
        assert getattr(engramma, name) is not None


def test_recall_and_remember_take_what_the_docs_say():
    assert list(inspect.signature(Memory.recall).parameters)[1:7] == [
        "query",
        "k",
        "recipe",
        "exclude_session",
        "active_context",
        "conversation",
    ]
    assert list(inspect.signature(Memory.remember_session).parameters)[1:4] == [
        "conversation",
        "session",
        "turns",
    ]
    turn = ["speaker", "text", "said_at", "id", "role", "meta", "redactions"]
    assert list(inspect.signature(Turn).parameters) == turn


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("numpy", "onnxruntime", "faiss", "tokenizers", "httpx2", "pydantic", "rich")
    code = f"import sys, engramma, engramma.apps.cli.main; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
