"""The multilingual vocabulary: engramma-mini's word pieces, so that English is cut as before, and new ones."""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import vocabulary as vocabularies

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
MARKS = r"[\u0300-\u0308\u030a-\u031a\u031c-\u0322\u0324-\u036f\u0591-\u05c7\u064b-\u0655\u0640]"
ARTICLE = r"(?<!\p{Arabic})(?:[وف]?[بك]?ال|[وف]?لل)(?=\p{Arabic}{3})"  # "the", and what is written together with it
ALIKE = {"ى": "ي", "ی": "ي", "ک": "ك", "ة": "ه"}  # letters that are written one for the other
RUN = "▁"  # begins a run of signs without spaces, so that every word in it is a continuation
PIECE = "##"
LEARNT = 48_000
ALPHABET = 3_000  # letters that pieces are learnt of
MOST_SAID = 2_000  # times that a word is said to the trainer
LONGEST_RUN = 400
FREQUENT = 30  # times an English word is said, from which it is cut as before
IS_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]")


def tokenizer(vocabulary: Mapping[str, int]) -> Any:
    """Lower case, accents off (Vietnamese keeps three), runs without spaces marked; then the longest pieces."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    model = models.WordPiece(
        dict(vocabulary), unk_token="[UNK]", continuing_subword_prefix=PIECE, max_input_chars_per_word=LONGEST_RUN
    )
    made = Tokenizer(model)
    made.normalizer = normalizers.Sequence(
        [
            normalizers.NFD(),
            normalizers.Replace(Regex(MARKS), ""),
            normalizers.NFC(),
            normalizers.BertNormalizer(
                clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=True
            ),
            *(normalizers.Replace(one, other) for one, other in ALIKE.items()),
            normalizers.Replace(Regex(ARTICLE), ""),
            normalizers.Replace(Regex(f"(?<![{UNSPACED}])(?=[{UNSPACED}])"), RUN),
        ]
    )
    known = "".join(sorted(sign for sign in vocabulary if len(sign) == 1 and "㐀" <= sign <= "鿿"))
    steps: list[Any] = [pre_tokenizers.BertPreTokenizer()]
    if known:  # a rare sign stands alone, so that it does not make its whole run unknown
        steps.append(pre_tokenizers.Split(Regex(f"[\\p{{Han}}&&[^{known}]]"), "isolated"))
    made.pre_tokenizer = pre_tokenizers.Sequence(steps)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    made.add_special_tokens([name for name in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") if name in vocabulary])
    return made


def cut(made: Any, text: str) -> list[str]:
    """The words of a text as the vocabulary will see them."""
    return [word for word, _ in made.pre_tokenizer.pre_tokenize_str(made.normalizer.normalize_str(text))]


def learnt(counts: Mapping[str, int], size: int) -> list[str]:
    """Word pieces learnt from counted words of scripts with spaces; the same words give the same pieces.

    The trainer numbers letters as it meets them, in an order of chance, and breaks ties by these numbers and at the end
    of its alphabet: so the alphabet is chosen here, and the letters within words are numbered first.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    said = {word: min(count, MOST_SAID) for word, count in counts.items()}
    letters: Counter[str] = Counter()
    for word, count in said.items():
        letters.update({letter: count * word.count(letter) for letter in set(word)})
    alphabet = sorted(letters, key=lambda letter: (-letters[letter], letter))[:ALPHABET]
    inner = {letter for word in said for letter in word[1:]}.intersection(alphabet)
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=4,
        initial_alphabet=alphabet,
        limit_alphabet=ALPHABET,
        special_tokens=[PIECE + letter for letter in sorted(inner)],
        show_progress=False,
    )
    trained.train_from_iterator((f"{word} " * count for word, count in said.items()), trainer)
    return [piece for piece, _ in sorted(trained.get_vocab().items(), key=lambda item: item[1])]


def grown(base: Mapping[str, int], words: Iterable[str], pieces: Iterable[str]) -> dict[str, int]:
    """The vocabulary before and, after it, what is new; words of runs without spaces as continuations."""
    vocabulary = dict(base)
    for piece in (RUN, PIECE + RUN, *pieces):
        vocabulary.setdefault(piece, len(vocabulary))
    for word in words:
        is_run = IS_UNSPACED.match(word)
        for piece in [*word, *(PIECE + sign for sign in word), PIECE + word] if is_run else [word]:
            vocabulary.setdefault(piece, len(vocabulary))
    return vocabulary


