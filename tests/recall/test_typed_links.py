"""What each kind of typed link does to a recall, worked out by hand.

cos 0° = 1, cos 60° = 0.5. What links bring lies beyond 90°, so nothing else can.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from engramma import Memory
from engramma.apps.render import explain_lines
from engramma.core.names import known_key
from engramma.language.fence import unfenced
from engramma.links.links import KINDS
from engramma.recall import link_kinds
from engramma.recall import typed_links as typed
from tests.conftest import talk
from tests.fakes import AngleEmbedder, HashEmbedder
from tests.links.linked import BARE, PLAN, ask, said, scores, seg, shown

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def angles(tmp_path):
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as opened:
        yield opened


# --- what each kind does to a recall ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "to_target", "to_source"),
    [
        ("supports", link_kinds.SUPPORT, link_kinds.SUPPORT),
        ("contradicts", link_kinds.COUNTERPOINT, link_kinds.COUNTERPOINT),
        ("before", link_kinds.STEP, link_kinds.STEP),
        ("after", link_kinds.STEP, link_kinds.STEP),
        ("related_to", link_kinds.RELATED, link_kinds.RELATED),
        ("part_of", link_kinds.WHOLE, None),
        ("caused_by", link_kinds.CAUSE, None),
    ],
)
def test_an_entry_brings_its_share_of_what_links_lead_to(angles, kind, to_target, to_source):
    """The entry scores cos 60° = 0.5; a link of weight 0.8 passes on 0.5 x 0.8 x the kind's constant."""
    said(angles, entry="ask @60", target="far @170", source="farther @180")
    angles.links.add(seg("entry"), kind, seg("target"), weight=0.8)
    angles.links.add(seg("source"), kind, seg("entry"), weight=0.8)
    found = ask(angles)
    worth = {"target": to_target, "source": to_source}
    score = 0.5 * (1 + 0.8 * typed.BACKING) if kind == "supports" else 0.5  # something supports it
    expected = {name: score * 0.8 * share for name, share in worth.items() if share is not None}
    assert scores(found) == pytest.approx({"entry": score, **expected}, abs=2e-4)
    assert [c.role for c in found.candidates] == ["entry"] + ["expanded"] * len(expected)
    for c in found.candidates[1:]:
        assert (c.path.kind, c.path.edge, c.path.from_segment, c.path.weight) == ("link", kind, seg("entry"), 0.8)
        assert c.path.outward == (c.session_id == "target")
    assert [(c.session_id, c.score, c.links) for c in ask(angles, BARE).candidates] == [("entry", 0.5, ())]


def test_the_constants_are_these():
    kinds = ("SUPPORT", "COUNTERPOINT", "STEP", "WHOLE", "CAUSE", "RELATED", "EXTENSION", "NEWER")
    assert [getattr(link_kinds, kind) for kind in kinds] == [0.5, 1.0, 0.9, 0.7, 0.8, 0.6, 0.6, 1.0]
    assert typed.BACKING == 0.25


def test_a_support_moves_entries_up(angles):
    """Found: 0.707 (45°), 0.643 (50°), 0.5 (60°). The last gets half of its supporter's 0.643 x 0.9 and a quarter of
    its own 0.5 x 0.9: 0.902; the supporter 0.643 + 0.5 x 0.9 x 0.5 = 0.868."""
    said(angles, first="one @45", supporter="two @50", third="three @60")
    assert [c.session_id for c in ask(angles).entries] == ["first", "supporter", "third"]
    angles.links.add(seg("supporter"), "supports", seg("third"), weight=0.9)
    found = ask(angles)
    assert [c.session_id for c in found.entries] == ["third", "supporter", "first"]
    assert scores(found) == pytest.approx({"third": 0.902, "supporter": 0.868, "first": 0.707}, abs=1e-3)
    (link,) = found.entries[0].links
    assert (link.edge, link.from_segment, link.outward) == ("supports", seg("supporter"), True)
    assert link.gain == pytest.approx(0.402, abs=1e-3)
    assert dict(shown(found)) == {"first": "", "supporter": "supports third", "third": "supported by supporter"}
    told = "\n".join(explain_lines(found))
    assert f"   links      supported by {seg('supporter')}, weight 0.90, +{link.gain:.4f}\n" in told


