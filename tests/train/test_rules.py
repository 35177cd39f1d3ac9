"""The rules that make pairs: plain Python, no torch."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.train import made_up
from train import clauses, leakage, longmemeval, paraphrase, person, questions, settings, sources, validation, verbs


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("What degree did I graduate with?", "What degree did Emma graduate with?"),
        ("How many followers do I currently have?", "How many followers does Emma currently have?"),
        ("Where have I lived since my divorce?", "Where has Emma lived since her divorce?"),
        ("What is my dog called that I love?", "What is Emma's dog called that she loves?"),
        ("Who gave me the mixer?", "Who gave Emma the mixer?"),
        ("I'm planning a trip. Can you remind me?", "Emma is planning a trip. Can Ben remind her?"),
        ("What did you recommend to me?", "What did Ben recommend to Emma?"),
    ],
)
def test_the_first_person_becomes_a_name(first: str, third: str) -> None:
    assert person.to_third(first, "Emma", "Ben", "f") == third


def test_pronouns_follow_the_gender() -> None:
    assert person.to_third("Did I sell my car?", "Omar", gender="m") == "Did Omar sell his car?"
    assert person.to_third("Did I sell my car?", "Kim", gender="n") == "Did Kim sell their car?"


@pytest.mark.parametrize(
    ("base", "forms"),
    [
        ("go", ("goes", "went", "gone", "going")),
        ("try", ("tries", "tried", "tried", "trying")),
        ("stop", ("stops", "stopped", "stopped", "stopping")),
        ("make", ("makes", "made", "made", "making")),
    ],
)
def test_verbs_are_inflected(base: str, forms: tuple[str, ...]) -> None:
    assert (verbs.third_person(base), verbs.past(base), verbs.participle(base), verbs.gerund(base)) == forms


def _asked(sentence: str) -> set[str]:
    words = made_up.words()
    found = list(clauses.clauses(sentence, words))
    return {text for clause in found for _, text in questions.asked(clause, words, random.Random(0))}


def test_a_statement_gives_questions_of_many_forms() -> None:
    asked = _asked("I bought my bicycle at the market last week.")
    assert "When did I buy my bicycle at the market?" in asked
    assert "Where did I buy my bicycle?" in asked
    assert "What did I buy at the market?" in asked
    assert "Did I buy my bicycle at the market?" in asked
    assert "Have I ever bought my bicycle at the market?" in asked


def test_company_and_reasons_are_asked_for() -> None:
    assert "Who did I go to the concert with?" in _asked("I went to the concert with my sister.")
    assert "Why did I go to the market?" in _asked("I went to the market because it rained.")


def test_likes_are_asked_for_as_preferences() -> None:
    words = made_up.words()
    [clause] = clauses.clauses("I enjoy green tea with honey.", words)
    kinds = {kind for kind, _ in questions.asked(clause, words, random.Random(0))}
    assert "preference" in kinds


def test_a_paraphrase_keeps_the_question_and_changes_a_word() -> None:
    other = paraphrase.paraphrased("When did I paint the fence?", made_up.words(), random.Random(1))
    assert other is not None and other != "When did I paint the fence?" and other.startswith("When did I ")


def test_a_third_of_the_questions_is_kept_apart_with_its_sessions(tmp_path: Path) -> None:
    data = longmemeval.read(made_up.inputs(tmp_path).longmemeval)
    asked, sessions = longmemeval.trainable(data)
    apart = [question for question in data.questions if longmemeval.is_kept_apart(question.key)]
    assert apart and not {question.key for question in asked} & {question.key for question in apart}
    kept = {number for question in apart for number in question.sessions}
    assert not kept & {session.number for session in sessions}


def test_evidence_strings_are_repaired() -> None:
    places = {"D30:5": 1, "D11:26": 2, "D1:3": 3}
    assert validation.evidence(["D30:05", "D:11:26; D9:9 D1:3"], places) == [1, 2, 3]


def test_shared_runs_of_words_are_found() -> None:
    said = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    assert leakage.overlap([f"So: {said}!"], [said])[:2] == (2, 2)
    assert leakage.overlap(["nothing in common"], [said])[0] == 0


def test_the_everyday_pairs_are_half_paraphrases() -> None:
    labels = [label for _, _, label in validation.everyday()]
    assert (labels.count(1), labels.count(0)) == (100, 100)


def test_every_share_of_a_batch_names_a_kind_of_pair() -> None:
    config = settings.load()
    assert set(config.finetune.shares) == set(config.corpus.kinds) - {"rewrite", "window"}  # those two change turns


def test_every_source_has_a_licence_and_none_is_locomo() -> None:
    listed = sources.listed().values()
    assert all(source.licence and source.use for source in listed)
    assert not [source.name for source in listed if "locomo" in source.name.lower()]
