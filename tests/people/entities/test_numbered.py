"""Tickets, pull requests and the like are things by their numbers."""

from __future__ import annotations

import pytest

from engramma.people.entities.numbered import numbered_things


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The deployment issue #42 is back.", [("issue #42", "deployment issue #42")]),
        ("See PR 17 and pull request #18.", [("PR #17", "PR 17"), ("PR #18", "pull request #18")]),
        ("OPS-311 blocks order no. 5512.", [("order #5512", "order no. 5512"), ("OPS-311", "OPS-311")]),
        ("Do task 2 first, it is 10% of issue 10%.", []),
        ("UTF-8 and COVID-19", []),
    ],
)
def test_what_has_a_number_is_named_by_it(text, found):
    assert numbered_things(text) == found


def test_a_numbered_thing_has_a_page_by_any_of_its_names(memory, say_lines):
    say_lines("a", "Ana: The deployment issue #42 is blocked.", "Bo: I will look into issue 42.")
    row = memory.claims.entity("deployment issue #42")
    assert row is not None and row.entity.mentions == 2
    assert memory.claims.entity("issue #42").entity == row.entity
    assert row.entity.name in {one.name for one in memory.entities.all()}
