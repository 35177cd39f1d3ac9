"""Chunks: blocks joined under their headings, cut only where they must be, and nothing lost but noise."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from engramma.documents.chunk import LEAST_CHARACTERS, TARGET_CHARACTERS, TARGET_TOKENS, cut_document
from engramma.records import Block, BlockKind, Chunk, Document


def cut(*blocks: Block) -> tuple[Chunk, ...]:
    return cut_document(Document("a.md", "markdown", blocks))


def lengths(*blocks: Block) -> list[int]:
    return [len(chunk.text) for chunk in cut(*blocks)]


def x(length: int, *headings: str, kind: BlockKind = "paragraph") -> Block:
    return Block("x" * length, headings, kind)


def test_the_numbers_are_these() -> None:
    assert (TARGET_TOKENS, TARGET_CHARACTERS, LEAST_CHARACTERS) == (512, 2048, 20)


def test_a_block_of_the_target_stays_whole_and_one_more_character_cuts_it() -> None:
    assert [lengths(x(size)) for size in (2047, 2048, 2049)] == [[2047], [2048], [1025, 1024]]


def test_blocks_are_joined_while_they_fit_with_the_blank_line_between() -> None:
    assert lengths(x(1000), x(1045)) == [2047]
    assert lengths(x(1000), x(1046)) == [2048]
    assert lengths(x(1000), x(1047)) == [1000, 1047]
    assert cut(Block("one " * 10), Block("two " * 10))[0].text == "one " * 9 + "one\n\n" + "two " * 9 + "two"


def test_fewer_than_twenty_characters_are_noise() -> None:
    assert [lengths(x(size)) for size in (19, 20)] == [[], [20]]
    assert lengths(Block(" " * 30 + "x" * 19)) == []
    assert cut(x(19, "A"), x(30, "B")) == (Chunk("x" * 30, ("B",), 0),)
    assert cut() == ()


def test_a_few_words_under_a_heading_are_kept() -> None:
    day = ("Diary", "13 July 2026")
    assert cut(Block("Planted leeks.", day)) == (Chunk("Planted leeks.", day, 0),)
    assert cut(Block("种了韭菜", day)) == (Chunk("种了韭菜", day, 0),)
    assert [cut(Block(text, day)) for text in ("17", "Page 3", "* * *", "fin")] == [()] * 4
    assert cut(Block("Planted leeks.")) == ()


def test_what_is_short_joins_a_neighbour_under_the_same_headings() -> None:
    assert lengths(x(5, "A"), x(30, "A")) == [37]
    assert lengths(x(30, "A"), x(5, "A")) == [37]
    assert lengths(x(2045), x(5), x(2041)) == [2045, 2048]
    assert lengths(x(1000), x(1044), x(5)) == [1000, 1051]
    assert lengths(x(2045), x(5), x(2045)) == [2045, 2045]


def test_headings_never_mix() -> None:
    found = cut(x(30, "A"), x(30, "A", "B"), x(30, "A"))
    assert found == tuple(
        Chunk("x" * 30, headings, number) for number, headings in enumerate([("A",), ("A", "B"), ("A",)])
    )


def test_a_long_list_is_cut_between_its_items() -> None:
    item = "- item with words\n  - and one inside it, which stays with it\n\n  and more\n"
    found = cut(Block(item * 100, (), "list"))
    assert len(found) == -(-100 // ((2048 + 1) // len(item)))
    assert all(chunk.text.startswith("- item") and chunk.text.endswith("  and more") for chunk in found)


def test_an_item_that_is_too_long_is_cut_between_the_items_in_it() -> None:
    inner = "".join(f"  - number {number} of the inner list\n" for number in range(100))
    found = cut(Block(f"- outer\n{inner}- last of all the items", (), "list"))
    assert all(chunk.text.startswith(("- outer", "  - number")) for chunk in found)


def test_long_code_is_cut_between_definitions_then_methods() -> None:
    method = "    @cached\n    def f(self):\n        one()\n\n        return two()\n\n"
    code = (
        "import x\n\n\nclass A:\n" + method * 40 + "\n\ndef g():\n" + "    call()\n\n" * 50 + "\n\ndef h():\n    pass"
    )
    found = cut(Block(code, (), "code"))
    assert found[0].text.startswith("import x")
    assert all(chunk.text.startswith(("import x", "class A", "    @cached", "def g", "def h")) for chunk in found)
    assert "def g():\n" + "    call()\n\n" * 49 + "    call()" in found[-1].text


def test_code_without_blank_lines_is_cut_at_its_outermost_lines() -> None:
    json = "{\n" + '  "key": [\n    1,\n    2\n  ],\n' * 200 + "}"
    assert all(chunk.text.startswith(("{", '  "key"')) for chunk in cut(Block(json, (), "code")))


def test_a_long_table_is_cut_between_rows_and_repeats_nothing() -> None:
    rows = [f"| row {number} | value |" for number in range(300)]
    found = cut(Block("\n".join(rows), (), "table"))
    assert "\n".join(chunk.text for chunk in found) == "\n".join(rows)
    assert len(found) == 3  # 5,590 characters in the rows and 299 between them


def test_a_long_paragraph_is_cut_between_sentences_then_at_spaces() -> None:
    sentence = 'She said "it is late." '
    assert all(chunk.text.endswith('late."') for chunk in cut(Block(sentence * 200)))
    assert all(chunk.text.endswith("word") for chunk in cut(Block("word " * 1000)))
    wrapped = "a line of a sentence\nthat goes on here.\n"
    assert all(chunk.text.endswith("here.") for chunk in cut(Block(wrapped * 100)))


def test_no_crumb_of_a_cut_block_is_lost() -> None:
    for tail in ("x", "- y", "z" * 19):
        for kind in ("paragraph", "list", "code", "table", "quote"):
            text = "- " + "word " * 408 + "\n" + tail
            found = cut(Block(text, (), kind))
            assert "".join("".join(chunk.text for chunk in found).split()) == "".join(text.split())
            assert min(len(chunk.text) for chunk in found) >= LEAST_CHARACTERS
    assert lengths(Block("x" * 2040 + "\n" * 5000 + "end", (), "code")) == [2040, 3]


# --- laws -----------------------------------------------------------------------------------------

HEADINGS = st.sampled_from([(), ("A",), ("A", "B")])
KINDS = st.sampled_from(["paragraph", "list", "code", "table", "quote"])
PIECES = st.sampled_from(
    [
        "word",
        "Sentence. ",
        "\n",
        "\n\n",
        "- item",
        "    def f():",
        "| a | b |",
        "}",
        "x" * 700,
        "y" * 2100,
        "  ",
        "終。",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 120)), min_size=1, max_size=12).map(
    lambda pieces: "".join(piece * min(times, 4000 // len(piece) + 1) for piece, times in pieces)
)
BLOCKS = st.builds(Block, TEXTS | st.text(max_size=60), HEADINGS, KINDS)


def bare(text: str) -> str:
    return "".join(text.split())


@given(st.lists(BLOCKS, max_size=8))
def test_every_block_stands_in_the_chunks_once_and_in_order(blocks: list[Block]) -> None:
    blocks = [block for block in blocks if len(block.text.strip()) >= LEAST_CHARACTERS]
    found = cut(*blocks)
    assert bare("".join(chunk.text for chunk in found)) == bare("".join(block.text for block in blocks))
    assert [chunk.position for chunk in found] == list(range(len(found)))


@given(st.lists(BLOCKS, max_size=8))
def test_chunks_fit_and_what_fits_is_never_cut(blocks: list[Block]) -> None:
    found = cut(*blocks)
    assert all(0 < len(chunk.text) <= TARGET_CHARACTERS for chunk in found)
    for block in blocks:
        text = block.text.strip()
        if LEAST_CHARACTERS <= len(text) <= len(block.text) <= TARGET_CHARACTERS:
            assert any(text in chunk.text and chunk.headings == block.headings for chunk in found)


@given(st.lists(BLOCKS, max_size=8))
def test_only_noise_is_dropped(blocks: list[Block]) -> None:
    kept = iter(bare("".join(chunk.text for chunk in cut(*blocks))))
    long = [block for block in blocks if len(block.text.strip()) >= LEAST_CHARACTERS]
    assert all(letter in kept for letter in bare("".join(block.text for block in long)))


def test_a_word_without_end_is_cut_as_fast_as_any() -> None:
    begun = time.process_time()
    assert len(cut(Block("acgt" * 100_000, ("Sequence",)))) > 100
    assert time.process_time() - begun < 20  # two minutes, where it was looked through for words
