"""The demo's picture in a browser: drawn from its own file alone, and a question changes what stands out."""

from __future__ import annotations

from engramma import Memory
from engramma.apps.cli.demo import fill_demo
from engramma.apps.picture import Highlight, draw_graph

QUESTIONS = ("Can everyone eat the birthday cake Mira is planning?", "What did Mira decide about the database?")


def test_the_picture_has_every_moment_and_shows_what_a_question_brought_back(browser, tmp_path):
    with Memory.open(tmp_path / "memory") as memory:
        fill_demo(memory)
        asked = [Highlight(one, memory.recall(one, k=5).candidates) for one in QUESTIONS]
        (tmp_path / "graph.html").write_text(draw_graph(memory, asked, title="Mine"), encoding="utf-8")
        moments = len(memory.graph()[0])
    page = browser.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto((tmp_path / "graph.html").as_uri())
    page.wait_for_selector("#graph svg")
    assert page.locator("#graph svg g[data-id]").count() == moments
    first = page.locator("#graph svg").inner_html()
    page.get_by_role("button", name=QUESTIONS[1]).click()
    assert page.locator("#graph svg").inner_html() != first
    assert page.locator("aside section:visible h2").inner_text() == QUESTIONS[1]
    page.get_by_role("button", name="Show everything").click()
    assert page.locator("aside section:visible h2").inner_text() == "Everything, word for word"
    page.close()
    assert complaints == []
