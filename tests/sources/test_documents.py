"""Documents of every format come out as blocks under their headings, and bad files as words."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import matplotlib
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from engramma.errors import UnreadableSource
from engramma.records import Block, Document
from engramma.sources.documents import MAX_BYTES, SUFFIXES, find_documents, read_document
from engramma.sources.documents import html as html_reader
from engramma.sources.documents import markdown as markdown_reader

matplotlib.use("Agg")
SAMPLES = Path(__file__).parent / "document_samples"


def read(tmp_path: Path, name: str, content: str | bytes) -> Document:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_document(path)


def texts(document: Document) -> list[str]:
    return [block.text for block in document.blocks]


# --- Markdown -------------------------------------------------------------------------------------


def test_markdown_blocks_are_verbatim_and_know_their_headings() -> None:
    document = read_document(SAMPLES / "garden.md")
    garden, planting = ("Garden notes",), ("Garden notes", "Planting")
    tools, links = (*planting, "Tools"), ("Garden notes", "Links")
    assert document.blocks == (
        Block("---\nauthor: Ann\ntags: [garden, notes]\n---", (), "code"),
        Block("Some words before\nthe first section.", garden),
        Block(
            "- tomatoes\n  - in May, after the frost\n  - one metre apart\n\n  Water them twice a week.\n- beans",
            planting,
            "list",
        ),
        Block("1. dig\n2. wait", planting, "list"),
        Block("```sh\n# not a heading\ndig --deep\n\nwater --slowly\n```", tools, "code"),
        Block("| plant | weeks |\n|-------|-------|\n| bean  | 8     |", tools, "table"),
        Block("> Quoted wisdom\n> ## not a heading either", tools, "quote"),
        Block("    indented code", tools, "code"),
        Block("## Ideas", garden),
        Block("[almanac]: https://example.org/almanac", links),
        Block("See the [almanac].", links),
    )
    assert (document.name, document.title, document.kind, document.notes) == (
        "garden.md",
        "Garden notes",
        "markdown",
        (),
    )


def test_only_headings_become_blocks_where_nothing_stands_below(tmp_path: Path) -> None:
    document = read(tmp_path, "a.md", "# A\n## B\n### C\n## D\n# E\n")
    assert document.blocks == (Block("### C", ("A", "B")), Block("## D", ("A",)), Block("# E", ()))
    assert document.title == "A"


def test_underlined_headings_and_skipped_levels(tmp_path: Path) -> None:
    document = read(tmp_path, "a.md", "Big\n===\n\n#### Deep\n\none\n\nMiddle\n---\n\ntwo\n")
    assert document.blocks == (Block("one", ("Big", "Deep")), Block("two", ("Big", "Middle")))


def test_a_heading_as_long_as_a_paragraph_is_one(tmp_path: Path) -> None:
    assert read(tmp_path, "a.md", "# " + "long " * 100 + "\n\ntext\n").blocks[1] == Block("text", ())


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert texts(read(tmp_path, "a.md", "---\n\none\n\n---\n\ntwo\n")) == ["one", "two"]


LINES = st.sampled_from(
    (
        *("", "", "words", "# one", "## two", "- item", "  - inner", "1. first", "> quote", "```", "    code", "~~~"),
        *(
            "| a | b |",
            "|---|---|",
            "---",
            "===",
            "[x]: y",
            "<div>",
            "</div>",
            "\tTab",
            "***",
            "- - -",
            "+ ```",
            "> - >",
        ),
    )
)


@given(st.lists(LINES, max_size=25))
def test_every_line_of_markdown_stands_in_one_block_or_is_a_heading_or_rule(lines: list[str]) -> None:
    found = markdown_reader.read_markdown("\n".join(lines))
    wanted = [line for line in lines if line.strip()]
    written = [line for block in found.blocks for line in block.text.split("\n") if line.strip()]
    at = 0
    for line in written:  # in order, and none twice
        at = wanted.index(line, at) + 1
    left = list(wanted)
    for line in written:
        left.remove(line)
    headings = {name for block in found.blocks for name in block.headings}
    assert all(any(line.strip(" \t#=-*") in name for name in ("", *headings)) for line in left)


# --- text and code --------------------------------------------------------------------------------


def test_text_is_its_paragraphs() -> None:
    document = read_document(SAMPLES / "letter.txt")
    assert texts(document) == [
        "Dear Ben,",
        "the heron came back.\nIt stood by the lake all morning.",
        "   An indented paragraph.",
        "Yours, Ann",
    ]
    assert (document.kind, document.title, document.blocks[0].headings) == ("text", None, ())


def test_code_is_cut_between_definitions_only() -> None:
    document = read_document(SAMPLES / "tide.go")
    assert [text.split("\n")[0] for text in texts(document)] == [
        "// Package tide counts waves.",
        "import (",
        "// Wave is one of them.",
        "// Show prints a wave.",
    ]
    assert texts(document)[3].endswith("\tfmt.Println(w.At)\n\n}")
    assert {block.kind for block in document.blocks} == {"code"}


def test_a_class_stays_whole_with_its_decorator(tmp_path: Path) -> None:
    source = "@frozen\nclass A:\n    x = 1\n\n    def f(self):\n        pass\n\n\ndef g():\n    pass\n"
    assert texts(read(tmp_path, "a.py", source)) == [source.split("\n\n\n")[0], "def g():\n    pass"]


# --- HTML -----------------------------------------------------------------------------------------


def test_html_is_its_text_without_scripts_and_navigation() -> None:
    document = read_document(SAMPLES / "page.html")
    lake, birds = ("The lake",), ("The lake", "Birds")
    empty = (*birds, "Empty section")
    assert document.blocks == (
        Block("It is deep, they say — and cold.\nVery cold.", lake),
        Block("- heron\n  - grey\n  - white\n- coot", birds, "list"),
        Block("1. look\n2. listen", birds, "list"),
        Block("bird | seen\nheron | 8 May", birds, "table"),
        Block("  wing\n    span", birds, "code"),
        Block("Still waters.\nRun deep.", birds, "quote"),
        Block("Loose text", empty),
        Block("in boxes", empty),
        Block("left over", empty),
    )
    assert (document.title, document.kind) == ("Lake & heron", "html")


@pytest.mark.parametrize(
    ("source", "blocks"),
    [
        ("<p>one<p>two <b>bold<p>three", ["one", "two bold", "three"]),
        ("<div><nav>menu</div><p>text", ["text"]),
        ("</div></p>text</b>", ["text"]),
        ("<pre>a\n b", ["a\n b"]),
        ("<ul><li>a<li>b", ["- a\n- b"]),
        ("<ul><li><h2>Card</h2><p>text</p><li><h2>Next</h2>more", ["text", "more"]),
        ("<table><tr><td><table><tr><td>a<td>b</table><td><p>c", ["a", "b", "c"]),
        ("<table><tr><td></td><td>5</td></tr></table>", ["| 5"]),
        ("a &lt;b&gt; &amp;c &#233; &bogus; 1 < 2", ["a <b> &c é &bogus; 1 < 2"]),
        ("<![if x]>word<![endif]><![odd[ <? php ?><!-- no --> end <!-- unclosed", ["word end <!-- unclosed"]),
        ("<p>cut off <a href='x", ["cut off <a href='x"]),
        ("<title>Never closed<body><p>text", ["text"]),
        ("<h1>only</h1>", ["only"]),
        ("<dl><dt>word<dd>meaning</dl>", ["word\nmeaning"]),
    ],
)
def test_html_with_faults_is_read_as_browsers_do(source: str, blocks: list[str]) -> None:
    assert [block.text for block in html_reader.read_html(source).blocks] == blocks


def test_a_tag_that_is_never_closed_takes_nothing_with_it() -> None:
    found = html_reader.read_html("<nav>menu<p>text that matters")
    assert [block.text for block in found.blocks] == ["menu", "text that matters"]
    assert found.notes == ("<nav> is never closed; its text was kept",)
    assert html_reader.read_html("<p>x<script>var a").notes == (
        "<script> is never closed; what follows it was left out",
    )


TAGS = (
    *("<p>", "</p>", "<ul>", "<li>", "</ul>", "<table>", "<td>", "<tr>", "</table>", "<pre>", "</pre>", "<h2>", "<br>"),
    *("<nav>", "</nav>", "<title>", "</title>", "x", " y ", "<blockquote>", "</div>", "<div>", "<![", "<svg/>"),
)


@given(st.text(alphabet="<>/!-ab&;='\" ", max_size=60) | st.lists(st.sampled_from(TAGS)).map("".join))
def test_any_html_can_be_read(source: str) -> None:
    html_reader.read_html(source)


# --- PDF ------------------------------------------------------------------------------------------


def pdf(*pages: str, title: str = "") -> bytes:
    from matplotlib.backends.backend_pdf import PdfPages
    from matplotlib.figure import Figure

    file = io.BytesIO()
    with PdfPages(file, metadata={"Title": title} if title else {}) as book:
        for page in pages:
            figure = Figure()
            figure.text(0.1, 0.5, page)
            book.savefig(figure)
    return file.getvalue()


def test_pdf_pages_are_headings(tmp_path: Path) -> None:
    content = pdf("The heron came back", "", "And left again", title="Birds of the lake")
    document = read(tmp_path, "birds.pdf", content)
    assert document == Document(
        "birds.pdf",
        "pdf",
        (Block("The heron came back", ("page 1",)), Block("And left again", ("page 3",))),
        "Birds of the lake",
        ("no text on page 2",),
    )


def test_pdfs_that_cannot_be_read_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = pdf("The heron came back")
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(whole)))
    writer.encrypt("secret", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    with pytest.raises(UnreadableSource, match=r"locked\.pdf is an encrypted PDF: save a copy without"):
        read(tmp_path, "locked.pdf", locked.getvalue())
    with pytest.raises(UnreadableSource, match=r"scan\.pdf contains no text"):
        read(tmp_path, "scan.pdf", pdf(""))
    for damaged in (b"", b"%PDF-1.4\n", b"not a PDF", whole[:300], whole[200:]):
        with pytest.raises(UnreadableSource, match=r"damaged PDF|contains no text"):
            read(tmp_path, "damaged.pdf", damaged)
    monkeypatch.setitem(sys.modules, "pypdf", None)
    with pytest.raises(UnreadableSource, match=r"pip install 'engramma\[pdf\]'"):
        read(tmp_path, "whole.pdf", whole)


def test_a_pdf_locked_without_a_password_is_read(tmp_path: Path) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf("The heron came back"))))
    writer.encrypt("", "owner", algorithm="RC4-128")
    file = io.BytesIO()
    writer.write(file)
    assert texts(read(tmp_path, "a.pdf", file.getvalue())) == ["The heron came back"]


# --- bytes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_in_any_width(encoding: str, tmp_path: Path) -> None:
    document = read(tmp_path, "a.txt", "café\r\nau lait\r\rzwei".encode(encoding))
    assert (texts(document), document.notes) == (["café\nau lait", "zwei"], ())


def test_old_encodings_are_guessed_with_a_note(tmp_path: Path) -> None:
    document = read(tmp_path, "a.txt", b"one\ncaf\xe9 \x93au lait\x94")
    assert texts(document) == ["one\ncafé “au lait”"]
    assert document.notes == ("not UTF-8: byte 0xe9 at position 7 (line 2); read as Windows-1252",)
    assert read(tmp_path, "b.txt", b"caf\xe9 \x81").notes[0].endswith("read as Latin-1")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"text\0text", "NUL bytes"),
        (bytes(range(1, 256)) * 10, "binary data"),
        (b"\xff\xfea\0b", "damaged at byte 4"),
        ("a\0b".encode("utf-16"), "NUL bytes"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=words):
        read(tmp_path, "a.md", content)


@pytest.mark.parametrize("suffix", sorted(set(SUFFIXES) - {".pdf"}))
def test_every_suffix_is_read_and_an_empty_file_holds_nothing(suffix: str, tmp_path: Path) -> None:
    assert "the heron" in texts(read(tmp_path, f"a{suffix.upper()}", "the heron"))
    empty = read(tmp_path, f"b{suffix}", "")
    assert (empty.blocks, empty.notes) == ((), ("the file is empty",))
    assert read(tmp_path, f"c{suffix}", " \n\t\n").notes == ("the file contains no text",)


def test_what_is_no_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="directory"):
        read_document(tmp_path)
    with pytest.raises(UnreadableSource, match="No such file"):
        read_document(tmp_path / "missing.md")
    with pytest.raises(UnreadableSource, match=r"Known: \.md, "):
        read(tmp_path, "a.exe", b"x")
    with pytest.raises(UnreadableSource, match=r"`engramma import .*letter.eml`"):
        read(tmp_path, "letter.eml", b"x")
    with pytest.raises(UnreadableSource, match="larger than 20 MiB"):
        read(tmp_path, "a.txt", b"x" * (MAX_BYTES + 1))


@pytest.mark.parametrize("suffix", [".md", ".txt", ".html", ".json"])
def test_one_line_of_20_megabytes_is_one_block(suffix: str, tmp_path: Path) -> None:
    (block,) = read(tmp_path, f"a{suffix}", b"x" * MAX_BYTES).blocks
    assert len(block.text) == MAX_BYTES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("quotes.md", "> " * 5000 + "end"),
        ("lists.md", "\n".join("  " * depth + "- item" for depth in range(500))),
        ("brackets.md", "[" * 100_000 + "end"),
        ("boxes.html", "<div>" * 100_000 + "end"),
        ("lists.html", "<ul><li>" * 20_000 + "end"),
        ("tags.html", "<a " * 100_000 + "end"),
        ("comments.html", "<!-- >" * 100_000 + "end"),
        ("code.py", "\n".join(" " * depth + "if x:" for depth in range(1000)) + "end"),
    ],
)
def test_deep_nesting_loses_nothing(name: str, content: str, tmp_path: Path) -> None:
    document = read(tmp_path, name, content)
    assert document.blocks[-1].text.endswith(("end", "- item"))


# --- folders --------------------------------------------------------------------------------------


def test_a_folder_gives_its_documents_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/b/c.py", "a.HTML", "c.pdf", "a/venvs.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    for name in (".hidden.md", ".git/x.md", "node_modules/x.js", "a/__pycache__/x.py", "env/x.py", "picture.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "binary.txt").write_bytes(b"a\0b")
    (tmp_path / "wide.txt").write_bytes("wide".encode("utf-16"))
    (tmp_path / "empty.md").touch()
    with (tmp_path / "huge.log").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    found = [path.relative_to(tmp_path).as_posix() for path in find_documents(tmp_path)]
    assert found == ["a/b/c.py", "a/venvs.md", "a/z.txt", "a.HTML", "b.md", "c.pdf", "wide.txt"]


def test_a_file_is_found_as_itself_and_a_missing_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / ".notes.md"
    path.write_text("text")
    assert list(find_documents(path)) == [path]
    with pytest.raises(UnreadableSource, match="no such file or folder"):
        find_documents(tmp_path / "missing")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
def test_links_that_lead_back_or_nowhere_end(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "note.md").write_text("text")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    os.mkfifo(tmp_path / "pipe.md")
    assert list(find_documents(tmp_path)) == [tmp_path / "a" / "note.md"]
