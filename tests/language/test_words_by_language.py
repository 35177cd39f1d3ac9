"""Words of other languages than English: inflected forms meet, languages mix, and English stays as it is."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.language.detect import language_of
from engramma.language.function_words import ENGLISH, latin_words
from engramma.language.lexical import index_forms, index_tokens, match_expression, searchable, stems, terms
from engramma.language.stemming import LATIN, stem_words, stemmed_languages, stemmer_version
from engramma.store.sqlite.database import load_sqlite_queries
from tests.conftest import some


def finds(text, query, *languages):
    """Whether a text is found by a question in a store of texts in its language and in some others."""
    connection = sqlite3.connect(":memory:")
    connection.execute(load_sqlite_queries()["words_create"].replace("{ns}", "1"))
    connection.execute("INSERT INTO words_1 (rowid, body) VALUES (1, ?)", (searchable(text),))
    known = dict.fromkeys((language_of(text), *languages))
    expression = match_expression(terms(query), [one for one in known if one])
    sql = "SELECT rowid FROM words_1 WHERE words_1 MATCH ?"
    found = connection.execute(sql, (expression,)).fetchall() if expression else []
    connection.close()
    return bool(found)


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("de", "Wir haben gestern zwei Häuser angesehen.", "Welches Haus?"),
        ("de", "Die Katzen schlafen auf dem Sofa.", "Katze"),
        ("de", "Sie wohnt in der Hauptstraße.", "Hauptstrasse"),
        ("nl", "Wij hebben de boeken van de bibliotheek geleend.", "Welk boek was het?"),
        ("fr", "Nous avons visité les châteaux de la Loire.", "Quel château ?"),
        ("fr", "Il y a de l'eau dans la cave.", "Où est l'eau ?"),
        ("es", "Mis hermanas viven en Sevilla con los niños.", "¿Dónde vive el niño?"),
        ("es", "Escuchamos las canciones de la abuela.", "cancion"),
        ("pt", "Nós compramos as bicicletas em Lisboa para os meninos.", "Que bicicleta?"),
        ("it", "Abbiamo comprato i biglietti per il treno.", "Quale biglietto?"),
        ("it", "Sono andata all'università con lui.", "Qual è l'università?"),
        ("ro", "Am văzut casele din București cu el.", "Care casă este?"),
        ("ca", "Hem comprat les entrades per al teatre amb els nens.", "On és l'entrada?"),
        ("sv", "Vi har tvättat bilarna och de är rena.", "Var är bilen?"),
        ("da", "Jeg har købt cyklerne af hende, og de er her nu.", "Hvor er cyklen?"),
        ("no", "Bilene er dyre, men hun har ikke noe å kjøpe dem for.", "Hvor er bilen?"),
        ("fi", "Minä ostin talon, joka on järven rannalla.", "Missä talossa hän oli?"),
        ("hu", "A gyerekek az új házban laknak, és ez nagyon jó.", "Milyen házak vannak?"),
        ("pl", "Nie lubię tych książek, które są w szkole.", "Jaka szkoła?"),
        ("cs", "Koupili jsme nové knihy, které jsou pro děti.", "Kde je kniha?"),
        ("tr", "Bu evler çok güzel ve onlar için yeni.", "Hangi evde?"),
        ("tr", "Ben geçen yıl Ankara'da bir ev aldım.", "Ankara'nın nüfusu ne kadar?"),
        ("id", "Saya sudah membeli makanan untuk mereka.", "Apa yang dimakan?"),
        ("vi", "Chúng tôi đã đến thành phố Huế.", "thanh pho nao"),
        ("", "Мы играли с кошками у бабушки.", "Где кошка?"),
        ("", "Он работал в больнице.", "Какие больницы?"),
        ("", "Είδαμε τους δρόμους χθες.", "Ποιος δρόμος;"),
        ("", "اشترينا الكتب من المكتبة", "مكتبة"),
        ("", "ذهب أحمد إلى المدرسة", "احمد"),
        ("", "لڑکی نے کتاب پڑھی", "كتاب"),
        ("", "मैंने किताबें खरीदीं", "किताब"),
        ("", "उसने ज़मीन बेची", "जमीन"),
        ("", "Wart ۱۲۳", "123"),
        ("", "Søren came by", "Soren"),
        ("", "她去了东京塔", "东京塔是什么？"),
        ("", "私は東京タワーに登りました", "東京タワーとは何ですか"),
        ("", "서울에서 고양이를 봤어요", "고양이는 어디에 있나요?"),
        ("", "แมวนอนอยู่บนโซฟา", "แมวอยู่ที่ไหน"),
    ],
)
def test_inflected_forms_meet(language, text, query):
    assert language_of(text) == language
    assert finds(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Die Katzen schlafen auf dem Sofa.", "Was ist mit dem Hund?"),
        ("Mis hermanas viven en Sevilla.", "¿Dónde está el perro?"),
        ("Мы смотрели кошек у бабушки.", "Где собака?"),
        ("Αγοράσαμε τα βιβλία χθες.", "Ποιο σπίτι;"),
        ("اشترينا الكتب من المكتبة", "أين السيارة؟"),
        ("मैंने किताबें खरीदीं", "मकान कहाँ है"),
        ("东京塔是红色的", "纽约是什么？"),
        ("แมวนอนอยู่บนโซฟา", "สุนัขที่ไหน"),
        ("Bu evler çok güzel ve onlar için yeni.", "Hangi araba?"),
    ],
)
def test_a_question_is_not_answered_by_its_function_words(text, query):
    assert not finds(text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Tolle Katzen!", "Was ist mit den Katzen?"),  # too short to tell a language
        ("Die Katzen schlafen auf dem Sofa.", "Katzen"),  # the question is
        ("Meeting with Frau Müller about the Häuser project", "Was hat Frau Müller gesagt?"),
        ("Die Sitzung mit Caroline und Herrn Anders war gut.", "What did Caroline say to Anders?"),
        ("Das Wetter in Barcelona ist nicht gut.", "¿Qué tiempo hace en Barcelona?"),
        ("I told her: das Fahrrad steht im Keller", "Wo steht das Fahrrad?"),
        ("我喜欢 Running 和 кошки", "кошка"),
    ],
)
def test_a_word_is_found_whatever_the_languages_of_text_and_question(text, query):
    assert finds(text, query, "de", "es", "fr")


@pytest.mark.parametrize(
    "text",
    [
        "What did the cat do to Caroline's dog in 2023?",
        "One time I used to stalk a girl. Take care! Keep pushing on. Talk soon.",
        "Los Angeles and the De La Soul concert",
        "hiking trails near Garden Valley",
        "I die for a son in war, men!",
    ],
)
def test_english_is_left_alone(text):
    assert language_of(text) == "" and searchable(text) == text and index_forms(text) == (text,)
    assert list(stemmed_languages(text, "")) == []


def test_a_word_counts_once_in_each_form():
    forms = [index_tokens(form) for form in index_forms("katzen", ("de", "nl", "fr"))]
    assert ("katzen",) in forms and ("katz",) in forms and len(forms) == len(set(forms))
    assert index_forms("rain", ("de", "fr")) == ("rain",), "one form where all languages have the same"
    assert match_expression(["katzen"], ["de"]) == '"katzen" OR "katz"'


def test_function_words_of_a_language_are_asked_for_only_if_there_is_nothing_else():
    assert terms("Wo ist denn die Katze?") == ("katze",)
    assert terms("Wo ist das?") == ("wo", "ist", "das")
    assert terms("Где же кошка?") == ("кошка",)
    assert terms("猫是什么？") == ("猫",)
    assert terms("什么？") == ("什 么",)


def test_letters_that_stand_for_sounds_are_asked_for_in_fours():
    assert terms("กรุงเทพมหานคร")[:2] == ("ก ร ุ ง", "ร ุ ง เ")


def test_syllables_are_asked_for_in_pairs_as_well():
    assert "thành phố" in terms("Dân số của thành phố là bao nhiêu?")


def test_every_language_has_its_stemmer_and_its_function_words():
    known = {language for languages in latin_words().values() for language in languages}
    assert LATIN.keys() <= known and "" in known
    for language in LATIN:
        assert stem_words("information", language)
    assert stemmer_version() and "the" in ENGLISH


@pytest.mark.parametrize("language", ["", *LATIN])
@settings(max_examples=some(60), deadline=None)
@given(
    text=st.text(max_size=80) | st.text(alphabet="aeißéøñığ кшиίής كتبةकिता'’-_ \u0301\u093c\x00\ud800", max_size=80)
)
def test_any_text_can_be_stemmed_in_any_language(language, text):
    assert isinstance(stem_words(text, language), str)
    assert all(isinstance(token, str) for token in stems(text, language))
    assert language_of(text) in {*LATIN, "", "vi"}


@pytest.mark.parametrize("piece", ["ß", "é", "ы", "ة", "ि", "ş ", "und ", "ла ", "ü'"])
def test_a_hundred_kilobytes_of_any_letters_are_no_burden(piece):
    text = piece * (100_000 // len(piece))
    begun = time.process_time()
    searchable(text)
    stem_words(text, "tr")
    terms(text)
    assert time.process_time() - begun < 5


def test_many_threads_may_stem_at_once():
    wrong = []

    def work(name):
        told = ((n, stem_words(f"кошками{name}{n} häusern{n}", "de")) for n in range(300))
        wrong.extend(n for n, stemmed in told if stemmed != f"кошк{name}{n} haus{n}")

    threads = [threading.Thread(target=work, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
