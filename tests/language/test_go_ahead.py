"""What only drives an assistant on, and what asks for something."""

from __future__ import annotations

import pytest

from engramma.language.go_ahead import only_urges


@pytest.mark.parametrize(
    "said",
    [
        "continue",
        "Continue.",
        "please continue",
        "go ahead",
        "yes, go on",
        "Yes please!",
        "keep going",
        "do it again",
        "run the tests again",
        "rerun the linter",
        "try again",
        "undo the last edit",
        "looks good, thanks",
        "ok, next step",
        "let's do that",
        "yes, do option 2",
        "mach weiter",
        "Ja bitte, nochmal",
        "vas-y, continue",
        "sigue",
        "продолжай",
        "请继续",
        "続けてください",
        "perfect, thank you",
    ],
)
def test_what_only_urges_asks_for_nothing(said: str) -> None:
    assert only_urges(said)


@pytest.mark.parametrize(
    "said",
    [
        "run the tests",
        "run the migration again",
        "commit this",
        "continue with the invoices",
        "what is next?",
        "why?",
        "undo the migration",
        "do we use Redis?",
        "deploy again",
        "",
        "42",
        "thanks, and which port was it?",
        "yes, but use Postgres",
        "mach weiter mit dem Export",
        "yes " * 40,
        "what did we do last?",
        "try pnpm",
    ],
)
def test_what_names_anything_is_asked(said: str) -> None:
    assert not only_urges(said)
