"""Text of right-to-left scripts is laid out from the right, beside text that is laid out from the left."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from engramma import Memory, Turn

from .conftest import served

ONE_PAGE = True  # see conftest.py

START = datetime(2024, 5, 3, 10, tzinfo=UTC)
ARABIC = "ابنتي ليلى تحب الرسم كثيرا، وقد اشترينا لها Procreate أمس."
HEBREW = "הבת שלי אוהבת לצייר, וקנינו לה צבעים חדשים."
ENGLISH = "My daughter likes to draw, and we bought her new paints."
MIXED = "Two answers:\n\n- הצבעים בתיק\n- the brushes are in the box\n\nالألوان في الحقيبة."
FAMILY = "👨\u200d👩\u200d👧\u200d👦"
# The innermost element that holds a text, and which way it runs.
DIRECTION = """(words) => {
  const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.data.includes(words)) continue;
    const style = getComputedStyle(node.parentElement);
    return [style.direction, style.textAlign];
  }
  return null;
}"""


def with_directions(memory: Memory) -> None:
    texts = [("ليلى", ARABIC), ("נועה", HEBREW), ("Emma", ENGLISH), ("assistant", MIXED)]
    turns = [Turn(who, text, START + timedelta(minutes=n), id=f"t{n}") for n, (who, text) in enumerate(texts)]
    memory.remember_session("رسم", "s", turns, title="دروس الرسم")
    memory.remember(f"{ARABIC} {FAMILY}", tags=["رسم"])
    memory.remember(ENGLISH.replace("daughter", "niece"))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with served(tmp_path_factory.mktemp("directions") / "memory", with_directions) as path:
        yield path


def side(visit, words: str) -> list[str]:
    return visit.page.evaluate(DIRECTION, words)


def kept(visit, name: str) -> None:
    """A picture of the page, where somebody wants to look at it."""
    if folder := os.environ.get("ENGRAMMA_PICTURES"):
        visit.page.screenshot(path=f"{folder}/{name}.png", full_page=True)


def test_turns_run_from_the_side_of_their_script_and_so_does_each_paragraph(visit):
    visit.see("conversations?conversation=%D8%B1%D8%B3%D9%85&session=s", "אוהבת לצייר")
    assert side(visit, "تحب الرسم") == ["rtl", "start"]
    assert side(visit, "אוהבת לצייר") == ["rtl", "start"]
    assert side(visit, "we bought her") == ["ltr", "start"]
    assert side(visit, "Two answers") == ["ltr", "start"]
    assert side(visit, "הצבעים בתיק")[0] == "rtl"
    assert side(visit, "the brushes are")[0] == "rtl"  # a list has its marks on one side, that of its first item
    assert side(visit, "الألوان في الحقيبة")[0] == "rtl"
    kept(visit, "conversation")


def test_the_list_of_conversations_hits_and_the_answer_do_so_too(visit):
    visit.see("conversations", "دروس الرسم")
    assert side(visit, "دروس الرسم")[0] == "rtl"
    assert side(visit, "ابنتي")[0] == "rtl"
    kept(visit, "conversations")
    visit.see("recall?q=%D9%85%D8%A7%D8%B0%D8%A7%20%D8%AA%D8%AD%D8%A8%20%D8%A7%D8%A8%D9%86%D8%AA%D9%8A%D8%9F", "كثيرا")
    visit.page.get_by_label("Verdict").wait_for()
    assert side(visit, "كثيرا")[0] == "rtl"
    assert visit.page.evaluate("getComputedStyle(document.querySelector('#question')).direction") == "rtl"
    kept(visit, "recall")


def test_notes_run_from_their_side(visit):
    visit.see("notes", "niece")
    assert side(visit, "ابنتي")[0] == "rtl"
    assert side(visit, "niece")[0] == "ltr"
    kept(visit, "notes")


def test_a_text_is_cut_between_characters(visit):
    visit.see("overview")
    cut = """async (text) => {
      const { firstCharacters, cutText } = await import('/assets/cutting.js');
      return [...Array(text.length + 2).keys()].map((most) => firstCharacters(text, most)).concat(cutText('abcdef', 4));
    }"""
    *beginnings, english = visit.page.evaluate(cut, f"a{FAMILY}b")
    assert set(beginnings) == {"", "a", f"a{FAMILY}", f"a{FAMILY}b"}
    assert english == "abc…"
