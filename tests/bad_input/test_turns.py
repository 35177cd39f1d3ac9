"""Turns and sessions that cannot be kept are refused with a reason, whole, and nothing that was stored changes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from engramma import BadInput, BadTurn, Config, Memory, SessionClosed, Turn
from engramma.admin.doctor import doctor
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from tests.bad_input.conftest import nothing_lost
from tests.conftest import START, talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

GOOD = Turn("Ana", "good words", START + timedelta(days=9), "good")
MIB = 1024 * 1024

# name: (the bad turn, what the message says)
BAD = {
    "an empty text": (replace(GOOD, text="", id="bad"), "is empty.*Leave out"),
    "nothing but white space": (replace(GOOD, text=" \n\t\u00a0\u2003 ", id="bad"), "is empty.*Leave out"),
    "no text at all": (replace(GOOD, text=None, id="bad"), "is empty.*Leave out"),
    "a text of 5 MB": (replace(GOOD, text="x" * (5 * MIB), id="bad"), "5,242,880 bytes; the limit is 4,194,304.*Split"),
    "4 MiB and a byte": (replace(GOOD, text="x" * (4 * MIB + 1), id="bad"), "limit is 4,194,304.*max_turn_bytes"),
    "few characters of many bytes": (replace(GOOD, text="漢" * (2 * MIB), id="bad"), "6,291,456 bytes"),
    "a NUL in the text": (replace(GOOD, text="ab\0c", id="bad"), "NUL character at position 2.*Remove it"),
    "half a character in the text": (replace(GOOD, text="ab\ud83d", id="bad"), "lone surrogate.*position 2.*UTF-8"),
    "a NUL in the speaker": (replace(GOOD, speaker="A\0", id="bad"), "speaker.*NUL.*Remove it"),
    "half a character in the speaker": (replace(GOOD, speaker="\udc00", id="bad"), "speaker.*lone surrogate"),
    "no speaker": (replace(GOOD, speaker=" ", id="bad"), "speaker must be a non-empty string"),
    "an endless speaker": (replace(GOOD, speaker="A" * 1001, id="bad"), "speaker has 1,001 characters; the limit"),
    "a NUL in the id": (replace(GOOD, id="b\0"), "id.*NUL.*Remove it"),
    "half a character in the id": (replace(GOOD, id="\ud800"), "id.*lone surrogate"),
    "an empty id": (replace(GOOD, id=""), "id must be a non-empty string"),
    "a number as an id": (replace(GOOD, id=7), "id must be a non-empty string, not 7"),
    "an unknown role": (replace(GOOD, role="robot", id="bad"), "robot.*Use user, assistant"),
    "a time without a zone": (replace(GOOD, said_at=datetime(2026, 1, 1), id="bad"), "no time zone: add Z"),
    "something else as a time": (replace(GOOD, said_at="yesterday", id="bad"), "ISO 8601"),
    "a time outside the calendar": (
        replace(GOOD, said_at=datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))), id="bad"),
        "outside the calendar",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_turn_that_cannot_be_kept_is_refused_and_nothing_is_lost(kept, name):
    turn, reason = BAD[name]
    with nothing_lost(kept):
        with pytest.raises(BadInput, match=f"(?s){reason}"):
            kept.remember_session("thread", "new", [GOOD, turn])
        with pytest.raises(BadInput, match=f"(?s){reason}"):
            kept.remember_session("thread", "monday", [*talk("Ana: my cat is called Pixel"), turn])
        live = kept.session("thread", "live")
        with pytest.raises(BadInput, match=f"(?s){reason}"):
            live.add(turn.speaker, turn.text, turn.said_at, turn.id, turn.role)
        live.close()
    assert kept._core.store.session("thread", "new") is None, "the good turn beside it is not stored alone"


def test_a_turn_of_5_mb_is_refused_and_nothing_is_lost(kept):
    with nothing_lost(kept), pytest.raises(BadTurn, match="Nothing was stored"):
        kept.session("thread", "live").add("Ana", "words " * MIB)


def test_a_turn_of_just_the_limit_comes_back_byte_for_byte(kept):
    text = "é" * (2 * MIB)
    kept.remember_session("thread", "long", [replace(GOOD, text=text)])
    assert kept.turns("thread", "long")[0].text == text
    assert [check for check in doctor(kept._core) if not check.ok] == []


def test_the_limit_is_the_stores_own(tmp_path):
    with Memory.open(tmp_path / "s", embedder=HashEmbedder(), config=Config(max_turn_bytes=10)) as memory:
        memory.remember_session("c", "s", [replace(GOOD, text="ten bytes.")])
        with pytest.raises(BadTurn, match="11 bytes; the limit is 10"):
            memory.remember_session("c", "t", [replace(GOOD, text="ten bytes..")])


def test_a_turn_without_a_time_is_refused_and_add_takes_the_present(kept):
    with nothing_lost(kept), pytest.raises(BadTurn, match=r"has no time.*said_at"):
        kept.remember_session("thread", "new", [replace(GOOD, said_at=None)])
    before = datetime.now(UTC)
    kept.session("thread", "live").add("Ana", "now")
    (turn,) = kept.turns("thread", "live")
    assert before <= turn.said_at <= datetime.now(UTC)


@pytest.mark.parametrize("name", ["", "  ", "a\0b", "\ud800", "x" * 1001, None, 7, b"bytes"])
def test_names_that_cannot_be_written_down_are_refused(kept, name):
    with nothing_lost(kept):
        for call in (
            lambda: kept.remember_session(name, "s", [GOOD]),
            lambda: kept.remember_session("thread", name, [GOOD]),
            lambda: kept.session(name),
            lambda: kept.session("thread", name) if name is not None else kept.session(None),
        ):
            with pytest.raises(BadInput, match=r"empty|characters; the limit|NUL|lone surrogate"):
                call()


@pytest.mark.parametrize("name", ["\ud800", "a\ud800b"])
def test_looking_for_a_name_with_half_a_character_is_refused(kept, name):
    with nothing_lost(kept):
        for call in (
            lambda: kept.recall("Pixel", conversation=name),
            lambda: kept.recall("Pixel", exclude_session=name),
            lambda: kept.turns(name, "monday"),
            lambda: kept.segment(f"seg_{name}/monday_0"),
            lambda: kept.close_session("thread", name),
            lambda: kept.remember_session("thread", "new", [GOOD], title=name),
        ):
            with pytest.raises(BadInput, match=r"lone surrogate.*Decode"):
                call()


@pytest.mark.parametrize("namespace", ["", " ", "a\0", "a\nb", "\ud800", "x" * 201, None, 3])
def test_a_namespace_needs_a_printable_name(kept, namespace):
    with nothing_lost(kept), pytest.raises(BadInput, match=r"1 to 200 printable characters|lone surrogate"):
        Memory.open(kept.path, namespace)


def test_a_session_without_turns_is_refused(kept):
    with nothing_lost(kept), pytest.raises(BadInput, match="Give at least one"):
        kept.remember_session("thread", "new", [])


@pytest.mark.parametrize("turn", ["just words", {"speaker": "Ana", "text": "hi"}, None])
def test_something_that_is_no_turn_is_refused(kept, turn):
    with nothing_lost(kept), pytest.raises(BadTurn, match=r"Make it a Turn\("):
        kept.remember_session("thread", "new", [turn])


def test_an_id_used_twice_in_one_session_is_refused(kept):
    twice = [GOOD, replace(GOOD, text="other words")]
    with nothing_lost(kept), pytest.raises(BadTurn, match=r"'good' is used twice.*its own id, or none"):
        kept.remember_session("thread", "new", twice)


def test_a_known_id_with_other_words_is_refused_and_the_first_words_stay(kept):
    first = talk("Ana: my cat is called Pixel")[0]
    for other in (replace(first, text="my cat is called Dot"), replace(first, speaker="Ben")):
        with nothing_lost(kept):
            with pytest.raises(BadTurn, match=r"already stored with a different text.*its own id"):
                kept.remember_session("thread", "monday", [other, GOOD])
            with pytest.raises(BadTurn, match="already stored with a different text"):
                kept.session("thread", "monday").add(other.speaker, other.text, other.said_at, other.id)


def test_add_after_close_is_refused_and_says_how_to_go_on(kept):
    live = kept.session("thread", "live")
    live.add("Ana", "one", START)
    live.close()
    with nothing_lost(kept), pytest.raises(SessionClosed, match=r"Memory\.session\('thread', 'live'\)"):
        live.add("Ana", "two", START)


def test_a_closed_session_can_be_extended_both_ways_without_loss(kept):
    live = kept.session("thread", "live")
    live.add("user", "one", START, "t1")
    live.close()
    again = kept.session("thread", "live")
    again.add("assistant", "two", START, "t2")
    again.close()
    three = Turn("user", "three", START, "t3")
    kept.remember_session("thread", "live", [three])
    assert [(t.id, t.text) for t in kept.turns("thread", "live")] == [("t1", "one"), ("t2", "two"), ("t3", "three")]
    assert [check for check in doctor(kept._core) if not check.ok] == []
    (archived,) = (p for p in (kept.path / "archive").rglob("live.txt"))
    assert all(word in archived.read_text(encoding="utf-8") for word in ("one", "two", "three"))


def test_bad_turns_in_a_file_are_reported_with_their_place_and_the_rest_is_kept(kept, tmp_path):
    said_at = "2026-03-01T10:00:00Z"
    texts = ["first", "", "nul \0 here", "half \ud83d here", "x" * (4 * MIB + 1), "last"]
    lines = [{"engramma": 1, "kind": "export", "namespace": "default"}]
    lines += [{"type": "conversation", "id": "file", "title": None, "source": None}]
    lines += [{"type": "session", "conversation": "file", "id": "s", "closed": True}]
    lines += [
        {"type": "turn", "conversation": "file", "session": "s", "id": f"t{n}", "speaker": "Ana", "said_at": said_at}
        | {"text": text}
        for n, text in enumerate(texts)
    ]
    lines += [{**lines[-1], "text": "the id of another"}]
    path = tmp_path / "talk.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    before = list(export_lines(kept._core))
    report = import_file(kept._core, path)
    stored = [turn.text for turn in kept.turns("file", "s")]
    assert stored == ["first", "nul \ufffd here", "half \ufffd here", "last", "the id of another"]
    assert len(report.problems) == 5 and all(problem.reason for problem in report.problems)
    assert {str(path)} == {problem.path for problem in report.problems}
    assert set(before) <= set(export_lines(kept._core))
    assert [check for check in doctor(kept._core) if not check.ok] == []


def test_the_command_line_refuses_bad_turns(tmp_path, refused, engramma):
    store = ("--store", tmp_path / "s")
    assert engramma(*store, "remember", "Ana likes tea", "--at", "2026-01-01T10:00:00Z", "--close").code == 0
    before = engramma(*store, "export").out
    assert "The text is empty. Give what to remember" in refused(*store, "remember", "")
    assert "is empty" in refused(*store, "remember", "-", stdin=b" \n")
    assert "the limit is 4,194,304" in refused(*store, "remember", "-", stdin=b"x" * (5 * MIB))
    assert "NUL" in refused(*store, "remember", "-", stdin=b"a\0b")
    assert "not UTF-8" in refused(*store, "remember", "-", stdin=b"caf\xe9")
    assert "lone surrogate" in refused(*store, "remember", "a\udcff")
    assert "lone surrogate" in refused(*store, "remember", "x", "--conversation", "\udcff")
    assert "lone surrogate" in refused(*store, "remember", "x", "--session", "\udcff")
    assert "lone surrogate" in refused(*store, "remember", "x", "--id", "\udcff")
    assert "NUL" in refused(*store, "remember", "x", "--speaker", "a\0")
    assert "printable" in refused(*store, "-n", "a\nb", "remember", "x")
    assert "add Z or an offset" in refused(*store, "remember", "x", "--at", "2026-01-01T10:00:00")
    assert engramma(*store, "export").out == before
    assert engramma(*store, "doctor").code == 0
