"""Which of two came first: by their days, or by the words of a text that puts both in order."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engramma import Memory
from engramma.people.answers.first_of_two import order_within
from engramma.people.answers.sentences import find_content_stems
from tests.people.answers.everyday import Session
from tests.people.answers.test_everyday import told

TALKS: dict[str, list[Session]] = {
    "garden": [
        (
            "2025-05-11T09:00",
            [
                "Ferdi: First I dug the pond, then I laid the path, and my back knows it.",
                "Nadine: Hero. Did you oil the gate before the bench?",
                "Lucinda: I planted the quince after the mulberry came, both are in now.",
                "Ferdi: The gate and the bench are oiled.",
                "Nadine: Ms Aigner was a vet and then became a singer.",
                "Lucinda: We fixed the fountain on 3 May and we cleaned the statue on 3 May.",
                "Nadine: I did not paint the fence before the shed, whatever you heard.",
                "Ferdi: If I sell the mower, then I buy the scythe.",
                "Lucinda: Ferdi thinks we built the arbour and then the kiln, which is wrong.",
                "Nadine: We didn't roof the barn until the stable was done.",
            ],
        ),
    ],
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory.open(tmp_path_factory.mktemp("order") / "store") as memory:
        told(memory, TALKS)
        yield memory


@pytest.mark.parametrize(
    ("text", "one", "other", "first"),
    [
        ("First I dug the pond, then I laid the path.", "the pond", "the path", "the pond"),
        (
            "I learned the tenor part before the bass part, for once.",
            "the bass part",
            "the tenor part",
            "the tenor part",
        ),
        ("She was a vet and then became a singer.", "a singer", "a vet", "a vet"),
        ("After the mulberry came, I planted the quince.", "the quince", "the mulberry", "the mulberry"),
        ("Dinner after the film, as always.", "the film", "dinner", "the film"),
        ("Before the concert we had dinner.", "the concert", "dinner", "dinner"),
        ("I wanted to swim, but first I had to run.", "the swim", "the run", "the run"),
        ("We did the museum. After that we went to the zoo.", "the zoo", "the museum", "the museum"),
        ("We went to Rome and before that to Pisa.", "Rome", "Pisa", "Pisa"),
        (
            "Eleven years at the exchange, then the factory until his lungs.",
            "the factory",
            "the exchange",
            "the exchange",
        ),
        ("We sold the boat and the caravan.", "the boat", "the caravan", None),
        ("The boat is older than the caravan.", "the boat", "the caravan", None),
        ("We sold the boat before the winter.", "the boat", "the caravan", None),
    ],
)
def test_words_between_two_things_put_them_in_order(text: str, one: str, other: str, first: str | None) -> None:
    apart = find_content_stems(one) - find_content_stems(other), find_content_stems(other) - find_content_stems(one)
    found = order_within(text, *apart)
    assert (None if found is None else one if found[0] else other) == first


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which did Ferdi do first, the pond or the path?", "the pond"),
        ("Which did Ferdi do last, the pond or the path?", "the path"),
        ("Which did Lucinda plant first, the quince or the mulberry?", "the mulberry"),
        ("What was Ms Aigner first, a singer or a vet?", "a vet"),
    ],
)
def test_what_one_text_puts_in_order_is_answered_from_it(memory: Memory, question: str, answer: str) -> None:
    found = memory.ask(question)
    assert (found.verdict, found.text) == ("answered", answer)
    assert found.quote in found.evidence[0].text


def test_what_nobody_put_in_order_is_no_tie_but_shown(memory: Memory) -> None:
    found = memory.ask("Which did Ferdi oil first, the gate or the bench?")
    assert found.verdict == "unsure"
    assert "same day" not in found.reason
    assert found.evidence


@pytest.mark.parametrize(
    "question",
    [
        "Which did Nadine paint first, the fence or the shed?",
        "Which came first, selling the mower or buying the scythe?",
        "Which was built first, the arbour or the kiln?",
        "Which came first, the barn or the stable?",
    ],
)
def test_what_is_denied_or_supposed_puts_nothing_in_order(memory: Memory, question: str) -> None:
    found = memory.ask(question)
    assert (found.text, found.verdict) == ("", "unsure")


def test_two_that_were_both_said_to_be_of_one_day_are_a_tie(memory: Memory) -> None:
    found = memory.ask("Which came first, the fountain or the statue?")
    assert (found.verdict, found.reason) == ("unsure", "both were said to be on the same day")
