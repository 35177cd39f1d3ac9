"""Recalled memory is marked when it is handed out, and recognised when it comes back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from engramma.text import without_recalled, wrapped

pieces = st.sampled_from([*'ab <>/\n\r\\"=&', "engramma-memory", "<engramma-memory>\n", "\n</engramma-memory>"])
texts = st.lists(pieces).map("".join)
plain = st.text(st.characters(blacklist_characters="\r\n<", blacklist_categories=["Cs"]), min_size=1).filter(str.strip)


@given(texts, st.text(max_size=5))
def test_what_was_wrapped_is_taken_out_whole(text: str, attribute: str) -> None:
    assert without_recalled(wrapped(text, source=attribute)) == ""


@given(plain, texts, plain)
def test_what_stands_around_it_stays(before: str, recalled: str, after: str) -> None:
    said = f"{before}\n\n{wrapped(recalled, source='hook')}\n\n{after}"
    assert without_recalled(said) == f"{before}\n\n{after}"


@given(plain)
def test_a_text_without_recalled_memory_is_returned_as_it_is(text: str) -> None:
    assert without_recalled(f"\n{text}\n ") == f"\n{text}\n "


def test_speaking_of_the_mark_is_not_recalled_memory() -> None:
    said = "What does <engramma-memory> mean, and who writes </engramma-memory>?"
    assert without_recalled(said) == said


def test_a_block_inside_json_is_found_and_a_cut_one_reaches_to_the_end() -> None:
    block = wrapped("Ada likes tea", source="mcp", when="now")
    assert "Ada" not in without_recalled(json.dumps({"content": block}))
    assert without_recalled("Hello\n" + block[:-8]) == "Hello"