def test_support_that_was_not_found_itself_backs_an_entry_within_bounds(angles):
    """A quarter each of 0.5 x weight, together at most half: 0.5 + 0.125 x 0.8, then 0.5 x 1.5."""
    said(angles, entry="ask @60", **{f"s{n}": f"far @{150 + n}" for n in range(5)})
    angles.links.add(seg("s0"), "supports", seg("entry"), weight=0.8)
    assert ask(angles).entries[0].score == pytest.approx(0.6, abs=2e-4)
    for n in (1, 2, 3):
        angles.links.add(seg(f"s{n}"), "supports", seg("entry"))
    assert ask(angles).entries[0].score == pytest.approx(0.75, abs=2e-4)
    angles.links.add(seg("entry"), "supports", seg("s4"))
    (entry,) = ask(angles, replace(PLAN, typed=1)).entries
    assert entry.score == pytest.approx(0.75, abs=2e-4), "what it supports itself does not back it"
    assert {link.from_segment for link in entry.links} == {seg(f"s{n}") for n in range(4)}, "named, also beyond the cap"
    with angles._core.store.transaction():
        angles._core.store.set_states({known_key(angles._core, seg(f"s{n}")): 2 for n in range(4)})
    assert ask(angles).entries[0].score == pytest.approx(0.5, abs=2e-4), "what was retired backs nothing"


def test_a_counterpoint_stands_beside_its_entry_marked_on_both(angles):
    said(angles, old="no it was blue @170", entry="it was red @10", other="red again @20")
    angles.links.add(seg("old"), "contradicts", seg("entry"))
    assert shown(ask(angles)) == [
        ("entry", "contradicted by old"),
        ("old", "contradicts entry"),
        ("other", ""),
    ]
    told = "\n".join(explain_lines(ask(angles)))
    assert f"   reached by link, contradicts {seg('entry')}, weight 1.00" in told


def test_a_counterpoint_that_stands_next_in_the_talk_is_still_marked(angles):
    """A chain step passes on half, this faded link a tenth: it stays a counterpoint."""
    angles.remember_session("c", "s", talk("Ana: it was red @10", "Ben: no, blue @170"))
    angles.links.add("seg_c/s_1", "contradicts", "seg_c/s_0", weight=0.1)
    found = ask(angles, replace(PLAN, vertical=1))
    assert [c.path.edge for c in found.candidates[1:]] == ["contradicts"]


def test_two_entries_that_contradict_each_other_say_so(angles):
    said(angles, a="it was red @10", b="red again @20", c="no it was blue @30")
    angles.links.add(seg("c"), "contradicts", seg("a"))
    assert shown(ask(angles)) == [
        ("a", "contradicted by c"),
        ("c", "contradicts a"),
        ("b", ""),
    ]


def test_a_procedure_comes_whole_and_in_order(angles):
    """Said backwards; the entry is the second step of 0.5, a step on passes on 0.9, two steps 0.81."""
    said(angles, four="d @180", three="c @170", two="b @60", one="a @160")
    angles.links.add(seg("one"), "before", seg("two"))
    angles.links.add(seg("three"), "after", seg("two"))
    angles.links.add(seg("three"), "before", seg("four"))
    found = ask(angles)
    assert shown(found) == [
        ("one", "before two"),
        ("two", ""),
        ("three", "after two"),
        ("four", "after three"),
    ]
    assert scores(found) == pytest.approx({"two": 0.5, "one": 0.45, "three": 0.45, "four": 0.405}, abs=2e-4)
    assert {c.session_id: c.path.steps for c in found.candidates[1:]} == {"one": 1, "three": 1, "four": 2}
    assert [name for name, _ in shown(ask(angles, replace(PLAN, typed=2)))] == ["one", "two", "three"]


def test_steps_that_are_entries_anyway_are_put_in_order(angles):
    said(angles, three="c @10", two="b @20", one="a @30")
    angles.links.add(seg("one"), "before", seg("two"))
    angles.links.add(seg("two"), "before", seg("three"))
    assert shown(ask(angles)) == [("one", ""), ("two", ""), ("three", "")]
    assert shown(ask(angles, BARE)) == [("three", ""), ("two", ""), ("one", "")], "best first"


def test_the_superseded_is_never_brought_but_what_superseded_it_is(angles):
    said(angles, entry="ask @60", older="far @170", newer="farther @180")
    with angles._core.store.transaction():
        for source, target in (("entry", "older"), ("newer", "entry")):
            ends = (known_key(angles._core, seg(source)), known_key(angles._core, seg(target)))
            typed_link = {"src": ends[0], "kind": "supersedes", "dst": ends[1], "weight": 1.0}
            angles._core.store.run("edge_put", **typed_link)
            angles._core.store.run("link_put", **typed_link, label=None, author="steward", provenance=None, made_at=1)
    assert scores(ask(angles)) == pytest.approx({"entry": 0.5, "newer": 0.5}, abs=2e-4)
    assert angles.links.remove(seg("newer"), "supersedes", seg("entry")) and scores(ask(angles)).keys() == {"entry"}


