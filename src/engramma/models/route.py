"""Routes each text to one of two encoders of one vector space: English to the small one, the rest to the large one.

The large one's vocabulary is the small one's, with the same ids, and then the pieces of other languages. A text that
it cuts into hardly any of these is embedded by the small encoder, with the small one's own tokenizer, so its vector is
the same, bit for bit, as if there were no other encoder. A name or a rare word does not make an English text foreign.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from .embed import Kind, Progress
from .local_embedder import LocalEmbedder, embed_with, prepare_text
from .settings import EncoderSettings

# Characters that both tokenizers normalise alike wherever they stand: blanks, Latin letters, whose accents are dropped,
# and the marks of printed text. Others differ: signs of Chinese, the hook and the dot of Vietnamese, syllables of
# Korean, vowel signs of Hindi (tests/models/test_route.py tries every character of this set).
_ALIKE = re.compile("[\t\n\r -~\u00a0-\u017f\u2010-\u2027€]*")

# The share of new pieces from which a text is foreign. No turn and no question of LoCoMo and LongMemEval has as many;
# of questions in five languages in Latin letters all but 1 in 35 (docs/log/multilingual.md).
FOREIGN = 0.1
ALONE = 0.25  # the same where there is one new piece only, beside English words: a name in a short question
_ENGLISH = """
    what is the did who when where how why which does are of and with she they my you it has have were about his her
    from that this there your our their would could should been got any some know think want really thanks because
    before after again always never something anything everything
"""
ENGLISH_WORDS = frozenset(_ENGLISH.split())

MARKS = 2  # tokens that every text begins and ends with
PIECE = "##"  # begins a token that goes on with a word

T = TypeVar("T")


class Once(Generic[T]):
    """Makes a thing when it is first asked for, once for all threads. What failed is tried again next time."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make, self._made = make, list[T]()
        self._making = threading.Lock()

    def __call__(self) -> T:
        if not self._made:
            with self._making:
                if not self._made:  # another thread may have been faster
                    self._made.append(self._make())
        return self._made[0]


