"""Claims in the store: they come with turns, go with them, and are the same whoever extracts them and how often."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from engramma import Config, Memory, Turn
from engramma.admin.doctor import doctor
from engramma.people.claims import store as claims_module
from engramma.people.claims.extract import METHOD
from engramma.people.claims.store import BLOCK, RULES, claims_up_to_date, put_claims, waiting
from engramma.people.entities.entities import Resolver
from engramma.people.reconcile.decisions import decision_get, put_decision, read_decisions
from engramma.records.people import Claim, Decision
from engramma.store.store import Store
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
SAID = (
    ("Ana", "I work at TechCorp."),
    ("Bo", "Nice. I live in Lisbon."),
    ("Ana", "My dog Biscuit loves the beach."),
    ("Bo", "You work at TechCorp, right?"),
)


def opened(path, **options) -> Memory:
    return Memory.open(path / "store", embedder=HashEmbedder(), **options)


def turns(said=SAID, start=START, prefix="t"):
    return [Turn(who, text, start + timedelta(minutes=n), f"{prefix}{n}") for n, (who, text) in enumerate(said)]


@pytest.fixture
def memory(tmp_path):
    with opened(tmp_path) as memory:
        memory.remember_session("talk", "one", turns())
        yield memory


def told(memory: Memory) -> set[tuple[str, str, str]]:
    return {(c.subject, c.relation, c.value) for c in memory.claims.all(limit=1000)}


def dump(memory: Memory) -> list[Claim]:
    return sorted(memory.claims.all(limit=10_000), key=lambda claim: claim.id)


def well(memory: Memory) -> bool:
    return [check for check in doctor(memory._core) if not check.ok] == []


def bytes_of(folder) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def model_claim(value: str = "remote", **fields) -> Claim:
    quote = fields.pop("quote", "I work at TechCorp")
    given = {"turn_ids": ("t0",), "id": f"model-{value}", "said_at": START, "quote": quote, "start": 0, **fields}
    place = {"conversation": "talk", "session": "one", "speaker": "Ana", "method": "small-model"}
    return Claim("Ana", "person", "works_as", value, "role", **{**place, **given})


# --- catching up ---------------------------------------------------------------------------------


def test_what_was_said_is_claimed_with_its_source(memory):
    (claim,) = memory.claims.all("Ana", "works_at")[-1:]
    assert (claim.subject, claim.value, claim.speaker) == ("Ana", "TechCorp", "Ana")
    assert (claim.conversation, claim.session, claim.turn_ids) == ("talk", "one", ("t0",))
    assert claim.quote in SAID[0][1] and SAID[0][1][claim.start :].startswith(claim.quote)
    assert ("Bo", "lives_in", "Lisbon") in told(memory)
    assert well(memory)


def test_extracting_twice_changes_nothing(memory):
    before = dump(memory)
    assert before and memory.claims.extract() == 0
    with memory._core.store.transaction():  # all of it once more
        memory._core.store.run("extraction_done", session=1, block=0, version=0)
    assert waiting(memory._core.store) == 1
    assert memory.claims.extract() == 1
    assert dump(memory) == before
    assert well(memory)


def test_writing_talk_extracts_nothing_and_a_people_call_catches_up(memory):
    assert waiting(memory._core.store) == 1
    assert memory._core.store.all("claim_relations") == []
    memory.claims.all()
    assert waiting(memory._core.store) == 0
    memory.remember_session("talk", "two", turns([("Bo", "I moved to Porto.")], prefix="u"))
    assert waiting(memory._core.store) == 1
    assert "Porto" in {claim.value for claim in memory.claims.all("Bo")}


def test_new_rules_extract_everything_anew(memory, monkeypatch):
    before = dump(memory)
    monkeypatch.setattr(claims_module, "RULES", RULES + 1)
    assert waiting(memory._core.store) == 1
    assert memory.claims.extract() == 1
    assert dump(memory) == before


def test_many_who_extract_at_once_write_everything_once(tmp_path, memory):
    for n in range(12):
        memory.remember_session("talk", f"more {n}", turns(prefix=f"m{n}-"))
    memories = [opened(tmp_path) for _ in range(4)]
    threads = [threading.Thread(target=claims_up_to_date, args=(one._core.store,)) for one in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in memories:
        one.close()
    ids = [claim.id for claim in memory.claims.all(limit=10_000)]
    assert len(ids) == len(set(ids)) and waiting(memory._core.store) == 0
    assert len([row for row in memory.entities.all() if row.name == "TechCorp"]) == 1
    assert well(memory)


def test_one_who_is_killed_while_writing_leaves_nothing_half_done(memory, monkeypatch):
    real = claims_module.put_mentions

    def killed(*given):
        real(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(claims_module, "put_mentions", killed)
    with pytest.raises(KeyboardInterrupt):
        memory.claims.extract()
    assert (
        memory._core.store.all("claim_relations") == [] and memory._core.store.all("entity_types", everything=1) == []
    )
    monkeypatch.undo()
    assert told(memory) and well(memory)


def test_what_changed_while_it_was_read_is_not_written(memory, monkeypatch):
    real = claims_module.claims_in

    def slow(*given):
        found = real(*given)
        monkeypatch.undo()
        memory.forget(query="Lisbon")
        return found

    monkeypatch.setattr(claims_module, "claims_in", slow)
    memory.claims.extract()
    assert ("Bo", "lives_in", "Lisbon") not in told(memory)


def test_a_long_session_that_goes_on_costs_one_block(memory):
    long = [("Ana" if n % 2 else "Bo", f"I like thing{n} very much.") for n in range(2 * BLOCK + 50)]
    memory.remember_session("long", "one", turns(long))
    assert memory.claims.extract() == 4
    before = {claim.id for claim in memory.claims.all(conversation="long", limit=5000)}
    assert len(before) >= 2 * BLOCK
    memory.remember_session("long", "one", turns([*long, ("Ana", "I work at Globex.")]))
    assert memory.claims.extract() == 1
    after = {claim.id for claim in memory.claims.all(conversation="long", limit=5000)}
    assert before < after


# --- going with the turns ------------------------------------------------------------------------


def test_a_forgotten_turn_hides_its_claims_and_undo_brings_the_very_same_back(memory):
    before, names = dump(memory), memory.entities.all()
    act = memory.forget(query="Lisbon").act
    assert ("Bo", "lives_in", "Lisbon") not in told(memory)
    assert memory.claims.entity("Lisbon") is None
    assert well(memory)
    memory.undo(act)
    assert dump(memory) == before
    assert {row.name for row in memory.entities.all()} == {row.name for row in names}


@pytest.mark.not_on("encrypted")
def test_a_purged_word_is_in_no_table(tmp_path, memory):
    assert b"Lisbon" in bytes_of(memory.path)
    memory.claims.all()
    memory.purge(query="Lisbon")
    assert b"lisbon" not in bytes_of(memory.path).lower()
    assert ("Ana", "works_at", "TechCorp") in told(memory), "the rest of the session is extracted again"
    assert well(memory)
    memory.purge(conversation="talk")
    assert told(memory) == set() and memory.entities.all() == []
    assert b"techcorp" not in bytes_of(memory.path).lower()


@pytest.mark.not_on("encrypted")
def test_an_alias_that_only_a_purged_turn_gave_goes_with_it(tmp_path):
    with opened(tmp_path) as memory:
        memory.remember_session("a", "one", turns([("Ana", "I work at Tech Corp.")]))
        memory.remember_session("b", "one", turns([("Bo", "I work at TechCorp."), ("Bo", "TechCorp is big.")]))
        (entity,) = memory.entities.all("organisation")
        assert {entity.name, *entity.aliases} == {"TechCorp", "Tech Corp"}
        memory.purge(conversation="b")
        (entity,) = memory.entities.all("organisation")
        assert (entity.name, entity.aliases) == ("Tech Corp", ())
        assert b"TechCorp" not in bytes_of(memory.path)
        assert well(memory)


@pytest.mark.not_on("encrypted")
def test_a_redaction_scan_rewords_claims(tmp_path):
    secret = "AKIA" + "QX7RZ2WLM4TB9DKP"
    with opened(tmp_path, config=Config(redact={"enabled": False})) as memory:
        memory.remember_session("talk", "one", turns([("Ana", f"I like {secret} and I live in Lisbon.")]))
        assert any(secret in claim.quote for claim in memory.claims.all())
    with opened(tmp_path) as memory:
        memory.redact_stored(apply=True)
        assert not any(secret in repr(claim) for claim in memory.claims.all())
        assert ("Ana", "lives_in", "Lisbon") in told(memory)
        assert secret.encode() not in bytes_of(memory.path)
        assert well(memory)


def test_a_document_that_changed_is_extracted_again(tmp_path):
    path = tmp_path / "plan.md"
    rest = "The team meets on Mondays in the old library and writes down what was decided there."
    path.write_text(f"# Plan\n\nAtlas uses Python. {rest}\n", encoding="utf-8")
    with opened(tmp_path) as memory:
        memory.documents.ingest(path, name="plan.md")
        assert "Python" in {claim.value for claim in memory.claims.all()}
        path.write_text(f"# Plan\n\nAtlas uses Rust. {rest}\n", encoding="utf-8")
        memory.documents.ingest(path, name="plan.md")
        values = {claim.value for claim in memory.claims.all()}
        assert "Rust" in values and "Python" not in values
        assert not memory.entities.all("person"), "the headings above a chunk are nobody"
        assert well(memory)


@pytest.mark.not_on("encrypted")
def test_a_deleted_namespace_takes_its_claims_with_it(tmp_path, memory):
    with Memory.open(tmp_path / "store", "other", embedder=HashEmbedder()) as other:
        other.remember_session("talk", "one", turns([("Cleo", "I live in Timbuktu.")]))
        assert ("Cleo", "lives_in", "Timbuktu") in told(other)
    assert "Cleo" not in {row.name for row in memory.entities.all()}
    memory.namespaces.delete("other")
    assert b"Timbuktu" not in bytes_of(memory.path)


# --- facts ---------------------------------------------------------------------------------------


def test_the_same_said_twice_is_one_fact_with_two_claims(memory):
    facts = [
        fact for fact in memory.claims.entity("Ana").facts if fact.relation == "works_at" and fact.modality == "fact"
    ]
    (fact,) = facts
    assert fact.mentioned_by[0] == "Ana"
    memory.remember_session("talk", "two", turns([("Bo", "Ana works at Tech Corp.")], prefix="u"))
    (fact,) = [f for f in memory.claims.entity("Ana").facts if f.relation == "works_at" and f.modality == "fact"]
    assert set(fact.mentioned_by) == {"Ana", "Bo"} and len(fact.claims) >= 2
    assert fact.confidence > max(claim.confidence for claim in fact.claims)


# --- claims of a model ---------------------------------------------------------------------------


def add_model_claims(store: Store, conversation: str, session: str, claims: Iterable[Claim]) -> int:
    """Write claims that a model made of a session, in one transaction; those known by their ids, or resting on turns
    that are gone or hidden by now, are left out. Returns how many were written."""
    with store.transaction():
        found = store.session(conversation, session)
        if found is None:
            return 0
        rows = [row for row in store.all("turns_of_session", session=found.key) if not row["hidden"]]
        at, blocks = {row["id"]: row for row in rows}, defaultdict(list)
        for claim in claims:
            if all(id in at for id in claim.turn_ids) and claim.method != METHOD:
                blocks[at[claim.turn_ids[0]]["position"] // BLOCK].append(claim)
        count = 0
        for block, some in sorted(blocks.items()):
            known = {row["id"] for row in store.all("claim_ids", session=found.key, block=block)}
            fresh = [claim for claim in some if claim.id not in known]
            put_claims(store, found.key, block, rows, fresh, Resolver(store, found.key), made_by=1)
            count += len(fresh)
        return count


def test_claims_of_a_model_stand_beside_those_of_the_rules_and_outlast_them(memory):
    memory.claims.all()
    assert add_model_claims(memory._core.store, "talk", "one", [model_claim()]) == 1
    assert add_model_claims(memory._core.store, "talk", "one", [model_claim()]) == 0
    assert ("Ana", "works_as", "remote") in told(memory)
    memory.remember_session("talk", "one", [*turns(), Turn("Bo", "I like tea.", START + timedelta(hours=1), "t9")])
    assert {("Ana", "works_as", "remote"), ("Bo", "likes", "tea")} <= told(memory)
    memory.forget(query="TechCorp")
    assert ("Ana", "works_as", "remote") not in told(memory) and well(memory)


def test_a_claim_whose_words_nobody_said_is_not_kept(memory):
    lies = [model_claim("astronaut", quote="I fly to the moon"), model_claim("diver", turn_ids=("t77",))]
    add_model_claims(memory._core.store, "talk", "one", lies)
    assert not {"astronaut", "diver"} & {claim.value for claim in memory.claims.all()}


# --- decisions -----------------------------------------------------------------------------------


def decided(store, verdict="MERGE", by="policy", overrules=None) -> Decision:
    made = Decision(0, verdict, "Ana", "job", ("talk", "other"), "one after the other", ("talk/t0",), 0.8, by)
    with store.transaction():
        turns = store.keys("turns_with_id", id="t0", conversation="talk", session=None)
        return put_decision(store, made, turns.tolist(), overrules)


def test_a_decision_is_an_act_that_can_be_overruled_and_undone(memory):
    first = decided(memory._core.store)
    assert decided(memory._core.store) == first, "said twice, it is one"
    second = decided(memory._core.store, "SEPARATE", "user", overrules=first.id)
    assert decision_get(memory._core.store, first.id) == replace(first, overruled=True)
    memory.undo(memory.acts.all(1)[0].id)
    assert read_decisions(memory._core.store, "Ana") == [first]
    assert decision_get(memory._core.store, second.id) is None
    assert well(memory)


@pytest.mark.not_on("encrypted")
def test_a_decision_goes_with_the_turns_it_rests_on(memory):
    decided(memory._core.store)
    act = memory.forget(query="TechCorp").act
    assert read_decisions(memory._core.store) == []
    memory.undo(act)
    assert len(read_decisions(memory._core.store)) == 1
    memory.purge(query="TechCorp")
    assert read_decisions(memory._core.store) == []
    assert b"one after the other" not in bytes_of(memory.path)
    assert well(memory)
