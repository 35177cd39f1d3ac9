"""In which language a text is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engramma.language.detect import ENGLISH_TOO, is_foreign, language_by_words, language_of
from engramma.language.function_words import ENGLISH, latin_words


def test_a_text_is_foreign_by_its_letters_or_by_its_words():
    for text in ("Ich habe es nicht gesehen", "Вчера я купил велосипед", "我昨天买了一辆自行车", "어제 샀어요", "متى"):
        assert is_foreign(text), text
    for text in ("", "42!", "I bought a bike in Zürich", "git commit -m fix", "Dear Владимир, thanks a lot", "Ok 👍"):
        assert not is_foreign(text), text


english = sorted(ENGLISH | ENGLISH_TOO | {"Zoe", "bike", "git", "Los", "OK", "x"})
foreign = sorted(word for word in latin_words() if word.isascii())


@given(
    st.lists(st.sampled_from(english) | st.sampled_from(foreign) | st.sampled_from(["Über", "año", "."]), max_size=12)
)
def test_the_language_is_the_one_that_all_words_tell_also_where_none_is_foreign(words):
    for text in (" ".join(words), " ".join(words).upper(), " ".join(words).title()):
        assert language_of(text) == language_by_words(text)
