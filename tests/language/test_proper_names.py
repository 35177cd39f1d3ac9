"""Names are told by their capital letter, where no sentence begins."""

from __future__ import annotations

import pytest

from engramma.language.proper_names import proper_names, titled_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I want to see Mrs. Adler.", ["Adler"]),
        ("Mrs. Adler called.", ["Adler"]),
        ("Did Jonas, Katharina or (Emil) call on Tuesday in March?", ["Jonas", "Katharina", "Emil"]),
        ("Was 'Quorrax' mentioned? Nobody knows.", ["Quorrax"]),
        ("Call me. Tomorrow is fine, I'm at home.", []),
        ("We met Jonas and Jonas again.", ["Jonas"]),
        ("", []),
    ],
)
def test_names_of_a_text(text, names):
    assert proper_names(text) == names


def test_names_behind_a_title():
    assert titled_names("Ring at Mrs. Adler or at Dr Novak, not at Emil.") == ["Adler", "Novak"]
