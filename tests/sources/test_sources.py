"""A file's format is found from its content, and a file that is none is refused in words."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import pytest

from engramma import sources
from engramma.errors import BadInput, UnreadableSource
from engramma.sources import files

from .samples import GAP, MESSAGES, json_lines, read_all, valid_files


@pytest.mark.parametrize("name", valid_files())
def test_the_format_is_found_whatever_the_extension(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(valid_files()[name])
    assert sources.sniff(path) == name.partition("-")[0]


@pytest.mark.parametrize("name", valid_files())
def test_a_byte_order_mark_changes_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(valid_files()[name])
    plain = read_all(path)
    path.write_bytes(files.BOM + valid_files()[name])
    assert read_all(path) == plain


@pytest.mark.parametrize("name", valid_files())
def test_windows_line_ends_change_nothing(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(valid_files()[name])
    plain = read_all(path)
    path.write_bytes(valid_files()[name].replace(b"\n", b"\r\n"))
    assert read_all(path) == plain


@pytest.mark.parametrize("name", valid_files())
def test_reading_twice_gives_the_same_records(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(valid_files()[name])
    first = read_all(path)
    os.utime(path, (0, 0))
    assert read_all(path) == first


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (files.BOM, "the file is empty"),
        (b" \n \n", "only whitespace"),
        (b"<!DOCTYPE html><html><body>Sign in</body></html>", "HTML"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "binary data"),
        ("Ann: hi\nBen: hey\n".encode("utf-16"), "UTF-16"),
        (b'{"mapping": {}, "title": "x"}', "the keys mapping, title"),
        (b"[]", "an empty list"),
        (b"Dear diary,\ntoday it rained.\n", 'text without "Name: text" lines'),
        (b"caf\xe9 au lait\n", "not UTF-8"),
        (b"From: a@example.org\nTo: b@example.org\nSubject: x\nReceived: today\n", "text without"),
    ],
)
def test_an_unknown_file_is_refused_with_what_was_seen_and_where_to_look(
    content: bytes, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "export.json"
    path.write_bytes(content)
    with pytest.raises(UnreadableSource) as refused:
        sources.sniff(path)
    assert words in str(refused.value)
    assert "`engramma import --formats`" in str(refused.value) and len(str(refused.value)) < 400 + len(str(path))


@pytest.mark.parametrize("format", sources.READERS)
@pytest.mark.parametrize("content", [b"", b"<html></html>", b"[]", b"{}", b"\x00\xff\xfe", b"null", b"[" * 9000])
def test_a_named_format_that_does_not_fit_is_refused_or_reported(format: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    try:
        conversations, problems = read_all(path, format=format)
    except UnreadableSource as refused:
        assert str(path) in str(refused)
    else:
        assert not conversations
        assert problems


def test_an_unknown_format_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("anything")
    with pytest.raises(UnreadableSource):
        sources.read_source(path, idle_gap=GAP)
    with pytest.raises(BadInput, match="choose from engramma, chatgpt"):
        sources.read_source(path, "csv", idle_gap=GAP)


def test_a_fallback_time_needs_a_zone(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="time zone"):
        sources.read_source(tmp_path / "x", "messages", idle_gap=GAP, fallback_time=datetime(2024, 1, 1))


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="directory"):
        sources.sniff(tmp_path)
    with pytest.raises(UnreadableSource, match="No such file"):
        sources.sniff(tmp_path / "missing.json")
    with pytest.raises(UnreadableSource, match="null"):
        sources.sniff("bad\0name")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableSource, match="regular file"):
        sources.sniff(tmp_path / "pipe")


def test_a_document_that_is_not_utf8_names_the_position(tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_bytes(files.BOM + b"Ann: hi\nBen: caf\xe9\nAnn: yes\n")
    with pytest.raises(UnreadableSource, match=r"0xe9 at position 19 \(line 2\)"):
        read_all(path)


def test_a_line_that_is_not_utf8_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    first, second = json_lines(MESSAGES).encode().splitlines(keepends=True)
    path.write_bytes(first + b'{"role": "user", "content": "\xff"}\n' + second)
    conversations, problems = read_all(path)
    assert [conversation.id for conversation in conversations] == ["soup", "kites"]
    assert (problems[0].where, problems[0].reason) == (
        "line 2",
        "not UTF-8: byte 0xff at position 29 of the line; skipped",
    )


def test_a_line_over_the_limit_is_reported_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1024)
    path = tmp_path / "file.jsonl"
    huge = json_lines([{"role": "user", "content": "x" * 5000}])
    path.write_text(json_lines(MESSAGES[:1]) + huge + json_lines(MESSAGES[1:]))
    conversations, problems = read_all(path)
    assert [conversation.id for conversation in conversations] == ["soup", "kites"]
    assert (problems[0].where, problems[0].reason.startswith("longer than")) == ("line 2", True)


def test_a_document_over_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DOCUMENT_BYTES", 100)
    path = tmp_path / "file.json"
    path.write_bytes(valid_files()["locomo"])
    with pytest.raises(UnreadableSource, match="larger than"):
        read_all(path)


@pytest.mark.parametrize("name", ["locomo", "messages-document", "messages-array"])
def test_a_truncated_document_says_that_it_ends_too_early(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(valid_files()[name][:-40])
    with pytest.raises(UnreadableSource, match="ends too early"):
        read_all(path)


def test_every_reader_says_what_it_reads() -> None:
    for name, reader in sources.READERS.items():
        assert name == reader.NAME
        assert reader.DESCRIPTION
