"""A history that is sent again and again is stored once."""

from __future__ import annotations

import itertools
import json
import threading

import pytest

from engramma import Memory
from tests.apps.proxy.talking import T0, chat, exchange, item_of, only, remember, told
from tests.fakes import HashEmbedder

FIRST = chat(["Where is Ada?"], "In Leeds.")
SECOND = chat(["Where is Ada?", "In Leeds.", "And Bo?"], "In York.", at=1)
THIRD = chat(["Where is Ada?", "In Leeds.", "And Bo?", "In York.", "Thanks"], "You are welcome.", at=2)
WHOLE = ["Where is Ada?", "In Leeds.", "And Bo?", "In York.", "Thanks", "You are welcome."]


def test_only_the_new_tail_of_a_history_is_stored(memory):
    reports = remember(memory, FIRST, SECOND, THIRD)
    assert [report.turns for report in reports] == [2, 2, 2]
    assert only(memory) == WHOLE


@pytest.mark.parametrize("order", list(itertools.permutations([FIRST, SECOND, THIRD])))
def test_in_any_order_everything_is_stored_once(memory, order):
    remember(memory, *order)
    remember(memory, *order)
    assert sorted(only(memory)) == sorted(WHOLE)


def test_the_end_of_a_conversation_is_gone_on_with_whatever_time_has_passed(memory):
    remember(memory, FIRST, chat(["Where is Ada?", "In Leeds.", "And Bo?"], "In York.", at=60 * 24 * 30))
    assert only(memory) == WHOLE[:4]
    assert len(memory.sessions()) == 2


def test_words_said_or_answered_anew_add_their_tail_within_the_gap(memory):
    remember(memory, FIRST, SECOND)
    remember(memory, chat(["Where is Ada?", "In Leeds.", "And Cy?"], "In Hull.", at=5))
    remember(memory, chat(["Where is Ada?", "In Leeds.", "And Cy?"], "In Kent.", at=6))
    assert only(memory) == [*WHOLE[:4], "And Cy?", "In Hull.", "In Kent."]


def test_after_the_gap_the_same_beginning_is_another_conversation(memory):
    remember(memory, chat(["Hi"], "Hello!"), chat(["Hi", "Hello!", "I am Ada"], "Hello Ada", at=1))
    remember(memory, chat(["Hi"], "Hello!", at=600), chat(["Hi", "Hello!", "I am Bo"], "Hello Bo", at=601))
    assert sorted(told(memory).values()) == [
        ["Hi", "Hello!", "I am Ada", "Hello Ada"],
        ["Hi", "Hello!", "I am Bo", "Hello Bo"],
    ]


def test_a_retry_adds_nothing(memory):
    remember(memory, FIRST, chat(["Where is Ada?"], "In Leeds.", at=2), chat([" Where  is Ada?\n"], "In Leeds.", at=3))
    assert only(memory) == WHOLE[:2]


def test_a_history_that_nobody_saw_is_stored_and_marked(memory):
    remember(memory, SECOND)
    (conversation,) = memory.conversations()
    marked = [(turn.text, turn.meta.get("history")) for turn in conversation.sessions[0].turns]
    assert marked == [("Where is Ada?", "yes"), ("In Leeds.", "yes"), ("And Bo?", None), ("In York.", None)]


def test_a_history_whose_beginning_is_cut_off_goes_on_where_it_was(memory):
    long = "Ada moved to Leeds in the spring of last year."
    remember(
        memory, chat(["Where is Ada?"], long), chat(["Where is Ada?", long, "And Bo?"], f"{long} So did Bo.", at=1)
    )
    window = chat(["And Bo?", f"{long} So did Bo.", "And Cy?"], "Nobody knows where Cy went to after that.", at=2)
    later = chat(["And Cy?", "Nobody knows where Cy went to after that.", "Pity"], "Indeed.", at=90)
    remember(memory, window, later)
    remember(memory, later, window)
    assert only(memory)[4:] == ["And Cy?", "Nobody knows where Cy went to after that.", "Pity", "Indeed."]


