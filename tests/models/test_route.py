"""Two encoders as one: which of them embeds a text, and when the second one is loaded."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.errors import ModelError
from engramma.models.load import load
from engramma.models.local_embedder import open_tokenizer
from engramma.models.onnx import WEIGHTS
from engramma.models.packaged import (
    LATIN_PIECES,
    MINI_TOKENIZER,
    MINI_WEIGHTS,
    MULTI_PIECES,
    MULTI_TOKENIZER,
    MULTI_WEIGHTS,
    PUBLISHED,
    load_mini,
    load_packaged,
)
from engramma.models.route import (
    _ALIKE,
    Once,
    RoutedEmbedder,
    is_hardly_foreign,
    new_pieces,
    rejoin_words,
)
from engramma.models.settings import MAX_TOKENS
from tests.conftest import some
from tests.models.runs import RUNS, run_by

ENGLISH = [
    "Caroline: I ran a charity race last Saturday",
    "What did she say about the garden?",
    "The café — “very old”, he said… costs 20 €!",
    "",
    "   \n\t ",
    "we talked about the weather " * 100,
]
OTHERS = {
    "German": "Ich habe gestern ein rotes Fahrrad gekauft",
    "Spanish": "Ayer compré una bicicleta roja en el mercado",
    "Vietnamese": "Hôm qua tôi đã mua một chiếc xe đạp màu đỏ",
    "Russian": "Вчера я купил красный велосипед",
    "Greek": "Χθες αγόρασα ένα κόκκινο ποδήλατο",
    "Arabic": "اشتريت بالأمس دراجة حمراء",
    "Hindi": "मैंने कल एक लाल साइकिल खरीदी",
    "Thai": "เมื่อวานฉันซื้อจักรยานสีแดง",
    "Chinese": "我昨天买了一辆红色的自行车",
    "Japanese": "昨日、赤い自転車を買いました",
    "Korean": "어제 빨간 자전거를 샀어요",
}
NASTY = [
    *"中文ーかなกขကಅ한ㄱ",
    "中",
    "a中b",
    "e\u0301",
    "o\u0323",  # the dot of Vietnamese
    "o\u031b\u0309",
    "\u0301alone",
    "một",
    "anh ạ",
    "Ｆｕｌｌ ｗｉｄｔｈ",
    "ﬁne",
    "K (kelvin) Å (angstrom)",
    "İstanbul ıssız",
    "straße ẞ",
    "ǅ ŉ ſ",
    "co\u00adoperate",
    "zero\u200bwidth",
    "bi\u202edi",
    "\u0000nul\u0007bell",
    "[CLS] typed [UNK] by [MASK] hand [SEP]",
    "## heading ##ing",
    "▁ ▁a",
    "كـتـاب كِتَابٌ",
    "שָׁלוֹם",
    "❤️ 😊 👩‍👩‍👧",
    "x" * 101,
    "ा क्ष",
]


@pytest.fixture(scope="module")
def packaged():
    return load()


@pytest.fixture(scope="module")
def mini():
    return load("engramma-mini-1")


@pytest.fixture(scope="module")
def tokenizers():
    """Mini's tokenizer and the one of all languages."""
    return tuple(open_tokenizer(WEIGHTS / name, MAX_TOKENS) for name in (MINI_TOKENIZER, MULTI_TOKENIZER))


@pytest.fixture
def folder(tmp_path):
    """The package's files, to be damaged."""
    for name in PUBLISHED:
        shutil.copyfile(WEIGHTS / name, tmp_path / name)
    return tmp_path


def is_own(text, tokenizers):
    """Whether a text is mini's by what the large tokenizer makes of it: the slow way."""
    cut = tokenizers[1].encode(text)
    new = sum(one >= tokenizers[0].get_vocab_size() for one in cut.ids)
    return is_hardly_foreign(new, len(cut.ids) - 2, cut.tokens)


# --- the two vocabularies -----------------------------------------------------------------------


