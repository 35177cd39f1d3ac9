"""Where a language model writes the answer, its sentences appear as they are checked; if it fails, a line says so."""

from __future__ import annotations

import threading
from urllib.parse import quote

import pytest

from engramma import Memory
from engramma.apps.daemon import control
from tests.conftest import talk
from tests.models.chat_server import RawServer, events, hangs_after, refuses, writes

LINES = (
    "Ana: I repaired my old red motorcycle in the garage yesterday.",
    "Ben: Nice! I baked a lemon cake for my neighbours.",
)
ADDRESS = f"recall?q={quote('What did Ana repair?')}"


class Model:
    """A chat server that does what the test at hand tells it to."""

    def __init__(self) -> None:
        self.act = refuses(500)
        self.server = RawServer(lambda connection, ended: self.act(connection, ended))


@pytest.fixture(scope="module")
def model():
    made = Model()
    yield made
    made.server.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory, model):
    """A store whose settings name that server, and a daemon that serves it."""
    path = tmp_path_factory.mktemp("written") / "memory"
    path.mkdir()
    table = f'[llm]\nurl = "{model.server.address}"\nmodel = "small"\nretries = 0\nanswers = true\nbackground = false\n'
    (path / "config.toml").write_text(f"[daemon]\nsteward_hours = 0\n{table}", encoding="utf-8")
    with Memory.open(path) as memory:
        memory.remember_session("c", "s", talk(*LINES))
    control.start_daemon(path, ["--port", "0"])
    yield path
    control.stop_daemon(path)


def test_sentences_appear_with_their_source_and_a_click_leads_there(visit, model):
    model.act = writes("Ana repaired her old red motorcycle. [1]\n", "Ana sold a Vespa. [1]\n")
    page = visit.see(ADDRESS)
    verdict = page.get_by_label("Verdict")
    verdict.get_by_text("1 of 2 sentences left out").wait_for()
    assert verdict.locator(".written li").count() == 1 and "Vespa" not in verdict.inner_text()
    assert "Ana repaired her old red motorcycle." in verdict.inner_text()
    verdict.locator(".written a.source").first.click()
    page.wait_for_selector(".turn[data-lit]")
    assert LINES[0].split(": ", 1)[1][:40] in page.locator(".turn[data-lit]").inner_text()


def test_a_sentence_is_there_before_the_next_and_leaving_the_view_ends_the_models_work(visit, model):
    gone = threading.Event()
    model.act = hangs_after(events("Ana repaired her old red motorcycle. [1]\nShe ", finish=None), gone)
    page = visit.see("overview")
    visit.see(ADDRESS)
    page.get_by_text("Ana repaired her old red motorcycle.").first.wait_for()
    assert page.get_by_text("Writing…").count() == 1 and not gone.is_set()
    visit.see("overview")
    assert gone.wait(10)


def test_without_the_model_the_quote_is_shown_and_a_line_says_why(visit, model):
    model.act = refuses(503)
    visit.see("overview")
    verdict = visit.see(ADDRESS).get_by_label("Verdict")
    verdict.get_by_text("Answered without the language model").wait_for()
    assert "I repaired my old red motorcycle" in verdict.locator("blockquote").inner_text()
