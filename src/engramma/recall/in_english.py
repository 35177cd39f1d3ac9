"""The words of a question in another language as an English talk has them.

Names and words that the encoder knows are asked for in English, too, beside the question's own: only those that this
memory does not have as they are written, and only as words that it has.
"""

from __future__ import annotations

from ..errors import ModelError, StoreError
from ..language.detect import is_foreign
from ..language.lexical import MAX_TERMS
from ..language.question_language import question_language
from ..store.store import Store

MOST_PIECES = 64  # of a question that are looked up: a pasted page is not asked for word by word
MOST_WORDS = 2  # English words of a piece


def words_in_english(store: Store, text: str) -> tuple[str, ...]:
    """English words of this memory that stand for words of a question which it does not have; none for English."""
    if not question_language(text) and not is_foreign(text):
        return ()
    from ..models.english_words import meant_words  # its vocabulary must not cost those who ask in English

    try:
        meant = meant_words(text, MOST_PIECES)
        written = store.document_counts({one.written for one in meant})
        counts = store.document_counts({word for one in meant for word in one.english})
    except (ModelError, StoreError):
        return ()  # what is wrong with the store is said by who looks for the question in it
    found = dict[str, None]()
    for one in meant:
        if not written[one.written]:
            found.update(dict.fromkeys([word for word in one.english if counts[word]][:MOST_WORDS]))
    return tuple(found)[:MAX_TERMS]
