"""A zip and a folder are read in place like a file, and nothing a hostile or broken one holds does harm."""

from __future__ import annotations

import random
import stat
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.records import Conversation
from engramma.sources import containers, files, zips

from .export_samples import CHATGPT, CLAUDE, as_json, line, said, write_folder, write_zip
from .samples import GAP, TRANSCRIPT, read_all

EXPORT = {
    "user.json": as_json({"id": "user-1", "email": "a@example.org"}),
    "conversations.json": as_json(CHATGPT),
    "chat.html": b"<html></html>",
    "file-1.png": b"\x89PNG",
}


def names(path: Path) -> list[str]:
    return list(containers.members(path).names)


def reasons(path: Path) -> list[str]:
    return [problem.reason for problem in containers.members(path).problems]


@pytest.fixture(params=["zip", "folder"])
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[dict[str, bytes]], Path]:
    if request.param == "zip":
        return lambda members: write_zip(tmp_path / "export.bin", members)
    return lambda members: write_folder(tmp_path / "export", members)


# --- the seam ------------------------------------------------------------------------------


def test_an_export_is_known_by_what_lies_in_it(build: Callable[[dict[str, bytes]], Path]) -> None:
    path = build(EXPORT)
    assert sources.sniff(path) == "chatgpt"
    conversations, problems = read_all(path)
    assert [talk.id for talk in conversations] == ["borscht", "kites"]
    assert [(one.where, one.reason) for one in problems if one.path == str(path)] == [
        ("other files", "chat.html, file-1.png, user.json: not conversations in this format; skipped")
        if path.is_dir()
        else ("other files", "user.json, chat.html, file-1.png: not conversations in this format; skipped")
    ]


def test_all_three_spellings_of_an_export_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_bytes(EXPORT["conversations.json"])
    alone, _ = read_all(tmp_path / "conversations.json")
    assert read_all(write_zip(tmp_path / "a.zip", EXPORT))[0] == alone
    assert read_all(write_folder(tmp_path / "folder", EXPORT))[0] == alone


def test_an_export_may_lie_in_a_folder_of_the_zip(build: Callable[[dict[str, bytes]], Path]) -> None:
    path = build({"export/2024/conversations.json": as_json(CLAUDE)})
    assert sources.sniff(path) == "claude"
    assert len(read_all(path)[0]) == 2


def test_conversations_in_several_files_are_all_read_once(build: Callable[[dict[str, bytes]], Path]) -> None:
    other = line("third", said("t1", "user", "A third one", at=5))
    path = build({"conversations-001.json": as_json([other, CHATGPT[0]]), "conversations-000.json": as_json(CHATGPT)})
    conversations, problems = read_all(path)
    assert [talk.id for talk in conversations] == ["borscht", "kites", "third"]
    assert any(problem.reason == "stands in the file twice; taken once" for problem in problems)


def test_a_member_that_cannot_be_read_is_reported_and_the_rest_is_read(
    build: Callable[[dict[str, bytes]], Path],
) -> None:
    path = build(
        {
            "conversations-000.json": b"<!DOCTYPE html><html>502 Bad Gateway</html>",
            "conversations-001.json": as_json(CHATGPT),
            "conversations-002.json": as_json(CLAUDE),
            "conversations-003.json": b"",
        }
    )
    conversations, problems = read_all(path, format="chatgpt")
    assert [talk.id for talk in conversations] == ["borscht", "kites"]
    refused = {Path(one.path).name: one.reason for one in problems if one.where == "file"}
    assert refused.keys() == {"conversations-000.json", "conversations-002.json", "conversations-003.json"}
    assert "an HTML or XML page" in refused["conversations-000.json"]
    assert "in another format (claude)" in refused["conversations-002.json"]
    assert "the file is empty" in refused["conversations-003.json"]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"conversations.json": b"<html>Sign in</html>"}, "an HTML or XML page"),
        ({"conversations.json": b"[]", "user.json": b"{}"}, "whose conversations.json is JSON or brackets without"),
        ({"a.png": b"\x89PNG\0", "b.png": b"\0"}, "with a.png, b.png"),
        ({f"{n:03}.png": b"\0" for n in range(20)}, "007.png and 12 more"),
    ],
)
def test_a_container_without_conversations_is_refused_with_what_it_holds(
    members: dict[str, bytes], words: str, build: Callable[[dict[str, bytes]], Path]
) -> None:
    path = build(members)
    with pytest.raises(UnreadableSource) as refused:
        sources.sniff(path)
    assert words in str(refused.value)
    assert str(path) in str(refused.value)
    with pytest.raises(UnreadableSource):
        read_all(path, format="chatgpt")


def test_one_file_alone_in_a_container_is_read_in_its_own_format(build: Callable[[dict[str, bytes]], Path]) -> None:
    path = build({"talk by the lake.txt": TRANSCRIPT.encode()})
    assert sources.sniff(path) == "transcript"
    assert len(read_all(path)[0]) == 1


def test_lines_and_documents_of_a_zip_are_read_as_those_of_a_folder(tmp_path: Path) -> None:
    members = {"a/b.txt": "\ufeffone\ntwo\n".encode(), "c.bin": b"\xff\n"}
    zipped, folder = write_zip(tmp_path / "x.zip", members), write_folder(tmp_path / "x", members)
    for name in members:
        assert files.head(zipped / name) == files.head(folder / name)
        assert len(list(files.lines(zipped / name))) == len(list(files.lines(folder / name)))
    assert files.document(zipped / "a/b.txt") == "one\ntwo\n"
    with pytest.raises(UnreadableSource, match="holds no such file"):
        files.head(zipped / "missing.json")
    with pytest.raises(UnreadableSource, match="not a folder or a zip"):
        files.head(folder / "c.bin" / "x")


