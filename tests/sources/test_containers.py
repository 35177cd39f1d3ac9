"""A zip and a folder are read in place like a file, and nothing a hostile or broken one holds does harm."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.sources import containers, files

from .export_samples import CHATGPT, CLAUDE, as_json, line, said, with_flags, write_folder, write_zip
from .samples import TRANSCRIPT, read_all

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
    assert any(problem.reason == "is in the file twice; imported once" for problem in problems)


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
        ({"conversations.json": b"[]", "user.json": b"{}"}, "whose conversations.json is an empty list"),
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
        assert files.read_text_head(zipped / name) == files.read_text_head(folder / name)
        assert len(list(files.read_lines(zipped / name))) == len(list(files.read_lines(folder / name)))
    assert files.document(zipped / "a/b.txt") == "one\ntwo\n"
    with pytest.raises(UnreadableSource, match="holds no such file"):
        files.read_text_head(zipped / "missing.json")
    with pytest.raises(UnreadableSource, match="not a folder or a zip"):
        files.read_text_head(folder / "c.bin" / "x")


# --- names ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../evil.json", "/etc/passwd", "a/../../b", "C:\\x.json", "c:x", "..\\up.json"])
def test_a_name_that_leads_out_of_the_archive_is_refused_and_reported(name: str, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "slip.zip", {name: b"[]", **EXPORT})
    assert names(path) == list(EXPORT)
    assert reasons(path) == ["the name points outside the archive; skipped"]
    conversations, problems = read_all(path)
    assert len(conversations) == 2
    assert any("points outside" in problem.reason for problem in problems)


def test_slashes_and_dots_in_names_are_understood(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", {"./a/b.txt": b"1", "c\\d.txt": b"2", "e//f.txt": b"3"})
    assert names(path) == ["a/b.txt", "c/d.txt", "e/f.txt"]
    assert [files.read_text_head(path / name) for name in names(path)] == ["1", "2", "3"]


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
    assert files.read_text_head(path / "a.txt") == "new"


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
        content = with_flags(content, 0x800)
    path.write_bytes(content)
    (found,) = names(path)
    assert name is None or found == name
    assert files.read_text_head(path / found) == "Ann: hi\nBen: hey\n"


def test_a_zip_inside_a_zip_is_not_followed(tmp_path: Path) -> None:
    inner = write_zip(tmp_path / "inner.zip", EXPORT).read_bytes()
    path = write_zip(tmp_path / "outer.zip", {"inner.zip": inner})
    with pytest.raises(UnreadableSource, match=r"with inner\.zip"):
        sources.sniff(path)
    with pytest.raises(UnreadableSource, match="no such file"):
        files.read_text_head(path / "inner.zip" / "conversations.json")
