"""The memory picture: complete, escaped, self-contained, and the same every time."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from engramma import Memory, Turn
from engramma.apps.picture import Highlight, draw_graph

START = datetime(2026, 1, 18, 17, 0, tzinfo=UTC)
HOSTILE = "</title></script><script>alert('x')</script> & \"quoted\" $title ${graph}"


class Page(HTMLParser):
    """The tags and attributes of a page, and the data in it, as a browser would find them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.told = json.loads(re.findall(r'id="told">(.*?)</script>', html)[0])
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def answers(self) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.tags if tag == "section"]


@pytest.fixture
def memory(tmp_path: Path):
    with Memory.open(tmp_path / "m") as memory:
        yield memory


def told(memory: Memory, *texts: str, session: str = "s", speaker: str = "Mira") -> None:
    turns = [Turn(speaker, text, START + timedelta(minutes=n)) for n, text in enumerate(texts)]
    memory.remember_session("talk", session, turns)


def asked(memory: Memory, question: str, note: str = "") -> Highlight:
    return Highlight(question, memory.recall(question).candidates, note)


def test_every_moment_and_every_link_is_in_the_picture(memory: Memory) -> None:
    told(memory, "The boiler broke.", "A plumber came.", "The boiler works again.")
    told(memory, "We bought a boat.", "It is called Okra.", session="t")
    segments, edges = memory.graph()
    page = Page(draw_graph(memory, title="All of it"))
    assert {node["id"] for node in page.told["nodes"]} == {one.id for one in segments}
    drawn = {frozenset((page.told["nodes"][a]["id"], page.told["nodes"][b]["id"])) for a, b, *_ in page.told["edges"]}
    assert drawn == {frozenset((a, b)) for a, b, *_ in edges}
    places = {(node["x"], node["y"]) for node in page.told["nodes"]}
    assert len(places) == len(segments)


def test_the_same_memory_gives_the_same_bytes(memory: Memory) -> None:
    told(memory, "The boiler broke.", "A plumber came.")
    once = draw_graph(memory, [asked(memory, "Who came?")], title="t")
    assert once == draw_graph(memory, [asked(memory, "Who came?")], title="t")


def test_hostile_words_show_as_text(memory: Memory) -> None:
    told(memory, HOSTILE, "b", speaker=HOSTILE[:30])
    html = draw_graph(memory, [asked(memory, HOSTILE, HOSTILE + "\x00 \ud800")], title=HOSTILE)
    html.encode()  # a lone surrogate must not stop the page from being written
    assert "<script>alert" not in html
    assert "&lt;script&gt;alert(&#x27;x&#x27;)" in html
    assert "$title ${graph}" in html
    assert "\x00" not in html
    assert [tag for tag, _ in Page(html).tags].count("script") == 3  # the data and two programs, nobody else's


def test_the_page_asks_nothing_of_the_network(memory: Memory) -> None:
    told(memory, "The boiler broke.")
    html = draw_graph(memory, [asked(memory, "What broke?")], title="t")
    assert "default-src 'none'" in html
    assert not {"link", "img", "iframe", "object"} & {tag for tag, _ in Page(html).tags}
    assert not [attrs for _, attrs in Page(html).tags if "src" in attrs or "href" in attrs]
    assert "@import" not in html
    assert "url(" not in html


def test_the_first_question_is_shown_at_once(memory: Memory) -> None:
    told(memory, "The boiler broke.", "A plumber came.", "We had cake.")
    page = Page(draw_graph(memory, [asked(memory, "What broke?"), asked(memory, "Who came?")], title="t"))
    assert ["hidden" in attrs for attrs in page.answers()] == [False, True, True]
    assert [attrs["aria-pressed"] for tag, attrs in page.tags if tag == "button"] == ["true", "false", "false"]


def test_an_answer_names_what_it_found_and_how_it_was_reached(memory: Memory) -> None:
    told(memory, "The boiler broke.", "A plumber came.", "We had cake.")
    one = asked(memory, "What broke?", "So it is said.")
    html = draw_graph(memory, [one], title="t")
    page = Page(html)
    numbers = str(page.answers()[0]["data-found"]).split()
    assert [page.told["nodes"][int(n)]["id"] for n in numbers] == [
        c.segment_id for c in sorted(one.found, key=lambda c: c.said_at)
    ]
    assert "found by the question" in html and "So it is said." in html


def test_what_is_gone_is_left_out(memory: Memory, tmp_path: Path) -> None:
    told(memory, "The boiler broke.")
    with Memory.open(tmp_path / "other") as other:
        told(other, "We had cake.", session="elsewhere")
        html = draw_graph(memory, [asked(other, "Who had cake?")], title="t")
    assert Page(html).answers()[0]["data-found"] == ""
    assert "Nothing in this memory answers it." in html


def test_an_empty_memory_gives_a_friendly_picture(memory: Memory) -> None:
    html = draw_graph(memory, [Highlight("Who?", ())], title="Mine")
    assert "Nothing remembered yet" in html
    assert Page(html).told["nodes"] == []


def test_a_long_text_is_cut_and_says_so(memory: Memory) -> None:
    told(memory, "word " * 1000)
    html = draw_graph(memory, [asked(memory, "word")], title="t")
    assert "word…" in html
    assert html.count("word") < 1000
