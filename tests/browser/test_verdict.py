"""What the memory answers stands above what it recalled; and views may be left before they are there."""

from __future__ import annotations

from urllib.parse import quote

from engramma import Turn
from tests.conftest import START

VIEWS = ("graph", "overview", "graph?person=Jonas", "recall?q=race", "overview", "notes?tab=entities", "live")


def test_views_that_are_left_at_once_complain_of_nothing(visit):
    page = visit.see("overview")
    for pause in (0, 15, 60, 150):
        for view in (
            "graph",
            "overview",
            "graph?person=Jonas",
            "recall?q=race",
            "overview",
            "notes?tab=entities",
            "live",
        ):
            page.evaluate("view => { location.hash = `#/${view}`; }", view)
            page.wait_for_timeout(pause)
    visit.see("overview", "Who speaks most")
    page.wait_for_selector(".chart canvas")


def test_the_verdict_stands_above_what_was_recalled(visit, memory):
    memory.remember_session("harbour", "s1", [Turn("Otto", "I work at the harbour museum.", START, "v1")])
    question = "Where does Otto work?"
    told = memory.ask(question)
    assert not told.abstained and told.evidence
    page = visit.see(f"recall?q={quote(question)}")
    verdict = page.get_by_label("Verdict")
    verdict.get_by_text("Answer", exact=True).wait_for()
    shown = verdict.inner_text()
    assert told.text in shown and f"{round(told.confidence * 100)} %" in shown and "Otto" in shown
    details = verdict.locator("details")
    if details.count():
        details.locator("summary").click()
        assert verdict.locator("li").count() == len(told.evidence)
    verdict.locator("a").first.click()
    page.wait_for_selector(".turn[data-lit]")
    assert told.evidence[0].text[:40] in page.locator(".turn[data-lit]").inner_text()


def test_a_question_without_an_answer_says_why(visit, memory):
    question = "What colour is Hildegard's helicopter?"
    told = memory.ask(question)
    assert told.abstained and told.reason
    page = visit.see(f"recall?q={quote(question)}")
    page.get_by_text("Not known").wait_for()
    assert told.reason.casefold() in page.get_by_label("Verdict").inner_text().casefold()