def test_tools_that_a_client_leaves_out_of_its_history_do_not_break_it(memory):
    asked = [{"role": "user", "content": "Weather?"}]
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"in": "Leeds"}'}}
    called = {"role": "assistant", "content": None, "tool_calls": [call]}
    result = {"role": "tool", "tool_call_id": "c1", "content": "rain " * 1000}
    remember(
        memory,
        exchange("completions", {"messages": asked}, {"choices": [{"message": called}]}),
        exchange("completions", {"messages": [*asked, called, result]}, _answer("It rains."), at=1),
        chat(["Weather?", "It rains.", "Thanks"], "Welcome.", at=2),
    )
    words = only(memory)
    assert words[:2] == ["Weather?", '[call weather({"in":"Leeds"})]']
    assert words[2].startswith("[result of weather: rain rain") and "more characters)" in words[2]
    assert words[3:] == ["It rains.", "Thanks", "Welcome."]


def test_a_named_conversation_takes_what_its_header_says(memory):
    remember(memory, chat(["Hi"], "Hello!", x_engramma_session="one"), chat(["Hi"], "Hello!", x_engramma_session="two"))
    assert told(memory) == {"captured:one": ["Hi", "Hello!"], "captured:two": ["Hi", "Hello!"]}


def test_responses_are_followed_by_the_ids_of_their_replies(memory):
    def response(id: str, said: str, text: str, at: float, previous: str | None = None):
        output = [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}]
        request = {"model": "m", "input": said, **({"previous_response_id": previous} if previous else {})}
        return exchange("responses", request, {"id": id, "model": "m", "output": output}, at)

    one = response("r1", "Hi", "Hello!", 0)
    two = response("r2", "ok", "Fine.", 1, "r1")
    three = response("r3", "ok", "Fine.", 2, "r2")
    remember(memory, one, two, three)
    remember(memory, three, two, one)
    assert only(memory) == ["Hi", "Hello!", "ok", "Fine.", "ok", "Fine."]


def test_what_was_purged_does_not_come_back_with_the_next_request(memory):
    remember(memory, FIRST)
    memory.purge(query="Leeds")
    remember(memory, SECOND, THIRD)
    assert only(memory) == ["Where is Ada?", "And Bo?", "In York.", "Thanks", "You are welcome."]


def test_a_deleted_namespace_takes_what_was_seen_with_it(tmp_path):
    with Memory.open(tmp_path, "a", embedder=HashEmbedder()) as memory:
        remember(memory, FIRST)
    with Memory.open(tmp_path) as memory:
        memory.namespaces.delete("a")
    with Memory.open(tmp_path, "a", embedder=HashEmbedder()) as memory:
        assert remember(memory, FIRST)[0].turns == 2


