"""Three layers over claims: what is merged, what is kept apart, what changed and what contradicts."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import pytest

from engramma.language.spelling import share_in_order
from engramma.people.claims import values
from engramma.people.reconcile.policy import decide
from engramma.people.reconcile.reconcile import Ruling, conversation_memory, life_lines, person_memory, session_facts
from engramma.people.reconcile.workspace import PersonMemory
from engramma.records.people import Claim, Decision
from tests.people.made import AUSTIN, CAREER, JOB_1, JOB_2, JOHNS_JOB, LISA, PARTNERS, SARAH, SEATTLE, said

pytestmark = pytest.mark.on("postgres", "encrypted")


def known(claims: Sequence[Claim], standing: Sequence[Decision] = (), person: str = "John") -> PersonMemory:
    return person_memory(person, claims, PARTNERS, standing)[0]


def rulings(claims: Sequence[Claim], standing: Sequence[Decision] = (), person: str = "John") -> tuple[Ruling, ...]:
    return person_memory(person, claims, PARTNERS, standing)[1]


def by_user(ruling: Ruling, verdict: str, id: int = 7) -> Decision:
    return Decision(
        id,
        verdict,
        "John",
        ruling.entity,
        ruling.conversations,
        "I know",
        ruling.verdict.evidence,
        1.0,
        "user",  # type: ignore[arg-type]
    )


# --- the design's examples ---------------------------------------------------------------------------


def test_johns_job_is_one_with_a_timeline_through_three_conversations():
    john = known(JOHNS_JOB)
    (job,) = john.aspects
    assert (job.name, job.conversations) == ("job", ("conv-41", "conv-43", "conv-47"))
    roles = [period for period in john.timelines["job"] if period.relation in ("works_as", "founded")]
    assert [period.value for period in roles] == ["software engineer", "team lead", "founder of startup"]
    assert [f"{period.since:%B %Y}" for period in roles] == ["May 2023", "July 2023", "September 2023"]
    assert [period.until and f"{period.until:%B}" for period in roles] == ["July", "September", None]
    employer = next(period for period in john.timelines["job"] if period.relation == "works_at")
    assert employer.value == "TechCorp"
    assert employer.until is not None
    assert f"{employer.until:%B}" == "September"


def test_each_step_of_johns_job_is_a_decision_with_reason_and_evidence():
    first, second = rulings(JOHNS_JOB)
    assert [r.verdict.verdict for r in (first, second)] == ["MERGE", "MERGE"]
    assert first.conversations == ("conv-41", "conv-43")
    assert second.conversations == ("conv-43", "conv-47")
    assert {"conv-41/D3:5", "conv-43/D2:4"} <= set(first.verdict.evidence)
    assert "conv-47/D1:7" in second.verdict.evidence
    assert "software engineer" in first.verdict.reason
    assert "team lead" in first.verdict.reason
    assert "TechCorp" in first.verdict.reason  # "my company" may well be it
    assert 0.5 < first.verdict.confidence < 1


def test_two_relationships_are_kept_apart():
    john = known([SARAH, LISA])
    assert [aspect.name for aspect in john.aspects] == ["relationship_1", "relationship_2"]
    (ruling,) = rulings([SARAH, LISA])
    assert ruling.verdict.verdict == "SEPARATE"
    assert "Sarah" in ruling.verdict.reason
    assert "Lisa" in ruling.verdict.reason
    assert set(ruling.verdict.evidence) == {"conv-41/D5:2", "conv-47/D3:1"}
    assert ruling.verdict.confidence > 0.7


def test_seattle_to_austin_is_evolution():
    john = known([SEATTLE, AUSTIN])
    (conflict,) = john.conflicts
    assert conflict.kind == "evolution"
    assert "moved between May 2023 and September 2023" in conflict.note
    assert john.contradictions == ()
    assert [period.value for period in john.timelines["home"]] == ["Seattle", "Austin"]
    assert [ruling.verdict.verdict for ruling in rulings([SEATTLE, AUSTIN])] == ["MERGE"]


def test_carolines_career_is_one_across_sessions():
    caroline = conversation_memory("Caroline", "conv-26", ("Melanie",), CAREER)
    (career,) = caroline.aspects
    assert career.group == "job"
    assert career.evidence == ("conv-26/D1:9", "conv-26/D1:11", "conv-26/D4:7")
    assert caroline.partner == "Melanie"


# --- layer 1 and 2 -----------------------------------------------------------------------------------


def test_what_is_said_twice_in_a_session_is_one_fact():
    facts = session_facts(
        [
            said("Caroline", "plans", "Caroline's career", "conv-26/D1:2", "2023-05-08"),
            said("Caroline", "plans", "the career plan", "conv-26/D1:6", "2023-05-08"),
            said("Caroline", "plans", "a garden", "conv-26/D1:8", "2023-05-08"),
        ]
    )
    assert [(fact.value, len(fact.claims)) for fact in facts] == [("Caroline's career", 2), ("a garden", 1)]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("hiking", "hikes", True),
        ("Sara", "Sarah", True),
        ("software engineer", "a software engineer", True),
        ("2 dogs", "3 dogs", False),
        ("dog", "dog food", False),
        ("Austin", "Justin", False),
        ("son", "sun", False),
    ],
)
def test_values_are_the_same_by_their_words_or_nearly_their_spelling(one: str, other: str, is_same: bool):
    facts = session_facts(
        [said("A", "likes", one, "c/D1:1", "2023-05-08"), said("A", "likes", other, "c/D1:2", "2023-05-08")]
    )
    assert (len(facts) == 1) is is_same


def test_a_denial_is_not_merged_with_what_it_denies():
    likes = said("A", "likes", "olives", "c/D1:1", "2023-05-08")
    not_at_all = said("A", "likes", "olives", "c/D1:2", "2023-05-08", negated=True)
    assert len(session_facts([likes, not_at_all])) == 2


def test_things_of_two_people_never_merge():
    marias = [
        said("Maria", "works_as", "software engineer", "conv-41/D3:6", "2023-05-15"),
        said("Maria", "works_at", "TechCorp", "conv-41/D3:6", "2023-05-15"),
    ]
    both = [*JOB_1, *marias]
    john = conversation_memory("John", "conv-41", ("Maria",), both)
    assert {claim.subject for claim in john.claims} == {"John"}
    assert {claim.subject for claim in known(both).aspects[0].claims} == {"John"}
    one, other = known(both).aspects[0], known(both, person="Maria").aspects[0]
    with pytest.raises(ValueError, match="one person"):
        decide(one, other)


def test_what_others_say_of_a_person_counts_for_that_person():
    by_maria = said("Maria", "works_at", "TechCorp", "conv-41/D9:1", "2023-06-01", of="John")
    job = known([*JOB_1, by_maria]).aspects[0]
    fact = next(fact for fact in job.facts if fact.relation == "works_at")
    assert fact.mentioned_by == ("John", "Maria")


# --- change and contradiction ------------------------------------------------------------------------


def test_two_homes_at_one_time_are_a_contradiction_with_both_quotes():
    boston = said("John", "lives_in", "Boston", "conv-43/D1:1", "2023-05-12", "I live in Boston")
    (conflict,) = known([SEATTLE, boston]).contradictions
    assert conflict.kind == "contradiction"
    assert (conflict.earlier.quote, conflict.later.quote) == ("I live in Seattle", "I live in Boston")
    (ruling,) = rulings([SEATTLE, boston])
    assert ruling.verdict.verdict == "SEPARATE"


def test_two_homes_with_time_between_are_a_change():
    boston = said("John", "lives_in", "Boston", "conv-43/D1:1", "2023-08-12", "I live in Boston")
    assert [conflict.kind for conflict in known([SEATTLE, boston]).conflicts] == ["evolution"]


def test_what_comes_back_without_a_word_of_change_is_a_contradiction():
    boston = said("John", "lives_in", "Boston", "conv-43/D1:1", "2023-08-12", "I live in Boston")
    again = said("John", "lives_in", "Seattle", "conv-41/D8:1", "2023-11-12", "I live in Seattle")
    assert "contradiction" in [conflict.kind for conflict in known([SEATTLE, boston, again]).conflicts]


def test_a_word_of_change_makes_it_a_change_within_days():
    boston = said("John", "lives_in", "Boston", "conv-43/D1:1", "2023-05-12", "I've just moved, I live in Boston now")
    assert [conflict.kind for conflict in known([SEATTLE, boston]).conflicts] == ["evolution"]


def test_another_speaker_disagrees_and_does_not_end_what_somebody_says_of_themselves():
    maria = said("Maria", "lives_in", "Boston", "conv-41/D4:1", "2023-08-12", "John lives in Boston", of="John")
    john = known([SEATTLE, maria])
    assert [conflict.kind for conflict in john.contradictions] == ["disagreement"]
    assert [(period.value, period.until) for period in john.timelines["home"]] == [("Seattle", None)]


def test_two_roles_in_one_breath_both_hold():
    roles = [
        said("John", "works_as", role, "conv-41/D3:5", "2023-05-15", "I'm a teacher and a coach")
        for role in ("teacher", "coach")
    ]
    john = known(roles)
    assert john.conflicts == ()
    assert [(period.value, period.until) for period in john.timelines["job"]] == [("coach", None), ("teacher", None)]


def test_plans_and_questions_are_no_states():
    plan = said("John", "moved_to", "Austin", "conv-47/D2:2", "2023-09-14", "I might move to Austin", modality="plan")
    asked = said(
        "John", "lives_in", "Denver", "conv-47/D2:3", "2023-09-14", "Do I live in Denver?", modality="question"
    )
    assert [period.value for period in known([SEATTLE, plan, asked]).timelines["home"]] == ["Seattle"]


def test_a_denial_ends_what_it_denies():
    no_more = said("John", "lives_in", "Seattle", "conv-41/D9:2", "2023-07-01", "I don't live in Seattle", negated=True)
    (period,) = known([SEATTLE, no_more]).timelines["home"]
    assert period.until == no_more.said_at


def test_a_break_up_ends_that_relationship_and_no_other():
    left = said("John", "broke_up_with", "Sarah", "conv-41/D9:2", "2023-07-01", "Sarah and I broke up")
    john = known([SARAH, left, LISA])
    assert [(p.value, p.until) for p in john.timelines["relationship"]] == [("Sarah", left.said_at), ("Lisa", None)]


# --- layer 3 -----------------------------------------------------------------------------------------


def test_a_shared_name_merges_though_the_times_overlap():
    again = said("John", "works_at", "TechCorp", "conv-43/D1:1", "2023-05-16", "work at TechCorp is busy")
    (ruling,) = rulings([*JOB_1, again])
    assert (ruling.verdict.verdict, ruling.verdict.confidence) == ("MERGE", 0.9)


def test_two_employers_at_one_time_stay_apart():
    other = said("John", "works_at", "Initech", "conv-43/D1:1", "2023-05-16", "I work at Initech")
    (ruling,) = rulings([*JOB_1, other])
    assert ruling.verdict.verdict == "SEPARATE"
    assert {"conv-41/D3:5", "conv-43/D1:1"} == set(ruling.verdict.evidence)


def test_what_is_unclear_stays_apart_with_low_confidence():
    vague = said("John", "dating", "girlfriend", "conv-43/D1:1", "2023-07-16", "my girlfriend loves it")
    (ruling,) = rulings([vague, LISA])
    assert ruling.verdict.verdict == "SEPARATE"
    assert ruling.verdict.confidence < 0.5
    assert "unclear" in ruling.verdict.reason


def test_a_pet_of_the_same_name_is_the_same_and_another_name_asks_no_question():
    max_1 = said("John", "has_pet", "Max", "conv-41/D1:1", "2023-05-01", "my dog Max")
    max_2 = said("John", "has_pet", "Max", "conv-43/D1:1", "2023-06-01", "Max barks")
    luna = said("John", "has_pet", "Luna", "conv-47/D1:1", "2023-06-02", "Luna sleeps")
    (ruling,) = rulings([max_1, max_2, luna])
    assert (ruling.entity, ruling.verdict.verdict) == ("pet Max", "MERGE")
    assert [aspect.name for aspect in known([max_1, max_2, luna]).aspects] == ["pet Max", "pet Luna"]


def test_the_order_in_which_claims_come_changes_nothing():
    claims = [*JOHNS_JOB, SARAH, LISA, SEATTLE, AUSTIN]
    expected = person_memory("John", claims, PARTNERS)
    for seed in range(10):
        mixed = random.Random(seed).sample(claims, len(claims))
        assert person_memory("John", mixed, PARTNERS) == expected


def test_a_user_overrules_and_the_rest_is_decided_anew():
    merge, later = rulings(JOHNS_JOB)
    standing = [by_user(merge, "SEPARATE")]
    john = known(JOHNS_JOB, standing)
    assert [aspect.conversations for aspect in john.aspects] == [("conv-41",), ("conv-43", "conv-47")]
    again = rulings(JOHNS_JOB, standing)
    assert [(r.conversations, r.overruled_by) for r in again] == [(("conv-41", "conv-43"), 7), (later.conversations, 0)]


def test_a_user_merges_what_the_policy_keeps_apart():
    (apart,) = rulings([SARAH, LISA])
    assert [a.conversations for a in known([SARAH, LISA], [by_user(apart, "MERGE")]).aspects] == [
        ("conv-41", "conv-47")
    ]


def test_the_users_latest_word_counts():
    (apart,) = rulings([SARAH, LISA])
    standing = [by_user(apart, "MERGE", 7), by_user(apart, "SEPARATE", 8)]
    assert len(known([SARAH, LISA], standing).aspects) == 2


def test_a_users_decision_stays_when_more_is_said():
    (first,) = rulings([*JOB_1, *JOB_2])
    more = said("John", "works_at", "TechCorp", "conv-43/D5:1", "2023-08-01", "TechCorp is great")
    john = known([*JOB_1, *JOB_2, more], [by_user(first, "SEPARATE")])
    assert len(john.aspects) == 2


def test_a_users_decision_is_about_the_things_it_names():
    mia = said("John", "dating", "Mia", "conv-47/D6:1", "2023-12-01", "I'm seeing Mia")
    apart = next(r for r in rulings([SARAH, LISA, mia]) if "conv-47/D3:1" in r.verdict.evidence)
    john = known([SARAH, LISA, mia], [by_user(apart, "MERGE")])
    assert [{claim.value for claim in aspect.claims} for aspect in john.aspects] == [{"Sarah", "Lisa"}, {"Mia"}]


def test_a_job_that_was_left_is_not_the_business_that_was_founded():
    told_again = said("John", "left_job", "job", "conv-47/D9:1", "2023-11-01", "since I left my job")
    john = known([*JOHNS_JOB, told_again])
    assert john.timelines["job"][-1].until is None
    sold = said("John", "left_job", "startup", "conv-47/D9:2", "2023-12-01", "I left the startup")
    assert known([*JOHNS_JOB, sold]).timelines["job"][-1].until == sold.said_at


def test_what_a_job_was_like_is_no_role():
    hard = said("John", "works_as", "hard", "conv-41/D4:1", "2023-05-20", "my job was hard")
    assert [period.value for period in known([*JOB_1, hard]).timelines["job"]] == ["software engineer", "TechCorp"]


def test_founding_a_club_is_no_job():
    club = said("John", "founded", "chess club", "conv-47/D4:1", "2023-10-01", "I founded a chess club")
    roles = [period.value for period in known((*JOHNS_JOB, club)).timelines["job"] if period.relation == "works_as"]
    assert roles == ["software engineer", "team lead", "founder of startup"]


def test_a_thousand_claims_of_one_person_take_little_time():
    names = ["Bruno", "Cleo", "Dotty", "Emil", "Frida", "Gustav", "Hazel", "Ivo", "Juno", "Kaspar"]
    relations = ("has_pet", "works_on", "lives_in", "has_child")
    made = [
        said(
            "John",
            relations[n % 4],
            names[n // 4 % 10],
            f"c{n // 8}/D1:{n % 8}",
            f"20{10 + n // 250}-01-{1 + n % 28:02}",
        )
        for n in range(1_000)
    ]
    start = time.process_time()
    found = known(made)
    assert time.process_time() - start < 8  # about half a second
    assert len([aspect for aspect in found.aspects if aspect.group == "pet"]) == len(names)


@pytest.mark.parametrize("talks", [1, 4])
def test_things_are_not_compared_each_with_each(talks: int, monkeypatch: pytest.MonkeyPatch):
    compared = 0

    def counted(one: str, other: str) -> float:
        nonlocal compared
        compared += 1
        return share_in_order(one, other)

    monkeypatch.setattr(values, "share_in_order", counted)
    dice = random.Random(11)
    syllables = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "za")
    made = [
        said(
            "John",
            relation,
            "".join(dice.choices(syllables, k=3)).capitalize(),
            f"c{n % talks}/D1:{n}",
            f"2020-01-{1 + n % 28:02}",
        )
        for n in range(400)
        for relation in ("has_pet", "works_on", "has_relative")
    ]
    known(made)
    assert compared < 30 * len(made)  # each with each: more than 200 times as many as there are


def test_timelines_and_conflicts_alone_are_those_of_the_whole_memory():
    for claims in (JOHNS_JOB, [*JOB_1, *JOB_2], [SEATTLE, AUSTIN, *JOHNS_JOB], [SARAH, LISA], ()):
        mixed = random.Random(5).sample(list(claims), len(claims))
        for person in {claim.subject for claim in mixed} | {"John"}:
            whole = known(mixed, person=person)
            assert life_lines(person, mixed) == (whole.timelines, whole.conflicts)
