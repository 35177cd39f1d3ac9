"""What the memory answers stands above what it recalled; and views may be left before they are there."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from engramma import Turn
from tests.browser.conftest import Visit, log_in
from tests.browser.test_entities import faults
from tests.conftest import START

ONE_PAGE = True  # see conftest.py

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


def shown_for(visit, question: str):
    page = visit.see(f"recall?q={quote(question)}")
    card = page.get_by_label("Verdict")
    card.locator(".tag").first.wait_for()
    return card


def test_what_it_is_unsure_of_is_called_a_guess_and_shows_what_was_found(visit, memory):
    question = "Did Jonas ever visit Japan?"
    told = memory.ask(question)
    assert told.verdict == "unsure" and told.abstained and told.quote and len(told.evidence) > 1
    card = shown_for(visit, question)
    shown = card.inner_text()
    assert "Unsure" in shown and "This is a guess, not an answer." in shown
    assert told.quote in shown and "Jonas" in shown and "confidence" not in shown  # it is no answer
    assert card.get_by_text("Answer", exact=True).count() == 0
    card.get_by_text(f"{len(told.evidence)} turns that were found").click()
    assert card.locator("li").count() == len(told.evidence)
    card.locator("footer a").click()
    visit.page.wait_for_selector(".turn[data-lit]")
    assert told.quote in visit.page.locator(".turn[data-lit]").inner_text()


def test_what_has_to_be_worked_out_is_no_answer_and_says_so(visit, memory):
    question = "How many weeks passed between the race and the cake?"
    told = memory.ask(question)
    assert told.verdict == "unsure" and "worked out" in told.reason
    shown = shown_for(visit, question).inner_text()
    assert "This is not an answer: nobody said it, it has to be worked out." in shown and told.quote in shown


def test_an_answer_that_is_not_certain_says_perhaps(visit, memory):
    card = shown_for(visit, "Where does Otto work?")
    assert "Perhaps" not in card.inner_text()  # this one is sure
    answer = {"verdict": "answered", "confidence": 0.71, "short": "", "quote": "We met at noon.", "evidence": []}
    answer |= {"text": "We met at noon.", "reason": "Ana said so", "person": None, "sentences": [], "remark": ""}
    event = f"event: answer\ndata: {json.dumps(answer)}\n\n"
    visit.page.route("**/api/ask*", lambda route: route.fulfill(content_type="text/event-stream", body=event))
    shown = shown_for(visit, "When did they meet?").inner_text()
    visit.page.unroute("**/api/ask*")
    assert "Perhaps" in shown and "Not certain: see what was said." in shown
    assert "71 %" in shown and "We met at noon." in shown


def test_what_is_somebody_elses_is_not_known_and_shows_whose_it_is(visit, memory):
    memory.remember_session(
        "rails", "s1", [Turn("Ines", "My favourite night train goes to Lisbon.", START), Turn("Paul", "I see.", START)]
    )
    question = "Which night train is Paul's favourite?"
    told = memory.ask(question)
    assert told.verdict == "not known" and not told.quote and told.evidence
    card = shown_for(visit, question)
    shown = card.inner_text()
    assert "Not known" in shown and "There is no answer here, and none is guessed." in shown
    assert told.reason.replace("5 January 2026", "Jan 5, 2026").casefold() in shown.casefold()
    assert told.evidence[0].text[:60] in shown  # what was found is open to see
    card.locator("li a").first.click()
    visit.page.wait_for_selector(".turn[data-lit]")


def test_a_question_without_an_answer_says_why(visit, memory):
    question = "What colour is Hildegard's helicopter?"
    told = memory.ask(question)
    assert told.abstained and told.reason
    page = visit.see(f"recall?q={quote(question)}")
    page.get_by_text("Not known").wait_for()
    assert told.reason.casefold() in page.get_by_label("Verdict").inner_text().casefold()


def test_the_card_has_no_serious_fault_and_fits_a_phone(visit, memory):
    page = visit.page
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 844})
        for question in ("How often did Jonas run last year?", "What does Mira think of trains?"):
            shown_for(visit, question)
            assert faults(page) == "", (question, scheme)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), question


@pytest.mark.parametrize(
    ("language", "day", "told"),
    [("en-US", "Mar 9, 2026", "Mar 28, 2026"), ("en-GB", "9 Mar 2026", "28 Mar 2026")],
)
def test_a_card_writes_all_its_days_in_one_way(browser, store, memory, language, day, told):
    said = [Turn("Otto", "The harbour fair is on 28 March 2026.", datetime(2026, 3, 9, 12, tzinfo=UTC), "f1")]
    memory.remember_session("fair", "s1", said)
    question = "When is Otto's harbour fair?"
    assert memory.ask(question).short == "28 March 2026" and "9 March 2026" in memory.ask(question).reason
    context = browser.new_context(locale=language)
    log_in(context, store)
    visit = Visit(context, store)
    shown = shown_for(visit, question).inner_text()
    assert told in shown and day in shown
    assert shown.count("28 March 2026") == 1, "in the quote, as it was said"
    assert "9 March 2026" not in shown
    visit.close()
    context.close()
