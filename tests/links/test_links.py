"""Typed links: made, taken away, undone, and what they learn."""

from __future__ import annotations

from typing import get_args

import pytest

from engramma import BadInput, Memory
from engramma.apps.cli.links import KIND_NAMES
from engramma.core.names import known_key
from engramma.links.links import KINDS, OF_THE_STORE
from engramma.recall import typed_links as typed
from engramma.records import LinkKind
from engramma.store.acts import latest_acts
from tests.fakes import AngleEmbedder
from tests.links.linked import ask, said, seg

pytestmark = pytest.mark.on("postgres", "encrypted")


@pytest.fixture
def angles(tmp_path):
    with Memory.open(tmp_path / "store", embedder=AngleEmbedder()) as opened:
        yield opened


def last_act(memory):
    return latest_acts(memory._core.store, 1)[0]


def rows(memory):
    """Everything stored of links and uses."""
    store = memory._core.store
    uses = [tuple(store.one("use_last", key=key) or ()) for key in store.keys("keys_all").tolist()]
    return [tuple(row) for row in store.all("links_all")], [tuple(row) for row in store.all("edges_all")], uses


# --- making and taking away ---------------------------------------------------------------------------------


def test_a_link_is_made_listed_and_taken_away(memory):
    said(memory, a="one two", b="three four", c="five six")
    made = memory.links.add(seg("a"), "supports", seg("b"), weight=0.5, label="by far", author="Ana", provenance="p. 4")
    assert (made.source, made.kind, made.target) == (seg("a"), "supports", seg("b"))
    assert (made.weight, made.first_weight) == (0.5, 0.5)
    assert (made.label, made.author, made.provenance) == ("by far", "Ana", "p. 4")
    other = memory.links.add(seg("c"), "before", seg("a"))
    assert (other.weight, other.author, other.label) == (1.0, "user", None)
    assert memory.links.all() == [made, other]
    assert memory.links.all(seg("b")) == [made] and memory.links.all(seg("a")) == [made, other]
    assert memory.links.all(kind="before") == [other] and memory.links.all(seg("b"), "before") == []
    assert memory.links.remove(seg("a"), "supports", seg("b")) and memory.links.all() == [other]
    assert not memory.links.remove(seg("a"), "supports", seg("b"))
    assert [kind for kind, _, _ in memory.segment(seg("a"))[1]] == ["before"]


@pytest.mark.not_on("encrypted")
def test_every_kind_can_be_made_and_the_command_names_them(memory):
    said(memory, a="one two", b="three four")
    for kind in get_args(LinkKind):
        memory.links.add(seg("a"), kind, seg("b"))
    assert {link.kind for link in memory.links.all()} == set(KINDS)
    assert KIND_NAMES.replace(" or ", ", ").split(", ") == list(KINDS)
    assert set(typed.WORTH) == set(typed.FOLLOWED) == set(typed.TOLD) == {*KINDS, *OF_THE_STORE}


def test_linking_again_changes_nothing_and_with_other_values_replaces_them(memory):
    said(memory, a="one two", b="three four")
    made = memory.links.add(seg("a"), "supports", seg("b"), weight=0.5)
    acts = len(latest_acts(memory._core.store, 100))
    assert memory.links.add(seg("a"), "supports", seg("b"), weight=0.5) == made
    assert len(latest_acts(memory._core.store, 100)) == acts
    assert memory.links.add("c/a_00", "supports", seg("b"), weight=0.9, label="x").weight == 0.9
    assert [(link.source, link.weight, link.label) for link in memory.links.all()] == [(seg("a"), 0.9, "x")]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("a", "likes", "b"), {}, "Known: related_to, supports, contradicts, part_of, caused_by, before, after."),
        (("a", "extends", "b"), {}, "There is no kind of link 'extends' to create"),
        (("a", "supports", "z"), {}, "There is no segment 'seg_c/z_0'"),
        (("a", "supports", "a"), {}, "cannot be linked to itself"),
        *((("a", "supports", "b"), {"weight": w}, "above 0 and at most 1") for w in (0, -1, 1.01, float("nan"), True)),
        (("a", "supports", "b"), {"weight": "1"}, "above 0 and at most 1"),
        (("a", "supports", "b"), {"author": " "}, "author must be a non-empty string"),
        (("a", "supports", "b"), {"label": 7}, "label must be a non-empty string"),
    ],
)
def test_a_wrong_link_is_refused_with_a_reason(memory, arguments, options, message):
    said(memory, a="one two", b="three four")
    source, kind, target = arguments
    with pytest.raises(BadInput) as error:
        memory.links.add(seg(source), kind, seg(target), **options)
    assert message in str(error.value) and memory.links.all() == []


def test_links_of_an_unknown_kind_or_segment_are_refused(memory):
    said(memory, a="one two", b="three four")
    for call in (
        lambda: memory.links.all(kind="likes"),
        lambda: memory.links.all(seg("z")),
        lambda: memory.links.remove(seg("a"), "likes", seg("b")),
        lambda: memory.links.remove(seg("a"), "supports", "nonsense"),
    ):
        with pytest.raises(BadInput, match="There is no"):
            call()


# --- undo ---------------------------------------------------------------------------------------------------


def test_undo_restores_exactly_in_any_order(memory):
    said(memory, a="one two", b="three four")
    triple = (seg("a"), "supports", seg("b"))
    nothing = rows(memory)
    memory.links.add(*triple, weight=0.4, label="first")
    first, made = last_act(memory), rows(memory)
    memory.links.add(*triple, weight=0.8)
    second, replaced = last_act(memory), rows(memory)
    memory.links.remove(*triple)
    third = last_act(memory)
    assert rows(memory) == nothing
    memory.undo(third.id)
    assert rows(memory) == replaced
    memory.undo(first.id)
    assert rows(memory) == replaced, "a later act decides"
    memory.undo(second.id)
    assert rows(memory) == nothing, "what stood before it was undone"
    memory.links.add(*triple, weight=0.4, label="first")
    memory.links.remove(*triple)
    memory.undo(last_act(memory).id)
    assert [link.label for link in memory.links.all()] == ["first"] and len(rows(memory)[0]) == len(made[0])


