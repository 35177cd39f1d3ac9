"""`ask` in other languages: it quotes what was said, and refuses in the language of the question."""

from __future__ import annotations

import string
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.apps.render import answer_lines
from engramma.language.question_language import question_language
from engramma.people.answers.wording import answer_words, nothing_said
from engramma.records.people import Answer

# What somebody says, questions that it answers with the place of the answer, and questions that nothing answers.
TALK: dict[str, tuple[tuple[str, ...], dict[str, int], tuple[str, ...]]] = {
    "de": (
        (
            "Meine Tochter heißt Leni und geht in die dritte Klasse.",
            "Wir fahren im August nach Kroatien an die Küste.",
            "Unser Hund Bello frisst nur Lachs.",
        ),
        {"Wie heißt meine Tochter?": 0, "Was frisst unser Hund?": 2, "Wohin fahren wir im August?": 1},
        ("Wann wurde mein Großvater geboren?", "Welche Farbe hat mein Auto?"),
    ),
    "es": (
        (
            "Mi hija se llama Lucía y tiene ocho años.",
            "En agosto viajamos a Croacia.",
            "Nuestro perro Toby solo come salmón.",
        ),
        {"¿Cómo se llama mi hija?": 0, "¿Qué come nuestro perro?": 2},
        ("¿Dónde nació mi abuelo?", "¿De qué color es mi coche?"),
    ),
    "fr": (
        (
            "Ma fille s'appelle Léa et elle est en CE2.",
            "En août nous partons en Croatie.",
            "Notre chien Rex ne mange que du saumon.",
        ),
        {"Comment s'appelle ma fille ?": 0, "Que mange notre chien ?": 2},
        ("De quelle couleur est ma voiture ?",),
    ),
    "pt": (
        (
            "A minha filha chama-se Inês e anda na terceira classe.",
            "Em agosto vamos para a Croácia.",
            "O nosso cão Bobi só come salmão.",
        ),
        {"Como se chama a minha filha?": 0, "O que come o nosso cão?": 2},
        ("Onde nasceu o meu avô?", "De que cor é o meu carro?"),
    ),
    "ru": (
        (
            "Мою дочь зовут Лена, она учится в третьем классе.",
            "В августе мы едем в Хорватию.",
            "Наша собака Шарик ест только лосося.",
        ),
        {"Как зовут мою дочь?": 0, "Что ест наша собака?": 2},
        ("Где родился мой дедушка?", "Какого цвета моя машина?"),
    ),
    "zh": (
        ("我女儿叫小雨，今年上三年级。", "我们八月去克罗地亚旅行。", "我家的狗豆豆只吃三文鱼。"),
        {"我女儿叫什么名字？": 0, "我家的狗吃什么？": 2},
        ("我爷爷是哪一年出生的？",),
    ),
    "ja": (
        ("娘の名前は美咲で、小学三年生です。", "八月にクロアチアへ旅行します。", "うちの犬のポチは鮭しか食べません。"),
        {"娘の名前は何ですか？": 0, "うちの犬は何を食べますか？": 2},
        ("祖父はいつ生まれましたか？", "私の車は何色ですか？"),
    ),
    "ar": (
        ("ابنتي اسمها ليلى وهي في الصف الثالث.", "سنسافر في أغسطس إلى كرواتيا.", "كلبنا بوبي يأكل سمك السلمون فقط."),
        {"ما اسم ابنتي؟": 0, "ماذا يأكل كلبنا؟": 2},
        ("متى ولد جدي؟", "ما لون سيارتي؟"),
    ),
    "hi": (
        (
            "मेरी बेटी का नाम अनन्या है और वह तीसरी कक्षा में पढ़ती है।",
            "हम अगस्त में क्रोएशिया जा रहे हैं।",
            "हमारा कुत्ता मोती सिर्फ मछली खाता है।",
        ),
        {"मेरी बेटी का नाम क्या है?": 0, "हमारा कुत्ता क्या खाता है?": 2},
        ("मेरे दादा का जन्म कब हुआ?", "मेरी गाड़ी का रंग क्या है?"),
    ),
    "bn": (
        ("আমার মেয়ের নাম রিয়া, সে তৃতীয় শ্রেণিতে পড়ে।", "আমরা আগস্টে ক্রোয়েশিয়া যাব।", "আমাদের কুকুর ভুলু শুধু মাছ খায়।"),
        {"আমার মেয়ের নাম কী?": 0, "আমাদের কুকুর কী খায়?": 2},
        ("আমার দাদা কবে জন্মেছিলেন?", "আমার গাড়ির রং কী?"),
    ),
}
TEN = ("zh", "es", "hi", "ar", "bn", "pt", "ru", "ja", "de", "fr")
START = datetime(2024, 5, 3, 10, tzinfo=UTC)