def chosen(
    base: Mapping[str, int],
    pieces: Iterable[str],
    signs: Iterable[str],
    taught: Sequence[tuple[str, list[tuple[str, float]], list[str]]],
    least: float,
    most: int,
    english: Iterable[str],
) -> dict[str, int]:
    """Everything put together; the words of the teacher come last and by frequency, as its vocabulary has them."""
    vocabulary = grown(base, signs, pieces)
    every = {sign: 0 for word, *_ in taught for sign in word if "㐀" <= sign <= "鿿"}
    plain = tokenizer(vocabulary | every)
    kept: dict[str, int] = {}
    for word, near, *_ in taught:
        parts = cut(plain, word)
        if near[0][1] >= least and len(parts) == 1:
            kept.setdefault(parts[0].removeprefix(RUN), 0)
    return without_english(base, grown(vocabulary, kept, []), english, most)


def without_english(
    base: Mapping[str, int], vocabulary: Mapping[str, int], english: Iterable[str], most: int
) -> dict[str, int]:
    """The vocabulary without new pieces that frequent English words would be cut into."""
    texts, kept = list(english), list(vocabulary)
    while True:
        numbered = {piece: number for number, piece in enumerate(kept[:most])}
        found = tokenizer(numbered).encode_batch(texts, add_special_tokens=False)
        used = {number for one in found for number in one.ids if number >= len(base)}
        if not used:
            return numbered
        kept = [piece for number, piece in enumerate(kept) if number not in used]


def latin_pieces(base: Mapping[str, int], vocabulary: Mapping[str, int]) -> list[str]:
    """The new pieces of Latin letters and signs: they tell the package that a text is not English."""
    return [piece for piece in vocabulary if piece not in base and vocabularies.is_latin(piece)]


def read(path: Path) -> Iterator[tuple[str, str, str]]:
    """The pairs that multi_corpus wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            code, text, english = json.loads(line)
            yield code, text, english


def counted(made: Any, pairs: Iterable[tuple[str, str, str]]) -> tuple[Counter[str], Counter[str]]:
    """Words of scripts with spaces, each language weighing the same, and signs of those without."""
    by_language: dict[str, Counter[str]] = {}
    for code, text, _ in pairs:
        by_language.setdefault(code, Counter()).update(cut(made, text))
    words: Counter[str] = Counter()
    signs: Counter[str] = Counter()
    for counts in by_language.values():
        total = sum(counts.values())
        for word, count in counts.items():
            if IS_UNSPACED.search(word):
                signs.update(dict.fromkeys(word, count))
            else:
                words[word] += max(1, round(count * 200_000 / total))
    return words, signs


def english_words(texts: Path) -> list[str]:
    """Words that are frequent in the English texts."""
    counts: Counter[str] = Counter()
    with gzip.open(texts, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            counts.update(re.findall(r"[a-z]+", (row if isinstance(row, str) else row["text"]).lower()))
    return [word for word, count in counts.items() if count >= FREQUENT]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True, help="tokenizer.json of engramma-mini")
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--dictionary", type=Path, required=True, help="what multi_teacher wrote")
    parser.add_argument("--texts", type=Path, required=True, help="texts.jsonl.gz of train.corpus: English")
    parser.add_argument("--pieces", type=int, default=34_000)
    parser.add_argument("--most", type=int, default=118_000, help="entries in all")
    parser.add_argument("--least", type=float, default=0.62, help="cosine from which a word of the teacher is taken")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    base = json.loads(options.base.read_text("utf-8"))["model"]["vocab"]
    plain = tokenizer(base)
    words, signs = counted(plain, read(options.pairs))
    pieces = learnt(words, LEARNT)[: options.pieces]
    common = [sign for sign, count in signs.most_common() if count > 2 and IS_UNSPACED.match(sign)]
    taught = [json.loads(line) for line in options.dictionary.read_text("utf-8").splitlines()]
    english = english_words(options.texts)
    vocabulary = chosen(base, pieces, common, taught, options.least, options.most, english)
    tokenizer(vocabulary).save(str(options.out), pretty=False)
    options.out.with_name("multi-latin.txt").write_text("\n".join(latin_pieces(base, vocabulary)) + "\n", "utf-8")
    vocabularies.write_new(vocabularies.in_order(vocabulary)[len(base) :], options.out.with_name("multi-pieces.zlib"))
    print(json.dumps({"base": len(base), "pieces": len(pieces), "signs": len(common), "all": len(vocabulary)}))


if __name__ == "__main__":
    main()