class RoutedEmbedder:
    """Two encoders as one. Safe to share between threads.

    `latin` reads the large encoder's new pieces in Latin letters, `tokenizer` opens its tokenizer, `network` the
    encoder itself with that tokenizer: each is called when the first text needs it, so English alone costs neither the
    network's memory nor the tokenizer's time.
    """

    def __init__(
        self,
        small: LocalEmbedder,
        latin: Callable[[], frozenset[str]],
        tokenizer: Callable[[], Any],
        network: Callable[[Any], LocalEmbedder],
        settings: EncoderSettings,
        sha256: str,
    ) -> None:
        self._small, self._settings, self._sha256 = small, settings, sha256
        self._own_pieces: int = small.tokenizer.get_vocab_size()
        self._latin = Once(latin)
        self._tokenizer = Once(tokenizer)
        self._large = Once(lambda: network(self._tokenizer()))

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def sha256(self) -> str:
        return self._sha256

    @property
    def dimension(self) -> int:
        return self._small.dimension

    @property
    def edge_floor(self) -> float:
        return self._settings.edge_floor

    @property
    def window(self) -> int:
        """How many characters of ordinary text it reads; what follows is cut off."""
        return self._small.window

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """One unit row a text, in the order given."""
        return embed_with(self._vectors_of, self.dimension, self._settings, texts, kind, progress)

    def keeps_vector(self, sha256: str, text: str) -> bool:
        """Whether the encoder of this identity gives a document the very vector that this one gives it."""
        return sha256 == self._small.sha256 and self.is_small(prepare_text(text, "document", self._settings))

    def is_small(self, text: str) -> bool:
        """Whether the small encoder embeds this text, which is prepared already."""
        return self._plain_ids(text) is not None or self._is_own(self._tokenizer().encode(text))

    def _vectors_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cut = [self._cut(text) for text in texts]
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for is_small in (True, False):
            places = [place for place, (whose, _) in enumerate(cut) if whose is is_small]
            if places:
                encoder = self._small if is_small else self._large()
                vectors[places] = encoder.vectors_of_ids([cut[place][1] for place in places])
        return vectors

    def _cut(self, text: str) -> tuple[bool, Sequence[int]]:
        """Whether a text is the small encoder's, and its tokens' ids by the encoder whose it is."""
        if (plain := self._plain_ids(text)) is not None:
            return True, plain
        cut = self._tokenizer().encode(text)
        return (True, self._small.tokenizer.encode(text).ids) if self._is_own(cut) else (False, cut.ids)

    def _plain_ids(self, text: str) -> list[int] | None:
        """The small encoder's tokens, where they alone tell that the text is its own."""
        cut = self._small.tokenizer.encode(text)
        ids, tokens, most = cut.ids, cut.tokens, self._settings.max_tokens
        if not is_seen_alike(text, tokens):
            return None
        is_whole = not any(token.startswith(PIECE) for token in tokens)
        if len(tokens) < most:
            return list(ids) if is_whole or self._has_few_new(tokens, most - MARKS) else None
        return list(ids) if self._has_few_new_begun(without_last_word(tokens), most - MARKS) else None

    def _has_few_new(self, tokens: Sequence[str], room: int) -> bool:
        """Whether the large encoder's tokenizer would find few new pieces where the small one's splits words."""
        new, pieces = self._count_new(tokens)
        return pieces <= room and is_hardly_foreign(new, pieces, tokens)

    def _has_few_new_begun(self, tokens: Sequence[str], room: int) -> bool:
        """The same for the beginning of a text that was cut off, whatever is new in all that the large encoder may see
        of it beyond."""
        new, pieces = self._count_new(tokens)
        return new + room - pieces < FOREIGN * room

    def _count_new(self, tokens: Sequence[str]) -> tuple[int, int]:
        """How many pieces the large encoder's tokenizer would make of a text's words, and how many are new."""
        split = rejoin_words(tokens)
        made = [is_new for word in split for is_new in new_pieces(word, self._latin(), self._small.tokenizer)]
        whole = sum(not token.startswith(PIECE) for token in tokens) - len(split) - MARKS
        return sum(made), whole + len(made)

    def _is_own(self, cut: Any) -> bool:
        """Whether the tokens that the large encoder's tokenizer made are, but for a few, the small one's pieces."""
        new = sum(one >= self._own_pieces for one in cut.ids)
        return is_hardly_foreign(new, len(cut.ids) - MARKS, cut.tokens)


def is_hardly_foreign(new: int, pieces: int, tokens: Sequence[str]) -> bool:
    """Whether so few of a text's pieces are new that it is English with a name or a rare word in it.

    Of its tokens only whole words count, which are the same for both tokenizers.
    """
    is_alone = new == 1 and any(
        token in ENGLISH_WORDS and not after.startswith(PIECE)
        for token, after in zip(tokens, [*tokens[1:], ""], strict=True)
    )
    return new < (ALONE if is_alone else FOREIGN) * max(1, pieces)


def is_seen_alike(text: str, tokens: Sequence[str]) -> bool:
    """Whether both tokenizers see the same words in a text, all of which the small one knows how to cut."""
    return "[UNK]" not in tokens and _ALIKE.fullmatch(text) is not None


def without_last_word(tokens: Sequence[str]) -> Sequence[str]:
    """The tokens of a text that was cut off, without the word that may go on, and with the mark at the end."""
    last = len(tokens) - MARKS
    while last > 0 and tokens[last].startswith(PIECE):
        last -= 1
    return [*tokens[:last], tokens[-1]]


def rejoin_words(tokens: Sequence[str]) -> list[str]:
    """The words that were cut into several tokens, put together again."""
    found, word = list[str](), ""
    for token, after in zip(tokens, [*tokens[1:], ""], strict=True):
        word = word + token.removeprefix(PIECE) if token.startswith(PIECE) else token
        if token.startswith(PIECE) and not after.startswith(PIECE):
            found.append(word)
    return found


def new_pieces(word: str, latin: frozenset[str], known: Any) -> list[bool]:
    """Whether each piece is new that a word is cut into, always the longest that either vocabulary has."""
    found, start = list[bool](), 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else PIECE + word[start:end]
            is_new = piece in latin
            if is_new or known.token_to_id(piece) is not None:
                found.append(is_new)
                start = end
                break
        else:
            return [True] * len(word)  # nobody knows: the large encoder's tokenizer is asked
    return found
