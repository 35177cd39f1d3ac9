"""A model reads what was said later, once, and whatever it replies: killed anywhere, nothing is lost or doubled."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from engramma import Memory, Turn
from engramma.errors import BadInput
from tests.conftest import talk
from tests.fakes import HashEmbedder
from tests.models.chat_server import said, scripted
from tests.models.servers import serve
from tests.people.llm.reading import HOMES, is_well, reader
from tests.people.llm.scribe import claims_of, scribe

__all__ = ["reader", "serve"]


def by_model(memory: Memory) -> list[tuple[str, str, str]]:
    found = [claim for claim in memory.claims.all(limit=10_000) if claim.method != "rules"]
    return sorted((claim.turn_ids[0], claim.subject, claim.value) for claim in found)


def test_without_a_model_nothing_is_asked_and_the_message_helps(memory):
    memory.remember_session("c", "s", talk(*HOMES))
    with pytest.raises(BadInput, match=r"No model is configured[\s\S]*\[llm\]"):
        memory.llm.extract()
    assert memory.llm.status().model is None and memory.llm.model() is None


def test_what_waits_is_read_once_and_counted(serve, reader):
    server = serve(scribe())
    memory = reader(server.address, price_in=2.0, price_out=10.0)
    memory.remember_session("c", "s", talk(*HOMES))
    assert memory.llm.status().waiting == 1 and server.asked == []
    report = memory.llm.extract()
    assert (report.pieces, report.requests, report.proposed, report.kept, report.ended) == (2, 2, 2, 2, "done")
    assert by_model(memory) == [("t1", "Ana", "Lyon"), ("t2", "Ben", "Oslo")]
    assert memory.llm.extract().requests == 0
    status = memory.llm.status()
    assert (status.waiting, status.pieces, status.kept) == (0, {"read": 2}, 2)
    (day,) = status.days
    assert (day.model, day.requests, day.prompt_tokens, day.completion_tokens) == ("small", 2, 100, 20)
    assert day.cost == pytest.approx(0.0004)
    assert is_well(memory)


def test_claims_of_a_model_stand_beside_those_of_the_rules(serve, reader):
    memory = reader(serve(scribe()).address)
    memory.remember_session("c", "s", talk(*HOMES))
    before = memory.claims.all(person="Ana", relation="lives_in")
    memory.llm.extract()
    after = memory.claims.all(person="Ana", relation="lives_in")
    assert {claim.id for claim in before} < {claim.id for claim in after}
    assert {claim.method for claim in after} == {"rules", "small"}
    by_small = next(claim for claim in after if claim.method == "small")
    assert (by_small.quote, by_small.speaker, by_small.conversation) == ("I live in Lyon", "Ana", "c")
    assert ("Where does Ana live?", "Lyon") in by_small.questions


def test_open_sessions_wait_until_they_are_closed(serve, reader):
    server = serve(scribe())
    memory = reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES), close=False)
    assert memory.llm.extract().requests == 0 and memory.llm.status().open == 1
    memory.close_session("c", "s")
    assert memory.llm.extract().kept == 2


def test_of_a_session_that_goes_on_only_what_is_new_is_read(serve, reader):
    server = serve(scribe())
    memory = reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES))
    memory.llm.extract()
    memory.remember_session("c", "s", talk(*HOMES, "Ben: I live in Bergen."))
    report = memory.llm.extract()
    assert report.requests == 1  # the last piece: two turns stand in the first
    assert by_model(memory) == [("t1", "Ana", "Lyon"), ("t2", "Ben", "Oslo"), ("t4", "Ben", "Bergen")]
    assert is_well(memory)


def test_a_hybrid_cut_reads_every_turn_once(serve, reader):
    server = serve(scribe())
    memory = reader(server.address, chunks="hybrid")
    lines = [f"Ana: I live in Town{n}." for n in range(30)]
    memory.remember_session("c", "s", talk(*lines))
    memory.llm.extract()
    assert len(by_model(memory)) == 30
    shown = [len(one.body["messages"][1]["content"].split("\n[")) for one in server.asked]
    assert len(shown) >= 3


def test_another_model_reads_only_when_told(serve, reader):
    server = serve(scribe())
    memory = reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES))
    memory.llm.extract()
    other = reader(server.address, model="large")
    assert other.llm.extract().requests == 0
    other.llm.retry(everything=True)
    assert other.llm.extract().kept == 2
    assert {claim.method for claim in other.claims.all()} == {"rules", "large"}
    assert len(by_model(other)) == 2
    assert {day.model for day in other.llm.status().days} == {"small", "large"}


# --- what it replies -----------------------------------------------------------------------------


def test_an_unreadable_reply_is_asked_for_again_then_counted_and_left(serve, reader):
    server = serve(scripted(said("Sorry, I cannot.")))
    memory = reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    report = memory.llm.extract()
    assert (report.requests, report.unreadable, report.kept, report.ended) == (2, 1, 0, "done")
    assert "no valid JSON" in server.asked[1].body["messages"][-1]["content"]
    assert memory.llm.status().pieces == {"unreadable": 1} and memory.llm.extract().requests == 0
    memory.llm.retry()
    assert memory.llm.extract().requests == 2


def test_of_a_reply_that_was_cut_off_what_is_whole_is_kept_and_the_cut_is_told(serve, reader):
    def cut(asked):
        whole = json.dumps({"claims": claims_of(asked.body["messages"][1]["content"])})
        return said(whole[:-40], finish="length")

    memory = reader(serve(cut).address)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    report = memory.llm.extract()
    assert (report.kept, dict(report.dropped)) == (1, {"cut": 1})
    assert by_model(memory) == [("t1", "Ana", "Lyon")]


def test_a_second_reply_may_be_better(serve, reader):
    memory = reader(serve(scripted(said("{"), scribe())).address)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    assert memory.llm.extract().kept == 2


def test_lies_are_dropped_and_counted_by_reason(serve, reader):
    def lying(asked):
        (good, _) = claims_of(asked.body["messages"][1]["content"])
        wrong = [
            {"quote": "I live on Mars"},
            {"speaker": "Ben"},
            {"value": "Paris"},
            {"subject": "Ben"},
            {"turns": [7]},
        ]
        return said(json.dumps({"claims": [good, *({**good, **one} for one in wrong)]}))

    memory = reader(serve(lying).address)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    report = memory.llm.extract()
    assert (report.proposed, report.kept) == (6, 1)
    assert dict(report.dropped) == {"quote": 1, "speaker": 1, "value": 1, "subject": 1, "shape": 1}
    assert memory.llm.status().dropped == dict(report.dropped)
    assert by_model(memory) == [("t1", "Ana", "Lyon")]


def test_aliases_and_names_of_a_model_become_entities(serve, reader):
    entities = [{"name": "Copenhagen Opera", "type": "organisation", "aliases": ["Opera", "Ana"]}]
    memory = reader(serve(scripted(said(json.dumps({"entities": entities, "claims": []})))).address)
    memory.remember_session("c", "s", talk("Ana: The Copenhagen Opera was full. Nice, that Opera."))
    memory.llm.extract()
    found = memory.claims.entity("Copenhagen Opera")
    assert found is not None and found.entity.type == "organisation"
    assert "Opera" in {one.name for one in found.names}
    assert memory.llm.status().dropped == {"alias": 1}
    assert is_well(memory)


def test_names_in_another_case_or_of_the_other_turns_leave_no_entity_that_nothing_names(serve, reader):
    given = [("The Sound Archive", "organisation"), ("ANN", "person"), ("Annabel", "person"), ("Oslo", "person")]
    entities = [{"name": name, "type": kind, "aliases": []} for name, kind in given]
    memory = reader(serve(scripted(said(json.dumps({"entities": entities, "claims": []})))).address)
    memory.remember_session("c", "s", talk("Annabel: The sound archive it is.", "Ben: Ann, that's in OSLO!"))
    memory.llm.extract()
    assert is_well(memory)
    assert {name.name for name in memory.claims.entity("Annabel").names} >= {"Annabel", "Ann"}


def test_limit_stop_and_newest_first(serve, reader):
    server = serve(scribe())
    memory = reader(server.address)
    for n in range(3):
        memory.remember_session("c", f"s{n}", talk(*HOMES[:2], day=n, prefix=f"d{n}-"))
    assert memory.llm.extract(limit=1).ended == "limit"
    assert {turn for turn, _, _ in by_model(memory)} == {"d2-1", "d2-2"}
    assert memory.llm.extract(is_over=lambda: True).ended == "stopped"
    seen = []
    memory.llm.extract(progress=lambda done, total, so_far: seen.append((done, total)))
    assert seen[-1] == (2, 2)
    with pytest.raises(BadInput, match="limit"):
        memory.llm.extract(limit=0)


# --- what is written meanwhile, forgotten or taken away ------------------------------------------


def test_what_was_written_while_it_was_read_is_read_again(serve, reader, tmp_path):
    def answer(asked):
        if len(server.asked) == 1:
            with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as other:
                other.remember_session("c", "s", talk(*HOMES[:2], "Ben: I live in Bergen."))
        return scribe()(asked)

    server = serve(answer)
    memory = reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    assert memory.llm.extract().pieces == 0  # what it read is no longer what is there
    assert memory.llm.extract().ended == "done"
    assert [value for _, _, value in by_model(memory)] == ["Lyon", "Oslo", "Bergen"]


def test_forgotten_turns_are_not_shown_and_their_session_is_read_again(serve, reader):
    server = serve(scribe())
    memory = reader(server.address, chunk_turns=5)
    memory.remember_session("c", "s", talk(*HOMES))
    memory.llm.extract()
    memory.forget(conversation="c", speaker="Ben")
    assert by_model(memory) == []
    memory.llm.extract()
    assert "Oslo" not in server.asked[-1].body["messages"][1]["content"]
    assert by_model(memory) == [("t1", "Ana", "Lyon")]
    assert is_well(memory)


def test_a_purge_leaves_nothing_of_what_was_read(serve, reader, tmp_path):
    memory = reader(serve(scribe()).address)
    memory.remember_session("c", "s", talk("Ana: I live in Quixeramobim.", "Ben: Where is that?"))
    memory.llm.extract()
    memory.purge(conversation="c", speaker="Ana")
    assert by_model(memory) == [] and memory._core.store.all("llm_outcomes") == []
    data = b"".join(path.read_bytes() for path in (tmp_path / "store").rglob("*") if path.is_file())
    assert b"Quixeramobim" not in data


def test_namespaces_are_read_apart_and_go_whole(serve, reader, tmp_path):
    server = serve(scribe())
    memory = reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES))
    config = replace(memory.config)
    with Memory.open(tmp_path / "store", "other", embedder=HashEmbedder(), config=config) as other:
        assert other.llm.extract().requests == 0 and other.llm.status().blocks == 0
        other.remember_session("c", "s", talk(*HOMES))
        assert other.llm.extract().kept == 2
    assert memory.llm.status().waiting == 1
    memory.namespaces.delete("other")
    for table in ("llm_outcomes", "llm_drops"):
        assert memory._core.store.all(table) == []
    rows = memory._core.store.database.all("llm_usage_listed", {"ns": other._core.store.ns, "limit": 10})
    assert rows == []


def test_only_one_process_asks_at_a_time(serve, reader):
    inner = []

    def answer(asked):
        inner.append(second.llm.extract().ended)
        return scribe()(asked)

    server = serve(answer)
    memory, second = reader(server.address), reader(server.address)
    memory.remember_session("c", "s", talk(*HOMES[:2]))
    assert memory.llm.extract().ended == "done"
    assert inner == ["busy"]


# --- killed --------------------------------------------------------------------------------------

KILLS = 4
RUN = """
import sys
from engramma import Memory
from tests.fakes import HashEmbedder
with Memory.open(sys.argv[1], embedder=HashEmbedder()) as memory:
    print("open", flush=True)
    print(memory.llm.extract().ended)
