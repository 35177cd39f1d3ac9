"""A long JSON list is read an item at a time, and damage costs no more than the item it is in."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.sources import files, json_text
from engramma.sources.streaming import Damage, StreamedItem, items
from tests.conftest import some

from .export_samples import CHATGPT, as_json, line, said

pytestmark = pytest.mark.long


def is_record(value: object) -> bool:
    return isinstance(value, dict) and "mapping" in value


def listed(content: bytes) -> list[StreamedItem | Damage]:
    return list(items(io.BufferedReader(io.BytesIO(content)), is_record))  # type: ignore[arg-type]


def values(content: bytes) -> list[Any]:
    return [item.value for item in listed(content) if isinstance(item, StreamedItem)]


def damage(content: bytes) -> list[Damage]:
    return [item for item in listed(content) if isinstance(item, Damage)]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "CHUNK_BYTES", 7)


@pytest.mark.parametrize("indent", [None, 2])
def test_every_item_comes_with_its_number_and_byte(indent: int | None, small_chunks: None) -> None:
    content = files.BOM + as_json(CHATGPT, indent=indent)
    found = listed(content)
    assert [item.number for item in found] == [1, 2]
    for item, expected in zip(found, CHATGPT, strict=True):
        assert isinstance(item, StreamedItem)
        assert item.value == expected
        assert content[item.at : item.at + 1] == b"{"


@pytest.mark.parametrize(
    "content",
    [
        as_json({"account": {"email": "a@example.org"}, "conversations": CHATGPT}),
        b"\n".join(as_json(chat) for chat in CHATGPT) + b"\n",
        as_json(CHATGPT[:1]) + as_json(CHATGPT[1:]),
    ],
    ids=["wrapped", "a line each", "two lists"],
)
def test_other_spellings_of_a_list_are_read_without_complaint(content: bytes) -> None:
    assert listed(content) == [
        item
        for item in listed(content)
        if isinstance(item, StreamedItem) and item.value in CHATGPT and item.note is None
    ]
    assert len(listed(content)) == 2


def test_one_conversation_alone_is_a_list_of_one() -> None:
    assert values(as_json(CHATGPT[0], indent=1)) == CHATGPT[:1]


def test_a_cut_file_gives_every_whole_item_and_one_report() -> None:
    content = as_json(CHATGPT)
    end_of_first = 1 + len(as_json(CHATGPT[0]))
    for cut in range(1, len(content)):
        found = listed(content[:cut])
        whole = [item.value for item in found if isinstance(item, StreamedItem)]
        assert whole == CHATGPT[: (cut >= end_of_first) + (cut >= len(content) - 1)]
        reports = [item for item in found if isinstance(item, Damage)]
        assert len(reports) == 1
        assert "ends too early" in reports[0].reason and f"byte {cut}" in reports[0].reason


@pytest.mark.parametrize("wrong", [b'"', b"\\", b"{", b"}", b"]", b",", b"x", b"\xff", b"\n"])
def test_one_wrong_byte_costs_no_more_than_its_conversation(wrong: bytes) -> None:
    first, middle, last = (
        as_json(CHATGPT[0]),
        as_json(line("oak", said("o1", "user", "An oak", at=1))),
        as_json(CHATGPT[1]),
    )
    for at in range(len(middle)):
        broken = middle[:at] + wrong + middle[at + 1 :]
        found = values(b"[" + b", ".join((first, broken, last)) + b"]")
        assert CHATGPT[0] in found and CHATGPT[1] in found, broken[max(0, at - 20) : at + 20]


@pytest.mark.parametrize("lost", [b'"', b"{", b"}", b"[", b"]", b":", b","])
def test_one_missing_byte_costs_no_more_than_its_conversation(lost: bytes) -> None:
    first, middle, last = (
        as_json(CHATGPT[0]),
        as_json(line("oak", said("o1", "user", "An oak", at=1))),
        as_json(CHATGPT[1]),
    )
    for at in [n for n in range(len(middle)) if middle[n : n + 1] == lost]:
        found = values(b"[" + b", ".join((first, middle[:at] + middle[at + 1 :], last)) + b"]")
        assert CHATGPT[0] in found and CHATGPT[1] in found


def test_damage_says_what_and_at_which_byte() -> None:
    content = b'[{"mapping": {}}, {"mapping": tru}, {"mapping": {}, "n": 3}]'
    (report,) = damage(content)
    assert (report.number, report.at) == (2, content.index(b'{"mapping": tru'))
    assert report.reason == f"not JSON: Expecting value at byte {content.index(b'tru')}; skipped"
    assert [item.number for item in listed(content) if isinstance(item, StreamedItem)] == [1, 3]


def test_damage_at_the_end_is_one_report() -> None:
    (report,) = damage(b'[{"mapping": {}}, {"mapping": tru}]')
    assert report.reason.startswith("not JSON") and report.reason.endswith("; skipped")


def test_positions_are_bytes_not_characters() -> None:
    content = '[{"mapping": {}, "t": "🍲é"}, {"mapping": nul}]'.encode()
    assert damage(content)[0].at == content.index(b'{"mapping": nul')


def test_bytes_that_are_no_utf8_are_replaced_and_named() -> None:
    content = b'[{"mapping": {}, "t": "caf\xe9 \xf0\x9f\x8d\xb2"}, {"mapping": {}}]'
    first, second = listed(content)
    assert isinstance(first, StreamedItem) and isinstance(second, StreamedItem)
    assert first.value == {"mapping": {}, "t": "caf\ufffd 🍲"}
    assert first.note == f"not UTF-8: byte 0xe9 at byte {content.index(0xE9)}; replaced with U+FFFD"
    assert second.note is None and second.at == content.rindex(b'{"mapping"')


def test_half_of_a_pair_stays_for_the_checks_that_report_it() -> None:
    assert values(rb'[{"mapping": {}, "t": "\ud800"}]') == [{"mapping": {}, "t": "\ud800"}]


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'[{"a":' * 50_000, b'[{"mapping": ' + b"[" * 100_000])
def test_deep_nesting_is_reported(deep: bytes) -> None:
    assert not values(deep)
    assert damage(deep)


@pytest.mark.parametrize("depth", [200, 900, 9000, 100_000])
def test_a_deep_item_costs_only_itself(depth: int) -> None:
    content = b'[{"mapping": {}, "x": ' + b"[" * depth + b"]" * depth + b'}, {"mapping": {}}]'
    assert values(content) == [{"mapping": {}}]
    assert "nested too deeply" in damage(content)[0].reason


def test_an_item_over_the_limit_is_reported_and_the_next_is_read(
    monkeypatch: pytest.MonkeyPatch, small_chunks: None
) -> None:
    monkeypatch.setattr(json_text, "MAX_ITEM_CHARS", 1000)
    content = as_json([{"mapping": {}, "t": "x" * 5000}, {"mapping": {}, "n": 1}])
    assert values(content) == [{"mapping": {}, "n": 1}]
    assert "longer than" in damage(content)[0].reason


def test_the_search_for_the_next_record_gives_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MAX_EFFORT", 2000)
    content = b"[" + b'{"a": {"b": 1}, x},' * 1000 + b'{"mapping": {}}]'
    assert not values(content)
    assert "gave up looking for the next complete item at byte" in damage(content)[-1].reason


def test_numbers_keep_their_kind() -> None:
    (value,) = values(b'[{"mapping": {}, "a": 1, "b": 1.0, "c": 1700000000.123456, "d": 1e3, "e": NaN}]')
    assert [type(value[key]) for key in "abcde"] == [int, float, float, float, float]
    assert value["c"] == 1700000000.123456


def test_items_that_are_no_objects_are_items() -> None:
    assert values(b'[null, 12, "x", {"mapping": {}}]') == [None, 12, "x", {"mapping": {}}]


def test_memory_follows_the_longest_item_not_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    chat = json.dumps(line("c", *(said(f"m{n}", "user", "word " * 200, at=n) for n in range(20))))
    with path.open("w") as file:
        file.write("[" + chat)
        for _ in range(999):
            file.write("," + chat)
        file.write("]")
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    with path.open("rb") as opened:
        assert sum(isinstance(item, StreamedItem) for item in items(opened, is_record)) == 1000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6_000_000


@settings(max_examples=some(300), deadline=None)
@given(content=st.binary() | st.text(alphabet='[]{}",:\\ \nmapping0', max_size=200).map(str.encode))
def test_any_bytes_end_in_items_and_damage(content: bytes) -> None:
    assert all(isinstance(item, StreamedItem | Damage) for item in listed(content))
