"""Full text search of what was said: in step with the segments, walled by namespace, made for old stores too."""

from __future__ import annotations

import random
import sqlite3

import pytest

from engramma import Memory
from engramma.admin.doctor import doctor
from engramma.admin.reindex import rebuild_words, reindex
from engramma.core.names import segment_key
from engramma.errors import StoreCorrupt
from engramma.ingest.waiting_segments import finish_pending
from engramma.language.lexical import FORM, searchable, terms
from engramma.store import store as store_module
from engramma.store import words as words_module
from engramma.store.store import Store
from engramma.transfer.backup import backup
from engramma.transfer.export import export_lines
from engramma.transfer.imports import import_file
from engramma.transfer.restore import restore
from tests.conftest import talk
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")


def opened(path, namespace="default"):
    return Memory.open(path, namespace, embedder=HashEmbedder())


def found(memory, query, limit=10, **options):
    """Ids of the segments a question's words find, best first."""
    keys = [key for key, _ in memory._core.store.search_words(terms(query), limit, **options)]
    segments = memory._core.store.hydrate(keys)
    return [segments[key].id for key in keys]


def scores(memory, query):
    return [score for _, score in memory._core.store.search_words(terms(query), 10)]


def unwell(memory):
    return {check.name: check.detail for check in doctor(memory._core) if not check.ok}


def execute(path, *sql):
    """What no part of Engramma would do."""
    connection = sqlite3.connect(path / "memory.db")
    with connection:
        for statement in sql:
            connection.execute(statement)
    connection.close()


def fill(memory, sessions=4):
    for number in range(sessions):
        lines = (f"Ana: slow train {number}", "Ben: some rain in Lisbon", f"Ana: token{number} soup")
        memory.remember_session("c", f"s{number}", talk(*lines, day=number))


# --- finding ------------------------------------------------------------------------------------------------


def test_words_are_found_best_first(memory):
    memory.remember_session("c", "s", talk("Ana: the train was late", "Ben: trains, trains, trains", "Ana: soup"))
    assert found(memory, "Was the train late?") == ["seg_c/s_0", "seg_c/s_1"]
    assert scores(memory, "train") == sorted(scores(memory, "train"), reverse=True) and min(scores(memory, "train")) > 0
    assert found(memory, "Ana") == [], "speakers are not words of the text"
    assert found(memory, "zebra") == found(memory, "😀") == memory._core.store.search_words((), 5) == []
    assert memory._core.store.search_words(terms("train"), 0) == []


def test_equal_scores_fall_by_tie_whatever_the_limit(memory):
    for number in range(30):
        memory.remember_session("c", f"s{number}", talk("Ana: rain in spring", day=number))
        memory.remember_session("d", f"s{number}", talk("Ana: quiet", day=number))
    every = found(memory, "rain", 30)
    ties = [row["tie"] for row in memory._core.store.all("segments_by_keys", keys=str(keys_of(memory, "rain", 30)))]
    assert len(every) == 30 and ties == sorted(ties)
    assert all(found(memory, "rain", limit) == every[:limit] for limit in (1, 7, 29))


def keys_of(memory, query, limit):
    return [key for key, _ in memory._core.store.search_words(terms(query), limit)]


def test_the_order_of_import_does_not_matter(tmp_path):
    chance = random.Random(3)
    sessions = [
        ("c", f"s{n}", talk(*(f"Ana: {' '.join(chance.choices(['rain', 'train', 'soup', 'tea'], k=4))}",) * 3, day=n))
        for n in range(12)
    ]
    answers = []
    for order in (sessions, sessions[::-1]):
        with opened(tmp_path / str(len(answers))) as memory:
            for session in order:
                memory.remember_session(*session)
            answers.append([(found(memory, q, 40), scores(memory, q)) for q in ("rain", "tea or soup", "slow train")])
    assert answers[0] == answers[1]


def test_only_allowed_and_never_excluded_segments_come_back(memory):
    for number in range(40):
        memory.remember_session("c", f"s{number}", talk("Ana: rain in spring", day=number))
    every = keys_of(memory, "rain", 40)
    allowed, excluded = {every[-1], every[20], 10**9}, set(every[:25])
    search = memory._core.store.search_words
    assert [key for key, _ in search(terms("rain"), 2, allowed=allowed)] == [every[20], every[-1]]
    assert [key for key, _ in search(terms("rain"), 2, excluded=excluded)] == every[25:27]
    assert [key for key, _ in search(terms("rain"), 9, allowed=allowed, excluded=excluded)] == [every[-1]]
    assert search(terms("rain"), 3, allowed=set()) == []


