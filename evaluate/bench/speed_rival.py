"""One measurement of another store, in the environment that it was installed into; prints JSON.

    python evaluate/bench/speed_rival.py langgraph|chroma WORK STORE TOKENIZER

It gets the same texts session by session and the same questions as Engramma, and embeds by the same network in floats
(speed_plain.py): the model that each would load by itself has to be fetched from a hub.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from speed_plain import PlainEncoder
from speed_talk import laid_out, peak_mb

FLOAT = "fp32.onnx"  # as speed_networks.py calls it
DIMENSION = 384
WARM = 3
K = 10


class Rival(Protocol):
    def put(self, session: int, texts: Sequence[str]) -> None: ...

    def ask(self, question: str) -> int: ...


class LangGraph:
    """LangGraph's SqliteStore with its index of sqlite-vec."""

    def __init__(self, store: Path, encoder: PlainEncoder, stack: ExitStack) -> None:
        if not hasattr(sqlite3.Connection, "enable_load_extension"):  # then speed_installs.py brought one that has it
            sys.modules["sqlite3"] = import_module("sqlean")
        from langgraph.store.base import PutOp

        sqlite_store: Any = import_module("langgraph.store.sqlite").SqliteStore

        def embed(texts: Sequence[str]) -> list[list[float]]:
            found: list[list[float]] = encoder.embed(list(texts)).tolist()
            return found

        store.mkdir()
        index: Any = {"dims": DIMENSION, "embed": embed, "fields": ["text"]}
        opened: AbstractContextManager[Any] = sqlite_store.from_conn_string(str(store / "store.db"), index=index)
        self._store = stack.enter_context(opened)
        self._store.setup()
        self._put = PutOp

    def put(self, session: int, texts: Sequence[str]) -> None:
        self._store.batch([self._put(("talk",), f"{session}-{n}", {"text": text}) for n, text in enumerate(texts)])

    def ask(self, question: str) -> int:
        return len(self._store.search(("talk",), query=question, limit=K))


class Chroma:
    """Chroma's persistent client."""

    def __init__(self, store: Path, encoder: PlainEncoder, stack: ExitStack) -> None:
        import chromadb
        from chromadb.config import Settings

        class Embed(chromadb.EmbeddingFunction):  # type: ignore[misc]  # of its own stubs nothing is read
            def __init__(self) -> None:
                pass

            def __call__(self, input: Sequence[str]) -> Any:
                return list(encoder.embed(list(input)))

            @staticmethod
            def name() -> str:
                return "plain"

        client = chromadb.PersistentClient(str(store), Settings(anonymized_telemetry=False))
        self._talk = client.create_collection("talk", embedding_function=Embed(), metadata={"hnsw:space": "cosine"})

    def put(self, session: int, texts: Sequence[str]) -> None:
        self._talk.add(ids=[f"{session}-{n}" for n in range(len(texts))], documents=list(texts))

    def ask(self, question: str) -> int:
        return len(self._talk.query(query_texts=[question], n_results=K)["ids"][0])


RIVALS: dict[str, Callable[[Path, PlainEncoder, ExitStack], Rival]] = {"langgraph": LangGraph, "chroma": Chroma}


def measure(name: str, work: Path, store: Path, tokenizer: Path) -> dict[str, Any]:
    encoder = PlainEncoder(work / FLOAT, tokenizer)
    encoder.embed(["warm up", "and again"])
    sessions, questions = laid_out(work, "sessions"), laid_out(work, "questions")
    with ExitStack() as stack:
        rival = RIVALS[name](store, encoder, stack)
        rival.put(-1, ["Ana: Hello, is anybody there?"])
        began, cpu = time.perf_counter(), time.process_time()
        for number, texts in enumerate(sessions):
            rival.put(number, texts)
        wall, cpu = time.perf_counter() - began, time.process_time() - cpu
        for question in questions[:WARM]:
            rival.ask(question)
        took, found, used = [], 0, time.process_time()
        for question in questions:
            asked = time.perf_counter()
            found += rival.ask(question)
            took.append((time.perf_counter() - asked) * 1e3)
        used = (time.process_time() - used) * 1e3 / len(questions)
    if found < len(questions):
        sys.exit(f"{name} found {found} texts for {len(questions)} questions")
    return {
        "import_s": wall,
        "import_cpu_s": cpu,
        "query_ms": {"search": took},
        "query_cpu_ms": {"search": used},
        "peak_mb": peak_mb(),
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], *map(Path, sys.argv[2:5]))))