def test_an_entry_brings_at_most_so_many_counterpoints_first(angles):
    said(angles, entry="ask @10", **{f"n{n}": f"far @{120 + n}" for n in range(8)})
    for n in range(7):
        angles.links.add(seg("entry"), "related_to", seg(f"n{n}"), weight=1 - n / 10)
    angles.links.add(seg("n7"), "contradicts", seg("entry"), weight=0.05)
    brought = [c.session_id for c in ask(angles).candidates[1:]]
    assert set(brought) == {"n7", "n0", "n1", "n2", "n3"}
    assert {c.session_id for c in ask(angles, replace(PLAN, typed=1)).candidates[1:]} == {"n7"}


def test_only_what_may_be_shown_is_brought(angles):
    said(angles, entry="ask @10", there="far @170", retired="far @175")
    angles.remember_session("other", "s", talk("Ben: far @160"))
    angles.links.add(seg("entry"), "supports", seg("there"))
    angles.links.add(seg("entry"), "supports", seg("retired"))
    angles.links.add(seg("entry"), "supports", "seg_other/s_0")
    with angles._core.store.transaction():
        angles._core.store.set_states({known_key(angles._core, seg("retired")): 2})
    assert scores(ask(angles)).keys() == {"entry", "there", "s"}
    assert scores(ask(angles, conversation="c")).keys() == {"entry", "there"}
    assert scores(ask(angles, exclude_session="c/there")).keys() == {"entry", "s"}


def test_a_kind_whose_constant_is_0_does_nothing(angles, monkeypatch):
    said(angles, b="red @20", a="ask @10", x="far @170")
    without = ask(angles)
    for kind in KINDS:
        angles.links.add(seg("a"), kind, seg("x"))
        angles.links.add(seg("a"), kind, seg("b"))
        monkeypatch.setitem(link_kinds.WORTH, kind, 0.0)
    assert replace(ask(angles), trace=without.trace) == without


# --- as of, and without links -------------------------------------------------------------------------------


def test_links_made_later_are_not_there(angles):
    said(angles, a="ask @10", b="red @20", x="far @170")
    angles.links.add(seg("a"), "supports", seg("x"))
    angles.links.add(seg("b"), "before", seg("a"))
    made = max(link.made_at for link in angles.links.all())
    assert [name for name, _ in shown(ask(angles, as_of=made))] == ["b", "a", "x"]
    assert [name for name, _ in shown(ask(angles, as_of=made - timedelta(days=1)))] == ["a", "b"]


def test_a_namespace_without_links_asks_for_them_once(angles, monkeypatch):
    said(angles, a="ask @10", b="red @20")
    names = []
    seen = angles._core.store.all
    monkeypatch.setattr(angles._core.store, "all", lambda name, **values: names.append(name) or seen(name, **values))
    one = angles._core.store.one
    monkeypatch.setattr(angles._core.store, "one", lambda name, **values: names.append(name) or one(name, **values))
    ask(angles)
    assert [name for name in names if "link" in name] == ["links_some"]
    names.clear()
    ask(angles, BARE)
    assert [name for name in names if "link" in name] == []


def test_the_same_links_on_the_same_store_give_the_same_bytes_whatever_came_first(tmp_path):
    texts = {f"s{n}": f"word{n} shared common @{n}" for n in range(12)}
    links = [("s1", "supports", "s2"), ("s3", "contradicts", "s1"), ("s4", "before", "s0"), ("s5", "related_to", "s1")]
    answers = []
    for number, order in enumerate((sorted(texts), sorted(texts, reverse=True))):
        with Memory.open(tmp_path / str(number), embedder=HashEmbedder()) as memory:
            for name in order:
                day = int(name[1:])
                memory.remember_session("c", name, talk(f"Ana: {texts[name]}", day=day))
            for a, kind, b in links if number else links[::-1]:
                memory.links.add(seg(a), kind, seg(b), weight=0.5)
            found = memory.recall("word1 shared common", recipe=replace(PLAN, floor=-1.0), k=4)
            answers.append(replace(found, trace=None, context=unfenced(found.context)))
    assert answers[0] == answers[1] and any(c.path for c in answers[0].candidates)