def first_words(language: str, phrase: str) -> str:
    return answer_words()[language][phrase].partition("{")[0]


@pytest.mark.parametrize("language", TALK)
def test_it_quotes_what_was_said_and_refuses_in_the_language_of_the_question(language: str, tmp_path):
    talk, answered, unanswered = TALK[language]
    turns = [Turn("user", text, START + timedelta(minutes=n), id=f"t{n}") for n, text in enumerate(talk)]
    with Memory.open(tmp_path) as memory:
        memory.remember_session("c", "s", turns)
        for question, place in answered.items():
            answer = memory.ask(question)
            assert (answer.verdict, answer.quote, answer.short) == ("answered", talk[place], ""), question
        for question in unanswered:
            answer = memory.ask(question)
            assert answer.verdict == "not known" and answer.kind == "what", question
            assert answer_lines(answer)[0].startswith(first_words(language, "no_answer")), question


@pytest.mark.parametrize("language", [language for language in answer_words() if language != "en"])
def test_every_language_has_every_phrase_with_the_same_places_and_tells_the_day(language: str):
    english, own = answer_words()["en"], answer_words()[language]
    assert set(own) == {*english, "day", "user", "assistant"}
    for phrase, text in english.items():
        assert places(own[phrase]) == places(text), phrase
    assert places(own["day"]) == {"d", "m", "y"}


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_the_ten_most_spoken_languages_have_words():
    assert set(TEN) <= set(answer_words())


QUESTION = {"de": "Wie alt ist sie?", "zh": "她几岁了？", "en": "How old is she?", "sv": "Hur gammal är hon?"}


@pytest.mark.parametrize("language", QUESTION)
def test_a_guess_is_worded_in_the_language_of_the_question_and_in_english_where_it_has_no_row(language: str):
    answer = Answer(QUESTION[language], "8", False, "", None, (), 0.3, verdict="answered")
    row = language if language in answer_words() else "en"
    assert question_language(QUESTION[language]) == language.replace("en", "")
    assert answer_lines(answer)[0] == answer_words()[row]["perhaps"].format(text="8")


def test_names_and_words_with_braces_are_put_in_as_they_are(tmp_path):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("c{0}", "s", [Turn("{reason}", "Der Hund {who} schläft.", START, id="{place}")])
        line = answer_lines(memory.ask("Wo schläft der Hund {place}?"))[0]
    assert line


@pytest.mark.parametrize(
    ("asked", "told", "question"),
    [
        ("Tiền thuê bao nhiêu?", "Bảy triệu một tháng.", "Tiền thuê nhà của Lan là bao nhiêu?"),
        ("किराया कितना है?", "हर महीने अठारह हज़ार रुपये।", "प्रिया का किराया कितना है?"),
    ],
)
def test_a_question_that_somebody_asked_is_no_answer(tmp_path, asked: str, told: str, question: str):
    with Memory.open(tmp_path) as memory:
        memory.remember_session("c", "s", [Turn("Minh", asked, START, "a"), Turn("Lan", told, START, "b")])
        answer = memory.ask(question)
    assert answer.verdict != "answered" or answer.quote == told


def test_a_question_in_a_language_without_a_row_is_refused_in_english(tmp_path: Path):
    said = ("Nilinunua baiskeli mpya jana sokoni.", "Ninaishi Arusha pamoja na dada yangu.")
    with Memory.open(tmp_path) as memory:
        turns = [Turn("user", text, datetime(2026, 3, 2, minute=n, tzinfo=UTC)) for n, text in enumerate(said)]
        memory.remember_session("chat", "one", turns)
        for question in (
            "Jina la mbwa wangu ni nani?",
            "Gari langu ni la rangi gani?",
            "Mke wangu anafanya kazi gani?",
        ):
            reason = memory.ask(question).reason
            assert any(word in reason for word in ("nobody", "nothing", "this may not")), reason


