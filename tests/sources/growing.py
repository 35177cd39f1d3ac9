"""A live file: after each line it is imported, and each time only what is new is added."""

from __future__ import annotations

from pathlib import Path

from engramma.memory import Memory
from engramma.records import Turn
from engramma.transfer.imports import Reading, import_file

from ..fakes import HashEmbedder


def grows_line_by_line(tmp_path: Path, name: str, text: str) -> int:
    """Import every prefix of a file, and its lines cut in half; the memory holds in the end what the whole file says.

    Returns how many turns it has.
    """
    path = tmp_path / "live" / name
    path.parent.mkdir()
    content = text.encode()
    ends = [n + 1 for n, byte in enumerate(content) if byte == ord("\n")]
    with Memory.open(tmp_path / "grown", embedder=HashEmbedder()) as grown:
        total, before = 0, ends[0]  # half a first line could be anything
        for end in ends:
            for cut in sorted({max(before, (before + end) // 2), end}):
                path.write_bytes(content[:cut])
                report = import_file(grown._core, path, Reading())
                assert report.known_turns == total
                total += report.turns
                expected = "no message yet" if not total else ""
                assert all(expected and expected in problem.reason for problem in report.problems)
            before = end
        again = import_file(grown._core, path, Reading())
        assert (again.turns, again.known_turns) == (0, total)
        one_by_one = turns_of(grown)
    with Memory.open(tmp_path / "whole", embedder=HashEmbedder()) as whole:
        assert import_file(whole._core, path, Reading()).turns == total
        assert turns_of(whole) == one_by_one
    return total


def turns_of(memory: Memory) -> list[tuple[str, str, tuple[Turn, ...]]]:
    return [(talk.id, session.id, session.turns) for talk in memory.conversations() for session in talk.sessions]
