"""What graph-query looked for is told in words, with no name of a relation."""

from __future__ import annotations

import pytest

from engramma.apps.query_words import query_words
from tests.commands import ran
from tests.conftest import talk


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who is Rhona's daughter?", "Looked for Rhona's daughter."),
        ("Who are Ross's friends?", "Looked for Ross' friends."),
        ("Where does Rhona's sister live?", "Looked for what Rhona's sister lives in or moved to."),
        ("Where does Rhona work?", "Looked for what Rhona works at, was hired by or founded."),
        ("Who likes tea?", "Looked for everyone and everything that likes, likes best or prefers tea."),
        ("What projects use Postgres?", "Looked for every project that uses, depends on or runs on Postgres."),
        ("When is Ann's birthday?", "Looked for Ann's birthday."),
        ("What did Ann do?", "Looked for what Ann did, ran, attended, went to, took part in or made."),
        ("subject=Ana relation=likes value=tea", "Looked whether Ana likes, likes best or prefers tea."),
        ("What is related to Ann?", "Looked for everything said about or with Ann."),
    ],
)
def test_a_question_is_told_in_words(memory, question, told):
    assert query_words(memory.claims.graph_query(question, 5)) == told


def test_the_command_says_it(memory, tmp_path):
    memory.remember_session("c", "s", talk("Rhona: My daughter Isla lives in Perth."))
    memory.close()
    told = ran("--store", memory.path, "graph-query", "Who is Rhona's daughter?").stderr
    assert told == "Looked for Rhona's daughter.\n"
    assert "has_" not in ran("--store", memory.path, "graph-query", "Sing a song!").stderr
