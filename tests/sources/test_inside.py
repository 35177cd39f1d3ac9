"""What is read of a folder lies in it: no link leads out, also one that appears while it is read."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

import pytest

from engramma import Memory
from engramma.language.text import DOCUMENTS
from engramma.sources import rooted_files
from engramma.sources.documents import find, find_documents
from tests.commands import ran
from tests.fakes import HashEmbedder

pytestmark = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs links")

SECRET = "The vault opens with a brass token."
PAGE = f"# Vault\n\n{SECRET}\n"
POND = "# Pond\n\nThe pond has been frozen since Monday.\n"


@pytest.fixture
def folder(tmp_path):
    """A folder to read, and beside it a secret that links in the folder lead to."""
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (tmp_path / "outside" / "secret.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "outside" / "deep" / "more.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "outside" / "chat.txt").write_text(f"Ana: {SECRET}\nBen: Good.\n", encoding="utf-8")
    made = tmp_path / "folder"
    made.mkdir()
    (made / "note.md").write_text(POND, encoding="utf-8")
    (made / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (made / "all").symlink_to(tmp_path / "outside")
    os.mkfifo(made / "pipe.md")
    return made


def stored(path: Path) -> str:
    with Memory.open(path) as memory:
        places = [(row.conversation, row.id) for row in memory.sessions()]
        places += [(DOCUMENTS, name) for name, _ in memory.documents.all()]
        return " ".join(turn.text for place in places for turn in memory.turns(*place))


def test_ingesting_a_folder_follows_no_link_and_says_so(tmp_path, folder):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        report = memory.documents.ingest(folder)
        assert report.documents == 1
        assert sorted(Path(one.path).name for one in report.problems if "not followed" in one.reason) == [
            "all",
            "link.md",
        ]
    assert "frozen" in stored(tmp_path / "store") and "vault" not in stored(tmp_path / "store")


def test_a_link_that_was_named_itself_is_read(tmp_path, folder):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        assert memory.documents.ingest(folder / "link.md").documents == 1
        assert memory.documents.ingest(folder / "all").documents == 3


def test_a_file_that_becomes_a_link_while_the_folder_is_read_is_not_followed(tmp_path, folder, monkeypatch):
    """Swapped after it was found and before it is read: once the file itself, once a folder above it."""
    (folder / "sub").mkdir()
    (folder / "sub" / "secret.md").write_text("harmless", encoding="utf-8")
    (folder / "zz.md").write_text("harmless", encoding="utf-8")
    found = list(find_documents(folder))
    assert {path.name for path in found} == {"note.md", "secret.md", "zz.md"}

    def swapped(path, left_out=lambda _: None):
        shutil.rmtree(folder / "sub")
        (folder / "sub").symlink_to(tmp_path / "outside")
        (folder / "zz.md").unlink()
        (folder / "zz.md").symlink_to(tmp_path / "outside" / "secret.md")
        return found

    monkeypatch.setattr("engramma.documents.documents.find_documents", swapped)
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        report = memory.documents.ingest(folder)
    assert "vault" not in stored(tmp_path / "store") and "frozen" in stored(tmp_path / "store")
    assert len([one for one in report.problems if "a link" in one.reason]) == 2


def test_importing_a_folder_follows_no_link(tmp_path, folder):
    (folder / "talk.txt").write_text("Ana: The pond is frozen.\nBen: Good.\n", encoding="utf-8")
    (folder / "stolen.txt").symlink_to(tmp_path / "outside" / "chat.txt")
    with zipfile.ZipFile(tmp_path / "outside" / "export.zip", "w") as archive:
        archive.writestr("chat.txt", f"Ana: {SECRET}\nBen: Good.\n")
    (folder / "export.zip").symlink_to(tmp_path / "outside" / "export.zip")
    done = ran("import", folder, "--store", tmp_path / "store")
    assert done.returncode in (0, 4), done.stderr
    assert "frozen" in stored(tmp_path / "store") and "vault" not in stored(tmp_path / "store")
    watched = ran("watch", folder, "--once", "--store", tmp_path / "watched")
    assert watched.returncode == 0, watched.stderr
    assert "vault" not in stored(tmp_path / "watched")


def test_files_are_opened_from_the_folder_down(tmp_path, folder):
    with rooted_files.within(folder):
        with rooted_files.open_below_root(folder / "note.md") as file:
            assert file.read() == POND.encode()
        for wrong in ("link.md", "all/secret.md", "all/deep/more.md", "../outside/secret.md", "pipe.md", "none", "."):
            with pytest.raises(OSError):
                rooted_files.open_below_root(folder / wrong)
        with rooted_files.within(folder / "all"), pytest.raises(OSError):  # the outermost folder decides
            rooted_files.open_below_root(folder / "all" / "secret.md")
    with rooted_files.open_below_root(folder / "link.md") as file:  # named by itself
        assert SECRET.encode() in file.read()


def test_finding_opens_nothing_behind_a_link(folder, monkeypatch):
    opened = []
    original = rooted_files.open_below_root
    monkeypatch.setattr(find.rooted_files, "open_below_root", lambda path: opened.append(path.name) or original(path))
    assert [path.name for path in find_documents(folder)] == ["note.md"]
    assert opened == ["note.md"]
