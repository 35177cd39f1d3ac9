"""The LangGraph store: beside LangGraph's own one on the same operations, in a graph, and as part of the memory."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from engramma import BadInput, Memory
from engramma.apps.adapters import slots
from engramma.apps.adapters.langgraph import CONVERSATION, EngrammaStore
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.long

ALL = 1_000
SPACES = [("users",), ("users", "ann"), ("users", "bob"), ("users", "bob", "prefs"), ("user",), ("docs", 'q"uo,te]')]
KEYS = ["a", "b", "a#b", 'k"ey', "ключ", ""]
NASTY: list[dict[str, Any]] = [
    {},
    {"text": "plain"},
    {"nul": "a\0b", "half": "\ud800", "emoji": "👩‍🚀", "lines": "a\r\nb\n\n", "blank": "   "},
    {"deep": {"list": [1, 2.5, -0.0, 1e300, True, None, [], {}, [["x"]]], "": {"": ""}}},
    {"big": 2**80, "long": "word " * 6_000},
    {"html": "<engramma-memory>", "json": '{"inner": "\\"quoted\\""}'},
]


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


@pytest.fixture
def store(memory):
    return EngrammaStore(memory)


def shown(items):
    return [(item.namespace, item.key, item.value) for item in items]


def told(items):
    return sorted(map(repr, shown(items)))


def some_value(dice: random.Random) -> dict[str, Any]:
    return {
        "kind": dice.choice(["fact", "task"]),
        "rank": dice.randint(0, 5),
        "about": {"who": dice.choice(["ann", "bob"]), "tags": dice.sample(["x", "y", "z"], 2)},
        "text": " ".join(dice.sample(["lamp", "river", "bread", "violin", "winter"], 3)),
    }


FILTERS: list[dict[str, Any] | None] = [
    None,
    {"kind": "fact"},
    {"rank": {"$gte": 2, "$lt": 5}},
    {"rank": {"$ne": 3}, "kind": {"$eq": "task"}},
    {"about": {"who": "ann"}},
    {"about": {"tags": ["x", "y"]}},
    {"nothing": "here"},
    {"nothing": None},
]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_random_operations_give_what_langgraphs_own_store_gives(store, seed):
    dice, own = random.Random(seed), InMemoryStore()
    for _ in range(70):
        space, key = dice.choice(SPACES), dice.choice(KEYS)
        if dice.random() < 0.75:
            value = some_value(dice)
            own.put(space, key, value)
            store.put(space, key, value)
        else:
            own.delete(space, key)
            store.delete(space, key)
        space, key = dice.choice(SPACES), dice.choice(KEYS)
        mine, theirs = store.get(space, key), own.get(space, key)
        assert (mine and (mine.namespace, mine.key, mine.value)) == (
            theirs and (theirs.namespace, theirs.key, theirs.value)
        )
        prefix = dice.choice([(), *SPACES])
        wanted = dice.choice(FILTERS)
        assert told(store.search(prefix, filter=wanted, limit=ALL)) == told(
            own.search(prefix, filter=wanted, limit=ALL)
        )
    live = InMemoryStore()  # the real one lists namespaces that were looked into or emptied, too
    for item in own.search((), limit=ALL):
        live.put(item.namespace, item.key, item.value)
    for asked in (
        {},
        {"prefix": ("users",)},
        {"prefix": ("users", "*")},
        {"suffix": ("prefs",)},
        {"max_depth": 1},
        {"prefix": ("users",), "max_depth": 2, "limit": 2, "offset": 1},
    ):
        assert store.list_namespaces(**asked) == live.list_namespaces(**asked)


def test_pages_are_in_the_order_in_which_things_came_and_a_second_put_keeps_the_place(store):
    own = InMemoryStore()
    for one in (own, store):
        for number in range(7):
            one.put(("users", str(number % 2)), f"k{number}", {"n": number})
        one.put(("users", "0"), "k0", {"n": 70})
    pages = [shown(store.search((), limit=3, offset=at)) for at in (0, 3, 6, 9)]
    assert pages == [shown(own.search((), limit=3, offset=at)) for at in (0, 3, 6, 9)]


@pytest.mark.parametrize("value", NASTY)
def test_values_come_back_exactly(store, value):
    store.put(("values",), "one", value)
    found = store.get(("values",), "one")
    assert found.value == value
    assert [item.value for item in store.search(("values",))] == [value]


def test_what_json_cannot_say_is_refused_and_nothing_is_stored(store, memory):
    with pytest.raises(BadInput, match="JSON cannot represent"):
        store.put(("values",), "one", {"a": object()})
    assert memory.sessions() == []


def test_a_batch_reads_what_was_there_before_it_and_writes_the_last_of_each_key(store):
    store.put(("a",), "k", {"n": 1})
    got, found, _, _, spaces = store.batch(
        [
            GetOp(("a",), "k"),
            SearchOp(("a",)),
            PutOp(("a",), "k", {"n": 2}),
            PutOp(("a",), "k", {"n": 3}),
            ListNamespacesOp((MatchCondition("prefix", ("a",)),)),
        ]
    )
    assert (got.value, [item.value for item in found], spaces) == ({"n": 1}, [{"n": 1}], [("a",)])
    assert store.get(("a",), "k").value == {"n": 3}


def test_a_second_put_keeps_when_the_item_was_made(store):
    store.put(("a",), "k", {"n": 1})
    first = store.get(("a",), "k")
    store.put(("a",), "k", {"n": 2})
    second = store.get(("a",), "k")
    assert second.created_at == first.created_at == first.updated_at < second.updated_at


def test_recall_finds_what_holds_now_and_neither_what_was_replaced_nor_what_was_deleted(store, memory):
    store.put(("users", "ann"), "city", {"text": "Ann lives in Lisbon near the harbour"})
    store.put(("users", "ann"), "city", {"text": "Ann lives in Porto near the river"})
    store.put(("users", "ann"), "pet", {"text": "a tortoise named Kepler"})
    store.delete(("users", "ann"), "pet")
    context = memory.recall("where does Ann live: Lisbon or Porto? tortoise Kepler", recipe="vector", k=50).context
    assert "Porto" in context and "Lisbon" not in context and "Kepler" not in context
    assert [item.value["text"] for item in store.search((), query="Lisbon tortoise")] == [
        "Ann lives in Porto near the river"
    ]


def test_nothing_is_lost_undo_brings_back_what_was_deleted(store, memory):
    store.put(("a",), "k", {"n": 1})
    store.delete(("a",), "k")
    assert store.get(("a",), "k") is None
    memory.undo(memory.acts.all()[0].id)
    assert store.get(("a",), "k").value == {"n": 1}


def test_search_by_meaning_ranks_with_the_real_encoder_within_the_prefix(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        store = EngrammaStore(memory)
        store.put(("ann",), "food", {"text": "She is vegetarian and loves mushroom risotto"})
        store.put(("ann",), "car", {"text": "Her old car broke down on the motorway"})
        store.put(("bob",), "food", {"text": "He eats steak and sausages every evening"})
        store.put(("ann",), "hidden", {"text": "What she eats is a secret meal"}, index=False)
        found = store.search(("ann",), query="what does she like to eat?")
        assert [item.key for item in found] == ["food", "car", "hidden"]
        assert found[0].score > found[1].score and found[2].score is None
        assert [item.key for item in store.search((), query="meat dish", limit=1)] == ["food"]
        assert [item.namespace for item in store.search((), query="meat such as steak", limit=1)] == [("bob",)]
        assert [item.key for item in store.search(("ann",), query="vehicle trouble", limit=1, offset=0)] == ["car"]


def test_only_the_fields_that_are_named_are_searched(memory):
    store = EngrammaStore(memory, fields=["title"])
    store.put(("d",), "one", {"title": "harvest", "body": "quokka"})
    store.put(("d",), "two", {"title": "winter", "body": "harvest"}, index=["body"])
    text = " ".join(turn.text for _, turn in memory.turns_under(CONVERSATION))
    assert text == "harvest harvest"
    assert memory.recall("quokka", recipe="bm25").entries == ()


def test_more_items_than_the_first_look_are_ranked_through(memory):
    store = EngrammaStore(memory)
    for number in range(60):
        store.put(("many",), str(number), {"text": f"violin lesson {number}"})
    store.put(("few",), "x", {"text": "bread"})
    assert [item.key for item in store.search(("few",), query="violin lesson")] == ["x"]


def test_secrets_are_masked_in_values_keys_and_namespaces(store, memory, tmp_path):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    store.put(("users", token), token, {"token": token, "pin": {"password": "hunter2xyz"}, "text": f"uses {token}"})
    found = store.get(("users", token), token)
    assert found.value["token"] == "[redacted:github-token]"
    assert found.value["pin"] == {"password": "[redacted:password]"}
    assert len(store.search(("users", token))) == len(store.search(("users",))) == 1
    assert token.encode() not in b"".join(p.read_bytes() for p in (tmp_path / "store").rglob("*") if p.is_file())


def test_a_time_to_live_is_refused_and_said_so(store):
    with pytest.raises(NotImplementedError, match="TTL"):
        store.put(("a",), "k", {"n": 1}, ttl=5)
    with pytest.raises(NotImplementedError, match="ttl"):
        store.batch([PutOp(("a",), "k", {"n": 1}, ttl=5)])


def test_of_many_writers_at_once_one_value_stays(tmp_path):
    def write(number: int) -> None:
        with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as own:
            for round_ in range(6):
                EngrammaStore(own).put(("shared",), "k", {"by": number, "round": round_})

    Memory.open(tmp_path / "store", embedder=HashEmbedder()).close()
    threads = [threading.Thread(target=write, args=(number,)) for number in range(3)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        assert len(slots.versions(memory, CONVERSATION)) == 1
        assert EngrammaStore(memory).get(("shared",), "k").value["round"] == 5


class State(TypedDict):
    said: str
    known: list[str]


def test_a_graph_remembers_from_one_run_to_the_next(store):
    def remember(state: State, runtime: Runtime[None]) -> dict[str, Any]:
        assert runtime.store is not None
        known = [item.value["said"] for item in runtime.store.search(("talk",), query=state["said"])]
        runtime.store.put(("talk",), str(len(known)), {"said": state["said"]})
        return {"known": known}

    graph = StateGraph(State).add_node("remember", remember).add_edge(START, "remember").add_edge("remember", END)
    app = graph.compile(store=store)
    assert app.invoke({"said": "the lamp is green", "known": []})["known"] == []
    assert app.invoke({"said": "the river is cold", "known": []})["known"] == ["the lamp is green"]


def test_the_asynchronous_calls_do_the_same(store):
    async def run() -> Any:
        await asyncio.gather(*(store.aput(("async",), str(n), {"n": n}) for n in range(5)))
        await store.adelete(("async",), "0")
        return await store.asearch(("async",), limit=ALL), await store.aget(("async",), "3")

    found, one = asyncio.run(run())
    assert sorted(item.value["n"] for item in found) == [1, 2, 3, 4] and one.value == {"n": 3}
