"""Questions in scripts without spaces: what they ask for, and how much of it a text has."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.graphemes import cut_place
from engramma.language.lexical import normalize_text
from engramma.language.unspaced import (
    LONE,
    MOST_PARTS,
    SOUNDS,
    asked_parts,
    has_name,
    name_place,
    text_pieces,
    without_names,
)


def parts(question: str) -> list[str]:
    return [part.text for part in asked_parts(question)]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("毎朝何時に家を出ますか？", ["毎朝", "家", "出"]),
        ("新しい冷蔵庫はいくら？", ["新", "冷蔵庫"]),
        ("うさぎの名前は何ですか？", ["うさぎ"]),
        ("来年の旅行先はどこですか？", ["来年", "旅行先"]),
        ("我最喜欢的电影是什么？", ["喜欢", "电影"]),
        ("我在哪里上班？", ["上班"]),
        ("去年我去了哪里？", ["去年"]),
        ("ปีหน้าจะไปเที่ยวที่ไหน", ["ปีหน้าจะไปเที่ยว"]),
        ("แมวของฉันชื่ออะไร", ["แมว"]),
        ("제 강아지 이름은 뭐예요?", ["강아지"]),
        ("누구와 한라산에 올랐나요?", ["한라산"]),
        ("iPhoneはいくらでしたか？", []),
        ("私の名前は何ですか？", ["私の名前は"]),  # it only asks
        ("Where is it?", []),
    ],
)
def test_a_question_is_cut_at_what_only_asks(question: str, wanted: list[str]):
    assert parts(question) == wanted


@pytest.mark.parametrize(
    ("part", "text", "least", "most"),
    [
        ("予防注射", "先週は予防注射を受けた。", 1, 1),
        ("大学", "我在学大提琴。", 0, 0),  # both signs, and neither tells anything alone
        ("搬家", "我要搬到成都。", 0.2, 0.3),
        ("น้องสาว", "น้องชายเปิดร้าน", 0.5, 0.6),
        ("สี", "สี่สิบนาที", 0, 0),  # สี่ is another character
        ("รถ", "ราคาถูก", 0, 0),
        ("개", "무지개가 떴어요", 0, 0),
        ("개", "개를 키워요", 1, 1),
    ],
)
def test_a_part_is_found_in_whole_characters(part: str, text: str, least: float, most: float):
    (asked,) = asked_parts(part)
    assert least <= asked.share_in(text_pieces(text)) <= most


def test_a_sign_of_many_words_counts_in_japanese_only_where_it_stands_alone():
    asked = next(part for part in asked_parts("祖父はいつ生まれましたか？") if part.text == "生")
    assert asked.share_in(text_pieces("小学三年生です")) == 0
    assert asked.share_in(text_pieces("村で生まれました")) == 1


def test_names_are_found_within_runs_and_left_out_of_what_is_asked():
    assert name_place("大輔の車はいくら？", "大輔") == 0 and name_place("มาลีทำงาน", "มาล") == -1
    assert has_name("昨日は田中と会った", "田中さん") and not has_name("昨日は田中と会った", "Tanaka")
    assert parts(without_names("小雨的兔子叫什么名字？", ["小雨"])) == ["兔子"]


@given(st.lists(st.sampled_from(["น้ำ", "ที่", "ก", "ແມ", "ពី", "မြ", " ", "é", "\u0e48" * 70]), max_size=12).map("".join))
def test_the_pieces_of_letters_are_fours_and_whatever_is_shorter_and_of_whole_characters(text: str):
    wanted = set[str]()
    for run in normalize_text(text).replace("é", " ").split():
        is_cut = [cut_place(run, at) == at for at in range(len(run) + 1)]
        for size in range(1, SOUNDS + 1):
            places = range(len(run) - size + 1)
            wanted |= {run[at : at + size] for at in places if size == SOUNDS or (is_cut[at] and is_cut[at + size])}
    assert text_pieces(text) == wanted


@given(st.text("中谷語かなカナ강아지 a", max_size=20))
def test_the_pieces_of_signs_are_pairs_and_signs_alone_but_within_words_of_hangul(text: str):
    wanted = set[str]()
    for run in text.replace("a", " ").split():
        wanted |= {run[at : at + 2] for at in range(len(run) - 1)}
        wanted |= {sign for at, sign in enumerate(run) if at == 0 or sign not in "강아지"}
    assert {piece for piece in text_pieces(text) if not piece.startswith(LONE)} == wanted


def test_of_a_pasted_page_only_the_first_parts_are_asked_for():
    signs = [chr(0x4E00 + number) for number in range(5_000)]
    page = "、".join(one + other for one, other in pairwise(signs))
    assert len(asked_parts(page)) == MOST_PARTS
    assert asked_parts(page)[:20] == asked_parts(page[:200])[:20]