@pytest.mark.parametrize(("language", "unnamed"), [("en", "the user"), ("de", "der Nutzer")])
def test_the_user_is_called_by_name_where_it_is_known(language: str, unnamed: str):
    assert unnamed in nothing_said(language, "user", ["piano"])
    for speaker in ("user", "You"):
        told = nothing_said(language, speaker, ["piano"], "Nora Lindqvist")
        assert "Nora Lindqvist" in told and unnamed not in told
    assert "Ben" in nothing_said(language, "Ben", ["piano"], "Nora Lindqvist")


def test_short_german_questions_are_judged_and_refused_as_german_ones(tmp_path: Path):
    said = (
        ("Jens", "transporter ist gebucht bei starcar, 89 € für den ganzen tag"),
        ("Silke", "ich bringe am samstag den kartoffelsalat mit"),
        ("Jens", "torben hat seine jacke hier vergessen"),
        ("Silke", "das wetter war im garten so schön"),
    )
    open_ones = ("Raucht Jens?", "Hat Silke Kinder?", "Mag Ole Spinat?")
    clear = ("Wogegen ist Jens allergisch?", "Ist Silke verheiratet?", "Wovor hat Silke Angst?")
    with Memory.open(tmp_path) as memory:
        turns = [Turn(name, text, START + timedelta(minutes=n)) for n, (name, text) in enumerate(said)]
        memory.remember_session("chat", "one", turns)
        answers = {question: memory.ask(question) for question in (*open_ones, *clear)}
        english = memory.ask("Does Jens smoke?")
    assert {question for question, answer in answers.items() if answer.verdict == "answered"} == set()
    words = ("nichts", "vielleicht nicht die Antwort")
    assert {question for question, one in answers.items() if not any(word in one.reason for word in words)} == set()
    lines = [answer_lines(one)[0] for one in answers.values()]
    assert [one for one in lines if one.startswith(("No answer", "Not sure", "Unsure"))] == []
    assert "not" in english.reason and "nichts" not in english.reason


# What a talk says, and which of its questions are answered by what was said (True) or only seem to be.
TERSE = {
    "es": (
        (
            "he vendido la moto",
            "mi hermana Carla tiene una perra",
            "se llama Aitana y es fisio",
            "la niñera Yolanda viene de 9 a 13; cobra 11 euros la hora",
            "oye cual era el tamaño del horno",
            "en abril nos mudamos a Patraix",
        ),
        {
            "¿Cuándo nos mudamos a Patraix?": True,
            "¿Cuánto cobra Yolanda?": True,
            "¿Por qué he vendido la moto?": False,
            "cuando he vendido la moto": False,
            "¿Cómo se llama el canario?": False,
            "¿Cómo se llama la perra de Carla?": False,
            "¿Cuánto cuesta la perra?": False,
            "¿Dónde vive Carla?": False,
            "tamaño del horno": False,
        },
    ),
    "fr": (
        (
            "j'ai vendu la moto",
            "le voisin s'appelle Guéguen",
            "la traversée coûte 412 euros",
            "on attend un bébé pour avril",
            "quel four à moins de 300 euros",
        ),
        {
            "Comment s'appelle le voisin ?": True,
            "Combien coûte la traversée ?": True,
            "Pourquoi j'ai vendu la moto ?": False,
            "Comment s'appelle le canari ?": False,
            "quel four j'ai acheté": False,
        },
    ),
    "de": (
        ("ich habe das motorrad verkauft", "der nachbar heißt Bergmann", "die fähre kostet 412 euro"),
        {
            "Wie heißt der Nachbar?": True,
            "Was kostet die Fähre?": True,
            "Warum habe ich das Motorrad verkauft?": False,
            "Wann habe ich das Motorrad verkauft?": False,
            "Wie heißt der Kanarienvogel?": False,
            "Was kostet das Motorrad?": False,
        },
    ),
}


@pytest.mark.parametrize("language", TERSE)
def test_what_only_repeats_the_question_or_names_something_else_is_not_told(language: str, tmp_path: Path):
    said, questions = TERSE[language]
    with Memory.open(tmp_path) as memory:
        for n, texts in enumerate(said):
            turns = [Turn("Marta", text, START + timedelta(days=n)) for text in texts.split("; ")]
            memory.remember_session("c", f"s{n}", turns)
        told = {question: memory.ask(question) for question in questions}
    assert {question: one.verdict == "answered" for question, one in told.items()} == questions