def test_counts_are_kept_until_anybody_changes_what_they_count(tmp_path, monkeypatch):
    with opened(tmp_path / "store") as memory, opened(tmp_path / "store") as other:
        fill(memory)
        asked = []
        plain = Store.all
        monkeypatch.setattr(Store, "all", lambda self, name, **given: asked.append(name) or plain(self, name, **given))
        for most, rain, soup in ((None, 4, 4), (3, 3, 3)):
            assert memory._core.store.document_counts(["rain", "zebra"], most) == {"rain": rain, "zebra": 0}
            assert memory._core.store.document_counts(["zebra", "rain", "soup"], most) == {
                "rain": rain,
                "soup": soup,
                "zebra": 0,
            }
        assert asked.count("words_counts") == 2, "soup alone was asked for the second time"
        other.remember_session("c", "more", talk("Ana: a zebra in the rain", day=9))
        assert memory._core.store.document_counts(["rain", "zebra"]) == {"rain": 5, "zebra": 1}
        other.forget(conversation="c", session="more")
        assert memory._core.store.document_counts(["rain", "zebra"]) == {"rain": 4, "zebra": 0}
        other.undo(other.acts.all()[0].id)
        assert memory._core.store.document_counts(["rain", "zebra"]) == {"rain": 5, "zebra": 1}


def test_counts_of_what_was_undone_are_not_kept(tmp_path):
    with opened(tmp_path / "store") as memory:
        fill(memory)
        store = memory._core.store
        rows = store._segment_count()
        with pytest.raises(ZeroDivisionError), store.transaction():
            store._index("words", {10**6: "a zebra"})
            store.run("change_add", key=1, op=0)
            assert store.word_counts(["zebra"]) == {"zebra": 1} and store._segment_count() == rows
            raise ZeroDivisionError
        with store.transaction():
            store.run("change_add", key=1, op=0)  # the same number, another change
        assert store.word_counts(["zebra"]) == {"zebra": 0}


def test_threads_that_ask_for_many_words_do_not_take_each_others_counts_away(tmp_path, monkeypatch):
    monkeypatch.setattr(words_module, "KEPT_COUNTS", 2)
    with opened(tmp_path / "store") as memory:
        fill(memory)
        store, plain, within = memory._core.store, Store.all, []
        store.word_counts(["rain"])

        def all_with_another(self, name, **given):
            rows = plain(self, name, **given)
            if name == "words_counts" and not within:
                within.append(store)  # meanwhile, another one asks
                for word in ("train", "soup", "slow"):
                    store.word_counts([word])
            return rows

        monkeypatch.setattr(Store, "all", all_with_another)
        assert store.word_counts(["rain", "lisbon"]) == {"rain": 4, "lisbon": 4} and within


def test_document_counts_are_those_of_the_stems(memory):
    memory.remember_session("c", "s", talk("Ana: trains trains", "Ana: a train", "Ana: 东京塔", "Ana: 东方"))
    asked = ("training", "zebra", "东 京", "东", "😀")
    assert memory._core.store.document_counts(asked) == {"training": 2, "zebra": 0, "东 京": 1, "东": 2, "😀": 0}
    assert memory._core.store.document_counts(()) == {}


def test_words_that_stand_everywhere_are_dropped_where_others_remain(memory):
    for number in range(20):
        memory.remember_session("c", f"s{number}", talk(*(f"Ana: rain {number}x{n}" for n in range(3)), day=number))
    telling = memory._core.store.telling
    assert telling(terms("rain 3x1")) == ["3x1"]
    assert telling(terms("rain")) == ["rain"]
    assert telling(terms("rain zebra")) == ["rain", "zebra"], "a word that is nowhere does not count as another"
    assert found(memory, "rain 3x1") == ["seg_c/s3_1"]
    assert len(found(memory, "rain zebra", 100)) == 60


