"""Everything the training reads, as arrays small enough to carry: ids of the pairs, dictionaries, first vectors.

Words are put in for English ones while training; a new token begins as the mean of the English words it goes with.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import math
import random
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import multi_align as align
from . import multi_words as words
from .person import OTHER, SELF

SCRIPTS = {
    "CYRILLIC": "ru",
    "ARABIC": "ar",
    "HANGUL": "ko",
    "THAI": "th",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "CJK": "zh",
}
LATIN = ("de", "es", "fr", "it", "nl", "pl", "pt", "tr")
TAUGHT = 0.72  # cosine from which a word of the teacher stands for an English one
PIECES = 6  # tokens of a word that are kept
NAMES = ("Emma", "John", "Maria", "Ahmed", "Li", "Anna", "Peter", "Yuki", "Sofia", "Tom")
LONGEST = 200  # tokens of a text


def save(path: Path, arrays: dict[str, np.ndarray]) -> int:
    """An npz under xz; whole numbers as two planes of bytes, which pack better."""
    kept: dict[str, np.ndarray] = {}
    for name, value in arrays.items():
        if value.dtype.kind == "i":
            kept[f"{name}.low"], kept[f"{name}.high"] = value.astype(np.uint16), (value >> 16).astype(np.int16)
        else:
            kept[name] = value
    buffer = io.BytesIO()
    np.savez(buffer, **kept)  # type: ignore[arg-type]
    path.write_bytes(lzma.compress(buffer.getvalue(), preset=6))
    return path.stat().st_size


def load(path: Path) -> dict[str, np.ndarray]:
    """What `save` wrote."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as archive:
        found = {name: archive[name] for name in archive.files}
    whole = {
        n[:-4]: found[n].astype(np.int64) + (found[n[:-4] + ".high"].astype(np.int16).astype(np.int64) << 16)
        for n in found
        if n.endswith(".low")
    }
    return whole | {name: value for name, value in found.items() if not name.endswith((".low", ".high"))}


def encoded(tokenizer: Any, texts: list[str], limit: int = LONGEST) -> tuple[np.ndarray, np.ndarray]:
    """Ids without the marks at both ends, flat, and offsets."""
    rows: list[list[int]] = []
    for start in range(0, len(texts), 10_000):
        batch = tokenizer.encode_batch(texts[start : start + 10_000], add_special_tokens=False)
        rows.extend(encoding.ids[:limit] for encoding in batch)
    return align.flat(rows)


class Starts:
    """What each new token is made of: shares of the tokens that were there before."""

    def __init__(self, first_new: int) -> None:
        self.first = first_new
        self.shares: dict[int, dict[int, float]] = {}

    def add(self, tokens: tuple[int, ...], near: list[tuple[tuple[int, ...], float]], weight: float) -> None:
        """One word that goes with English words of these tokens."""
        for token in tokens:
            if token >= self.first:
                shares = self.shares.setdefault(token, {})
                for english, share in near:
                    for known in english:
                        if known < self.first:
                            shares[known] = shares.get(known, 0.0) + weight * share / len(tokens) / len(english)

    def arrays(self, most: int = 8) -> dict[str, np.ndarray]:
        """New token, known token and share in 255ths, of the largest shares."""
        rows = []
        for token, shares in sorted(self.shares.items()):
            kept = sorted(shares.items(), key=lambda item: -item[1])[:most]
            total = sum(share for _, share in kept) or 1.0
            rows += [(token, known, max(1, round(255 * share / total))) for known, share in kept]
        new, known, share = np.array(rows, np.int64).reshape(-1, 3).T
        return {"start_new": new, "start_known": known, "start_share": share.astype(np.uint8)}


def begun(table: np.ndarray, size: int, packed: dict[str, np.ndarray], seed: int = 0) -> np.ndarray:
    """The whole table of vectors: what is known as it was, what is new of the known, at their length."""
    length = float(np.linalg.norm(table, axis=1).mean())
    noise = np.random.default_rng(seed).normal(0, length / np.sqrt(table.shape[1]), (size, table.shape[1]))
    out = noise.astype(np.float32) * 0.5
    new, share = packed["start_new"], packed["start_share"].astype(np.float32) / 255
    has, starts = np.unique(new, return_index=True)  # the rows of a token stand together
    sums = np.add.reduceat(table[packed["start_known"]] * share[:, None], starts)
    out[has] = sums * (length / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)) + 0.1 * out[has]
    out[: len(table)] = table
    return out


