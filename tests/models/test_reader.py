"""The reader: what it is shown, what it makes of the network's numbers, and that it says the same twice."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from engramma.errors import ModelError
from engramma.language.graphemes import cut_place
from engramma.models.onnx import WEIGHTS
from engramma.models.packaged import mini_vocabulary
from engramma.models.reader import (
    CLS,
    QUESTION,
    READER,
    SEP,
    Passage,
    PassageReader,
    lay_out,
    load_reader,
    read_output,
    split_windows,
)
from engramma.models.wordpiece import WordPieces

WIDTH = 384
TRAINED = WEIGHTS


def test_windows_cover_a_text_in_whole_sentences() -> None:
    text = " ".join(f"This is sentence number {number} of a long answer." for number in range(40))
    places = split_windows(text)
    assert len(places) > 3
    assert "".join(text[a:b] for a, b in places).replace(" ", "") == text.replace(" ", "")
    assert all(b - a <= 401 and text[a:b].rstrip().endswith(".") for a, b in places)


def test_windows_cut_a_sentence_without_end() -> None:
    assert all(b - a <= 400 for a, b in split_windows("word " * 500))
    assert split_windows("   ") == []


def test_question_context_and_passage_stand_between_marks() -> None:
    tokenizer = WordPieces(mini_vocabulary(), 512)
    passage = Passage("I bought a red car.", "Emma", "Bob: What is new?", datetime(2024, 5, 8, tzinfo=UTC))
    made = lay_out(tokenizer, "What did Emma buy?", passage)
    assert made.ids[0] == CLS and made.ids[-1] == SEP and made.ids.count(SEP) == 3
    assert len(made.offsets) == len(made.ids) - made.first - 1
    first, last = made.offsets[2], made.offsets[4]
    assert passage.text[first[0] : last[1]] == "a red car"


class CountingTokenizer:
    """Counts the characters that a tokenizer is given."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.read = inner, 0

    def encode(self, text: str, **options: Any) -> Any:
        self.read += len(text)
        return self.inner.encode(text, **options)


@pytest.mark.parametrize("word", ["冷蔵庫は", "supercalifragilistic ", "แมวของฉัน "])
def test_of_a_pasted_page_no_more_is_read_than_a_question_has_tokens(word: str) -> None:
    page, passage = word * 5_000, Passage("I bought a red car.", "Emma")
    tokenizer = CountingTokenizer(WordPieces(mini_vocabulary(), 512))
    made = lay_out(tokenizer, page, passage)
    assert tokenizer.read < 4_000
    asked = tokenizer.inner.encode(page, add_special_tokens=False).ids[:QUESTION]
    assert made.ids[: QUESTION + 2] == [CLS, *asked, SEP]


