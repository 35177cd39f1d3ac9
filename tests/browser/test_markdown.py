"""What assistants write in Markdown is shown formatted; tags stay text, no text takes long, and no sign is lost."""

from __future__ import annotations

import pytest

from engramma import Turn
from tests.conftest import START

ONE_PAGE = True  # see conftest.py

ANSWER = """# Bread at home

Use **strong** flour and *cold* water, see [the book](https://example.org/bread) or https://example.org/rye.

1. Mix
   - flour
   - water
2. Rest

- [x] oven
- [ ] stone

| step | hours |
|------|------:|
| rise | 12 |
| bake | 1 |

> Patience is an ingredient.

```python
hours = 12 * "*not bold*"
```
![loaf](https://example.org/loaf.png) and `salt_and_water` in snake_case_names.
"""
SHAPES = [
    ("# A\ntext", ["heading", "text"]),
    ("a\n- b\n- c\n\nd", ["text", "list", "text"]),
    ("1. a\n\n2. b\n\n\n3. c", ["list"]),
    ("- a\n1. b", ["list", "list"]),
    ("| a | b |\n|---|---|\n| 1 |", ["table"]),
    ("| a | b |\nno divider", ["text"]),
    ("```\n# code\n- code", ["code"]),
    ("> a\n> b\nc", ["quote", "text"]),
    ("***", ["rule"]),
    ("#hashtag and 2 * 3 * 4", ["text"]),
    ("", []),
]
WORDS = [
    ("**a** b", "<strong>a</strong> b"),
    ("**a *b* c**", "<strong>a <em>b</em> c</strong>"),
    ("2 * 3 * 4", "2 * 3 * 4"),
    ("a_b_c and _d_", "a_b_c and <em>d</em>"),
    ("`**a**`", "<code>**a**</code>"),
    (r"\*a\*", "*a*"),
    ("~~a~~ **open", "<del>a</del> **open"),
    ("<b>a</b> &amp;", "&lt;b&gt;a&lt;/b&gt; &amp;amp;"),
    ("[a](javascript:alert(1))", "[a](javascript:alert(1))"),
    ("[a](data:text/html,x)", "[a](data:text/html,x)"),
    ("a ** b ** c", "a ** b ** c"),
]
LONG = [
    "*",
    "**a ",
    "`a ``b ",
    "[",
    "[a](",
    "> ",
    "- a\n",
    "- x\n\n",
    "|",
    "| a ",
    "_a",
    "# a  ",
    "http://a ",
    "\n",
    "  ",
]
TIMES = """async (pieces) => {
  const { parse, plainLines } = await import('/assets/markdown.js');
  const took = [];
  for (const text of pieces) {
    const from = performance.now();
    parse(text);
    plainLines(text);
    took.push(performance.now() - from);
  }
  return Math.max(...took);
}"""
RENDERED = """async (text) => {
  const [{ Markdown }, { html, render }] = await Promise.all([import('/assets/markdown.js'), import('/assets/lib.js')]);
  const box = document.createElement('div');
  render(html`<${Markdown} text=${text} />`, box);
  return box.querySelector('p').innerHTML;
}"""


@pytest.fixture
def bread(memory):
    turns = [
        Turn("Otto", "How do I bake bread?", START, "b1"),
        Turn("assistant", ANSWER, START, "b2", role="assistant"),
    ]
    memory.remember_session("bread", "s1", turns, title="Bread at home")


def test_an_answer_is_shown_as_it_was_formatted_and_every_sign_on_demand(visit, bread):
    page = visit.see("conversations?conversation=bread&session=s1", "Patience is an ingredient.")
    said = page.locator(".turn .said").last
    assert said.locator(".md-head").inner_text() == "Bread at home"
    assert said.locator("strong").all_inner_texts() == ["strong"] and said.locator("em").all_inner_texts() == ["cold"]
    assert said.locator("ol > li").count() == 2 and said.locator("ol ul > li").all_inner_texts() == ["flour", "water"]
    assert said.get_by_label("not done").count() == 1
    assert said.locator("tbody tr").count() == 2 and said.locator("td.side-right").first.inner_text() == "12"
    assert said.locator("pre").inner_text().strip() == 'hours = 12 * "*not bold*"'
    assert said.locator("blockquote").inner_text().strip() == "Patience is an ingredient."
    assert "[picture: loaf]" in said.inner_text() and page.locator("main img").count() == 0
    assert "salt_and_water in snake_case_names" in said.inner_text()
    places = said.locator("a").evaluate_all("all => all.map((a) => [a.href, a.rel, a.target])")
    assert [place for place, *_ in places] == ["https://example.org/bread", "https://example.org/rye"]
    assert all("noopener" in rel and "noreferrer" in rel and target == "_blank" for _, rel, target in places)
    assert "(example.org)" in said.inner_text()  # where a link leads is told
    page.get_by_role("button", name="As written").click()
    assert page.locator(".turn .said").last.inner_text().strip() == ANSWER.strip()


def test_blocks_are_told_apart(visit):
    page = visit.see("overview", "Who speaks most")
    kinds = "async (text) => (await import('/assets/markdown.js')).parse(text).map((block) => block.kind)"
    assert [page.evaluate(kinds, text) for text, _ in SHAPES] == [found for _, found in SHAPES]


def test_words_are_formatted_and_tags_stay_text(visit):
    page = visit.see("overview", "Who speaks most")
    assert [page.evaluate(RENDERED, text) for text, _ in WORDS] == [found for _, found in WORDS]


def test_no_text_takes_long(visit):
    page = visit.see("overview", "Who speaks most")
    pieces = [piece * (20_000 // len(piece)) + "x" for piece in LONG]
    pieces += ["# a" + " " * 20_000 + "b", "|--" + " " * 20_000 + "x", "```" + " " * 20_000 + "`"]
    assert page.evaluate(TIMES, pieces) < 3_000  # milliseconds; what is not linear takes many times that