def spoken(word: str, seen: dict[str, Counter[str]], thirds: dict[str, dict[str, float]]) -> str:
    """The language of one of the teacher's words: by script, by the corpus, by its letters."""
    script = unicodedata.name(word[0], "?").split(" ")[0].split("-")[0]
    if script in SCRIPTS:
        return SCRIPTS[script]
    known = [code for code in LATIN if seen[code][word]]
    if known:
        return max(known, key=lambda code: seen[code][word])
    parts = [f"^{word}$"[place : place + 3] for place in range(len(word))]
    return max(LATIN, key=lambda code: sum(math.log(thirds[code].get(part, 0) + 1e-5) for part in parts))


def texts_of(path: Path, count: int, seed: int) -> list[str]:
    """English texts of the project's own corpus, the longer ones more often."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found = [row if isinstance(row, str) else row["text"] for row in map(json.loads, file)]
    chance = random.Random(seed)
    for stand_in in (SELF, OTHER):  # names are put in
        found = [text.replace(stand_in, chance.choice(NAMES)) for text in found]
    found = [text[:900] for text in found if len(text) > 25]
    chance.shuffle(found)
    long = [text for text in found if len(text) > 160]
    return list(dict.fromkeys([*long[: count // 2], *found[: count // 2]]))


class Packer:
    """Goes through the languages one by one."""

    def __init__(self, tokenizer: Any, first_new: int, texts: list[str]) -> None:
        vocabulary = tokenizer.get_vocab()
        size = max(vocabulary.values()) + 1
        self.tokenizer, self.starts = tokenizer, Starts(first_new)
        self.is_start, self.is_left_out = np.ones(size, bool), np.zeros(size, bool)
        for piece, number in vocabulary.items():
            is_run = bool(words.IS_UNSPACED.match(piece.removeprefix(words.PIECE)))
            self.is_start[number] = not piece.startswith(words.PIECE) or is_run
            self.is_left_out[number] = piece in (words.RUN, words.PIECE + words.RUN, "[UNK]")
        ids, offsets = encoded(tokenizer, texts)
        self.texts = align.worded(ids, offsets, self.is_start, self.is_left_out)
        self.numbers = {tokens: number for number, tokens in enumerate(self.texts.tokens)}
        self.entries: dict[tuple[str, int], list[tuple[int, ...]]] = {}
        self.seen: dict[str, Counter[str]] = {}

    def said(self, base: Any) -> dict[str, np.ndarray]:
        """The English texts as words; each word's tokens here and in engramma-mini."""
        (ids, offsets), (rows, sizes) = align.flat(self.texts.tokens), (self.texts.rows, np.diff(self.texts.offsets))
        plain, plain_offsets = encoded(base, [self.text(tokens) for tokens in self.texts.tokens])
        found = {"word_ids": ids, "word_sizes": np.diff(offsets), "said_rows": rows, "said_sizes": sizes}
        return found | {"plain_ids": plain, "plain_sizes": np.diff(plain_offsets)}

    def enter(self, code: str, english: tuple[int, ...], word: tuple[int, ...], most: int = 12) -> None:
        """One line of a dictionary, if the texts have the English word."""
        number = self.numbers.get(english)
        if number is not None and word != english and len(word) <= PIECES:
            row = self.entries.setdefault((code, number), [])
            if len(row) < most and word not in row:
                row.append(word)

    def language(self, code: str, texts: list[str], english: align.Words, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The ids of a language's texts; what they say about words is noted."""
        ids, offsets = encoded(self.tokenizer, texts)
        own = align.worded(ids, offsets, self.is_start, self.is_left_out)
        sizes = np.diff(english.offsets)[rows]
        spots = np.repeat(english.offsets[rows] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        there = align.Words(english.rows[spots], np.concatenate([[0], np.cumsum(sizes)]), english.tokens)
        first, second, counts = align.aligned(own, there)
        totals = np.bincount(first, counts)
        for word, near in align.best(first, second, counts).items():
            self.starts.add(own.tokens[word], [(english.tokens[e], share) for e, share in near], float(totals[word]))
        for word, row in align.dictionary(first, second, counts, len(english.tokens)).items():
            for other in row:
                self.enter(code, english.tokens[word], own.tokens[other])
        if code in LATIN:
            counted = np.bincount(own.rows, minlength=len(own.tokens))
            self.seen[code] = Counter({self.text(own.tokens[w]): int(counted[w]) for w in np.flatnonzero(counted)})
        return {f"{code}_ids": ids, f"{code}_sizes": np.diff(offsets), f"{code}_english": np.diff(rows, prepend=0)}

    def text(self, tokens: tuple[int, ...]) -> str:
        """The letters of a word."""
        return "".join((self.tokenizer.id_to_token(token) or "").removeprefix(words.PIECE) for token in tokens)

    def teacher(self, path: Path) -> None:
        """The teacher's dictionary: first vectors, and words of its languages."""
        thirds: dict[str, dict[str, float]] = {}
        for code in LATIN:
            counts = Counter(f"^{word}$"[n : n + 3] for word in self.seen[code] for n in range(len(word)))
            thirds[code] = {part: count / counts.total() for part, count in counts.items()}
        lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        forms = self.tokenizer.encode_batch([word for word, *_ in lines], add_special_tokens=False)
        english: dict[str, tuple[int, ...]] = {}
        for (_, near, codes), form in zip(lines, forms, strict=True):
            for word, _ in near:
                if word not in english:
                    english[word] = tuple(self.tokenizer.encode(word, add_special_tokens=False).ids)
            tokens = tuple(token for token in form.ids if not self.is_left_out[token])
            if not tokens or near[0][1] < 0.6:
                continue
            shares = np.exp((np.array([cosine for _, cosine in near]) - near[0][1]) / 0.04)
            found = [(english[word], float(share)) for (word, _), share in zip(near, shares, strict=True)]
            self.starts.add(tokens, found, 30.0 if len(tokens) == 1 else 1.0)
            if near[0][1] >= TAUGHT and tokens != english[near[0][0]]:
                for code in codes or [spoken(self.text(tokens), self.seen, thirds)]:
                    self.enter(code, english[near[0][0]], tokens)
                    if near[1][1] >= near[0][1] - 0.04:
                        self.enter(code, english[near[1][0]], tokens)

    def dictionaries(self, codes: list[str]) -> dict[str, np.ndarray]:
        """All dictionaries: language, English word, tokens."""
        keys = sorted((codes.index(code), number) for code, number in self.entries)
        rows = [(code, number, word) for code, number in keys for word in self.entries[codes[code], number]]
        ids, offsets = align.flat([word for _, _, word in rows])
        return {
            "entry_language": np.array([code for code, _, _ in rows], np.int64),
            "entry_word": np.array([number for _, number, _ in rows], np.int64),
            "entry_ids": ids,
            "entry_sizes": np.diff(offsets),
        }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--texts", type=Path, required=True, help="texts.jsonl.gz of train.corpus")
    parser.add_argument("--dictionary", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True, help="the multilingual one")
    parser.add_argument("--base", type=Path, required=True, help="engramma-mini's")
    parser.add_argument("--count", type=int, default=80_000, help="English texts")
    parser.add_argument("--most", type=int, default=10**9, help="pairs a language, to try things out")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    from tokenizers import Tokenizer

    options.out.mkdir(parents=True, exist_ok=True)
    tokenizer, base = (Tokenizer.from_file(str(path)) for path in (options.tokenizer, options.base))
    base.no_padding()
    base.no_truncation()
    texts = texts_of(options.texts, options.count, 1)
    by_language: dict[str, list[tuple[int, str]]] = {}
    english: dict[str, int] = {}
    for code, text, source in words.read(options.pairs):
        rows = by_language.setdefault(code, [])
        if len(rows) < options.most:
            rows.append((english.setdefault(source, len(english)), text))
    packer = Packer(tokenizer, base.get_vocab_size(), [*texts, *english])
    ids, offsets = encoded(tokenizer, list(english))
    said = align.worded(ids, offsets, packer.is_start, packer.is_left_out)
    common = packer.said(base)
    sizes: dict[str, int] = {}
    codes = sorted(by_language)
    for code in codes:
        places = np.array([row for row, _ in by_language[code]], np.int64)
        made = packer.language(code, [text for _, text in by_language[code]], said, places)
        sizes[code] = save(options.out / f"{code}.xz", made)
        print(code, len(places), sizes[code], flush=True)
    packer.teacher(options.dictionary)
    common |= packer.dictionaries(codes) | packer.starts.arrays()
    common |= {"size": np.array([tokenizer.get_vocab_size(), len(texts)], np.int64)}
    sizes["common"] = save(options.out / "common.xz", common)
    (options.out / "codes.json").write_text(json.dumps(codes), "utf-8")
    print(json.dumps(sizes), sum(sizes.values()), {name: value.size for name, value in common.items()})


if __name__ == "__main__":
    main()