def test_a_secret_is_masked_before_it_is_spooled_and_found_in_no_file(memory):
    secret = "AKIA" + "Q3EG7ZTNB5WKD2XJ"
    remember(memory, chat([f"my key is {secret}"], f"I will not tell {secret}."))
    assert all("[redacted:" in words for words in only(memory))
    found = [path for path in memory.path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert found == []


def test_two_processes_that_store_the_same_at_once_store_it_once(tmp_path):

    memories = [Memory.open(tmp_path, embedder=HashEmbedder()) for _ in range(2)]
    long = [f"word {n} and some more of it" for n in range(40)]
    talks = [chat(long[: n + 1], long[n + 1], at=n / 10) for n in range(0, 40, 2)]
    items = [item_of(memories[0], one) for one in talks]
    errors = []

    def work(memory: Memory, listed: list) -> None:
        try:
            for item in listed:
                memory.ingest.store_exchange(item)
        except Exception as error:
            errors.append(error)

    threads = [
        threading.Thread(target=work, args=(memories[0], items)),
        threading.Thread(target=work, args=(memories[1], items[::-1])),
        threading.Thread(target=work, args=(memories[1], items)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(only(memories[0])) == sorted(long)
    for memory in memories:
        memory.close()


def _answer(text: str) -> dict:
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}


# --- the same talk from a transcript --------------------------------------------------------------

SESSION = "0b6f0b9e-7e1c-4a53-9f0c-1f2d3c4b5a69"


def _row(n: int, role: str, content: object, at: float) -> dict:
    from datetime import UTC, datetime

    time = datetime.fromtimestamp(T0 + 60 * at, UTC).isoformat().replace("+00:00", "Z")
    message = {"role": role, "content": content, **({"id": f"msg_{n}", "model": "m"} if role == "assistant" else {})}
    return {"type": role, "uuid": f"row-{n}", "sessionId": SESSION, "timestamp": time, "message": message}


def _transcript(path, rows):
    file = path / f"{SESSION}.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


ROWS = [
    _row(1, "user", "Fix the parser", 0),
    _row(2, "assistant", [{"type": "text", "text": "I look at it."}], 0.05),
    _row(3, "assistant", [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "a.py"}}], 0.06),
    _row(4, "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "def parse(): ..."}], 0.1),
    _row(5, "assistant", [{"type": "text", "text": "Done."}], 0.2),
    _row(6, "user", "ok", 1),
    _row(7, "assistant", [{"type": "text", "text": "Fine."}], 1.1),
    _row(8, "user", "ok", 2),
    _row(9, "assistant", [{"type": "text", "text": "Fine."}], 2.1),
]


def _requests():
    """The requests behind the transcript, with what the program adds to a person's words."""
    reminder = {"type": "text", "text": "<system-reminder>Today is Monday.</system-reminder>"}
    headers = {"x_claude_code_session_id": SESSION}
    messages: list[dict] = [{"role": "user", "content": [reminder, {"type": "text", "text": "Fix the parser"}]}]
    first = [ROWS[1]["message"]["content"][0], ROWS[2]["message"]["content"][0]]
    yield exchange("messages", {"messages": messages, "tools": [{}]}, _message(first), 0, **headers)
    messages = [
        *messages,
        {"role": "assistant", "content": first},
        {"role": "user", "content": ROWS[3]["message"]["content"]},
    ]
    yield exchange(
        "messages", {"messages": messages, "tools": [{}]}, _message(ROWS[4]["message"]["content"]), 0.1, **headers
    )
    for at, said, answer in ((1, ROWS[5], ROWS[6]), (2, ROWS[7], ROWS[8])):
        before = ROWS[4] if at == 1 else ROWS[6]
        messages = [*messages, {"role": "assistant", "content": before["message"]["content"]}, said["message"]]
        yield exchange(
            "messages", {"messages": messages, "tools": [{}]}, _message(answer["message"]["content"]), at, **headers
        )


def _message(content: list) -> dict:
    return {"id": "m", "type": "message", "role": "assistant", "model": "claude", "content": content}


SAID = ["Fix the parser", "I look at it.", "Done.", "ok", "Fine.", "ok", "Fine."]


def _talk(memory):
    return [word for words in told(memory).values() for word in words if not word.startswith("[")]


@pytest.mark.parametrize("order", ["transcript first", "proxy first", "by turns", "late"])
def test_the_same_talk_from_a_transcript_and_the_proxy_is_stored_once(memory, tmp_path, order):
    from engramma.transfer.imports import import_file

    requests = list(_requests())
    if order == "transcript first":
        import_file(memory._core, _transcript(tmp_path, ROWS))
        remember(memory, *requests)
    elif order == "proxy first":
        remember(memory, *requests)
        import_file(memory._core, _transcript(tmp_path, ROWS))
    elif order == "by turns":
        for n, upto in enumerate((3, 5, 7, 9)):
            import_file(memory._core, _transcript(tmp_path, ROWS[:upto]))
            remember(memory, requests[n])
    else:  # switched on for the last exchange alone
        remember(memory, requests[-1])
        import_file(memory._core, _transcript(tmp_path, ROWS))
    import_file(memory._core, _transcript(tmp_path, ROWS))
    remember(memory, *requests)
    assert set(told(memory)) <= {SESSION, f"captured:{SESSION}"}
    assert sorted(_talk(memory)) == sorted(SAID)


def test_what_was_not_to_be_kept_is_not_taken_from_later_histories(memory):
    remember(memory, FIRST)
    memory.ingest.keep_out(item_of(memory, SECOND))
    memory.ingest.keep_out(item_of(memory, SECOND))
    assert only(memory) == WHOLE[:2]
    remember(memory, THIRD)
    assert only(memory) == [*WHOLE[:2], "Thanks", "You are welcome."]
    remember(memory, SECOND, THIRD)
    assert only(memory) == [*WHOLE[:2], "Thanks", "You are welcome."]
    written = b"".join(path.read_bytes() for path in memory.path.rglob("*") if path.is_file())
    assert b"In Leeds." in written and b"In York." not in written


def test_a_conversation_that_began_unkept_goes_on_kept(memory):
    memory.ingest.keep_out(item_of(memory, FIRST))
    assert told(memory) == {}
    remember(memory, SECOND)
    assert only(memory) == WHOLE[2:4]
