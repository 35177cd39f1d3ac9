"""A zip that is cut, overwritten, locked or made to hurt: told, and what is whole is read."""

from __future__ import annotations

import random
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.records import Conversation
from engramma.sources import containers, zips
from tests.conftest import some

from .export_samples import CHATGPT, as_json, line, said, with_flags, write_folder, write_zip
from .samples import GAP, read_all
from .test_containers import EXPORT, names, reasons


def test_an_encrypted_zip_says_what_to_do(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "secret.zip", EXPORT)
    path.write_bytes(with_flags(path.read_bytes(), 1))
    for attempt in (lambda: sources.sniff(path), lambda: read_all(path, format="chatgpt")):
        with pytest.raises(UnreadableSource, match="encrypted: unpack it with its password"):
            attempt()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packing_methods_are_refused_in_words(method: int, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", EXPORT, method)
    with pytest.raises(UnreadableSource, match=rf"uses compression method {method}.*unpack it"):
        sources.sniff(path)


def test_a_stored_zip_is_read(tmp_path: Path) -> None:
    assert len(read_all(write_zip(tmp_path / "x.zip", EXPORT, zipfile.ZIP_STORED))[0]) == 2


def test_sizes_of_64_bits_and_sizes_behind_the_data_are_understood(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"

    class Pipe:
        """A file that cannot go back, so that zipfile writes sizes behind the data."""

        def __init__(self) -> None:
            self.file = path.open("wb")

        def write(self, data: bytes) -> int:
            return self.file.write(data)

        def flush(self) -> None:
            self.file.flush()

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        with archive.open("big.json", "w", force_zip64=True) as member:
            member.write(b"first " * 1000)
        archive.writestr("conversations.json", as_json(CHATGPT))
    pipe.file.close()
    assert len(read_all(path)[0]) == 2
    # And without the list of contents, by walking.
    path.write_bytes(path.read_bytes()[:-30])
    conversations, problems = read_all(path)
    assert len(conversations) == 2
    assert "list of contents is missing" in problems[0].reason


def test_a_zip_bomb_is_stopped_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zips, "HARMLESS_BYTES", 1024 * 1024)
    path = write_zip(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * 30_000_000 + b"]"})
    with (
        containers.open_source(path / "conversations.json") as file,
        pytest.raises(UnreadableSource, match="unpacks to over"),
    ):
        while file.read(65536):
            pass
    with pytest.raises(UnreadableSource, match="unpacks to over"):
        read_all(path, format="chatgpt")


def test_a_lie_about_sizes_does_not_hide_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zips, "HARMLESS_BYTES", 1024 * 1024)
    path = write_zip(tmp_path / "bomb.zip", {"conversations.json": b"[" + b" " * 30_000_000 + b"]"})
    content = bytearray(path.read_bytes())
    for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", content, content.find(magic) + place, 100)
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match="unpacks to over"):
        read_all(path, format="chatgpt")


