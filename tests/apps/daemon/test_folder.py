"""The daemon's small files: several processes may make them at once, a crash or a copy may have spoiled them."""

from __future__ import annotations

import os
import stat
import sys
import threading
import time

import pytest

from engramma.apps.daemon import folder
from engramma.apps.daemon.folder import place_in, token_of, write_json
from engramma.errors import StoreNotWritable

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX rights")


@pytest.fixture
def place(tmp_path):
    found = place_in(tmp_path / "store")
    found.make()
    return found


def test_a_token_that_another_process_is_about_to_write_is_waited_for(place):
    place.token.touch(mode=0o600)

    def written():
        time.sleep(0.1)
        place.token.write_text("theirs\n", encoding="ascii")

    other = threading.Thread(target=written)
    other.start()
    assert token_of(place) == "theirs"
    other.join()
    assert place.token.read_text(encoding="ascii") == "theirs\n"


def test_an_empty_token_that_a_crash_left_is_made_anew(place, monkeypatch):
    monkeypatch.setattr(folder, "MAKING_SECONDS", 0.05)
    place.token.touch(mode=0o600)
    assert len(token_of(place)) > 20 and token_of(place) == token_of(place)


def test_a_link_in_the_place_of_the_token_is_neither_read_nor_followed(place, tmp_path):
    other = tmp_path / "other"
    other.write_text("something else")
    other.chmod(0o644)
    place.make()
    place.token.symlink_to(other)
    with pytest.raises(StoreNotWritable, match=r"a link\). Delete it"):
        token_of(place)
    assert stat.S_IMODE(other.stat().st_mode) == 0o644 and other.read_text() == "something else"


def test_a_token_that_a_copy_opened_to_others_is_its_owners_again(place):
    token = token_of(place)
    place.token.chmod(0o644)
    assert token_of(place) == token
    assert stat.S_IMODE(place.token.stat().st_mode) == 0o600


def test_a_token_that_cannot_be_read_is_named(place):
    place.token.write_bytes(b"\xff\xfe")
    with pytest.raises(StoreNotWritable, match=r"Cannot read .*token.*Delete it"):
        token_of(place)


def test_a_small_file_that_cannot_be_replaced_leaves_nothing_beside_it(place, monkeypatch):
    write_json(place.state, {"port": 1})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space"):
        write_json(place.state, {"port": 2})
    assert [path.name for path in place.folder.iterdir()] == ["state.json"]