def test_of_a_large_namespace_the_rarest_words_are_followed_first(memory, monkeypatch):
    for number in range(25):
        lines = [f"Ana: {'' if n else 'heron '}lake {number}x{n}" for n in range(2)] + ["Ben: well"] * 3
        memory.remember_session("c", f"s{number}", talk(*lines, day=number))
    telling = memory._core.store.telling
    assert telling(terms("lake heron 3x1")) == ["heron", "3x1"], "a lake is in two of five"
    monkeypatch.setattr(words_module, "MOST_ROWS", 25)
    assert telling(terms("heron 3x1")) == ["3x1"], "1 and 25 are more than 25"
    assert telling(terms("heron zebra")) == ["heron", "zebra"], "the rarest that stands somewhere stays"


def test_in_a_small_namespace_no_word_is_common(memory):
    fill(memory)
    assert memory._core.store.telling(terms("rain soup")) == ["rain", "soup"]


def test_hostile_terms_are_words(memory):
    fill(memory, 1)
    for term in ('"', 'rain" OR "', "rain*", "NEAR(", "\x00", "x" * 100_000, "'; DROP TABLE turns; --"):
        memory._core.store.search_words([term, "lisbon"], 5)
        memory._core.store.document_counts([term])
    assert unwell(memory) == {}


# --- the wall -----------------------------------------------------------------------------------------------


def test_namespaces_neither_see_each_other_nor_change_each_others_scores(tmp_path):
    with opened(tmp_path / "a", "one") as one:
        one.remember_session("c", "s", talk("Ana: rain in Lisbon", "Ana: soup", "Ana: tea", "Ana: salt"))
        before = one._core.store.search_words(terms("rain soup"), 10)
        with opened(tmp_path / "a", "two") as two:
            assert found(two, "rain soup") == [] and two._core.store.document_counts(["rain"]) == {"rain": 0}
            for number in range(20):
                two.remember_session("c", f"s{number}", talk("Ana: rain rain rain", "Ana: secret", day=number))
            assert len(found(two, "rain", 50)) == 20
        assert one._core.store.search_words(terms("rain soup"), 10) == before
        assert one._core.store.document_counts(["rain", "secret"]) == {"rain": 1, "secret": 0}
        assert found(one, "secret") == []


# --- in step with the segments ------------------------------------------------------------------------------


def test_a_segment_is_replaced_when_an_answer_joins_its_question(memory):
    turns = talk("user: where is the umbrella", "assistant: behind the wardrobe")
    memory.remember_session("c", "s", turns[:1], close=False)
    assert found(memory, "umbrella") == ["seg_c/s_0"] and found(memory, "wardrobe") == []
    memory.remember_session("c", "s", turns)
    assert found(memory, "wardrobe umbrella") == ["seg_c/s_0"]
    assert memory._core.store.document_counts(["umbrella", "wardrobe"]) == {"umbrella": 1, "wardrobe": 1}
    assert unwell(memory) == {}


def test_a_grown_store_scores_as_one_made_at_once(tmp_path):
    turns = talk(*(f"{'user' if n % 2 == 0 else 'assistant'}: rain {n} umbrella" for n in range(10)))
    with opened(tmp_path / "a") as grown, opened(tmp_path / "b") as whole:
        for size in range(1, 11):
            grown.remember_session("c", "s", turns[:size], close=size % 3 == 0)
        whole.remember_session("c", "s", turns)
        for query in ("rain", "umbrella 3", "5"):
            assert (found(grown, query), scores(grown, query)) == (found(whole, query), scores(whole, query))


def test_a_segment_taken_away_is_not_found(memory):
    fill(memory)
    with memory._core.store.transaction():
        memory._core.store.remove_segment(segment_key(memory._core, "seg_c/s1_2"))
    assert found(memory, "token1") == [] and memory._core.store.document_counts(["token1"]) == {"token1": 0}
    assert "segments have words" not in unwell(memory) and "words have segments" not in unwell(memory)


@pytest.mark.not_on("postgres")
def test_a_write_that_fails_leaves_the_words_as_they_were(memory, monkeypatch):
    fill(memory, 2)
    before = memory._core.store.search_words(terms("rain soup token1"), 10)
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "ADDED", None)  # the last statement of a segment fails
        with pytest.raises(Exception, match="NOT NULL"):
            memory.remember_session("c", "late", talk("Ana: rain rain rain", day=9))
    assert memory._core.store.search_words(terms("rain soup token1"), 10) == before and unwell(memory) == {}


