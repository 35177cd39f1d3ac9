"""The memory picture: complete, escaped, self-contained, and the same every time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from engramma.apps.picture import Highlight, Link, Node, draw_graph

START = datetime(2026, 1, 18, 17, 0, tzinfo=UTC)
HOSTILE = "</title></script><script>alert('x')</script> & \"quoted\" $title ${graph} \x00 \ud800"


class Page(HTMLParser):
    """The tags and attributes of a page, as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def having(self, word: str) -> list[dict[str, str | None]]:
        """The attributes of every tag that carries this class."""
        return [attrs for _, attrs in self.tags if word in (attrs.get("class") or "").split()]


def graph(sessions: int, length: int, conversations: int = 2) -> tuple[list[Node], list[Link]]:
    nodes = [
        Node(
            f"s{s}.{i}",
            f"s{s}",
            f"talk {s % conversations}",
            START + timedelta(days=9 * s, minutes=i),
            "Mira",
            f"{s}/{i}",
        )
        for s in range(sessions)
        for i in range(length)
    ]
    chain = [Link(a.id, b.id, "chain") for a, b in pairwise(nodes) if a.session == b.session]
    across = [Link(f"s{s}.0", f"s{s - 1}.{length - 1}", "semantic", 0.5 + s / 1000) for s in range(1, sessions)]
    return nodes, chain + across


def drawn_links(page: Page) -> list[tuple[str | None, str | None]]:
    return [(attrs.get("data-src"), attrs.get("data-dst")) for attrs in page.having("link") if "data-l" in attrs]


@pytest.mark.parametrize(
    ("sessions", "length", "conversations"),
    [(1, 3, 1), (11, 9, 3), (40, 5, 12), (1, 2000, 1), (400, 5, 400)],
)
def test_every_node_and_every_link_is_drawn(sessions: int, length: int, conversations: int) -> None:
    nodes, links = graph(sessions, length, conversations)
    page = Page(draw_graph(nodes, links, title="All of it"))
    dots = [attrs["data-id"] for attrs in page.having("node") if "data-id" in attrs]
    assert sorted(dots, key=str) == sorted(node.id for node in nodes)
    assert sorted(drawn_links(page), key=str) == sorted(((e.src, e.dst) for e in links), key=str)


def test_no_two_dots_stand_in_the_same_place() -> None:
    for sessions, length, conversations in ((11, 9, 3), (200, 4, 3), (400, 3, 400)):
        nodes, links = graph(sessions, length, conversations)
        places = re.findall(r'data-id="[^>]*translate\(([^)]*)\)', draw_graph(nodes, links, title="t"))
        assert len(set(places)) == len(nodes)


def test_the_same_input_gives_the_same_bytes_whatever_the_order_of_sessions() -> None:
    nodes, links = graph(6, 4)
    highlights = [Highlight("Who?", ("s1.0", "s2.0"), (Link("s1.0", "s0.3", "semantic", 0.6),))]
    once = draw_graph(nodes, links, title="t", highlights=highlights)
    assert once == draw_graph(nodes, links, title="t", highlights=highlights)
    assert once == draw_graph(nodes[12:] + nodes[:12], links, title="t", highlights=highlights)


def test_hostile_words_show_as_text() -> None:
    nodes = [Node(HOSTILE, "s", HOSTILE, START, HOSTILE, HOSTILE), Node("b", "s", HOSTILE, START, "J", "b")]
    highlight = Highlight(HOSTILE, (HOSTILE,), (Link(HOSTILE, "b", "chain"),), note=HOSTILE)
    html = draw_graph(nodes, [Link(HOSTILE, "b", "chain")], title=HOSTILE, highlights=[highlight])
    html.encode()  # a lone surrogate must not stop the page from being written
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(&#x27;x&#x27;)" in html
    assert "$title ${graph}" in html
    assert "\x00" not in html
    assert [tag for tag, _ in Page(html).tags].count("script") == 2  # the data and the program, nobody else's


def test_the_page_asks_nothing_of_the_network() -> None:
    nodes, links = graph(3, 3)
    html = draw_graph(nodes, links, title="t", highlights=[Highlight("Who?", ("s1.0",))])
    assert "default-src 'none'" in html
    assert set(re.findall(r"https?://[^\"' ]*", html)) == {"http://www.w3.org/2000/svg"}
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _ in Page(html).tags}
    assert "@import" not in html
    assert "url(" not in html


