"""ChatGPT's export: every branch once, what was said and nothing else, whatever the fields hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engramma import sources
from engramma.errors import UnreadableSource
from engramma.records import Turn

from .chatgpt_reading import at, read_chats, read_one, texts
from .export_samples import CHATGPT, T0, chat, line, said
from .samples import read_all, turns_of

HIDDEN = {"is_visually_hidden_from_conversation": True}


# --- the conversation ------------------------------------------------------------------------


def test_ids_titles_roles_times_and_models_are_kept(tmp_path: Path) -> None:
    conversations, problems = read_chats(tmp_path, *CHATGPT)
    soup = conversations[0]
    assert (soup.id, soup.title, soup.source) == ("borscht", "Borscht", "chatgpt")
    assert [session.id for session in soup.sessions] == ["borscht-1"]
    assert turns_of(soup) == [
        Turn("user", "What goes into borscht?", at(5), "m2", "user"),
        Turn(
            "assistant",
            "Beetroot, cabbage\nand dill. 🍲",
            at(9.25),
            "m3",
            "assistant",
            {"model": "gpt-4o-mini"},
        ),
    ]
    assert [problem.reason for problem in problems] == ["not part of the conversation: 1 hidden; skipped"]


def test_the_current_branch_is_the_conversation_and_others_are_sessions_of_their_own(tmp_path: Path) -> None:
    talk, _ = read_one(tmp_path, CHATGPT[1])
    assert texts(talk) == [["I fly kites.", "Stunt kites?", "Delta kites."], ["Box kites?"]]
    assert [session.id for session in talk.sessions] == ["kites-1", "kites-k2-1"]
    assert [dict(turn.meta) for turn in turns_of(talk)] == [
        {},
        {"model": "gpt-4o"},
        {},
        {"model": "gpt-4o", "branch": "k2", "follows": "k1"},
    ]


def test_a_branch_keeps_its_session_when_it_grows(tmp_path: Path) -> None:
    nodes = [
        ("root", None, None),
        ("a", "root", said("a", "user", "one", at=1)),
        ("b", "a", said("b", "assistant", "two", at=2)),
        ("c", "a", said("c", "assistant", "three", at=3)),
    ]
    before, _ = read_one(tmp_path, chat("c", *nodes, current="c"))
    nodes.append(("d", "b", said("d", "user", "four", at=4)))
    after, _ = read_one(tmp_path, chat("c", *nodes, current="c"))
    assert [session.id for session in before.sessions] == [session.id for session in after.sessions]
    assert texts(after) == [["one", "three"], ["two", "four"]]


def test_no_message_stands_in_two_sessions(tmp_path: Path) -> None:
    """Three answers, one of them answered twice: a tree of five leaves."""
    nodes = [("root", None, None), ("q", "root", said("q", "user", "Q", at=0))]
    for n in range(3):
        nodes.append((f"a{n}", "q", said(f"a{n}", "assistant", f"A{n}", at=10 + n)))
        nodes += [(f"a{n}{m}", f"a{n}", said(f"a{n}{m}", "user", f"A{n}{m}", at=20 + m)) for m in range(2)]
    talk, _ = read_one(tmp_path, chat("c", *nodes, current="a10"))
    ids = [turn.id for turn in turns_of(talk)]
    assert sorted(ids) == sorted(name for name, _, message in nodes if message)
    assert texts(talk)[0] == ["Q", "A1", "A10"]
    assert texts(talk)[1:] == [["A0", "A00"], ["A01"], ["A11"], ["A2", "A20"], ["A21"]]


def test_a_branch_that_says_nothing_new_is_left_out(tmp_path: Path) -> None:
    nodes = [
        ("q", None, said("q", "user", "Q", at=0)),
        ("a", "q", said("a", "assistant", "same", at=1)),
        ("b", "q", said("b", "assistant", "same", at=2)),
        ("h", "q", said("h", "assistant", "not shown", at=2, metadata=HIDDEN)),
    ]
    talk, _ = read_one(tmp_path, chat("c", *nodes, current="b"))
    assert texts(talk) == [["Q", "same"]]


@pytest.mark.parametrize("current", [None, "missing", 7])
def test_without_a_current_message_the_newest_leaf_is_it(current: Any, tmp_path: Path) -> None:
    nodes = [
        ("q", None, said("q", "user", "Q", at=0)),
        ("old", "q", said("old", "assistant", "old", at=1)),
        ("new", "q", said("new", "assistant", "new", at=9)),
        ("timeless", "old", said("timeless", "user", "no time")),
    ]
    talk, _ = read_one(tmp_path, {**chat("c", *nodes), "current_node": current})
    assert texts(talk) == [["Q", "new"], ["old", "no time"]]


def test_answers_behind_the_current_message_belong_to_it(tmp_path: Path) -> None:
    talk, _ = read_one(tmp_path, {**CHATGPT[0], "current_node": "m2"})
    assert texts(talk) == [["What goes into borscht?", "Beetroot, cabbage\nand dill. 🍲"]]


def test_sessions_are_split_where_the_talk_paused(tmp_path: Path) -> None:
    talk, _ = read_one(
        tmp_path,
        line(
            "c", said("a", "user", "now", at=0), said("b", "user", "soon", at=60), said("d", "user", "later", at=9999)
        ),
    )
    assert texts(talk) == [["now", "soon"], ["later"]]
    assert [session.id for session in talk.sessions] == ["c-1", "c-2"]


def test_a_tree_ten_thousand_deep_is_walked(tmp_path: Path) -> None:
    talk, _ = read_one(tmp_path, line("c", *(said(f"m{n}", "user", f"line {n}", at=n) for n in range(10_000))))
    assert [turn.id for turn in turns_of(talk)] == [f"m{n}" for n in range(10_000)]


@pytest.mark.long
def test_a_tree_ten_thousand_deep_with_as_many_dead_ends_is_walked(tmp_path: Path) -> None:
    nodes = []
    for n in range(10_000):
        nodes.append((f"m{n}", f"m{n - 1}" if n else None, said(f"m{n}", "user", f"line {n}")))
        nodes.append((f"d{n}", f"m{n}", said(f"d{n}", "assistant", f"tried {n}")))
    mapping = {name: {"parent": parent, "message": message} for name, parent, message in nodes}
    talk, _ = read_one(tmp_path, {**chat("c"), "mapping": mapping})
    assert len(turns_of(talk)) == 20_000


def test_messages_in_a_circle_are_each_kept_once_and_reported(tmp_path: Path) -> None:
    nodes = [
        (name, parent, said(name, "user", name, at=n)) for n, (name, parent) in enumerate(["ac", "ba", "cb", "xx"])
    ]
    talk, reasons = read_one(tmp_path, chat("c", *nodes))
    assert sorted(turn.text for turn in turns_of(talk)) == ["a", "b", "c", "x"]
    assert "messages reply to each other in a circle; each kept once" in reasons
    whole, _ = read_one(tmp_path, chat("c", *nodes, current="c"))
    assert texts(whole)[0] == ["a", "b", "c"]


def test_a_mapping_without_links_is_taken_in_its_order(tmp_path: Path) -> None:
    messages = [said("n1", "user", "Hello?", at=0), said("n2", "assistant", "Hi."), said("n3", "user", "More?", at=60)]
    mapping = {message["id"]: {"id": message["id"], "message": message} for message in messages}
    talk, reasons = read_one(tmp_path, {"id": "demo", "title": "demo", "mapping": mapping})
    assert texts(talk) == [["Hello?", "Hi.", "More?"]]
    assert [turn.said_at for turn in turns_of(talk)] == [at(0), at(0.000001), at(60)]
    assert not reasons


def test_a_missing_parent_is_reported_and_its_messages_kept(tmp_path: Path) -> None:
    nodes = [("a", "gone", said("a", "user", "one", at=1)), ("b", "a", said("b", "assistant", "two", at=2))]
    talk, reasons = read_one(tmp_path, chat("c", *nodes, current="b"))
    assert texts(talk) == [["one", "two"]]
    assert reasons == ["messages whose parent is missing: 1; kept as starts of threads"]


def test_a_parent_is_found_in_the_lists_of_children_and_missing_children_do_no_harm(tmp_path: Path) -> None:
    record = line("c", said("a", "user", "one", at=1), said("b", "assistant", "two", at=2))
    del record["mapping"]["b"]["parent"]
    record["mapping"]["b"]["children"] = ["nowhere", None, 3]
    talk, reasons = read_one(tmp_path, record)
    assert texts(talk) == [["one", "two"]]
    assert not reasons


def test_nulls_anywhere_are_left_out_or_reported_and_the_rest_is_taken(tmp_path: Path) -> None:
    record = line(
        "c",
        said("a", "user", "kept", at=1),
        said("b", "user", at=2, content=None),
        said("d", "user", "x", at=3, author=None),
        said("e", "user", "x", at=4, author={"role": None}),
        said("f", "user", None, {}, 7, at=5),
        said("g", "user", "x", at=6, content={"content_type": "text", "parts": None}),
        said("h", "user", "x", at=6, content=[1]),
        said("i", "user", "kept, too", at=7, metadata=None, recipient=None),
    )
    record["mapping"].update({"n": None, "o": {"message": "text"}, "p": []})
    talk, reasons = read_one(tmp_path, record)
    assert [text for session in texts(talk) for text in session] == ["kept", "kept, too"]
    assert sorted(reasons) == sorted(
        [
            "a message without an author; skipped",
            "a message without an author; skipped",
            "content is a list, not an object; skipped",
            "not a JSON object; skipped",
            "not a JSON object; skipped",
            "not part of the conversation: 2 empty, 1 without content; skipped",
        ]
    )


@pytest.mark.parametrize(
    "record",
    [
        {"mapping": {}, "current_node": None, "message": None},
        line("empty"),
        line("hidden", said("a", "user", "x", metadata=HIDDEN)),
    ],
)
def test_a_conversation_without_messages_is_reported(record: Any, tmp_path: Path) -> None:
    conversations, problems = read_chats(tmp_path, record, CHATGPT[0])
    assert [talk.id for talk in conversations] == ["borscht"]
    assert problems[0].where == "conversation 1, byte 1"
    assert problems[0].reason == "a conversation without usable messages; skipped"


def test_what_is_no_conversation_is_reported_with_its_place(tmp_path: Path) -> None:
    conversations, problems = read_chats(tmp_path, None, {"mapping": []}, "x", CHATGPT[0], 7)
    assert [talk.id for talk in conversations] == ["borscht"]
    odd = [problem for problem in problems if problem.reason == "no chatgpt conversation; skipped"]
    assert [problem.where.partition(",")[0] for problem in odd] == [f"conversation {n}" for n in (1, 2, 3, 5)]


def test_an_id_used_twice_keeps_both_conversations(tmp_path: Path) -> None:
    other = line("borscht", said("z", "user", "Another soup", at=99))
    conversations, problems = read_chats(tmp_path, CHATGPT[0], other, CHATGPT[0])
    assert [talk.id for talk in conversations] == ["borscht", "borscht#2"]
    assert sum("is in the file twice" in problem.reason for problem in problems) == 1


def test_message_ids_used_twice_keep_both_messages(tmp_path: Path) -> None:
    record = chat("c", ("n1", None, said("same", "user", "one", at=1)), ("n2", "n1", said("same", "user", "two", at=2)))
    talk, reasons = read_one(tmp_path, record)
    assert [(turn.id, turn.text) for turn in turns_of(talk)] == [("same", "one"), ("same#2", "two")]
    assert reasons == ["the id is used twice; kept as same#2"]


def test_a_conversation_without_an_id_gets_the_same_one_every_time(tmp_path: Path) -> None:
    record = {**CHATGPT[0], "id": None, "conversation_id": ""}
    first, _ = read_one(tmp_path, record)
    record["title"] = "renamed"
    again, _ = read_one(tmp_path, record)
    assert first.id == again.id
    assert first.id.startswith("chatgpt-")


# --- times -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "time",
    [T0 + 5, (T0 + 5) * 1000, str(T0 + 5), str(int(T0) + 5), "2023-11-14T22:13:25Z", "2023-11-14T22:13:25+00:00"],
)
def test_times_in_seconds_milliseconds_and_strings_are_the_same(time: object, tmp_path: Path) -> None:
    message = {**said("a", "user", "x"), "create_time": time}
    talk, reasons = read_one(tmp_path, line("c", message))
    assert turns_of(talk)[0].said_at == at(5)
    assert not reasons


def test_a_missing_time_follows_the_message_it_answers(tmp_path: Path) -> None:
    step = timedelta(microseconds=1)
    talk, _ = read_one(
        tmp_path,
        line("c", *(said(str(n), "user", str(n), at=time) for n, time in enumerate([None, 10, None, 0.0, None, 60]))),
    )
    assert [turn.said_at for turn in turns_of(talk)] == [
        at(10) - step, at(10), at(10) + step, at(0), at(0) + step, at(60)
    ]  # fmt: skip


def test_a_branch_without_times_follows_the_message_it_leaves(tmp_path: Path) -> None:
    nodes = [
        ("a", None, said("a", "user", "Q", at=100)),
        ("b", "a", said("b", "assistant", "A", at=200)),
        ("d", "a", said("d", "assistant", "B")),
    ]
    talk, _ = read_one(tmp_path, chat("c", *nodes, current="b"))
    assert talk.sessions[1].turns[0].said_at == at(100) + timedelta(microseconds=1)


def test_without_any_time_the_conversations_counts_and_then_the_fallback(tmp_path: Path) -> None:
    record = line("c", said("a", "user", "x"), said("b", "user", "y"))
    assert turns_of(read_one(tmp_path, record)[0])[0].said_at == at(0)
    record |= {"create_time": None, "update_time": 0}
    talk, reasons = read_one(tmp_path, record)
    assert turns_of(talk)[0].said_at is None
    assert "conversations without a time: 1" in reasons[-1]
    talk, _ = read_one(tmp_path, record, fallback_time=datetime(2024, 1, 1, tzinfo=UTC))
    assert turns_of(talk)[1].said_at == datetime(2024, 1, 1, 0, 0, 0, 1, tzinfo=UTC)


@pytest.mark.parametrize("time", ["yesterday", -1e300, 1e300, True, [], {"a": 1}, float("nan")])
def test_a_bad_time_is_reported_and_the_message_kept(time: object, tmp_path: Path) -> None:
    talk, reasons = read_one(tmp_path, line("c", {**said("a", "user", "x"), "create_time": time}))
    assert turns_of(talk)[0].said_at == at(0)
    assert reasons[0].startswith("kept without create_time: ")


# --- the file --------------------------------------------------------------------------------


def test_an_error_page_saved_as_json_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text("<!DOCTYPE html><html><body>Gateway timeout</body></html>")
    with pytest.raises(UnreadableSource, match="an HTML or XML page"):
        sources.sniff(path)
    with pytest.raises(UnreadableSource, match=r"holds no chatgpt conversation\. conversation 1, byte 0: .*HTML"):
        read_all(path, format="chatgpt")


def test_an_empty_export_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text("[]")
    with pytest.raises(UnreadableSource, match="holds no chatgpt conversation"):
        read_all(path, format="chatgpt")


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    assert read_chats(tmp_path, *CHATGPT) == read_chats(tmp_path, *CHATGPT)


def test_the_order_of_nodes_in_the_file_does_not_matter(tmp_path: Path) -> None:
    record = CHATGPT[1]
    turned = {**record, "mapping": dict(reversed(record["mapping"].items()))}
    assert read_one(tmp_path, record) == read_one(tmp_path, turned)
