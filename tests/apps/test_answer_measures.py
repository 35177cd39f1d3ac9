"""What `ask --explain` says of an answer's confidence can be read: each figure has its meaning."""

from __future__ import annotations

import pytest

from engramma.apps.answer_measures import LEAST, MEANINGS, measure_lines
from engramma.apps.render import answer_lines
from tests.conftest import talk


@pytest.fixture
def answer(memory):
    memory.remember_session("c", "s", talk("Ann: I moved to Oban on 3 May.", "Ben: I bought a boat in Leith."))
    return memory.ask("Where did Ann move to?")


def test_every_figure_of_an_answer_has_its_meaning(answer):
    figures = {name for name, value in answer.trace.items() if isinstance(value, int | float)}
    assert {"known", "about", LEAST} <= figures <= {*MEANINGS, LEAST}
    first, *lines = measure_lines(answer)
    assert first.startswith(f"confidence   {answer.confidence:.2f}  how likely")
    assert [line.split()[0] for line in lines] == [name for name in MEANINGS if name in figures]
    assert all(line.split(maxsplit=2)[2].startswith(MEANINGS[line.split()[0]]) for line in lines)


def test_the_threshold_stands_with_what_it_is_of(answer):
    (line,) = (line for line in answer_lines(answer, explain=True) if line.startswith("  known"))
    assert line.endswith(f"below {answer.trace[LEAST]:.2f} there is no answer where somebody is named")