"""


@pytest.mark.long
def test_killed_at_any_point_and_resumed_nothing_is_lost_or_doubled(serve, tmp_path):
    server = serve(scribe(0.03))
    folder = tmp_path / "store"
    folder.mkdir(mode=0o700)
    settings = f'[llm]\nurl = "{server.address}"\nmodel = "small"\nchunks = "turns"\nchunk_turns = 1\n'
    (folder / "config.toml").write_text(settings, encoding="utf-8")
    expected = []
    with Memory.open(folder, embedder=HashEmbedder()) as memory:
        for n in range(4):
            turns = [
                Turn("Ana", f"I live in Town{n}x{i}.", datetime(2026, 1, n + 1, 9, i, tzinfo=UTC), f"{n}-{i}")
                for i in range(6)
            ]
            memory.remember_session("c", f"s{n}", turns)
            expected += [(turn.id, "Ana", turn.text[10:-1]) for turn in turns]
    random.seed(8)
    kills = 0
    for _ in range(40):
        process = subprocess.Popen([sys.executable, "-c", RUN, str(folder)], stdout=subprocess.PIPE, encoding="utf-8")
        assert process.stdout is not None and process.stdout.readline() == "open\n"
        time.sleep(random.uniform(0.0, 0.3))
        if kills < KILLS and process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        rest, _ = process.communicate()
        if rest == "done\n":
            break
    assert kills == KILLS
    with Memory.open(folder, embedder=HashEmbedder()) as memory:
        assert by_model(memory) == sorted(expected)
        status = memory.llm.status()
        assert (status.waiting, status.pieces, status.kept) == (0, {"read": 24}, 24)
        (day,) = status.days
        # Every question is counted before it is sent; one that was killed on its way is asked again.
        assert len(server.asked) <= day.requests <= len(server.asked) + kills
        assert 24 <= len(server.asked) <= 24 + kills
        assert is_well(memory)