def test_a_row_that_is_missing_is_not_taken_out_twice(memory):
    """As a process of an older version, open all the while, would leave it."""
    fill(memory, 2)
    key = segment_key(memory._core, "seg_c/s0_0")
    with memory._core.store.transaction():
        memory._core.store.remove_words(key)
        memory._core.store.remove_words(key)
    assert set(unwell(memory)) == {"segments have words"}
    assert memory._core.store.document_counts(["slow"]) == {"slow": 1}


def test_words_of_another_form_are_built_anew(memory, monkeypatch):
    fill(memory)
    monkeypatch.setattr(words_module, "FORM", FORM + 1)
    monkeypatch.setattr(words_module, "searchable", lambda text: f"{searchable(text)} newform")
    assert found(memory, "newform") == []
    with opened(memory.path) as again:
        assert len(found(again, "newform", 50)) == 12 and unwell(again) == {}


# --- copies, and care ---------------------------------------------------------------------------------------


@pytest.mark.not_on("postgres")
def test_backup_and_export_keep_the_words(tmp_path):
    with opened(tmp_path / "a") as memory:
        fill(memory)
        expected = memory._core.store.search_words(terms("rain soup token1"), 50)
        backup(memory._core, tmp_path / "copy.zip")
        (tmp_path / "all.jsonl").write_text(
            "".join(f"{line.rstrip()}\n" for line in export_lines(memory._core)), "utf-8"
        )
    restore(tmp_path / "copy.zip", tmp_path / "b")
    with opened(tmp_path / "b") as memory:
        finish_pending(memory._core)
        assert memory._core.store.search_words(terms("rain soup token1"), 50) == expected and unwell(memory) == {}
    with opened(tmp_path / "c") as memory:
        import_file(memory._core, tmp_path / "all.jsonl")
        assert scores(memory, "rain soup token1") == [score for _, score in expected[:10]]


@pytest.mark.not_on("postgres", "encrypted")
@pytest.mark.parametrize(
    ("sql", "name", "words"),
    [
        ("INSERT INTO words_1 (words_1) VALUES ('delete-all')", "segments have words", "12 segments"),
        ("INSERT INTO words_1 (rowid, body) VALUES (999, 'ghost')", "words have segments", "1 entries"),
        ("UPDATE words_1_data SET block = x'00ff00ff' WHERE id > 10", "full text index", "damaged"),
        ("DELETE FROM words_1_data WHERE id > 10", "full text index", "damaged"),
        ("DROP TABLE words_1", "full text index", "cannot be checked"),
    ],
)
def test_doctor_finds_wrong_words_and_mends_them(memory, sql, name, words):
    fill(memory)
    expected = memory._core.store.search_words(terms("rain soup token1"), 50)
    path = memory.path
    memory.close()
    execute(path, sql)
    with opened(path) as memory:
        assert words in unwell(memory)[name] and list(export_lines(memory._core))
    with opened(path) as memory:
        assert [check for check in doctor(memory._core, fix=True) if not check.ok] == []
        assert memory._core.store.search_words(terms("rain soup token1"), 50) == expected


@pytest.mark.not_on("postgres", "encrypted")
def test_damaged_words_do_not_keep_anybody_from_the_rest(memory):
    fill(memory)
    execute(memory.path, "UPDATE words_1_data SET block = x'00ff00ff' WHERE id > 10")
    with opened(memory.path) as again:
        assert again.recall("rain", recipe="vector").candidates
        with pytest.raises(StoreCorrupt, match="doctor"):
            again._core.store.search_words(terms("rain"), 5)


@pytest.mark.not_on("postgres", "encrypted")
def test_a_forced_reindex_builds_the_words_of_every_namespace_anew(tmp_path):
    for name in ("one", "two"):
        with opened(tmp_path / "a", name) as memory:
            fill(memory, 2)
    execute(tmp_path / "a", *("INSERT INTO words_# (words_#) VALUES ('delete-all')".replace("#", ns) for ns in "12"))
    with opened(tmp_path / "a", "one") as memory:
        assert found(memory, "token1") == []
        reindex(memory._core, HashEmbedder(), "hash-words", force=True)
    for name in ("one", "two"):
        with opened(tmp_path / "a", name) as memory:
            assert found(memory, "token1") == ["seg_c/s1_2"] and unwell(memory) == {}


def test_rebuilt_words_answer_as_before(memory):
    fill(memory)
    before = memory._core.store.search_words(terms("rain soup token1"), 50)
    rebuild_words(memory._core.store)
    assert memory._core.store.search_words(terms("rain soup token1"), 50) == before and unwell(memory) == {}
