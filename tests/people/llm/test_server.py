"""The model behind the queue is away, slow, failing or used up: nothing is lost, and what it costs is counted."""

from __future__ import annotations

import pytest

from engramma.errors import RemoteFailed
from engramma.people.llm.queue import TRIES
from tests.conftest import talk
from tests.models.chat_server import raw, scripted, silent
from tests.models.servers import Reply, serve
from tests.people.llm.reading import HOMES, is_well, reader
from tests.people.llm.scribe import scribe

__all__ = ["raw", "reader", "serve"]


def test_a_server_that_is_away_costs_nothing_and_nothing_is_lost(serve, reader):
    memory = reader("http://127.0.0.1:9")
    memory.remember_session("c", "s", talk(*HOMES))
    report = memory.llm.extract()
    assert "is the server healthy" in report.ended and report.pieces == 0
    status = memory.llm.status()
    assert (status.waiting, status.later, status.tokens_today) == (1, 0, 0)
    assert status.days[0].failed == 1
    again = reader(serve(scribe()).address)
    assert again.llm.extract().kept == 2


def test_a_piece_that_never_gets_a_reply_is_left_out_in_the_end_if_others_get_theirs(serve, reader):
    def answer(asked):
        if "Oslo" in asked.body["messages"][1]["content"].split("[1]")[1]:
            return Reply(b"no reply of ours")
        return scribe()(asked)

    memory = reader(serve(answer).address, chunk_turns=1)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    for n in range(TRIES - 1):
        report = memory.llm.extract()
        assert (report.failed, report.kept, memory.llm.status().later) == (1, int(n == 0), 1)
        assert memory.llm.extract().requests == 0  # not before its time
        memory.llm.retry()
    assert memory.llm.extract().failed == 1  # nobody was answered: it may be the server
    memory.llm.retry()
    memory.remember_session("c", "later", talk("Ben: I live in Bergen.", day=1, prefix="x"))
    assert memory.llm.extract().ended == "done"
    assert memory.llm.status().pieces == {"failed": 1, "read": 2} and memory.llm.status().waiting == 0
    assert is_well(memory)


def test_a_server_that_only_fails_is_left_alone_after_a_few_questions(serve, reader):
    server = serve(scripted(Reply(b"not json")))
    memory = reader(server.address)
    for n in range(6):
        memory.remember_session("c", f"s{n}", talk(*HOMES[:2], day=n, prefix=f"d{n}-"))
    report = memory.llm.extract()
    assert report.failed == 3 == len(server.asked) and "did not answer in JSON" in report.ended
    assert memory.llm.status().waiting == 6


def test_the_days_limit_holds_before_a_question_is_sent(serve, reader):
    server = serve(scribe())
    memory = reader(server.address, daily_tokens=1_800, max_tokens=300)
    for n in range(40):
        memory.remember_session("c", f"s{n}", talk(*HOMES[:2], day=n, prefix=f"d{n}-"))
    report = memory.llm.extract()
    assert report.ended == "daily limit" and 0 < report.pieces < 40
    assert memory.llm.status().tokens_today <= 1_800
    assert memory.llm.extract().requests == 0
    assert reader(server.address, daily_tokens=0).llm.extract().ended == "done"


def test_a_slow_server_is_given_up_in_time_and_its_question_stays_counted(raw, reader):
    memory = reader(raw(silent).address, timeout=0.05)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    report = memory.llm.extract()
    assert report.failed == 1 and report.ended == "done" and memory.llm.status().later == 1
    assert memory.llm.status().tokens_today > 100  # it may have been read


def test_whoever_asks_the_model_is_counted_and_held_to_the_limit(serve, reader):
    memory = reader(serve(scribe()).address, daily_tokens=5_000)
    model = memory.llm.model()
    assert model is not None
    question = [{"role": "system", "content": "x"}, {"role": "user", "content": "y" * 400}]
    model.complete(question)
    assert memory.llm.status().tokens_today == 60
    with pytest.raises(RemoteFailed, match="daily limit"):
        model.complete([{"role": "user", "content": "y" * 40_000}])
    assert memory.llm.status().tokens_today == 60 and memory.llm.status().days[0].requests == 1