def test_the_large_vocabulary_begins_with_the_small_one(tokenizers):
    small, large = (tokenizer.get_vocab() for tokenizer in tokenizers)
    assert small.items() <= large.items()
    assert min(number for piece, number in large.items() if piece not in small) == len(small)


def test_the_pieces_in_latin_letters_are_those_of_the_large_tokenizer(packaged, tokenizers):
    small, large = (tokenizer.get_vocab() for tokenizer in tokenizers)
    assert packaged._latin() == {piece for piece in large if piece not in small and max(piece) < "\u0250"}


def test_words_are_cut_as_the_large_tokenizer_cuts_them(packaged, tokenizers):
    text = "Fahrradanhänger smallholding Toivonen whitewashed Schönbächler xylophonist"
    words = rejoin_words(tokenizers[0].encode(text).tokens)
    assert "whitewashed" in words and "schonbachler" in words
    size = tokenizers[0].get_vocab_size()
    for word in words:
        ids = tokenizers[1].encode(word, add_special_tokens=False).ids
        assert new_pieces(word, packaged._latin(), tokenizers[0]) == [one >= size for one in ids]


def test_every_character_of_the_fast_path_is_normalised_alike_wherever_it_stands(tokenizers):
    def words(tokenizer, text):
        return [word for word, _ in tokenizer.pre_tokenizer.pre_tokenize_str(tokenizer.normalizer.normalize_str(text))]

    alike = [one for one in map(chr, range(0xD800)) if _ALIKE.fullmatch(one)]
    assert len(alike) > 300 and "中" not in alike and "\u0323" not in alike
    for one in alike:
        for text in (one, one + one, f"a{one}b", f"{one}e", f"A {one} {one}.", f"é{one}ñ", f"I{one}"):
            assert words(tokenizers[0], text) == words(tokenizers[1], text), text


# --- the fast path ------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*ENGLISH, *OTHERS.values(), *NASTY])
def test_the_fast_path_changes_no_route(packaged, tokenizers, text):
    assert packaged.is_small(text) == is_own(text, tokenizers)


def test_ordinary_english_takes_the_fast_path(packaged):
    assert all(packaged._plain_ids(text) is not None for text in ENGLISH[:5])


@cache
def pieces():
    """Pieces of both vocabularies, without their marks: what words are made of."""
    vocabulary = open_tokenizer(WEIGHTS / MULTI_TOKENIZER, MAX_TOKENS).get_vocab()
    return sorted({piece.removeprefix("##").removeprefix("▁") for piece in vocabulary} - {""})


LATIN = st.text(st.sampled_from([one for one in map(chr, range(0x2030)) if _ALIKE.fullmatch(one)]), max_size=12)
ANY = st.text(max_size=12)


@pytest.mark.long
@settings(max_examples=some(600))
@given(st.data())
def test_no_text_at_all_takes_another_route_by_the_fast_path(packaged, tokenizers, data):
    word = st.one_of(st.sampled_from(pieces()), LATIN, ANY, st.sampled_from(NASTY), st.sampled_from("'’-. ,"))
    text = data.draw(st.lists(word, max_size=12).map("".join) | st.lists(word, max_size=12).map(" ".join))
    text = text.encode("utf-8", "replace").decode()
    for one in (text, text.upper().encode("utf-8", "replace").decode()):
        assert packaged.is_small(one) == is_own(one, tokenizers)


def test_a_word_that_the_window_cuts_off_decides_nothing_by_its_beginning(packaged, tokenizers):
    """The last token in the window may begin a word that the other tokenizer knows as a whole."""
    small, large = tokenizers
    known = small.get_vocab()
    begun = next(
        piece
        for piece, number in sorted(large.get_vocab().items(), key=lambda pair: pair[1])
        if number >= len(known) and piece.isalpha() and piece.isascii()
    )
    text = "so " * (MAX_TOKENS - 3) + begun
    cut = small.encode(text)
    assert not any(token.startswith("##") for token in cut.tokens), "the rest of the word is beyond the window"
    assert packaged.is_small(text) == is_own(text, tokenizers)
    assert large.encode(text).ids != cut.ids


