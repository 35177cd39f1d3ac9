"""The language of short questions: by script, by function words, and English wherever nothing tells it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engramma.language.question_language import question_language

QUESTIONS = {
    "de": ("Wo wohnt Anna?", "Wie heißt meine Tochter?", "Was macht Anna?", "Was frisst unser Hund?", "WO IST ANNA?"),
    "es": ("¿Dónde vive Ana?", "Donde vive Ana", "Como se llama mi perro?", "¿Anna?"),
    "fr": ("Où habite Anna ?", "Qui est Bob ?", "Comment s'appelle ma fille ?", "Que mange notre chien ?"),
    "it": ("Dove abita Anna?", "Chi è Anna?", "Quando è nata Anna?", "Come si chiama il mio cane?"),
    "pt": ("Onde mora a Ana?", "Quem é o Bob?", "Quando nasceu a Ana?", "O que come o nosso cão?"),
    "nl": ("Waar woont Anna?", "Wie is Bob?", "Hoe heet mijn hond?"),
    "pl": ("Gdzie mieszka Anna?", "Kim jest Bob?"),
    "tr": ("Anna nerede yaşıyor?", "Kızımın adı ne?"),
    "ro": ("Unde locuiește Anna?", "Cine este Bob?"),
    "id": ("Di mana Anna tinggal?", "Siapa nama anjing saya?"),
    "vi": ("Anna sống ở đâu?", "Con chó của tôi tên gì?"),
    "ru": ("Где живёт Анна?", "Кто такой Bob?"),
    "uk": ("Де живе Анна?", "Як звати мою доньку?"),
    "el": ("Πού μένει η Άννα;",),
    "ar": ("أين تسكن آنا؟", "ما اسم ابنتي؟"),
    "he": ("איפה גרה אנה?",),
    "hi": ("आना कहाँ रहती है?",),
    "bn": ("আন্না কোথায় থাকে?",),
    "ko": ("안나는 어디에 살아요?",),
    "th": ("แอนนาอยู่ที่ไหน",),
    "zh": ("安娜住在哪里？", "什么是 Kubernetes Horizontal Pod Autoscaler？"),
    "ja": ("アンナはどこに住んでいますか？",),
}
ENGLISH = (
    "Where does Anna live?",
    "Who is Иван Петрович Сидоров?",
    "what does 什么 mean?",
    "Was Anna late?",
    "Did Søren come?",
    "Los Angeles trip",
    "What did Maria say about La Paz?",
    "When did I go to the café?",
    "What is Zoë's résumé about",
    "Is Die Hard a movie",
    "Please come in",
    "wifi password",
    "",
    "???",
    "42",
)


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_short_question_tells_its_language(language: str):
    assert [question_language(one) for one in QUESTIONS[language]] == [language] * len(QUESTIONS[language])


# An interrogative and an auxiliary beside a name are enough; none of these words is a list's only one.
ASKED = {
    "de": (
        *("Wogegen ist Jens allergisch?", "Worauf freut sich Mia?", "Wovor hat Ole Angst?", "Womit begann Marlee?"),
        *("Was hat Torben mitgebracht?", "Was ist Huihui?", "Will er kommen?", "Ist Silke verheiratet?"),
        *("Könntest du zurückrufen?", "Wozu neigen Gurus?", "Möchtest du Tee?"),
    ),
    "es": ("Adónde fue Ana", "Quiénes tienen perro?", "Pudo Ana llegar?"),
    "fr": ("Lequel préfère Anna ?", "Veux-tu quelque chose à boire ?", "Auxquelles pense Anna ?"),
    "it": ("Vorresti altri biscotti?", "Puoi darmi una mano?", "Vogliono restare?"),
    "pt": ("Posso tirar fotos aqui?", "Aonde foram?", "Quem tinha fome?"),
    "nl": ("Waarop wacht Anna?", "Kunt u schrijven?", "Waarvandaan belt Anna?"),
    "pl": ("Czyje to?", "Czemu tak mówisz?", "Musisz iść?"),
    "tr": ("Anna neyi seviyor?", "Televizyon izler misiniz?", "Dün evde miydin?"),
    "ro": ("Căruia îi place Anna?", "Poți veni?", "Trebuie mers?"),
    "id": ("Bisakah kau mencetaknya?", "Pernahkah Anna pergi?", "Darimana Anna datang?"),
}


@pytest.mark.parametrize("language", ASKED)
def test_interrogatives_and_auxiliaries_tell_a_language(language: str):
    assert [question_language(one) for one in ASKED[language]] == [language] * len(ASKED[language])


@pytest.mark.parametrize(
    "question",
    [
        *("Was war declared?", "Was man made for this?", "Will Smith?", "Was Anna late?", "Did Tom say a word?"),
        *("Face the music", "May I see the room?", "Hat size?", "Mag wheels?", "What did Ole say?", "Sara's mate?"),
    ],
)
def test_english_words_that_others_ask_with_stay_english(question: str):
    assert question_language(question) == ""


def test_english_is_never_taken_for_another_language():
    assert [one for one in ENGLISH if question_language(one)] == []


def test_a_language_that_only_shares_its_script_is_not_taken_for_the_bigger_one():
    others = ("Къде живее Мария?", "Где је Марко?", "آنا کجا زندگی می‌کند؟", "माझ्या कुत्र्याचे नाव काय आहे?")
    assert [question_language(one) for one in others] == [""] * len(others)


@pytest.mark.parametrize(
    "question",
    [
        "Jina la mbwa wangu ni nani?",
        "Nambari ya simu ya ofisi ni ipi?",
        "Gari langu ni la rangi gani?",
        "Ni lini nitasafiri kwenda Mombasa?",
        "Kí ni orúkọ ajá mi?",
        "Menene sunan karena?",
        "Ano ang pangalan ng aso ko?",
        "Kus ma elan ja mis on minu koera nimi?",
        "Kur aš gyvenu ir ką valgau?",
        "Kako se zove moj pas, a kako mačka?",
        "Nola du izena nire txakurrak?",
        "Beth yw enw fy nghi?",
    ],
)
def test_a_language_that_nobody_is_answered_in_is_not_taken_for_one_with_the_same_short_words(question: str):
    assert question_language(question) == ""


@given(st.text(max_size=200))
def test_any_text_is_taken(text: str):
    assert question_language(text) in {"", *QUESTIONS, "ca", "cs", "da", "fi", "hu", "no", "sv"}
