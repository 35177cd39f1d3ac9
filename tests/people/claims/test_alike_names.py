"""Names are found by those that may be the same, without comparing each with each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engramma.people.claims.alike_names import AlikeNames
from engramma.people.claims.values import same_name

# few letters, so that many of them are alike; long enough for one, two and three slips, and beyond
words = st.one_of(st.text("ab", min_size=1, max_size=18), st.text("abcdef", min_size=3, max_size=7))
names = st.lists(words, min_size=1, max_size=4).map(tuple)


@st.composite
def misspelt(draw: st.DrawFn) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A name, and the same with some letters left out, put in or replaced, and words left out at an end."""
    name = draw(names)
    other = []
    for word in name:
        letters = list(word)
        for _ in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(letters)))
            letters[at : at + draw(st.integers(0, 1))] = draw(st.sampled_from([[], ["c"]]))
        other.append("".join(letters) or word)
    cut = draw(st.integers(0, len(name) - 1))
    return name, tuple(draw(st.sampled_from([other[cut:], other[: len(other) - cut]])))


@given(st.lists(names, max_size=12), misspelt())
def test_every_name_that_is_the_same_is_found(others: list[tuple[str, ...]], pair: tuple[tuple[str, ...], ...]):
    kept = AlikeNames[int]()
    stored = [*others, pair[0]]
    for place, name in enumerate(stored):
        kept.put(name, place)
    for asked in (pair[1], *others):
        same = {place for place, name in enumerate(stored) if same_name(name, asked)}
        same |= {place for place, name in enumerate(stored) if sorted(name) == sorted(asked)}
        assert same <= kept.find(asked)


def test_a_name_that_nothing_is_like_finds_nothing():
    kept = AlikeNames[str]()
    kept.put(("rex",), "dog")
    kept.put(("apollo", "websit"), "project")
    assert kept.find(("apollo",)) == {"project"}
    assert kept.find(("apolo", "websit")) == {"project"}
    assert kept.find(("gemini", "websit")) == set()
    assert kept.find(("tex",)) == set()