def test_best_span_and_null_come_from_the_ends() -> None:
    tokenizer = WordPieces(mini_vocabulary(), 512)
    made = lay_out(tokenizer, "What did Emma buy?", Passage("I bought a red car.", "Emma"))
    start, end = np.zeros((2, len(made.ids)), np.float32)
    start[made.first + 2], end[made.first + 4], start[0] = 4, 3, 1
    reading = read_output(made, 2.5, start, end)
    assert (reading.start, reading.end) == (9, 18)
    assert (reading.relevance, reading.null) == (2.5, -6.0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reader of two products over the word vectors."""
    random = np.random.default_rng(1)
    constants = [
        numpy_helper.from_array(random.normal(size=(WIDTH, 1)).astype(np.float32), "one"),
        numpy_helper.from_array(random.normal(size=(WIDTH, 2)).astype(np.float32), "two"),
        numpy_helper.from_array(np.array([1], np.int64), "axis"),
    ]
    nodes = [
        helper.make_node("ReduceMean", ["embedded", "axis"], ["mean"], keepdims=0),
        helper.make_node("MatMul", ["mean", "one"], ["relevance"]),
        helper.make_node("MatMul", ["embedded", "two"], ["spans"]),
        helper.make_node("Identity", ["attention_mask"], ["seen"]),
    ]
    given = [
        helper.make_tensor_value_info("embedded", TensorProto.FLOAT, ["batch", "tokens", WIDTH]),
        helper.make_tensor_value_info("attention_mask", TensorProto.INT64, ["batch", "tokens"]),
    ]
    wanted = [
        helper.make_tensor_value_info("relevance", TensorProto.FLOAT, ["batch", 1]),
        helper.make_tensor_value_info("spans", TensorProto.FLOAT, ["batch", "tokens", 2]),
        helper.make_tensor_value_info("seen", TensorProto.INT64, ["batch", "tokens"]),
    ]
    graph = helper.make_graph(nodes, "reader", given, wanted, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.save(model, str(tmp_path / READER))
    return tmp_path


def test_a_passage_reads_the_same_alone_and_among_others(folder: Path) -> None:
    reader = PassageReader(folder)
    passages = [Passage(f"I bought {count} red cars yesterday.", "Emma") for count in ("two", "three", "four")]
    together = reader.read("What did Emma buy?", passages)
    assert together == [reader.read("What did Emma buy?", [passage])[0] for passage in passages]
    assert all(0 <= r.start < r.end <= len(p.text) for r, p in zip(together, passages, strict=True))
    assert reader.read("What did Emma buy?", []) == []


def test_a_folder_without_a_reader_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=READER):
        PassageReader(tmp_path)


@pytest.mark.skipif(not (TRAINED / READER).is_file(), reason="the trained reader is not here")
def test_trained_reader_tells_the_answer_from_what_only_sounds_like_it() -> None:
    reader = PassageReader(TRAINED)
    right = Passage("I adopted a puppy last spring, a beagle called Max.", "Emma")
    others = [
        Passage("My neighbour keeps asking me to walk her dog.", "Emma"),
        Passage("I finally repainted the kitchen, it took the whole weekend.", "Emma"),
    ]
    best, *rest = reader.read("What is the name of Emma's dog?", [right, *others])
    assert best.relevance > 0 > max(reading.relevance for reading in rest)
    assert best.null < min(reading.null for reading in rest)
    assert "Max" in right.text[best.start : best.end]
    asked_of_another = reader.read("What did Emma pay for her new piano?", [right])[0]
    assert asked_of_another.relevance < best.relevance


@pytest.mark.parametrize(
    "piece",
    [
        "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family, joined
        "\U0001f44d\U0001f3fd",  # a thumb and its skin
        "e\u0301",
        "กี่",
        "한",
    ],
)
def test_no_window_begins_or_ends_within_a_character(piece: str):
    text = piece * 400
    places = split_windows(text)
    assert len(places) > 1 and "".join(text[a:b] for a, b in places) == text
    assert all(cut_place(text, at) == at for place in places for at in place)


def test_windows_of_a_text_without_spaces_are_as_long_in_tokens_as_others():
    text = "今日は朝から雨が降っていたので、家で本を読んで過ごしました。" * 20
    places = split_windows(text)
    assert all(b - a <= 100 for a, b in places) and all(text[b - 1] == "。" for _, b in places)


CAT = {
    "German": ("Wie heißt der Kater?", "Schön! Ich habe einen neuen Kater namens Moritz.", "Moritz"),
    "Spanish": ("¿Cómo se llama el gato?", "¡Qué bien! Tengo un gato nuevo, se llama Moritz.", "Moritz"),
    "Russian": ("Как зовут кота?", "Здорово! У меня новый кот, его зовут Мориц.", "Мориц"),
    "Turkish": ("Kedinin adı ne?", "Güzel! Yeni bir kedim var, adı Moritz.", "Moritz"),
}
KITCHEN = {
    "German": "Gestern haben wir die Küche gestrichen.",
    "Spanish": "Ayer pintamos la cocina.",
    "Russian": "Вчера мы покрасили кухню.",
    "Turkish": "Dün mutfağı boyadık.",
}


@pytest.mark.parametrize("language", CAT)
@pytest.mark.parametrize("asked", [*CAT, ""])
def test_a_question_is_answered_across_languages(language: str, asked: str) -> None:
    """It learned English alone, and reads others by the word vectors of the encoder for them."""
    question = CAT[asked][0] if asked else "What is the cat called?"
    _, said, name = CAT[language]
    right, wrong = load_reader().read(question, [Passage(said, "Ben"), Passage(KITCHEN[language], "Ben")])
    assert right.relevance > wrong.relevance + 0.5 and right.null < wrong.null
    assert name in said[right.start : right.end + 1]


def test_english_is_read_without_the_vectors_of_other_languages() -> None:
    reader = PassageReader(WEIGHTS)
    reader.read("Where did Zoë's café move to?", [Passage("We moved the café to Łódź — lovely!", "Zoë")])
    assert not reader._other._made
    reader.read("Wohin sind sie gezogen?", [Passage("We moved the café to Ghent.", "Zoë")])
    assert reader._other._made