# --- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../evil.json", "/etc/passwd", "a/../../b", "C:\\x.json", "c:x", "..\\up.json"])
def test_a_name_that_leads_out_of_the_archive_is_refused_and_reported(name: str, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "slip.zip", {name: b"[]", **EXPORT})
    assert names(path) == list(EXPORT)
    assert reasons(path) == ["the name leads out of the archive; skipped"]
    conversations, problems = read_all(path)
    assert len(conversations) == 2
    assert any("leads out" in problem.reason for problem in problems)


def test_slashes_and_dots_in_names_are_understood(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"./a/b.txt": b"1", "c\\d.txt": b"2", "e//f.txt": b"3"})
    assert names(path) == ["a/b.txt", "c/d.txt", "e/f.txt"]
    assert [files.head(path / name) for name in names(path)] == ["1", "2", "3"]


def test_links_in_zips_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "link.zip"
    with zipfile.ZipFile(path, "w") as archive:
        link = zipfile.ZipInfo("conversations.json")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("other/conversations.json", as_json(CHATGPT))
    assert names(path) == ["other/conversations.json"]
    assert reasons(path) == ["a link, not a file; skipped"]


def test_links_to_folders_do_not_lead_round_in_circles(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "export", EXPORT)
    (folder / "again").symlink_to(folder, target_is_directory=True)
    (folder / "gone").symlink_to(tmp_path / "missing")
    assert sorted(names(folder)) == sorted(EXPORT)


def test_two_files_of_one_name_are_reported_and_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "twice.zip"
    with pytest.warns(UserWarning), zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "old")
        archive.writestr("a.txt", "new")
    assert names(path) == ["a.txt"]
    assert reasons(path) == ["two files have this name; the first is skipped"]
    assert files.head(path / "a.txt") == "new"


@pytest.mark.parametrize(
    ("raw", "flagged", "name"),
    [
        ("Gespräche.txt".encode(), False, "Gespräche.txt"),  # UTF-8 without saying so, as many do
        ("Gespräche.txt".encode("cp437"), False, "Gespräche.txt"),
        ("Gespräche.txt".encode(), True, "Gespräche.txt"),
        (b"Gespr\xe4che.txt", True, "Gespr\ufffdche.txt"),  # says UTF-8 and is not
        ("対話.txt".encode("shift-jis"), False, None),  # nobody can know: any name, but read
    ],
)
def test_names_in_odd_encodings_can_be_read(raw: bytes, flagged: bool, name: str | None, tmp_path: Path) -> None:
    stand_in = ("x" * (len(raw) - 4) + ".txt").encode()
    path = write_zip(tmp_path / "odd.zip", {stand_in.decode(): b"Ann: hi\nBen: hey\n"})
    content = path.read_bytes().replace(stand_in, raw)
    if flagged:
        content = _with_flags(content, 0x800)
    path.write_bytes(content)
    (found,) = names(path)
    assert name is None or found == name
    assert files.head(path / found) == "Ann: hi\nBen: hey\n"


def test_a_zip_inside_a_zip_is_not_followed(tmp_path: Path) -> None:
    inner = write_zip(tmp_path / "inner.zip", EXPORT).read_bytes()
    path = write_zip(tmp_path / "outer.zip", {"inner.zip": inner})
    with pytest.raises(UnreadableSource, match=r"with inner\.zip"):
        sources.sniff(path)
    with pytest.raises(UnreadableSource, match="no such file"):
        files.head(path / "inner.zip" / "conversations.json")


# --- damage --------------------------------------------------------------------------------


def _with_flags(content: bytes, flag: int) -> bytes:
    """The archive with a flag set in every header of it."""
    changed = bytearray(content)
    for magic, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = content.find(magic)
        while at >= 0:
            flags = struct.unpack_from("<H", changed, at + place)[0] | flag
            struct.pack_into("<H", changed, at + place, flags)
            at = content.find(magic, at + 4)
    return bytes(changed)


def test_an_encrypted_zip_says_what_to_do(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "secret.zip", EXPORT)
    path.write_bytes(_with_flags(path.read_bytes(), 1))
    for attempt in (lambda: sources.sniff(path), lambda: read_all(path, format="chatgpt")):
        with pytest.raises(UnreadableSource, match="encrypted: unpack it with its password"):
            attempt()


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packing_methods_are_refused_in_words(method: int, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", EXPORT, method)
    with pytest.raises(UnreadableSource, match=rf"packed by method {method}.*unpack it"):
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
        containers.opened(path / "conversations.json") as file,
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
    with pytest.raises(UnreadableSource, match="a zip archive without files"):
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


def test_memory_follows_the_longest_conversation_not_the_zip(tmp_path: Path) -> None:
    chats = [line(f"c{n}", *(said(f"m{k}", "user", f"word {n} " * 200, at=k) for k in range(10))) for n in range(800)]
    path = write_zip(tmp_path / "x.zip", {"conversations.json": as_json(chats)})
    tracemalloc.start()
    count = sum(isinstance(item, Conversation) for item in sources.read(path, idle_gap=GAP))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 800
    assert peak < 6_000_000 < len(as_json(chats)) / 2


MUTATIONS = st.lists(
    st.tuples(st.sampled_from(["flip", "cut", "insert"]), st.floats(0, 1), st.binary(min_size=1, max_size=6)),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