def test_undo_of_a_replacement_brings_back_what_nobody_wrote_down(memory):
    """A link that the store drew itself has no act of its own."""
    note = memory.remember("the red train to Vienna leaves at seven").note
    memory.remember("the red train to Vienna leaves at seven sharp from platform two")
    (auto,) = memory.links.all(note.id)
    before = rows(memory)
    memory.links.add(auto.source, "related_to", auto.target, weight=0.1)
    memory.undo(last_act(memory).id)
    assert rows(memory) == before and memory.links.all(note.id) == [auto] and auto.author == "auto-link"


# --- learning -----------------------------------------------------------------------------------------------


def weights(memory):
    return {link.kind: round(link.weight, 6) for link in memory.links.all()}


def test_links_that_led_to_something_used_gain_and_the_others_fade(angles):
    said(angles, a="ask @10", b="red @20", x="far @170", y="far @160")
    angles.links.add(seg("x"), "contradicts", seg("a"), weight=0.5)
    angles.links.add(seg("a"), "related_to", seg("y"), weight=0.5)
    angles.links.add(seg("b"), "supports", seg("a"), weight=0.5)
    angles.links.add(seg("y"), "caused_by", seg("x"), weight=0.5)  # no recall follows it: neither is an entry
    before = rows(angles)
    act = angles.links.used(ask(angles), [seg("x")])
    assert weights(angles) == {"contradicts": 0.6, "related_to": 0.4775, "supports": 0.4775, "caused_by": 0.5}
    assert {link["kind"]: (link["used"], link["from"]) for link in act.detail["links"]} == {
        "contradicts": (True, 0.5),
        "related_to": (False, 0.5),
        "supports": (False, 0.5),
    }
    assert act.kind == "learn" and act.reason == "of 3 links that a recall followed, 1 led to a useful segment"
    assert {link.first_weight for link in angles.links.all()} == {0.5}
    assert angles._core.store.one("use_last", key=known_key(angles._core, seg("x")))["hits"] == 1
    angles.undo(act.id)
    assert rows(angles) == before


def test_what_was_learnt_can_be_undone_in_any_order(angles):
    said(angles, a="ask @10", x="far @170", y="far @160")
    angles.links.add(seg("x"), "contradicts", seg("a"), weight=0.5)
    angles.links.add(seg("a"), "related_to", seg("y"), weight=0.5)
    before = rows(angles)
    acts = [angles.links.used(ask(angles), [seg(name)]) for name in ("x", "y", "x")]
    assert weights(angles) == {"contradicts": 0.658, "related_to": 0.5554}
    angles.undo(acts[1].id)
    assert weights(angles) == {"contradicts": 0.68, "related_to": 0.456125}  # 0.5 -> 0.6 -> 0.68
    angles.undo(acts[0].id)
    assert weights(angles) == {"contradicts": 0.6, "related_to": 0.4775}
    angles.undo(acts[2].id)
    assert rows(angles)[:2] == before[:2]


def test_a_link_taken_away_comes_back_with_what_it_learnt_without_what_was_undone_meanwhile(angles):
    said(angles, a="ask @10", x="far @170")
    angles.links.add(seg("x"), "contradicts", seg("a"), weight=0.5)
    acts = [angles.links.used(ask(angles), [seg("x")]) for _ in range(2)]
    angles.links.remove(seg("x"), "contradicts", seg("a"))
    gone = last_act(angles)
    angles.undo(acts[0].id)
    angles.undo(gone.id)
    assert weights(angles) == {"contradicts": 0.6}
    assert angles.links.add(seg("x"), "contradicts", seg("a"), weight=0.3).weight == 0.3, "made anew"


def test_feedback_about_something_else_is_refused_and_without_links_only_counted(angles):
    said(angles, a="ask @10", x="far @170")
    with pytest.raises(BadInput, match="did not bring back 'seg_c/x_0'"):
        angles.links.used(ask(angles), [seg("x")])
    assert angles.links.used(ask(angles), seg("a")) is None
    assert angles._core.store.one("use_last", key=known_key(angles._core, seg("a")))["hits"] == 1
    assert latest_acts(angles._core.store, 9) == []


def test_links_to_what_did_not_fit_do_not_fade(angles):
    said(angles, a="ask @10", y="far " * 40 + "@160")
    angles.links.add(seg("a"), "related_to", seg("y"), weight=0.5)
    assert angles.links.used(ask(angles, budget_tokens=40), [seg("a")]) is None
    assert angles.links.used(ask(angles), [seg("a")]).detail["links"][0]["to"] == pytest.approx(0.4775)


def test_an_act_of_which_something_was_purged_cannot_be_undone(angles):
    said(angles, a="ask @10", x="far @170")
    angles.links.add(seg("x"), "contradicts", seg("a"), weight=0.5)
    made, learned = last_act(angles), angles.links.used(ask(angles), [seg("x")])
    with angles._core.store.transaction():
        for act in (made, learned):
            angles._core.store.run("act_scrub", id=act.id, reason="some of it was purged since", detail="{}")
    for act in (made, learned):
        with pytest.raises(BadInput, match="something it concerns was purged"):
            angles.undo(act.id)
    assert weights(angles) == {"contradicts": 0.6}
