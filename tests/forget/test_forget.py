"""Forgetting: out of sight and back, then out of every file for good."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engramma import BadInput, Memory, Turn
from engramma.admin.doctor import doctor
from engramma.errors import StoreBusy, StoreFull, StoreNotWritable
from engramma.store.acts import get_act
from engramma.transfer.export import export_lines
from tests.fakes import HashEmbedder
from tests.rows import everything, words

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
SECRET = "the vault code is heliotrope nine"


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def talk(session: int) -> list[Turn]:
    """Four turns of two people, then an exchange with an assistant."""
    base = session * 1_000
    told = f"Please remember {SECRET}." if session == 2 else f"Plan trip {session}."
    return [
        Turn("Ann", f"Monday {session}: the garden needs water and sunlight.", at(base), f"a{session}"),
        Turn("Ben", f"I bought apples and pears number {session}.", at(base + 1), f"b{session}"),
        Turn("user", told, at(base + 2), f"u{session}"),
        Turn("assistant", f"Noted for trip {session}, I will keep it.", at(base + 3), f"x{session}"),
        Turn("Ann", f"See you after lunch {session}.", at(base + 4), f"z{session}"),
    ]


def fill(memory: Memory, sessions: int = 5, without: frozenset[str] = frozenset()) -> None:
    for session in range(sessions):
        turns = [turn for turn in talk(session) if turn.id not in without]
        if turns:
            memory.remember_session("c", f"s{session}", turns, title="Garden")


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        fill(opened)
        yield opened


def said(memory: Memory) -> str:
    return "".join(export_lines(memory._core))


def unwell(memory: Memory) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in doctor(memory._core) if not check.ok]


def bytes_of(folder) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def dump(memory: Memory) -> dict[str, list[tuple]]:
    """Everything stored, but for the log of what was done."""
    names = (
        "conversations",
        "sessions",
        "turns",
        "segments",
        "embeddings",
        "edges",
        "near",
        "notes",
        "repeats",
        "links",
    )
    rows = {name: everything(memory, name) for name in names}
    rows["words"] = words(memory, "words")
    rows["sessions"] = [row[:9] for row in rows["sessions"]]  # whether the text file is written yet
    return rows


# --- hidden, and back ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wish", "gone"),
    [
        ({"ids": ["seg_c/s1_0"]}, {"a1"}),
        ({"ids": ["seg_c/s1_2"]}, {"u1", "x1"}),
        ({"ids": ["b3"]}, {"b3"}),
        ({"query": "HELIOTROPE   nine"}, {"u2"}),
        ({"speaker": "Ben"}, {f"b{n}" for n in range(5)}),
        ({"speaker": "assistant"}, {f"x{n}" for n in range(5)}),
        ({"conversation": "c", "session": "s4"}, {"a4", "b4", "u4", "x4", "z4"}),
        ({"since": at(1_000), "until": at(1_002)}, {"a1", "b1"}),
        ({"speaker": "Ann", "since": at(4_000)}, {"a4", "z4"}),
        ({"speaker": "Ann", "query": "lunch 3"}, {"z3"}),
    ],
)
def test_what_is_forgotten_is_out_of_sight_and_comes_back(memory, wish, gone):
    before, exported = dump(memory), said(memory)
    preview = memory.forget(**wish, preview=True)
    assert (preview.act, preview.turns) == (None, len(gone))
    assert dump(memory) == before, "a preview changes nothing"
    done = memory.forget(**wish)
    assert done.turns == len(gone) and done.act is not None
    texts = [turn.text for session in range(5) for turn in talk(session) if turn.id in gone]
    visible = said(memory)
    assert not any(text in visible for text in texts)
    for text in texts:
        found = memory.recall(text, recipe="vector", k=50)
        assert not any(text in candidate.text for candidate in found.candidates)
        assert text not in found.context
    assert not any(turn_id in gone for session in range(5) for turn_id in ids(memory, session))
    assert unwell(memory) == []
    memory.undo(done.act)
    assert said(memory) == exported
    assert dump(memory) == before
    assert unwell(memory) == []


def ids(memory: Memory, session: int) -> list[str | None]:
    return [turn.id for turn in memory.turns("c", f"s{session}")]


def test_half_an_exchange_keeps_its_other_half(memory):
    memory.forget(speaker="user")
    found = memory.recall("Noted for trip 3, I will keep it.", recipe="vector", k=1)
    assert found.candidates[0].text == "Noted for trip 3, I will keep it."
    assert found.candidates[0].turn_ids == ("x3",)
    alone, asked = memory._core.embedder.embed(["assistant: Noted for trip 3, I will keep it.", found.query])
    assert found.candidates[0].score == pytest.approx(float(alone @ asked), abs=1e-3), "by its own words alone"


def test_what_two_acts_hide_comes_back_with_the_last_of_them(memory):
    exported = said(memory)
    first = memory.forget(query="apples")
    second = memory.forget(conversation="c", session="s1")
    assert second.turns == 4, "what is hidden already is not forgotten twice"
    memory.undo(first.act)
    assert ids(memory, 1) == [], "the second act means it, too"
    assert ids(memory, 3) == ["a3", "b3", "u3", "x3", "z3"]
    memory.undo(second.act)
    assert said(memory) == exported


def test_a_session_that_is_forgotten_may_be_imported_again_and_goes_on(memory):
    memory.forget(conversation="c", session="s2")
    report = memory.remember_session("c", "s2", talk(2))
    assert (report.turns, report.known_turns) == (0, 5), "known, and still hidden"
    more = Turn("Ann", "And one more thing about the roof.", at(2_010), "more")
    memory.remember_session("c", "s2", [*talk(2), more])
    assert ids(memory, 2) == ["more"]
    assert unwell(memory) == []


def test_nothing_is_forgotten_without_a_wish_or_by_an_id_that_is_not_there(memory):
    for wish in ({}, {"ids": ["seg_c/s9_0"]}, {"ids": "seg_c/s1_0"}, {"query": "  "}, {"since": datetime(2026, 1, 1)}):
        with pytest.raises(BadInput):
            memory.forget(**wish)
        with pytest.raises(BadInput):
            memory.purge(**wish)
    assert memory.forget(speaker="Nobody").act is None
    with pytest.raises(BadInput, match="2 turns have the id"):
        memory.remember_session("d", "s0", [Turn("Ann", "Another talk.", at(9), "b3")])
        memory.forget(ids=["b3"])


# --- gone for good ---------------------------------------------------------------------------------


@pytest.mark.not_on("encrypted")
@pytest.mark.parametrize(
    ("wish", "gone"),
    [
        ({"query": "heliotrope nine"}, {"u2"}),
        ({"ids": ["seg_c/s2_2"]}, {"u2", "x2"}),
        ({"session": "s2"}, {"a2", "b2", "u2", "x2", "z2"}),
        ({"speaker": "user"}, {f"u{n}" for n in range(5)}),
        ({"conversation": "c"}, {f"{letter}{n}" for letter in "abuxz" for n in range(5)}),
    ],
)
def test_after_a_purge_the_store_is_as_if_it_had_never_been_said(memory, tmp_path, wish, gone):
    assert SECRET.encode() in bytes_of(memory.path)
    done = memory.purge(**wish)
    assert done.purged and done.turns == len(gone)
    memory.close()
    assert b"heliotrope" not in bytes_of(tmp_path / "store").lower(), "not even in the words"
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as purged:
        assert unwell(purged) == []
        with Memory.open(tmp_path / "never", embedder=HashEmbedder()) as never:
            fill(never, without=frozenset(gone))
            assert said(purged) == said(never)
            segments, _ = purged.graph()
            expected, _ = never.graph()
            assert sorted(s.id for s in segments) == sorted(s.id for s in expected)
            for question in ("garden water", "apples and pears", "trip", "lunch"):
                ours, theirs = (m.recall(question, recipe="vector", k=30) for m in (purged, never))
                assert [(c.segment_id, c.score) for c in ours.entries] == [
                    (c.segment_id, c.score) for c in theirs.entries
                ]


def ranked(found) -> list[tuple[str, float]]:
    return [(c.segment_id, c.score) for c in found.entries]


def test_what_was_purged_does_not_come_back(memory):
    memory.purge(query="heliotrope nine")
    left = said(memory)
    report = memory.remember_session("c", "s2", talk(2))
    assert (report.turns, report.purged_turns) == (0, 1)
    again = [Turn(t.speaker, t.text, t.said_at, f"other-{t.id}") for t in talk(2)]
    report = memory.remember_session("from another export", "s2", again)
    assert report.purged_turns == 1, "by its words, whatever the export calls it"
    assert SECRET not in said(memory)
    assert "heliotrope" not in said(memory)
    memory.purge(conversation="from another export")
    assert said(memory) == left
    assert unwell(memory) == []


def test_a_purged_session_goes_on(memory):
    memory.purge(ids=["a2", "z2"], conversation="c")
    memory.remember_session("c", "s2", [*talk(2), Turn("Ben", "One more for the road.", at(2_020), "n2")])
    assert ids(memory, 2) == ["b2", "u2", "x2", "n2"]
    assert unwell(memory) == []


def test_what_was_forgotten_when_the_clock_stood_before_1970_comes_back(memory, monkeypatch):
    monkeypatch.setattr("engramma.store.acts.time.time_ns", lambda: -(10**18))
    assert memory.forget(query="heliotrope").act
    assert memory.acts.undo(memory.acts.latest_undoable().id) and SECRET in said(memory)


def test_an_act_of_forgetting_can_be_purged_and_not_undone_then(memory):
    act = memory.forget(query="heliotrope").act
    assert memory.purge(act=act).purged
    found = get_act(memory._core.store, act)
    assert found.kind == "purge" and "heliotrope" not in f"{found.reason}{found.detail}"
    with pytest.raises(BadInput):
        memory.undo(act)
    with pytest.raises(BadInput, match="purged already"):
        memory.purge(act=act)
    with pytest.raises(BadInput):
        memory.purge(act=10_000)
    for odd in ("1", True, 1.5, 2**70):  # the same on every engine
        with pytest.raises(BadInput, match="its number in `acts`"):
            memory.purge(act=odd, preview=True)


def test_of_two_purges_of_an_act_at_once_one_has_done_it(memory, tmp_path, monkeypatch):
    act = memory.forget(query="heliotrope").act
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as other:
        wipe, done = memory._core.wipe, []

        def overtaken() -> None:
            done.append(other.purge(act=act))
            wipe()

        monkeypatch.setattr(memory._core, "wipe", overtaken)
        with pytest.raises(BadInput, match="purged already: nothing of it is left"):
            memory.purge(act=act)
        assert [one.purged for one in done] == [True]
    assert unwell(memory) == []


def test_a_name_that_can_mean_several_turns_means_none_of_them(memory):
    memory.remember_session("d", "s", [Turn("Ann", "The plain one.", at(5), "t"), Turn("Ann", "Other.", at(6), "s/t")])
    with pytest.raises(BadInput, match="2 turns have the id 'd/s/t'"):
        memory.purge(["d/s/t"])
    assert memory.forget(["d/t"], preview=True).turns == 1
    for bad in ("/t", " t", "d//t"):  # no conversation, no session
        with pytest.raises(BadInput, match="no segment or turn"):
            memory.forget([bad])
    assert memory.purge(["t"], conversation="d", session="s").turns == 1
    assert [turn.text for turn in memory.turns("d", "s")] == ["Other."]
    assert memory.purge(["d/s/t"]).turns == 1  # now it can mean but one


@pytest.mark.not_on("encrypted")
def test_a_purge_by_the_act_takes_the_words_from_titles_and_other_acts_too(memory, tmp_path):
    memory.remember_session("d", "s", [Turn("Ann", "Nothing of note.", at(5), "n")], title="About the Heliotrope")
    memory.undo(memory.forget(query="heliotrope").act)
    memory.purge(act=memory.forget(query="heliotrope").act)
    memory.close()
    assert b"heliotrope" not in bytes_of(tmp_path / "store").lower()


@pytest.mark.not_on("encrypted")
def test_notes_and_their_repeats_are_purged(tmp_path):
    with Memory.open(tmp_path / "store") as memory:
        kept = memory.remember("Ann's garden needs water on Monday.", at=START).note
        memory.remember(f"Remember that {SECRET}.", at=at(1), tags=["vault"])
        memory.remember(f"Remember that {SECRET}!", at=at(2))
        assert [note.repeats for note in memory.notes.all()] == [0, 1]
        done = memory.purge(query="heliotrope nine")
        assert (done.turns, done.repeats) == (1, 1)
        assert [note.id for note in memory.notes.all()] == [kept.id]
        with pytest.raises(BadInput, match="purged"):
            memory.remember(f"Remember that {SECRET}.", at=at(1))
        assert unwell(memory) == []
    assert b"heliotrope" not in bytes_of(tmp_path / "store").lower()


@pytest.mark.not_on("encrypted")
def test_the_log_does_not_name_what_was_purged(memory, tmp_path):
    memory.remember_session("a secret affair", "s1", [Turn("Ann", "We meet on the bridge.", at(1), "m1")])
    memory.links.add("seg_a secret affair/s1_0", "related_to", "seg_c/s1_0", label="secret affair")
    memory.purge(conversation="a secret affair")
    assert all("affair" not in f"{act.reason}{act.detail}" for act in memory.acts.all())
    memory.close()
    assert b"affair" not in bytes_of(tmp_path / "store")
    assert not any("affair" in path.name for path in (tmp_path / "store").rglob("*"))


@pytest.mark.not_on("encrypted")
def test_a_topic_is_not_named_by_what_was_purged(tmp_path):
    pytest.importorskip("graspologic_native")
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        for n in range(6):
            turns = [Turn("Ann", "The heliotrope vault opens with a code.", at(n), "v")]
            turns += [Turn("Ben", f"Bread and butter for breakfast on day {n}.", at(n + 0.5), "b")] * (n > 0)
            memory.remember_session("c", f"s{n}", turns)
        assert any("heliotrope" in topic.name for topic in memory.topics.find())
        memory.purge(query="heliotrope")
        assert not any("heliotrope" in topic.name for topic in memory.topics.all())
        assert unwell(memory) == []
    assert b"heliotrope" not in bytes_of(tmp_path / "store").lower()


@pytest.mark.not_on("encrypted")
@pytest.mark.parametrize("again", ["by its act", "by the same call"])
@pytest.mark.parametrize("stop", ["remove_whole", "reshape", "scrub_acts", "name_again", "wipe"])
def test_an_interrupted_purge_has_hidden_it_and_goes_on(memory, tmp_path, monkeypatch, stop, again):
    wish = {"since": at(1_001), "until": at(3_002)}  # halves of two sessions, and one as a whole

    def dies(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        if stop == "wipe":
            patch.setattr(memory._core, "wipe", dies)
        else:
            patch.setattr(f"engramma.forget.purge.{stop}", dies)
        with pytest.raises(KeyboardInterrupt):
            memory.purge(**wish)
    assert SECRET not in said(memory)
    due = [told for told in unwell(memory) if "doctor --fix" not in told]  # but for text files that are not written yet
    assert len(due) == 1 and "interrupted" in due[0]
    act = memory.acts.all()[0].id
    with pytest.raises(BadInput, match="has started"):
        memory.undo(act)
    if again == "by its act":
        assert memory.purge(act=act).purged
    else:
        told = memory.purge(**wish)
        assert told.purged and told.act == act and told.turns == 11
    assert unwell(memory) == []
    memory.close()
    assert b"heliotrope" not in bytes_of(tmp_path / "store").lower()
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as again:
        assert unwell(again) == []
        assert [len(again.turns("c", f"s{n}")) for n in (0, 1, 3, 4)] == [5, 1, 3, 5]


def test_a_purge_after_one_that_cannot_be_finished_has_hidden_its_own_before_it_says_so(memory, monkeypatch):
    def busy(*_):
        raise StoreBusy("Others read.")

    with monkeypatch.context() as patch:
        patch.setattr(memory._core, "wipe", busy)
        with pytest.raises(StoreBusy, match="hidden"):
            memory.purge(ids=["u2"])
        with pytest.raises(StoreBusy, match="hidden"):
            memory.purge(session="s2")
        assert memory.turns("c", "s2") == []
    told = memory.purge(session="s2")
    assert told.purged and told.act == memory.acts.all()[0].id and unwell(memory) == []


@pytest.mark.parametrize("wish", [{"ids": ["u2"]}, {"session": "s2"}], ids=["a turn", "a session"])
def test_a_purge_whose_text_files_cannot_be_written_is_not_finished_and_says_so(memory, tmp_path, monkeypatch, wish):
    def read_only(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("engramma.ingest.archive._held", read_only)
        patch.setattr("pathlib.Path.unlink", read_only)
        with pytest.raises(StoreNotWritable, match=r"not finished.*hidden.*Permission denied"):
            memory.purge(**wish)
    assert SECRET not in said(memory)
    assert memory.purge(act=memory.acts.all()[0].id).purged
    assert unwell(memory) == []
    memory.close()
    assert b"heliotrope" not in bytes_of(tmp_path / "store").lower()


def test_a_disk_that_is_full_in_the_middle_of_a_purge_is_told_with_what_is_left(memory, monkeypatch):
    def full(*_):
        raise StoreFull("No space left.")

    with monkeypatch.context() as patch:
        patch.setattr(memory._core, "wipe", full)
        with pytest.raises(StoreFull, match=r"not finished.*No space left\."):
            memory.purge(ids=["u2"])
    assert memory.purge(act=memory.acts.all()[0].id).purged
