"""What full text search indexes and asks for: every language finds itself, and no question is syntax."""

from __future__ import annotations

import sqlite3
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engramma.language import lexical
from engramma.language.detect import language_of
from engramma.language.lexical import (
    LONGEST,
    MAX_TERMS,
    index_tokens,
    learn_stems,
    match_expression,
    searchable,
    stems,
    terms,
)
from engramma.store.sqlite.database import load_sqlite_queries
from tests.conftest import some

HOSTILE = [
    "",
    " \t\n",
    "AND",
    "NOT OR AND NEAR",
    "NEAR(cat dog, 5)",
    "cat* ^dog body:cat body : cat -cat +cat",
    '"',
    '"""',
    '"cat" AND ("dog" OR',
    "(((((((",
    "{body}: cat",
    "'; DROP TABLE words_1; --",
    "' OR 1=1 --",
    "cat\x00dog",
    "\x00",
    "\ud800 half a character \udfff",
    "😀 👩‍👩‍👧 ❤️ 🇩🇪 1️⃣",
    "the of and to",
    "我喜欢东京塔吗？",
    "ภาษาไทยไม่มีวรรค",
    "مُحَمَّد يُحِبُّ القِطَط؟",
    "हिन्दी में क्या लिखा है",
    "getUserName() -> snake_case[0] && HTTPServer::run",
    "https://user:secret@www.example.com:8080/a/b%20c?x=1#y",
    "http://",
    "https://[::1]/%ff%fe",
    "\u0301\u0316" * 500,
    "\u202eabc\u202c \ufeff \u00ad",
]


@pytest.fixture(scope="module")
def table():
    """A words table as a namespace has it."""
    connection = sqlite3.connect(":memory:")
    connection.execute(load_sqlite_queries()["words_create"].replace("{ns}", "1"))
    bodies = ("a cat and a dog", "near the table", "我喜欢东京塔", "drop NOT or")
    connection.executemany("INSERT INTO words_1 (rowid, body) VALUES (?, ?)", enumerate(map(searchable, bodies), 1))
    yield connection
    connection.close()


def found_by(table, query, languages=()):
    expression = match_expression(terms(query), languages)
    if not expression:
        return []
    rows = table.execute("SELECT rowid FROM words_1 WHERE words_1 MATCH ? ORDER BY rowid", (expression,))
    return [row[0] for row in rows]


def finds(text, query):
    """Whether a text that is indexed alone is found by a question."""
    connection = sqlite3.connect(":memory:")
    connection.execute(load_sqlite_queries()["words_create"].replace("{ns}", "1"))
    connection.execute("INSERT INTO words_1 (rowid, body) VALUES (1, ?)", (searchable(text),))
    found = found_by(
        connection, query, [language] if (language := language_of(text)) else []
    )  # as a namespace knows it
    connection.close()
    return found == [1]


@pytest.mark.parametrize("query", HOSTILE)
def test_no_question_is_syntax(table, query):
    assert set(found_by(table, query)) <= {1, 2, 3, 4}
    raw = match_expression([query])
    if raw:
        table.execute("SELECT rowid FROM words_1 WHERE words_1 MATCH ?", (raw,)).fetchall()


@settings(max_examples=some(300), deadline=None)
@given(st.text() | st.text(alphabet="ab\"'*^:-(){}+ANDORNEAT \x00\ud800東京ก_.1/"))
def test_any_text_can_be_asked_and_indexed(text):
    connection = sqlite3.connect(":memory:")
    connection.execute(load_sqlite_queries()["words_create"].replace("{ns}", "1"))
    connection.execute("INSERT INTO words_1 (rowid, body) VALUES (1, ?)", (searchable(text),))
    found_by(connection, text)
    assert len(terms(text)) <= MAX_TERMS
    assert all(stems(term) for term in terms(text))
    for listed in ([text], [text, text]):
        if expression := match_expression(listed):
            connection.execute("SELECT rowid FROM words_1 WHERE words_1 MATCH ?", (expression,)).fetchall()
    connection.close()


@settings(max_examples=some(300), deadline=None)
@given(st.text(min_size=1, max_size=60))
def test_a_text_is_found_by_its_own_words(text):
    assert finds(text, text) or terms(text) == ()


