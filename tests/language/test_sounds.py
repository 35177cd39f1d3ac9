"""Words of other scripts by their sound."""

from __future__ import annotations

import random

import pytest

from engramma.language.sounds import (
    LONGEST,
    MOST_FRAMES,
    consonant_frames,
    frame_pattern,
    frames_of_name,
    latin_sounds,
    likely_starts,
    sound_forms,
    sound_likeness,
)

NAMES = {
    "Лютер": "luther",
    "Ньютон": "newton",
    "Джон": "john",
    "Гарвард": "harvard",
    "Вашингтон": "washington",
    "Λούθερ": "luther",
    "Βιέννη": "vienna",
    "Μπρόνκος": "bronco",
    "Χιούστον": "houston",
    "لوثر": "luther",
    "البرونكوس": "bronco",
    "هارفارد": "harvard",
    "لندن": "london",
    "दिल्ली": "delhi",
    "लूथर": "luther",
    "आर्मेनिया": "armenia",
    "ברלין": "berlin",
}
OTHERS = {"Лютер": "letter", "Ньютон": "notion", "दिल्ली": "deal", "Джон": "zone"}


def best(word: str, english: str) -> float:
    return max(sound_likeness(form, latin_sounds(english)) for form in sound_forms(word))


@pytest.mark.parametrize("word", NAMES)
def test_a_name_in_another_script_sounds_like_the_name(word):
    name = NAMES[word]
    forms = [form for form in sound_forms(word) if frames_of_name(form) & consonant_frames(latin_sounds(name))]
    assert forms and best(word, name) >= 0.84
    assert any(name.startswith(tuple(likely_starts(form))) for form in forms), "else it would not be looked at"
    assert any(frame_pattern(frames_of_name(form)).match(name) for form in forms), "else it would be passed over"


@pytest.mark.parametrize("word", OTHERS)
def test_the_name_itself_is_nearest(word):
    assert best(word, NAMES[word]) > best(word, OTHERS[word])


@pytest.mark.parametrize("accented", ["Λούθερ", "Λου\u0301θερ", "ΛΟΥΘΕΡ"])
def test_accents_and_capitals_do_not_matter(accented):
    assert sound_forms(accented) == sound_forms("λουθερ")


def test_signs_of_devanagari_are_no_accents():
    assert sound_forms("कि") == ("ki",) and sound_forms("क") == ("ka",) and sound_forms("क्") == ("k",)


@pytest.mark.parametrize(
    "word", ["", "luther", "Luтher", "路德", "ลูเทอร์", "12", "٣", "!", "\u0301", "\ud800", "\U0001f600"]
)
def test_other_letters_and_mixed_ones_have_no_form(word):
    assert sound_forms(word) == ()


@pytest.mark.parametrize("word", ["", "café1", "o'neil", "лютер", "路德", "x" * 3 + "\ud800"])
def test_what_is_not_of_latin_letters_alone_has_no_sounds(word):
    assert latin_sounds(word) == ""


def test_a_huge_word_is_cut_and_its_readings_stay_few():
    [form] = sound_forms("гх" * 50_000)
    assert len(form) == LONGEST
    assert len(consonant_frames(form)) <= MOST_FRAMES
    assert len(latin_sounds("ch" * 50_000)) <= LONGEST


def test_anything_has_a_likeness_between_none_and_all():
    rng = random.Random(1)
    for _ in range(300):
        one, other = ("".join(rng.choices("aeiouGHJCZSWYBFhbpfvtdkgszmnlr", k=rng.randrange(9))) for _ in "ab")
        assert 0.0 <= sound_likeness(one, other) <= 1.0
        assert sound_likeness(one, one) == 1.0
        assert sound_likeness(one, other) == pytest.approx(sound_likeness(other, one))