def test_what_does_not_match_its_checksum_is_reported_after_it_was_read(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", EXPORT, zipfile.ZIP_STORED)
    path.write_bytes(path.read_bytes().replace(b"Beetroot", b"Potatoes"))
    conversations, problems = read_all(path)
    assert [talk.id for talk in conversations] == ["borscht", "kites"]
    assert any("does not match its checksum" in problem.reason for problem in problems)


def test_a_cut_zip_gives_every_whole_conversation_before_the_cut(tmp_path: Path) -> None:
    chats = [line(f"c{n}", said("m", "user", random.Random(n).randbytes(600).hex(), at=n)) for n in range(40)]
    whole = write_zip(tmp_path / "x.zip", {"first.txt": b"x", "conversations.json": as_json(chats)}).read_bytes()
    path = tmp_path / "cut.zip"
    counts = []
    list_begins = whole.index(b"PK\x01\x02")
    for cut in (len(whole) // 5, len(whole) // 2, len(whole) * 9 // 10, list_begins + 20):
        path.write_bytes(whole[:cut])
        conversations, problems = read_all(path)
        assert [talk.id for talk in conversations] == [f"c{n}" for n in range(len(conversations))]
        assert any("list of contents is missing" in one.reason and str(path) == one.path for one in problems)
        if cut < list_begins:
            assert any(f"ends too early, at byte {path.stat().st_size}" in one.reason for one in problems)
        counts.append(len(conversations))
    assert counts == sorted(counts)
    assert 5 <= counts[0] <= 8 and counts[2] >= 34 and counts[3] == 40


def test_damage_inside_a_member_costs_no_more_than_what_lies_behind_it(tmp_path: Path) -> None:
    chats = [line(f"c{n}", said("m", "user", random.Random(n).randbytes(600).hex(), at=n)) for n in range(40)]
    path = write_zip(
        tmp_path / "x.zip", {"conversations-1.json": as_json(chats), "conversations-2.json": as_json(CHATGPT)}
    )
    content = bytearray(path.read_bytes())
    half = len(content) // 2
    content[half : half + 200] = bytes(200)
    path.write_bytes(content)
    conversations, problems = read_all(path)
    found = [talk.id for talk in conversations]
    assert found[:10] == [f"c{n}" for n in range(10)]
    assert found[-2:] == ["borscht", "kites"]
    damaged = [problem.reason for problem in problems if problem.path == str(path / "conversations-1.json")]
    assert any("is damaged near byte" in reason or "does not match its checksum" in reason for reason in damaged)


@pytest.mark.parametrize("content", [b"PK\x03\x04", b"PK\x03\x04rest", b"PK\x05\x06" + bytes(18), b"PK\x05\x06"])
def test_a_zip_without_files_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(UnreadableSource, match=r"a zip archive (without files|that is truncated or damaged)"):
        sources.sniff(path)


def test_a_zip_that_changes_is_looked_at_again(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"a": b"1"})
    assert names(path) == ["a"]
    write_zip(path, {"b": b"22"})
    assert names(path) == ["b"]


def test_an_archive_of_an_honest_ratio_is_no_bomb() -> None:
    """A long export packs far better than text as such; the limit must not meet it."""
    text = as_json([line(f"c{n}", said("m", "user", f"the same words every day, {n}", at=n)) for n in range(3000)])
    assert len(text) / len(zlib.compress(text)) < zips.MAX_RATIO / 5


def test_a_folder_with_too_many_files_is_cut_short_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MAX_FILES", 5)
    folder = write_folder(tmp_path / "many", {f"{n}.txt": b"" for n in range(9)})
    assert len(names(folder)) == 5
    assert "holds more than 5 files" in reasons(folder)[0]


@pytest.mark.long
def test_memory_follows_the_longest_conversation_not_the_zip(tmp_path: Path) -> None:
    chats = [line(f"c{n}", *(said(f"m{k}", "user", f"word {n} " * 200, at=k) for k in range(10))) for n in range(400)]
    path = write_zip(tmp_path / "x.zip", {"conversations.json": as_json(chats)})
    tracemalloc.start()
    count = sum(isinstance(item, Conversation) for item in sources.read_source(path, idle_gap=GAP))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 400
    assert peak < 4_000_000 < len(as_json(chats)) / 2


MUTATIONS = st.lists(
    st.tuples(st.sampled_from(["flip", "cut", "insert"]), st.floats(0, 1), st.binary(min_size=1, max_size=6)),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@settings(max_examples=some(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mutations=MUTATIONS)
def test_a_damaged_zip_raises_nothing_but_unreadable(
    method: int, tmp_path: Path, mutations: list[tuple[str, float, bytes]]
) -> None:
    path = write_zip(tmp_path / "x.zip", {"conversations.json": as_json(CHATGPT), "b/c.txt": b"x" * 99}, method)
    content = path.read_bytes()
    for kind, part, data in mutations:
        at = int(part * len(content))
        if kind == "cut":
            content = content[:at]
        else:
            content = content[:at] + data + content[at + len(data) * (kind == "flip") :]
    path.write_bytes(content)
    for format in (None, "chatgpt", "claude"):
        try:
            read_all(path, format=format)
        except UnreadableSource as refused:
            assert str(path) in str(refused)