@pytest.mark.parametrize(
    "piece", ["a", "aB", "1", "1.", "a'", "_", "猫", "ก", "a b ", "https://", "x@", "\u0301\u0316", "😀"]
)
def test_a_hundred_kilobytes_are_no_burden(piece):
    text = piece * (100_000 // len(piece))
    begun = time.process_time()
    assert len(terms(text)) <= MAX_TERMS
    searchable(text)
    assert time.process_time() - begun < 5, "a pattern takes time in the square of the text"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("我昨天去了东京塔", "东京塔"),
        ("我昨天去了东京塔", "你什么时候去东京塔的"),
        ("東京タワーに登りました", "タワー"),
        ("ﾀﾜｰ", "タワー"),
        ("고양이가 좋아요", "고양이는"),
        ("ภาษาไทยไม่มีวรรค", "ไทย"),
        ("مُحَمَّد", "محمد"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("café Zoë", "CAFE zoe"),
        ("cafe\u0301", "café"),
        ("İstanbul", "istanbul"),
        ("ΟΔΟΣ", "οδός"),
        ("ёлка", "Елка"),
        ("ｆｕｌｌ width", "full"),
        ("soft\u00adware", "software"),
        ("call getUserName now", "user name"),
        ("call getUserName now", "getusername"),
        ("the HTTPServer crashed", "server"),
        ("set max_turn_bytes", "turn bytes"),
        ("set max_turn_bytes", "max_turn_bytes"),
        ("see https://www.example.com/guides/bread-making?utm=1", "bread guide"),
        ("见https://example.com/a。很好", "很好"),
        ("on 2024-05-06 at 10:30", "2024-05-06"),
        ("it cost 3.50", "3.50"),
        ("Caroline adopted", "Caroline’s"),
        ("she was running", "run"),
    ],
)
def test_what_people_write_is_found_as_people_ask(text, query):
    assert finds(text, query)


def test_an_address_keeps_host_and_path_and_no_secrets():
    said = searchable("https://ana:secret@www.example.com/cats/tabby%20cats?token=hidden#part")
    assert {"exampl", "cat", "tabbi"} <= set(stems(said)) and not {"secret", "hidden", "www"} & set(stems(said))


def test_an_identifier_is_indexed_whole_and_in_parts():
    assert stems(searchable("getUserName")) == ("getusernam", "get", "user", "name")
    assert searchable("PDFs and IDs") == "PDFs and IDs"


def test_a_word_of_absurd_length_is_left_out_and_what_surrounds_it_stays():
    assert stems(searchable(f"cat {'x' * (LONGEST + 1)} dog")) == ("cat", "dog")
    listed = ",".join(f"w{n}" for n in range(200))
    assert len(stems(searchable(listed))) == 200


def test_function_words_are_asked_for_only_if_there_is_nothing_else():
    assert terms("What did the cat do to Caroline's dog in 2023?") == ("cat", "caroline", "dog", "2023")
    assert terms("What was it?") == ("what", "was", "it")
    assert terms("don't you?") == ("don't", "you")


def test_two_forms_of_a_word_are_one_term():
    assert terms("trains train TRAIN training") == ("trains",)


def test_a_run_is_asked_for_whole_and_in_pairs():
    assert terms("东京") == ("东 京",)
    assert terms("东京塔") == ("东 京 塔", "东 京", "京 塔")
    assert terms("iPhone手机") == ("iphone", "phone", "手 机")
    assert len(terms("天地玄黄宇宙洪荒日月盈昃辰宿列张")) == 15, "a whole sentence is nobody's phrase"


def test_no_term_is_no_search():
    assert match_expression(()) == match_expression(["", " ", "\x00"]) == match_expression(terms("😀 ?!")) == ""


def test_an_expression_quotes_every_term():
    assert match_expression(["a", "c d", 'e"f']) == '"a" OR "c d" OR "e""f"'


def test_stems_come_from_the_tokenizer_of_the_words_tables():
    def tokenizer(sql):
        return sql.split("tokenize=")[1].split("\n")[0]

    from importlib import resources

    stems_sql = resources.files("engramma").joinpath("store/sql/stems.sql").read_text(encoding="utf-8")
    assert tokenizer(stems_sql) == tokenizer(load_sqlite_queries()["words_create"])
    assert stems("Running cats, naïvely") == ("run", "cat", "naiv")


@given(st.text(st.characters(codec="utf-8"), max_size=200) | st.text("aesingd' -_.3éß", max_size=200))
@settings(max_examples=some(200))
def test_words_that_were_learnt_have_the_stems_of_the_tokenizer(text):
    learn_stems(text)
    for word in text.lower().split():
        if word.isascii() and word.isalpha():
            assert stems(word) == index_tokens(word)


def test_no_more_stems_are_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(lexical, "MOST_STEMS", 3)
    for text in ("one two three four", "running horses", "old stories told again"):
        learn_stems(text)
        assert len(lexical._stems_of_words) <= 3 + len(text.split())
        assert [stems(word) for word in text.split()] == [index_tokens(word) for word in text.split()]


def test_many_threads_may_stem_at_once():
    wrong = []

    def work(name):
        numbers = range(100)
        wrong.extend(n for n in numbers if stems(f"{name}{n} runs") != (f"{name}{n}", "run"))

    threads = [threading.Thread(target=work, args=(name,)) for name in ("x", "y", "z", "w")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_accent_alone_is_no_word():
    assert stems("00 \u0304") == ("00",)


@pytest.mark.parametrize("start", ["", "l", "lu"])
def test_a_word_that_is_cut_inside_a_character_harms_no_other(start):
    blob = start + "क्" * 20_000  # the index cuts it after 32,768 bytes, wherever that is
    (token,) = stems(blob)
    assert blob.startswith(token) and len(token) > 10_000
    assert stems("two trains") == ("two", "train")
