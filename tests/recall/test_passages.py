"""Passages: which sentences of a long text are shown."""

from __future__ import annotations

from engramma.recall.passages import question_stems, shares_together, with_blank_ends


def test_blanks_at_an_end_are_no_words_left_out() -> None:
    text = "We met in Ghent.\x1d\x1e"
    assert with_blank_ends(text, (0, 16)) == (0, 18)
    assert with_blank_ends("  " + text, (2, 18)) == (0, 20)
    assert with_blank_ends("It rained. " + text, (11, 27)) == (11, 29)
    assert with_blank_ends("We met." + " " * 500, (0, 7)) == (0, 7), "a flood of blanks is told of as left out"


def test_words_count_where_they_stand_together_however_long_the_text_is() -> None:
    filler = "Nothing of the kind was planned for the week after that one. " * 20
    sentence = "The kiln reaches stoneware temperature on Thursday."
    strewn = f"A kiln. {filler} It reaches far. {filler} Some stoneware. {filler} The temperature on Thursday."
    wanted = question_stems("What was said about the kiln reaching stoneware temperature on Thursday?")
    in_one, apart, none = shares_together([filler + sentence + filler, strewn, filler], wanted)
    assert in_one == 1.0
    assert none < apart < 0.7


def test_a_word_that_is_in_every_long_text_still_tells_its_passage() -> None:
    filler = "We looked at the schedule again and left it as it was. " * 15
    texts = [f"A budget. {filler} A review. {filler}" for _ in range(20)]
    texts[7] = f"{filler} The budget review is due. {filler}"
    shares = shares_together(texts, question_stems("budget review"))
    assert max(shares) == shares[7] == 1.0
    assert sorted(shares)[-2] < 0.6


def test_words_that_ask_what_was_said_tell_nothing_unless_they_are_alone() -> None:
    assert question_stems("What was said about the kiln?") == question_stems("kiln")
    assert question_stems("Did we mention the kiln when we talked?") == question_stems("kiln")
    assert question_stems("What did he say?") == question_stems("say")


def test_no_words_and_no_texts_have_no_share() -> None:
    assert shares_together(["A text of some words."], ()) == [0.0]
    assert shares_together([], ("kiln",)) == []


def test_words_stand_together_in_scripts_without_spaces_and_with_vowel_signs() -> None:
    asked = {
        "东京塔有多高？": ("我们昨天去看了东京塔，它很高。", "北京的天气很好。"),
        "โตเกียวทาวเวอร์สูงเท่าไหร่": ("เราไปโตเกียวทาวเวอร์เมื่อวาน มันสูงมาก", "อากาศดีมากในวันนี้"),
        "किताबें कहाँ खरीदीं?": ("मैंने किताब बाज़ार से खरीदीं।", "मौसम बहुत अच्छा है।"),
    }
    for question, (right, wrong) in asked.items():
        in_right, in_wrong = shares_together([right, wrong], question_stems(question))
        assert in_right > in_wrong == 0, question