# --- the routes ---------------------------------------------------------------------------------


def test_english_has_the_bits_of_mini(packaged, mini):
    assert all(packaged.is_small(text) for text in ENGLISH)
    for kind in ("document", "query"):
        assert np.array_equal(packaged.embed(ENGLISH, kind), mini.embed(ENGLISH, kind))


def test_another_language_is_near_its_english(packaged, mini):
    english, other = packaged.embed(["I bought a red bicycle yesterday", "the soup needs more salt and a lid"], "query")
    rows = packaged.embed(list(OTHERS.values()))
    for language, row in zip(OTHERS, rows, strict=True):
        assert not packaged.is_small(OTHERS[language]), language
        assert row @ english > row @ other, language
    before = mini.embed(list(OTHERS.values()))
    assert (rows @ english).mean() > (before @ english).mean() + 0.2


def test_a_mixed_batch_gives_each_text_what_it_gets_alone(packaged):
    texts = [text for pair in zip(ENGLISH, OTHERS.values(), strict=False) for text in pair]
    rows = packaged.embed([*texts, *texts])
    for text, row, again in zip(texts, rows, rows[len(texts) :], strict=False):
        assert np.array_equal(row, packaged.embed([text])[0])
        assert np.array_equal(row, again)


def test_progress_and_order_are_those_of_one_encoder(packaged):
    steps: list[int] = []
    rows = packaged.embed(["one", OTHERS["Russian"], "one", OTHERS["Russian"]], progress=steps.append)
    assert sorted(steps) == [2, 2]
    assert np.array_equal(rows[0], rows[2]) and np.array_equal(rows[1], rows[3])


def test_a_long_text_has_one_route_by_what_the_encoder_reads_of_it(packaged, mini):
    beyond = "we talked about the weather " * 100 + OTHERS["Russian"]
    assert np.array_equal(packaged.embed([beyond]), mini.embed([beyond])), "nobody reads that far"
    within = f"{OTHERS['Russian']} " * 10 + "we talked about the weather " * 100
    assert not packaged.is_small(within)


def test_it_keeps_the_vectors_of_mini_alone_and_of_english_alone(packaged, mini):
    assert packaged.keeps_vector(mini.sha256, ENGLISH[0])
    assert not packaged.keeps_vector(mini.sha256, OTHERS["Greek"])
    assert not packaged.keeps_vector(packaged.sha256, ENGLISH[0]), "another encoder's vectors are not its own"


# --- loading ------------------------------------------------------------------------------------


def test_english_needs_no_file_of_the_other_languages(folder, mini):
    for name in (MULTI_WEIGHTS, MULTI_PIECES):
        (folder / name).unlink()
    encoder = load_packaged(folder)
    texts = [*ENGLISH[:5], "The outbuildings were whitewashed, and Göran ploughed the smallholding."]
    assert np.array_equal(encoder.embed(texts), mini.embed(texts))
    with pytest.raises(ModelError, match=r"multi-pieces\.zlib is missing; reinstall engramma"):
        encoder.embed([OTHERS["German"]])


def test_without_the_other_network_every_english_text_is_embedded(folder, mini, tokenizers):
    (folder / MULTI_WEIGHTS).unlink()
    encoder = load_packaged(folder)
    split = "The outbuildings were whitewashed"
    assert any(token.startswith("##") for token in tokenizers[0].encode(split).tokens)
    assert np.array_equal(encoder.embed([split]), mini.embed([split]))
    with pytest.raises(ModelError, match=r"multi\.int8\.onnx is missing; reinstall engramma"):
        encoder.embed([OTHERS["German"]])
    shutil.copyfile(WEIGHTS / MULTI_WEIGHTS, folder / MULTI_WEIGHTS)
    assert encoder.embed([OTHERS["German"]]).shape == (1, 384), "a file that came back is used"


