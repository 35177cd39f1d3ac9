"""Notes: repeats, links made by themselves, and every number of theirs."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from engramma import BadInput, Config, Memory, StoreError, Turn
from engramma.admin.doctor import doctor
from engramma.ingest.note_rows import content_quality
from engramma.language.text import same_facts
from tests.fakes import AngleEmbedder

pytestmark = pytest.mark.on("postgres", "encrypted")

START = datetime(2026, 3, 1, 9, tzinfo=UTC)


def at(days: float) -> datetime:
    return START + timedelta(days=days)


@pytest.fixture
def angles(tmp_path):
    with Memory.open(tmp_path / "angles", embedder=AngleEmbedder()) as opened:
        yield opened


def degrees(cosine: float) -> float:
    return math.degrees(math.acos(cosine))


def note(memory: Memory, angle: float, text: str = "fact", days: float = 0, **options):
    """A note that points that way; the angle stands in a word of its own."""
    return memory.remember(f"{text} @{angle:.4f}", at=at(days), **options)


@pytest.mark.parametrize(("cosine", "is_new"), [(0.9205, False), (0.9195, True), (0.5, True)])
def test_a_note_as_similar_as_that_repeats_another(angles, monkeypatch, cosine, is_new):
    monkeypatch.setattr("engramma.ingest.note_repeats.same_facts", lambda one, other: True)  # the angles are numbers
    first = note(angles, 0).note
    second = note(angles, degrees(cosine), days=1)
    assert second.is_new is is_new
    assert [len(angles.notes.all()), angles.notes.get(first.id).repeats] == ([2, 0] if is_new else [1, 1])
    if not is_new:
        assert second.note.id == first.id and second.similarity == pytest.approx(cosine, abs=2e-3)
        (repeat,) = angles.notes.repeats(first.id)
        assert repeat.text == f"fact @{degrees(cosine):.4f}" and repeat.said_at == at(1)


def test_links_join_a_note_with_the_five_nearest_at_three_quarters(angles):
    for number, angle in enumerate((5, 10, 15, 20, 25, 30, 35, 45)):
        angles.remember_session(f"c{number}", "s", [Turn("Ann", f"said @{angle}", at(number), "t")])
    made = note(angles, 0, days=20)
    kinds = {(link.kind, link.author) for link in made.links}
    assert kinds == {("related_to", "auto-link")}
    weights = sorted((link.weight for link in made.links), reverse=True)
    assert weights == pytest.approx([math.cos(math.radians(a)) for a in (5, 10, 15, 20, 25)], abs=1e-3)
    far = Memory.open(angles.path.parent / "far", embedder=AngleEmbedder())
    with far:
        far.remember_session("c", "s", [Turn("Ann", f"said @{degrees(0.7505):.4f}", at(0), "t")])
        far.remember_session("d", "s", [Turn("Ann", f"said @-{degrees(0.7495):.4f}", at(0), "t")])
        (link,) = note(far, 0, days=1).links
        assert link.target == "seg_c/s_0"


def test_a_threshold_of_ones_own_or_a_calibrated_one(tmp_path):
    for floor, links in ((0.95, 0), (0.9, 1), ("auto", 1)):
        config = Config(link_floor=floor)
        with Memory.open(tmp_path / str(floor), embedder=AngleEmbedder(), config=config) as memory:
            memory.remember_session("c", "s", [Turn("Ann", "said @25", at(0), "t")])  # cosine 0.906
            assert len(note(memory, 0, days=1).links) == links
    for wrong in (0, 1.5, "often"):
        with pytest.raises(BadInput, match="link_floor"):
            Memory.open(tmp_path / "wrong", config=Config(link_floor=wrong))


def test_a_note_is_kept_when_linking_fails_and_linked_later(angles, monkeypatch):
    angles.remember_session("c", "s", [Turn("Ann", "said @10", at(0), "t")])
    with monkeypatch.context() as patch:

        def fails(*_):
            raise StoreError("no luck")

        patch.setattr("engramma.notes.write.auto_link", fails)
        made = note(angles, 0, days=1)
    assert made.is_new and made.links == () and angles._core.failed_links == 1
    note(angles, 90, "other", days=2)
    assert [link.target for link in angles.links.all(made.note.id)] == ["seg_c/s_0"]
    assert [check for check in doctor(angles._core) if not check.ok] == []


def test_a_note_says_where_it_comes_from(real):
    made = real.remember(
        "The boiler was repaired in March by Mister Smith.",
        speaker="Ann",
        tags=["home", "boiler", "home"],
        ttl=timedelta(days=30),
        source="letter",
        session="inbox",
        strength=0.8,
        at=START,
    )
    kept = real.notes.get(made.note.id)
    assert kept == made.note
    assert (kept.speaker, kept.tags, kept.source, kept.session) == ("Ann", ("home", "boiler"), "letter", "inbox")
    assert (kept.strength, kept.created, kept.expires_at) == (0.8, START, at(30))
    assert (kept.recalls, kept.repeats, kept.state) == (0, 0, "live")
    assert real.notes.all("boiler") == [kept] and real.notes.all("garden") == []
    again = real.remember(
        "The boiler was repaired in March by Mister Smith.", speaker="Ann", source="letter", session="inbox", at=START
    )
    assert not again.is_new and real.notes.get(kept.id).repeats == 0, "handed over twice is said once"


def test_close_words_with_other_facts_are_another_note(real):
    first = real.remember("The server listens on port 8080.", at=START)
    for number, text in enumerate(
        (
            "The server listens on port 8081.",
            "The server does not listen on port 8080.",
            "The server listens on port 80.",
        ),
        1,
    ):
        assert real.remember(text, at=at(number)).is_new
    assert not real.remember("the server listens on port 8080", at=at(9)).is_new
    assert real.notes.get(first.note.id).repeats == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Port 8080 is open.", "Port 8080 is open!", True),
        ("Port 8080 is open.", "Port 8081 is open.", False),
        ("He likes tea.", "He does not like tea.", False),
        ("He doesn't like tea.", "He does not like tea.", True),
        ("I met Ann in Rome.", "I met Ann in Paris.", False),
        ("I met Ann in Rome.", "in rome i met ann", True),
        ("We moved to Friday.", "The meeting moved to Friday.", True),
        ("Call Bob at 9:30.", "Call Bob at 10:30.", False),
        ("", "", True),
    ],
)
def test_same_facts(one, other, same):
    assert same_facts(one, other) is same
    assert same_facts(other, one) is same


def test_content_quality_by_hand():
    assert content_quality("") == 0.0
    # two words of forty, one of two specific (over a quarter: 1), both different
    assert content_quality("Call Bob") == pytest.approx((2 / 40 + 1 + 1) / 3, abs=1e-4)
    # four words, none specific, two different
    assert content_quality("so so la la") == pytest.approx((4 / 40 + 0 + 0.5) / 3, abs=1e-4)
    assert content_quality(" ".join(f"Word{n}" for n in range(80))) == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " "},
        {"text": "x", "strength": 2},
        {"text": "x", "ttl": timedelta(0)},
        {"text": "x", "ttl": 3},
        {"text": "x", "tags": ["a,b"]},
        {"text": "x", "tags": [""]},
        {"text": "x", "tags": [str(n) for n in range(51)]},
        {"text": "x", "source": ""},
        {"text": "x", "at": datetime(2026, 1, 1)},
        {"text": "x\0y"},
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_stored(angles, wrong):
    with pytest.raises(BadInput):
        angles.remember(**wrong)
    assert angles.notes.all() == []


def test_talk_cannot_be_written_where_notes_are_kept(angles):
    for name in ("engramma:notes", "engramma:documents"):
        with pytest.raises(BadInput, match="notes and documents"):
            angles.remember_session(name, "s", [Turn("Ann", "hello", START, "t")])
        with pytest.raises(BadInput, match="notes and documents"):
            angles.session(name)
