"""Hits for people: best first, cut to what matched, as many as a screen takes."""

from __future__ import annotations

from engramma.apps.hits import cells, choose_excerpt, hit_lines, match_lines, query_stems
from engramma.records import Candidate, Spoken
from tests.conftest import START

RAIN = "It rained all day. " * 40
LONG = f"{RAIN}The morning train leaves at 7:42 from platform nine. {RAIN}"


def hit(number=0, text="The train is late.", title=None, *said):
    parts = said or (("Ana", text),)
    whole, spoken = "", []
    for speaker, words in parts:
        start = len(whole)
        whole += words + "\n"
        spoken.append(Spoken(speaker, START, start, start + len(words)))
    return Candidate(
        f"seg_c/s_{number}", "s", "c", ("t",), ("Ana",), START, whole, 1.0, "entry", spoken=tuple(spoken), title=title
    )


def test_a_screen_takes_as_many_as_fit():
    hits = [hit(n, LONG) for n in range(30)]
    for width, rows in ((80, 21), (120, 40), (40, 10)):
        lines, shown = hit_lines("When does the train leave?", hits, width, rows)
        assert 1 <= shown < 30 and len(lines) == 2 * shown
        assert sum(-(-cells(line) // width) for line in lines) <= rows
    assert hit_lines("train", hits, 80, 1)[1] == 1, "one at least"
    assert hit_lines("train", hits[:2], 80, 21)[1] == 2
    assert hit_lines("train", [], 80, 21) == ([], 0)


def test_a_long_text_is_cut_to_what_matched():
    (_, words), _ = hit_lines("When does the morning train leave?", [hit(0, LONG)], 80, 21)
    assert words.startswith("   Ana: … The morning train leaves at 7:42 from platform nine.") and words.endswith("…")
    assert ("train", "match") in words.parts and ("leaves", "match") in words.parts


def test_of_an_exchange_the_part_that_matched_is_shown():
    said = (("user", "What is a heron?"), ("assistant", "A heron is a bird. It eats fish from the pond."))
    (head, words), _ = hit_lines("What eats fish?", [hit(0, "", "Birds", *said)], 80, 21)
    assert words == "   assistant: A heron is a bird. It eats fish from the pond."
    assert head.startswith("1. Birds  2026-01-05 09:00  obpuydeh-0")
    (line,) = match_lines("What eats fish?", [hit(0, "", "Birds", *said)], 120)
    assert line == "1.0000  seg_c/s_0  assistant: A heron is a bird. It eats fish from the pond."


def test_passages_begin_with_a_sentence_and_stay_within_their_cells():
    asked = query_stems("platform nine")
    for most in (30, 60, 200):
        found, passage = choose_excerpt(LONG, asked, most)
        assert cells(passage) <= most and passage.startswith("… ")
    assert found == 2
    assert choose_excerpt("電車は七時に出ます。" * 30, query_stems("電車"), 40)[1].endswith("…")
    assert choose_excerpt("", asked, 40) == (0, "")


def test_a_title_stands_on_one_line_without_the_blanks_around_it():
    (head, _), _ = hit_lines("train", [hit(0, title=" New recipes\n to try ")], 80, 21)
    assert head.startswith("1. New recipes to try  ")
    (head, _), _ = hit_lines("train", [hit(0, title="  ")], 80, 21)
    assert head.startswith("1. c  ")
