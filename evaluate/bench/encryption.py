"""What encryption costs: the same talk in a plain and in an encrypted store, in one run, call by call in turns.

    python evaluate/bench/encryption.py [--data locomo.json] [--sessions 200] [--questions 200] [--json FILE]

Without --data the talk is made up; with it, any file that `engramma import` reads. The embedder is a cheap one, so that
what is compared is the store and not the encoder.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engramma import Memory, Turn
from engramma.admin.encrypt import KeyChoice, decrypt_store, encrypt_store, make_encrypted
from engramma.language.fence import unfenced
from engramma.models.embed import Progress
from engramma.transfer.backup import backup
from engramma.transfer.imports import Reading, import_file

START = datetime(2025, 1, 1, 9, tzinfo=UTC)
PASSPHRASE = "a passphrase for a benchmark"


class CheapEmbedder:
    """A random direction for every word; a text is the sum of its words."""

    name, sha256, dimension, edge_floor = "cheap", "c" * 64, 384, 0.6

    def __init__(self) -> None:
        self._words: dict[str, NDArray[np.float32]] = {}

    def embed(
        self, texts: Sequence[str], kind: Literal["query", "document"] = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        return np.stack([self._one(text) for text in texts])

    def _one(self, text: str) -> NDArray[np.float32]:
        total = np.full(self.dimension, 1e-3, dtype=np.float32)
        for word in text.lower().split():
            if word not in self._words:
                seed = int.from_bytes(word.encode()[:8].ljust(8, b"\0"), "little")
                self._words[word] = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
            total = total + self._words[word]
        return total / float(np.linalg.norm(total))


def made_up(sessions: int) -> tuple[list[list[Turn]], list[str]]:
    """Talk of a few hundred words that come as often as words do, and questions from it."""
    chance = random.Random(7)
    names = [f"{a}{b}{c}" for a in ("ka", "lo", "mi", "su", "ter") for b in ("ra", "ni", "do", "vel") for c in "nstk"]
    words = [f"{one}{number}" for number in range(8) for one in names]
    weights = [1 / (place + 1) for place in range(len(words))]
    talk = []
    for number in range(sessions):
        began = START + timedelta(days=number)
        lines = [" ".join(chance.choices(words, weights, k=18)) for _ in range(20)]
        talk.append(
            [
                Turn("Ann" if place % 2 else "Ben", line, began + timedelta(minutes=place), f"t{number}-{place}")
                for place, line in enumerate(lines)
            ]
        )
    said = [turn.text for session in talk for turn in session]
    questions = [" ".join(chance.sample(chance.choice(said).split(), 4)) for _ in range(1_000)]
    return talk, questions


def fill(memories: dict[str, Memory], talk: list[list[Turn]], data: Path | None) -> dict[str, float]:
    """Seconds that the same talk took in each; in turns, where it is made up."""
    took = dict.fromkeys(memories, 0.0)
    for number, turns in [(-1, [])] if data is not None else enumerate(talk):
        for which, memory in memories.items():
            began = time.perf_counter()
            if data is not None:
                import_file(memory._core, data, Reading())
            else:
                memory.remember_session("talk", f"s{number}", turns)
            took[which] += time.perf_counter() - began
    return took


def asked(memory: Memory, question: str) -> float:
    began = time.perf_counter()
    memory.recall(question)
    return 1_000 * (time.perf_counter() - began)


def bytes_in(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def measure(data: Path | None, sessions: int, count: int, folder: Path) -> dict[str, object]:
    talk, questions = made_up(sessions)
    if data is not None:
        talk = []
    plain, sealed = folder / "plain", folder / "sealed"
    make_encrypted(sealed, KeyChoice("passphrase", PASSPHRASE))
    embedder = CheapEmbedder()
    figures: dict[str, object] = {}
    with Memory.open(plain, embedder=embedder) as one, Memory.open(sealed, embedder=embedder) as other:
        took = fill({"plain": one, "encrypted": other}, talk, data)
        if data is not None:
            said = [turn.text for found in one.conversations() for session in found.sessions for turn in session.turns]
            questions = [" ".join(text.split()[:8]) for text in random.Random(7).sample(said, min(count, len(said)))]
        questions = questions[:count]
        same = all(
            unfenced(one.recall(question).context) == unfenced(other.recall(question).context)
            for question in questions[:20]
        )
        times: dict[str, list[float]] = {"plain": [], "encrypted": []}
        for question in questions:  # in turns: whatever else the machine does, it does to both
            times["plain"].append(asked(one, question))
            times["encrypted"].append(asked(other, question))
        counts = one._core.store.one("counts")
        assert counts is not None
        figures |= {"turns": counts["turns"], "segments": counts["segments"], "same_answers": same}
        figures["import_s"] = ratio(took)
        for name, at in (("recall_p50_ms", 50), ("recall_p95_ms", 95)):
            figures[name] = ratio({which: float(np.percentile(found, at)) for which, found in times.items()})
        saved = {}
        for which, memory in (("plain", one), ("encrypted", other)):
            began = time.perf_counter()
            backup(memory._core, folder / f"{which}.zip")
            saved[which] = time.perf_counter() - began
        figures["backup_s"] = ratio(saved)
        figures["backup_bytes"] = ratio({w: float((folder / f"{w}.zip").stat().st_size) for w in saved})
    figures["store_bytes"] = ratio({"plain": float(bytes_in(plain)), "encrypted": float(bytes_in(sealed))})
    opening = {}
    for which, path in (("plain", plain), ("encrypted", sealed)):
        found = []
        for _ in range(5):
            began = time.perf_counter()
            with Memory.open(path, embedder=embedder):
                found.append(1_000 * (time.perf_counter() - began))
        opening[which] = statistics.median(found)
    figures["open_ms"] = ratio(opening)
    began = time.perf_counter()
    encrypt_store(plain, KeyChoice("passphrase", PASSPHRASE))
    figures["encrypt_s"] = round(time.perf_counter() - began, 2)
    began = time.perf_counter()
    decrypt_store(plain)
    figures["decrypt_s"] = round(time.perf_counter() - began, 2)
    return figures


def ratio(pair: dict[str, float]) -> dict[str, float]:
    return {
        **{which: round(value, 2) for which, value in pair.items()},
        "ratio": round(pair["encrypted"] / pair["plain"], 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a file to import instead of talk that is made up")
    parser.add_argument("--sessions", type=int, default=200, help="of the talk that is made up, 20 turns each")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="engramma-encryption-"))
    try:
        figures = measure(given.data, given.sessions, given.questions, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    record = {"commit": commit, "machine": platform.machine(), "date": f"{datetime.now(UTC):%Y-%m-%d}", **figures}
    print(json.dumps(record, indent=1))
    if given.json is not None:
        given.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
