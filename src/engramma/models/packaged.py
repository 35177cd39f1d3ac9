"""Loads the encoders that come with Engramma, whose files are checked against their published hashes."""

from __future__ import annotations

import hashlib
import zlib
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..errors import ModelError
from ..files.hashing import sha256_of
from .embed import MINI, PACKAGED
from .local_embedder import LocalEmbedder
from .native import NativeNetwork, layout_name, runs_networks
from .onnx import WEIGHTS, OnnxNetwork, graph_name
from .route import ALONE, FOREIGN, RoutedEmbedder
from .settings import EncoderSettings
from .text_form import large_form, small_form
from .wordpiece import WordPieces, WordVocabulary

MINI_WEIGHTS, MINI_PIECES = "model.int8.onnx", "pieces.txt"
# The vocabulary of the large network: mini's, and after it these. An empty line stands for the next of LATIN_PIECES.
MULTI_WEIGHTS, MULTI_PIECES = "multi.int8.onnx", "multi-pieces.zlib"
# What the vocabularies are made of, for the library `tokenizers` (train/vocabulary.py); they are not installed.
MINI_TOKENIZER, MULTI_TOKENIZER = "tokenizer.json", "multi-tokenizer.json"
LONGEST_WORD, MULTI_LONGEST_WORD = 100, 400  # characters; a longer one is unknown
LATIN_PIECES = "multi-latin.txt"  # those pieces of the tokenizer in Latin letters that mini does not have
ENGLISH_WORDS = "multi-english.zlib"  # what the tokenizer's other pieces mean in English (english_words.py)
PUBLISHED = {  # of the files, and of what runs the two networks: graphs, and layouts for the library
    MINI_WEIGHTS: "cbdf88295f8b380420ddccb1a6ef553b16c25aa1d47fbe93525ae89a5359f330",
    MINI_PIECES: "0f052197aac305fe42f378b5c61554b7bacb34b8be4af83fec2cfdcdffbc9973",
    MULTI_PIECES: "01fbdddb8d1ae80eada5cac90f7a3d2691562d5143db541ea181bfdb578c65d9",
    MINI_TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    MULTI_WEIGHTS: "83947df41bf56e1f231305ed89b7185d7a9a5f03e444f7533c86df4e982036fa",
    MULTI_TOKENIZER: "f3ec8d2aed2386b0fee32b62cfcb100e76a7bb357e472360210458c60df34f83",
    LATIN_PIECES: "8d4bd2f75ac93acedebc32b8c87149d54bd4984824bc8d1340b6e440b56ca304",
    ENGLISH_WORDS: "47bd910d3324a1dd869d10ac0e64866273802f9d860dde14ee2dab3ef9e70d5a",
    graph_name(MINI_WEIGHTS): "c6c9a8915de6a3847078f95becc5e78588724f3c07d921244c0a8e4437ca92bb",
    graph_name(MULTI_WEIGHTS): "370eeb29cd7501b6cb8eb1ffe54416a4c8edf376414bab0c6ee145c077577288",
    layout_name(MINI_WEIGHTS): "2aa5803a6b1bf611e75e668a28e1dd7c81577b2cae409995dea86e38b365246e",
    layout_name(MULTI_WEIGHTS): "96d5858186488270987970a5c1fd9b7a47a5dd4864724a371089feba445137f4",
}


def load_packaged(folder: Path = WEIGHTS) -> RoutedEmbedder:
    """The default encoder: engramma-mini-1, and beside it a network for other languages, loaded when one comes."""
    settings = EncoderSettings(PACKAGED, reads_emoji=False)

    def latin() -> frozenset[str]:
        return frozenset(checked_file(folder, LATIN_PIECES).read_text("utf-8").split())

    def network(opened: Any) -> LocalEmbedder:
        return LocalEmbedder(open_network(folder, MULTI_WEIGHTS, settings), opened, settings, PUBLISHED[MULTI_WEIGHTS])

    return RoutedEmbedder(
        load_mini(folder), latin, partial(multi_tokenizer, folder), network, settings, packaged_sha256()
    )


@cache
def mini_vocabulary(folder: Path = WEIGHTS) -> WordVocabulary:
    """The words of English that the small encoder and the reader know, opened once."""
    pieces = checked_file(folder, MINI_PIECES).read_text("utf-8").split("\n")
    return WordVocabulary(pieces, small_form(), LONGEST_WORD, isolates_rare_han=False)


@cache
def multi_tokenizer(folder: Path = WEIGHTS) -> WordPieces:
    """The tokenizer of the default encoder, opened once: who looks up words asks it, too."""
    latin = iter(checked_file(folder, LATIN_PIECES).read_text("utf-8").split())
    own = zlib.decompress(checked_file(folder, MULTI_PIECES).read_bytes()).decode("utf-8").split("\n")
    pieces = [*mini_vocabulary(folder).pieces, *[piece or next(latin) for piece in own]]
    vocabulary = WordVocabulary(pieces, large_form(), MULTI_LONGEST_WORD, isolates_rare_han=True)
    return WordPieces(vocabulary, EncoderSettings(PACKAGED).max_tokens)


def load_mini(folder: Path = WEIGHTS) -> LocalEmbedder:
    """The encoder for English alone, which was the default before."""
    settings = EncoderSettings(MINI, reads_emoji=False)
    network = open_network(folder, MINI_WEIGHTS, settings)
    tokenizer = WordPieces(mini_vocabulary(folder), settings.max_tokens)
    return LocalEmbedder(network, tokenizer, settings, PUBLISHED[MINI_WEIGHTS])


def packaged_sha256() -> str:
    """Identifies the default encoder: the hash of a line "name sha256" for mini and each file of the network, and of
    the share of pieces that decides between them.

    It is taken from the published hashes, so that nobody reads 57 MB to know it. The tokenizer is part of it, because
    it decides, too, which network embeds a text.
    """
    parts = {MINI: PUBLISHED[MINI_WEIGHTS]} | {name: PUBLISHED[name] for name in (MULTI_WEIGHTS, MULTI_TOKENIZER)}
    lines = [*(f"{name} {sha256}" for name, sha256 in parts.items()), f"foreign {FOREIGN} {ALONE}"]
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def open_network(folder: Path, weights: str, settings: EncoderSettings) -> NativeNetwork | OnnxNetwork:
    """A network by our library where that is faster or nothing else can, else by its graph; what runs it must be as
    published."""
    path = checked_file(folder, weights)
    if runs_networks():
        return NativeNetwork(path, checked_file(folder, layout_name(weights)))
    return OnnxNetwork(checked_file(folder, graph_name(weights)), settings)


def checked_file(folder: Path, name: str) -> Path:
    """A file of the package, if it is there and is the one that was published."""
    path = folder / name
    if not path.is_file():
        raise ModelError(f"{path} is missing; reinstall engramma")
    found = sha256_of(path)
    if found != PUBLISHED[name]:
        raise ModelError(f"{path} is damaged: sha256 {found}, not {PUBLISHED[name]}; reinstall engramma")
    return path
