"""In which language a text is written."""

from __future__ import annotations

from engramma.language.detect import is_foreign


def test_a_text_is_foreign_by_its_letters_or_by_its_words():
    for text in ("Ich habe es nicht gesehen", "Вчера я купил велосипед", "我昨天买了一辆自行车", "어제 샀어요", "متى"):
        assert is_foreign(text), text
    for text in ("", "42!", "I bought a bike in Zürich", "git commit -m fix", "Dear Владимир, thanks a lot", "Ok 👍"):
        assert not is_foreign(text), text