@pytest.mark.parametrize(
    "name, runs_by",
    [
        *((one, RUNS[0]) for one in (MULTI_WEIGHTS, MULTI_PIECES, LATIN_PIECES)),
        *((r(MULTI_WEIGHTS), r) for r in RUNS),
    ],
)
def test_a_damaged_file_is_named_when_it_is_needed(folder, monkeypatch, name, runs_by):
    run_by(monkeypatch, runs_by)
    content = bytearray((folder / name).read_bytes())
    content[1000] ^= 1
    (folder / name).write_bytes(content)
    encoder = load_packaged(folder)
    encoder.embed(ENGLISH[:1])
    with pytest.raises(ModelError, match="reinstall engramma") as caught:
        encoder.embed([OTHERS["Hindi"], OTHERS["German"]])
    assert str(folder / name) in str(caught.value) and PUBLISHED[name] in str(caught.value)


def test_each_part_is_loaded_once_however_many_threads_need_it(packaged):
    made: list[str] = []

    def tokenizer():
        made.append("tokenizer")
        return open_tokenizer(WEIGHTS / MULTI_TOKENIZER, MAX_TOKENS)

    def network(opened):
        made.append("network")
        return packaged._large()

    def latin():
        made.append("latin")
        return packaged._latin()

    encoder = RoutedEmbedder(load_mini(), latin, tokenizer, network, packaged._settings, "0")
    assert made == []
    start, texts = threading.Barrier(4), [*OTHERS.values(), *ENGLISH]

    def work(_):
        start.wait()
        return encoder.embed(texts)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(work, range(4)))
    assert sorted(made) == ["latin", "network", "tokenizer"]
    assert all(np.array_equal(rows, packaged.embed(texts)) for rows in found)


def test_what_could_not_be_made_is_tried_again():
    tries: list[int] = []

    def make():
        tries.append(1)
        if len(tries) == 1:
            raise ModelError("not yet")
        return "made"

    once = Once(make)
    with pytest.raises(ModelError):
        once()
    assert (once(), once(), len(tries)) == ("made", "made", 2)


def test_a_missing_file_of_mini_is_told_at_once(folder):
    (folder / MINI_WEIGHTS).unlink()
    with pytest.raises(ModelError, match=r"model\.int8\.onnx is missing; reinstall engramma"):
        load_packaged(folder)


def test_a_foreign_word_or_name_leaves_an_english_text_to_mini(packaged, mini):
    text = "Yesterday I met an old friend at the station and we talked about his new Fahrradanhänger for an hour."
    assert packaged.is_small(text) and np.array_equal(packaged.embed([text]), mini.embed([text]))
    assert packaged.is_small("What colour is Hildegard's helicopter?") and not packaged.is_small("Wo wohnt Lena?")
    assert not packaged.is_small("Que ave Beatriz tem em casa?"), "one new piece, and no English word"
    assert not packaged.is_small("Mein Fahrradanhänger steht im Keller neben den Winterreifen.")


def test_a_short_message_with_one_rare_word_beside_english_ones_is_english(packaged):
    assert packaged.is_small("Caroline: Cool! Got any fav tunes?")
    assert not packaged.is_small("¿Tienes alguna canción favorita?")


def test_a_long_english_text_needs_no_other_tokenizer(packaged, tokenizers):
    text = "We whitewashed the xylophonist's cottage, and then Toivonen came by with a smallholding map. " * 40
    assert len(tokenizers[0].encode(text).ids) == MAX_TOKENS
    assert packaged._plain_ids(text) == tokenizers[0].encode(text).ids


@pytest.mark.parametrize("share", range(0, 101, 4))
def test_a_long_text_of_two_languages_takes_the_same_route_as_the_slow_way(packaged, tokenizers, share):
    german = "Wir haben gestern den Fahrradanhänger repariert und Schönbächlers besucht. "
    english = "We whitewashed the cottage yesterday and had some tea with the neighbours. "
    mixed = "".join(german if (number * 37) % 100 < share else english for number in range(60))
    for text in (mixed, english * 18 + mixed, english * 20 + german * 20):
        assert packaged.is_small(text) == is_own(text, tokenizers)
