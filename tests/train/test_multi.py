"""The multilingual encoder's corpus, vocabulary, dictionaries and figures; training itself needs torch."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from train import (
    multi_align,
    multi_corpus,
    multi_devsets,
    multi_english,
    multi_pack,
    multi_read,
    multi_sources,
    multi_words,
    validation,
)

BASE = Path("src/engramma/models/weights/tokenizer.json")


def wheel(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_locales_become_two_letters() -> None:
    assert [multi_read.language(code) for code in ("pt_BR", "zh-Hans", "deu_1996", "iw", "fil")] == [
        "pt", "zh", "de", "he", "tl",
    ]  # fmt: skip
    assert multi_read.language("tlh") == ""


def test_texts_are_paired_by_key() -> None:
    content = wheel(
        {
            "i18n/en.json": json.dumps({"a": {"b": "Good morning"}}).encode(),
            "i18n/de.json": json.dumps({"a": {"b": "Guten Morgen", "c": "Nur hier"}}).encode(),
        }
    )
    found = list(multi_read.pairs(content, "json", r"i18n/(?P<code>[a-z]+)\.json", "en"))
    assert found == [("de", "Guten Morgen", "Good morning")]


def test_resource_packs_are_read() -> None:
    texts = ["Öffnen".encode(), b"\xff\xfe"]
    start = 12 + 6 * 3
    table = struct.pack("<IIHH", 5, 1, 2, 0) + struct.pack("<HI", 7, start)
    table += struct.pack("<HI", 8, start + len(texts[0])) + struct.pack("<HI", 0, start + len(texts[0]) + 2)
    assert multi_read.READERS["pack"](table + b"".join(texts)) == {"7": "Öffnen"}


def test_names_of_places_tell_their_language_by_script() -> None:
    city = {"1": {"name": "Berlin", "alternatenames": ["Berlino", "Берлин", "柏林"]}}
    found = list(multi_read.places(json.dumps(city).encode()))
    assert found == [("ru", "Берлин", "Berlin"), ("zh", "柏林", "Berlin")]


def test_markup_and_places_for_values_go() -> None:
    assert multi_corpus.clean("<b>Delete</b> {count} files?") == "Delete files?"
    assert multi_corpus.clean("{n, plural, one {file} other {files}}") == ""


def test_only_translated_pairs_are_taken() -> None:
    assert multi_corpus.is_usable("Guten Morgen", "Good morning")
    assert not multi_corpus.is_usable("Good Morning", "Good morning")
    assert not multi_corpus.is_usable("Guten Morgen", "123 456")


def test_no_source_gives_more_than_its_cap_and_none_twice() -> None:
    corpus = multi_corpus.Corpus()
    corpus.add("a", 2, [("de", f"Satz {word}", f"Sentence {word}") for word in ("eins", "eins", "zwei", "drei")])
    assert len(corpus.pairs["de"]) == 2
    assert corpus.counts["a"]["de"] == 2


def test_every_source_names_its_licence_and_hash() -> None:
    for package in multi_sources.listed():
        assert package.licence and len(package.sha256) == 64
        assert not any(word in package.licence for word in ("GPL", "MPL", "-SA"))


@pytest.fixture(scope="module")
def base() -> dict[str, int]:
    return dict(json.loads(BASE.read_text("utf-8"))["model"]["vocab"])


def test_english_is_cut_as_before(base: dict[str, int]) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    grown = multi_words.grown(base, ["写真", "katze"], ["##ung"])
    made, before = multi_words.tokenizer(grown), tokenizers.Tokenizer.from_file(str(BASE))
    before.no_padding()
    for text in ("What did Emma buy at the café yesterday?", "I'm allergic to peanuts, remember!"):
        assert made.encode(text).ids == before.encode(text).ids


def test_runs_without_spaces_are_cut_into_words(base: dict[str, int]) -> None:
    pytest.importorskip("tokenizers")
    made = multi_words.tokenizer(multi_words.grown(base, ["写真", "撮る", "を"], []))
    assert made.encode("写真を撮る", add_special_tokens=False).tokens == ["▁", "##写真", "##を", "##撮る"]


def test_a_rare_sign_does_not_hide_its_run(base: dict[str, int]) -> None:
    pytest.importorskip("tokenizers")
    made = multi_words.tokenizer(multi_words.grown(base, ["写真"], []))
    assert made.encode("写真魑写真", add_special_tokens=False).tokens.count("[UNK]") == 1


def test_words_find_their_english() -> None:
    ids, offsets = multi_align.flat([[0, 1], [0, 2], [1, 2]])
    every, none = np.ones(3, bool), np.zeros(3, bool)
    words = multi_align.worded(ids, offsets, every, none)
    first, second, counts = multi_align.aligned(words, words)
    best = multi_align.best(first, second, counts)
    assert all(max(near, key=lambda pair: pair[1])[0] == word for word, near in best.items())


def test_pieces_are_joined_to_words() -> None:
    ids, offsets = multi_align.flat([[0, 1, 2], [0, 1]])
    words = multi_align.worded(ids, offsets, np.array([True, False, True]), np.zeros(3, bool))
    assert sorted(words.tokens) == [(0, 1), (2,)]
    assert words.offsets.tolist() == [0, 2, 3]


def test_arrays_survive_packing(tmp_path: Path) -> None:
    value = np.array([5, -3, 70_000, -70_000], np.int64)
    multi_pack.save(tmp_path / "a.xz", {"a": value, "b": np.array([1, 2], np.uint8)})
    found = multi_pack.load(tmp_path / "a.xz")
    assert found["a"].tolist() == value.tolist()
    assert found["b"].tolist() == [1, 2]


def test_a_new_token_begins_as_what_it_goes_with() -> None:
    table = np.eye(4, dtype=np.float32)
    starts = multi_pack.Starts(4)
    starts.add((5,), [((2,), 1.0)], 1.0)
    made = multi_pack.begun(table, 6, starts.arrays())
    assert np.array_equal(made[:4], table)
    assert int(np.argmax(made[5])) == 2


def test_recall_counts_the_gold_among_the_first() -> None:
    vectors = np.eye(8, dtype=np.float32)
    vectors[7] = vectors[3]
    packed = {"asked": np.array([0, 7, 0, 7]), "gold": np.array([3, 6]), "gold_sizes": np.array([2])}
    assert multi_devsets.recall(vectors, packed, ["de own"])["de own"] >= 50


def test_batches_are_moved_to_the_left() -> None:
    torch = pytest.importorskip("torch")
    from train import multi_batches

    ids, mask = multi_batches.packed(torch.tensor([[-1, 7, -1, 8], [9, -1, -1, -1]]))
    assert ids[0][:4].tolist() == [101, 7, 8, 102]
    assert mask.sum(1).tolist() == [4, 3]


def test_a_piece_of_another_language_stands_for_the_nearest_english_words() -> None:
    pieces = ["[PAD]", "rent", "rents", "dog", "the", "letting", "keys", "Miete", "##xyz"]
    vectors = np.zeros((9, 8), np.float32)
    vectors[np.arange(1, 7), np.arange(1, 7)] = 1
    vectors[2, 1] = 0.9  # rents is almost rent
    vectors[7] = vectors[1] + 0.5 * vectors[5] + 0.3 * vectors[2] + vectors[4]
    vectors[8, 7] = 1
    ids, cosines = multi_english.nearest_english(vectors, pieces, own=7)
    assert pieces[ids[0, 0]] in ("rent", "rents"), "and one of them only"
    assert [pieces[one] for one in ids[0] if one][1:] in (["letting"], [])
    assert cosines[0, 0] >= 0.45 and "the" not in [pieces[one] for one in ids[0]]
    assert not ids[1].any(), "nothing is near"


def test_of_few_paragraphs_only_their_questions_are_asked() -> None:
    data = {
        "paragraphs": ["one", "two", "three"],
        "questions": [{"question": f"about {place}?", "paragraph": place} for place in (2, 0, 1)],
    }
    sets = multi_devsets.Sets()
    multi_devsets.xquad(sets, {"en": data, "de": data}, 2)
    assert sets.texts == ["one", "two", "about 0?", "about 1?", "one", "two", "about 0?", "about 1?"]
    assert sets.names == ["en own", "en across", "de own", "de across"]
    assert [(question, first, end) for _, question, first, end in sets.asked[-2:]] == [(7, 4, 6), (7, 0, 2)]
    assert sets.gold[-2:] == [[5], [1]]
    whole = multi_devsets.Sets()
    multi_devsets.xquad(whole, {"en": data}, 10**9)
    assert len(whole.asked) == 6


def test_the_turns_of_locomo_are_asked_for_by_kind() -> None:
    store = validation.Store("a", ["x: hello", "y: hi"], [1, 1], ["Who?", "When?"], [5, 2], [[1], [0, 1]])
    sets = multi_devsets.Sets()
    multi_devsets.locomo(sets, [store, store])
    assert sets.names == ["locomo 5", "locomo 1-4"]
    assert sets.gold == [[1], [0, 1], [5], [4, 5]]


def test_the_parts_of_the_weights_are_found_in_their_folder(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from train import multi_export

    buffer = io.BytesIO()
    np.savez(buffer, **{"words.weight": np.array([[2, 4]], np.int8), "words.steps": np.array([[0.5]], np.float32)})
    content = buffer.getvalue()
    (tmp_path / "multi.0").write_bytes(content[:100])
    (tmp_path / "multi.1").write_bytes(content[100:])
    (tmp_path / "multi.json").write_text("{}", "utf-8")
    found = multi_export.joined([tmp_path])
    assert found["embeddings.word_embeddings.weight"].tolist() == [[1.0, 2.0]]
