"""What questions in other languages ask for, and which sentences begin by asking."""

from __future__ import annotations

import pytest

from engramma.language import interrogatives
from engramma.language.interrogatives import KINDS, asked_kind, opens_asking


def test_every_language_has_words_for_every_kind() -> None:
    for language in interrogatives._WORDS:
        assert {*interrogatives._asking(language).values()} == {*KINDS}, language


@pytest.mark.parametrize(
    ("language", "question", "kind"),
    [
        ("es", "cuando operan a mama?", "when"),
        ("es", "¿Por qué dejó Pilar a Óscar?", "why"),
        ("es", "y a que es alergico Pimiento", "what"),
        ("es", "receta croquetas abuela", ""),
        ("fr", "le bébé est prévu pour quand ?", "when"),
        ("fr", "A combien le bateau a été vendu ?", "amount"),
        ("fr", "à qui est le chien", "who"),
        ("fr", "ou habite Loic", "where"),
        ("de", "Wie viele Katzen hat Jens?", "amount"),
        ("de", "Wie heißt die Katze?", "what"),
        ("it", "Da quando lavora lì?", "when"),
        ("pt", "Por que ele vendeu o carro?", "why"),
        ("nl", "Hoeveel kost het?", "amount"),
        ("tr", "Ali bunu ne zaman aldı?", "when"),
        ("ru", "Почему они уехали?", "why"),
        ("xx", "quanto costa?", ""),
        ("es", "", ""),
    ],
)
def test_the_kind_is_told_by_the_interrogative(language: str, question: str, kind: str) -> None:
    assert asked_kind(question, language) == kind


@pytest.mark.parametrize(
    ("language", "sentence", "asks"),
    [
        ("es", "oye cual era la receta de las croquetas", True),
        ("fr", "quel vélo à moins de 1800 euros", True),
        ("de", "wieviel zahlst du jetzt", True),
        ("fr", "quelle horreur !", False),
        ("es", "cuando llegue te llamo", False),
        ("it", "Perché non volevo", False),
        ("es", "la casa de quien sabes", False),
        ("de", "", False),
    ],
)
def test_a_sentence_may_ask_without_its_mark(language: str, sentence: str, asks: bool) -> None:
    assert opens_asking(sentence, language) is asks
