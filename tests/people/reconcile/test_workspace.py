"""People through the facade: talk in, a person's memory out, decided, overruled, undone and forgotten."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from engramma import BadInput, Memory, Turn
from engramma.people.reconcile import reconcile_store
from engramma.people.reconcile.workspace import PersonMemory
from engramma.records.people import Decision
from engramma.store.sqlite.database import query
from tests.commands import ran
from tests.fakes import HashEmbedder
from tests.people.made import day

pytestmark = pytest.mark.on("postgres", "encrypted")

Lines = list[tuple[str, str, str]]  # turn id, speaker, text

TALKS: dict[tuple[str, str, str], Lines] = {
    ("conv-41", "s3", "2023-05-15"): [
        ("D3:4", "Maria", "What do you do these days?"),
        ("D3:5", "John", "I work at TechCorp as a software engineer."),
        ("D3:6", "Maria", "I work as a nurse."),
        ("D3:7", "John", "I live in Seattle. I'm dating Sarah."),
    ],
    ("conv-43", "s2", "2023-07-10"): [
        ("D2:3", "Tim", "How is work?"),
        ("D2:4", "John", "I just became team lead at my company."),
    ],
    ("conv-47", "s1", "2023-09-12"): [
        ("D1:6", "James", "Any news?"),
        ("D1:7", "John", "I left my job to start a startup."),
        ("D1:8", "James", "Wow!"),
        ("D1:9", "John", "I moved to Austin for the startup. I'm married to Lisa."),
    ],
}


def tell(memory: Memory, talks: dict[tuple[str, str, str], Lines]) -> None:
    for (conversation, session, when), lines in talks.items():
        turns = [Turn(who, text, day(when) + timedelta(minutes=n), id) for n, (id, who, text) in enumerate(lines)]
        memory.remember_session(conversation, session, turns)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        tell(opened, TALKS)
        yield opened


def john(memory: Memory) -> PersonMemory:
    found = memory.people.get("John")
    assert found is not None
    return found


def of(memory: Memory, entity: str) -> list[Decision]:
    return [decision for decision in memory.people.decisions("John") if decision.entity == entity]


def things(memory: Memory, group: str) -> list[tuple[str, ...]]:
    return [aspect.conversations for aspect in john(memory).aspects if aspect.group == group]


def test_john_is_one_person_through_three_conversations(memory: Memory):
    found = john(memory)
    assert [(talk.conversation, talk.partner) for talk in found.conversations] == [
        ("conv-41", "Maria"),
        ("conv-43", "Tim"),
        ("conv-47", "James"),
    ]
    assert things(memory, "job") == [("conv-41", "conv-43", "conv-47")]
    roles = [period for period in found.timelines["job"] if period.relation != "works_at"]
    assert [period.value for period in roles][:2] == ["software engineer", "team lead"]
    assert "startup" in roles[2].value
    assert [f"{period.since:%B}" for period in roles] == ["May", "July", "September"]
    assert [period.value for period in found.timelines["home"]] == ["Seattle", "Austin"]
    assert [conflict.kind for conflict in found.conflicts if conflict.entity == "home"] == ["evolution"]


def test_decisions_are_stored_with_reason_evidence_and_by_whom(memory: Memory):
    first, second = of(memory, "job")
    assert (first.verdict, first.conversations, first.by) == ("MERGE", ("conv-41", "conv-43"), "policy")
    assert "conv-41/D3:5" in first.evidence
    assert "conv-43/D2:4" in first.evidence
    assert (second.verdict, second.conversations) == ("MERGE", ("conv-43", "conv-47"))
    (apart,) = of(memory, "relationship")
    assert (apart.verdict, set(apart.evidence)) == ("SEPARATE", {"conv-41/D3:7", "conv-47/D1:9"})
    assert [aspect.name for aspect in john(memory).aspects if aspect.group == "relationship"] == [
        "relationship_1",
        "relationship_2",
    ]


def test_things_of_two_people_never_merge(memory: Memory):
    maria = memory.people.get("Maria")
    assert maria is not None
    assert {claim.subject for talk in maria.conversations for claim in talk.claims} == {"Maria"}
    assert [period.value for period in maria.timelines["job"]] == ["nurse"]
    assert all("nurse" not in fact.value for fact in john(memory).facts)
    assert memory.people.decisions("Maria") == []


def test_carolines_career_has_all_its_evidence(tmp_path: Path):
    with Memory.open(tmp_path / "other", embedder=HashEmbedder()) as memory:
        tell(
            memory,
            {
                ("conv-26", "s1", "2023-05-08"): [
                    ("D1:3", "Caroline", "I went to a LGBTQ support group yesterday and it was so powerful."),
                    ("D1:8", "Melanie", "What kind of career are you thinking of?"),
                    ("D1:9", "Caroline", "I'm keen on counseling or working in mental health."),
                    ("D1:10", "Melanie", "You'd be great!"),
                    ("D1:11", "Caroline", "I'd need psychology courses and counseling certification."),
                ],
                ("conv-26", "s4", "2023-06-27"): [
                    ("D4:6", "Melanie", "What kind of counseling do you want to do?"),
                    ("D4:7", "Caroline", "I'm thinking of working with trans people, helping them accept themselves."),
                ],
            },
        )
        caroline = memory.people.get("Caroline")
    assert caroline is not None
    (career,) = [aspect for aspect in caroline.aspects if aspect.group == "job"]
    assert {"conv-26/D1:9", "conv-26/D1:11", "conv-26/D4:7"} <= set(career.evidence)
    assert "conv-26/D1:3" not in career.evidence


def test_reconciling_twice_changes_nothing(memory: Memory):
    before = memory.people.decisions()
    assert memory.people.reconcile().decided == 0
    assert memory.people.decisions() == before
    tell(memory, TALKS)
    assert memory.people.decisions() == before


def test_overruling_undoing_and_reconciling_anew(memory: Memory):
    first = of(memory, "job")[0]
    made = memory.people.overrule(first.id, "SEPARATE", "another John")
    assert (made.by, made.confidence, made.reason) == ("user", 1.0, "another John")
    assert things(memory, "job") == [("conv-41",), ("conv-43", "conv-47")]
    overruled = {decision.id: decision.overruled for decision in of(memory, "job")}
    assert overruled[first.id]
    assert not overruled[made.id]

    more = {("conv-43", "s9", "2023-10-01"): [("D9:1", "John", "I work at TechCorp as a software engineer.")]}
    tell(memory, more)  # everything speaks for one job now
    memory.people.reconcile()
    assert things(memory, "job")[0] == ("conv-41",)

    act = next(act for act in memory.acts.all() if act.detail.get("decision") == made.id)
    memory.undo(act.id)
    assert things(memory, "job") == [("conv-41", "conv-43", "conv-47")]
    assert [decision.overruled for decision in of(memory, "job")] == [False, False]
    assert made.id not in [decision.id for decision in memory.people.decisions()]


def test_overruling_an_overruling_and_undoing_in_any_order(memory: Memory):
    first = of(memory, "job")[0]
    apart = memory.people.overrule(first.id, "SEPARATE")
    again = memory.people.overrule(apart.id, "MERGE")
    assert things(memory, "job") == [("conv-41", "conv-43", "conv-47")]
    acts = {act.detail.get("decision"): act.id for act in memory.acts.all()}
    memory.undo(acts[apart.id])
    assert things(memory, "job") == [("conv-41", "conv-43", "conv-47")]
    assert next(d for d in of(memory, "job") if d.id == first.id).overruled  # the other one still stands
    memory.undo(acts[again.id])
    assert not next(d for d in of(memory, "job") if d.id == first.id).overruled


def test_a_user_may_merge_what_the_policy_keeps_apart(memory: Memory):
    (apart,) = of(memory, "relationship")
    memory.people.overrule(apart.id, "MERGE", "Lisa is called Sarah by her friends")
    assert things(memory, "relationship") == [("conv-41", "conv-47")]


@pytest.mark.parametrize(
    ("id", "verdict"), [(0, "MERGE"), (999, "MERGE"), (True, "MERGE"), ("1", "MERGE"), (1, "merge"), (1, None)]
)
def test_a_wrong_overruling_says_so_and_changes_nothing(memory: Memory, id: object, verdict: object):
    before = memory.people.decisions()
    with pytest.raises(BadInput):
        memory.people.overrule(id, verdict)  # type: ignore[arg-type]
    assert memory.people.decisions() == before


def test_a_secret_in_a_reason_is_masked(memory: Memory):
    made = memory.people.overrule(of(memory, "job")[0].id, "SEPARATE", "see ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    assert "ghp_" not in made.reason
    assert "ghp_" not in str(memory.people.decisions())


def test_what_is_forgotten_takes_its_decisions_with_it_and_back(memory: Memory):
    before = memory.people.decisions()
    memory.people.overrule(of(memory, "relationship")[0].id, "MERGE")
    forgotten = memory.forget(conversation="conv-47")
    assert all("conv-47" not in str(decision) for decision in memory.people.decisions())
    assert [talk.conversation for talk in john(memory).conversations] == ["conv-41", "conv-43"]
    assert forgotten.act is not None
    memory.undo(forgotten.act)
    assert [(d.entity, d.verdict) for d in memory.people.decisions() if d.by != "user"] == [
        (d.entity, d.verdict) for d in before
    ]
    assert things(memory, "relationship") == [("conv-41", "conv-47")]  # what the user said stands again


def test_what_is_purged_leaves_no_decision_behind(memory: Memory):
    memory.people.decisions()
    memory.people.overrule(of(memory, "relationship")[0].id, "MERGE")
    memory.purge(conversation="conv-47")
    assert all("conv-47" not in str(decision) and "Lisa" not in str(decision) for decision in memory.people.decisions())
    data = b"".join(file.read_bytes() for file in memory.path.rglob("*") if file.is_file())
    assert b"Lisa" not in data


def test_people_are_listed_with_those_of_most_conversations_first(memory: Memory):
    first, *others = memory.people.all()
    assert (first.name, first.conversations) == ("John", 3)
    assert "Maria" in [person.name for person in others]


def test_nobody_of_that_name_is_none(memory: Memory):
    assert memory.people.get("Zebedee") is None
    assert memory.people.decisions("Zebedee") == []
    with pytest.raises(BadInput):
        memory.people.get(" ")
    with pytest.raises(BadInput):
        memory.people.reconcile("Zebedee")


def test_namespaces_know_nothing_of_each_other(memory: Memory):
    before = memory.people.decisions()
    with Memory.open(memory.path, "other", embedder=HashEmbedder()) as other:
        assert other.people.get("John") is None
        assert other.people.decisions() == []
        tell(other, {("conv-43", "s2", "2023-07-10"): TALKS["conv-43", "s2", "2023-07-10"]})
        assert [talk.conversation for talk in john(other).conversations] == ["conv-43"]
    assert memory.people.decisions() == before


def test_only_those_who_were_spoken_of_are_touched(memory: Memory):
    memory.people.decisions()
    tell(memory, {("conv-50", "s1", "2023-12-01"): [("D1:1", "Maria", "I live in Boston.")]})
    memory.claims.extract()
    waiting = memory._core.store.all("unsettled_people", limit=100)
    names = [memory._core.store.one("entity_get", key=row["person"])["name"] for row in waiting]  # type: ignore[index]
    assert names == ["Maria"]
    assert memory.people.reconcile().people == 1
    assert memory._core.store.all("unsettled_people", limit=100) == []


def chats(first: int, beyond: int) -> dict[tuple[str, str, str], Lines]:
    line = ("D1:1", "Ana", "I live in Seattle.")
    return {(f"chat-{n:03}", "s1", f"2024-{1 + n // 28:02}-{1 + n % 28:02}"): [line] for n in range(first, beyond)}


def test_of_somebody_in_very_many_conversations_only_the_latest_are_decided_anew(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(reconcile_store, "LATEST", 10)
    tell(memory, chats(0, 8))
    before = memory.people.decisions("Ana")
    assert len(before) == 7
    for n in range(8, 40, 4):
        tell(memory, chats(n, n + 4))
        memory.people.reconcile()
    after = memory.people.decisions("Ana")
    assert [decision for decision in after if decision.id <= before[-1].id] == before
    assert [decision.conversations for decision in after] == [(f"chat-{n:03}", f"chat-{n + 1:03}") for n in range(39)]
    with monkeypatch.context() as whole:
        whole.setattr(reconcile_store, "LATEST", 1_000)
        assert memory.people.reconcile("Ana").dropped == 0


WORKER = """
import json, sys
from engramma import Memory
from tests.fakes import HashEmbedder
with Memory.open(sys.argv[1], embedder=HashEmbedder()) as memory:
    for _ in range(3):
        memory.people.reconcile()
        memory.people.get("John")
    print(json.dumps(len(memory.people.decisions())))