def test_the_first_question_is_shown_at_once() -> None:
    nodes, links = graph(3, 4)
    asked = [
        Highlight("Who?", ("s1.0",), (Link("s1.0", "s0.3", "semantic", 0.5), Link("s1.0", "s1.1", "chain"))),
        Highlight("When?", ("s2.0",)),
    ]
    page = Page(draw_graph(nodes, links, title="t", highlights=asked))
    assert [attrs["data-id"] for attrs in page.having("entry") if "data-id" in attrs] == ["s1.0"]
    assert {attrs["data-id"] for attrs in page.having("near") if "data-id" in attrs} == {"s0.3", "s1.1"}
    followed = {(attrs["data-src"], attrs["data-dst"]) for attrs in page.having("on")}
    assert followed == {("s1.0", "s0.3"), ("s1.0", "s1.1")}
    pressed = [attrs["aria-pressed"] for tag, attrs in page.tags if tag == "button"]
    assert pressed == ["true", "false", "false"]


def test_two_steps_along_a_chain_mark_both_links() -> None:
    nodes, links = graph(1, 4, 1)
    asked = [Highlight("Who?", ("s0.3",), (Link("s0.3", "s0.1", "chain"),))]
    page = Page(draw_graph(nodes, links, title="t", highlights=asked))
    followed = {(attrs["data-src"], attrs["data-dst"]) for attrs in page.having("on")}
    assert followed == {("s0.1", "s0.2"), ("s0.2", "s0.3")}


def test_a_link_followed_but_not_listed_shows_with_its_question() -> None:
    nodes, _ = graph(2, 2)
    asked = [
        Highlight("Who?", ("s0.0",)),
        Highlight("When?", ("s1.0",), (Link("s1.0", "s0.1", "semantic", 0.7),)),
    ]
    page = Page(draw_graph(nodes, [], title="t", highlights=asked))
    assert [(attrs["data-src"], attrs["data-dst"]) for attrs in page.having("only")] == [("s1.0", "s0.1")]


def test_unknown_ids_are_left_out() -> None:
    nodes, _ = graph(1, 2, 1)
    asked = [Highlight("Who?", ("gone",), (Link("s0.0", "gone", "semantic", 0.9),))]
    html = draw_graph(nodes, [Link("s0.0", "gone", "semantic", 0.9)], title="t", highlights=asked)
    assert drawn_links(Page(html)) == []
    assert "Nothing in this memory answers it." in html


def test_an_empty_memory_gives_a_friendly_picture() -> None:
    html = draw_graph([], [], title="Mine", highlights=[Highlight("Who?", ("a",))])
    assert "Nothing remembered yet" in html
    assert Page(html).having("node") != []  # only the legend's
    assert [attrs for attrs in Page(html).having("node") if "data-id" in attrs] == []


def test_every_dot_has_a_name_and_the_keyboard_has_one_way_in() -> None:
    nodes, links = graph(2, 3)
    html = draw_graph(nodes, links, title="t")
    assert html.count("<title>Mira · 18 Jan 2026, 17:0") == 3
    dots = [attrs for attrs in Page(html).having("node") if "data-id" in attrs]
    assert [attrs["tabindex"] for attrs in dots] == ["0", *["-1"] * 5]
    assert 'id="graph-title"' in html
    assert 'id="graph-text"' in html


def test_a_long_text_is_cut_and_says_so() -> None:
    html = draw_graph([Node("a", "s", "c", START, "Mira", "word " * 1000)], [], title="t")
    assert "word…" in html
    assert len(html) < 30_000