"""


@pytest.mark.long
@pytest.mark.not_on("postgres", "encrypted")
def test_many_processes_decide_everything_once(memory: Memory):
    workers = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(memory.path)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    counts = [json.loads(worker.communicate()[0]) for worker in workers]
    assert set(counts) == {len(memory.people.decisions())}
    rows = [(d.entity, d.conversations) for d in memory.people.decisions()]
    assert len(rows) == len(set(rows))
    assert memory.people.reconcile().decided == 0


@pytest.mark.not_on("postgres", "encrypted")
@pytest.mark.parametrize(
    "name",
    [
        "unsettled_people",
        "unsettled_of",
        "claim_keys_by_relations",
        "decisions_of_people",
        "turn_key_at",
        "turns_of_decision",
        "speakers_of_conversations",
    ],
)
def test_what_reconciling_reads_is_looked_up_and_never_walked(memory: Memory, name: str):
    """A walk over all rows of a namespace would make one new session dearer as the store grows."""
    sql = query(name, {"ns": 1})
    given = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
    with closing(sqlite3.connect(memory.path / "memory.db")) as connection:
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", given)]
    walks = [step for step in plan if "(ns=?)" in step and "unsettled" not in step]
    assert walks == []
    assert not any(step.startswith("SCAN") and "VIRTUAL TABLE" not in step for step in plan)


def cli(memory: Memory, *arguments: str) -> subprocess.CompletedProcess[str]:
    return ran("--store", memory.path, *arguments)


@pytest.mark.not_on("postgres", "encrypted")
def test_the_commands_show_a_person_and_overrule(memory: Memory):
    assert "John" in cli(memory, "people").stdout.splitlines()[0]
    shown = cli(memory, "person", "John").stdout
    assert "works as a software engineer (until 2023-07-10)  conv-41" in shown and "D3:5" not in shown
    listed = json.loads(cli(memory, "decisions", "John", "--json").stdout)
    first = next(one for one in listed if one["entity"] == "job")
    done = cli(memory, "overrule", str(first["id"]), "separate", "--reason", "another John")
    assert "by user" in done.stdout
    assert "(overruled)" in cli(memory, "decisions").stdout
    (act,) = re.findall(r"engramma undo (\d+)", done.stderr)
    assert cli(memory, "undo", act).returncode == 0
    assert "(overruled)" not in cli(memory, "decisions").stdout


@pytest.mark.not_on("encrypted")
def test_the_commands_say_what_is_wrong(memory: Memory):
    for arguments in (
        ("person", "Zebedee"),
        ("overrule", "999", "merge"),
        ("overrule", "1", "perhaps"),
        ("people", "--llm"),
    ):
        result = cli(memory, *arguments)
        assert result.returncode == 1
        assert result.stderr.startswith("engramma: ")
        assert "Traceback" not in result.stderr
