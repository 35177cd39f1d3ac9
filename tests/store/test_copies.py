"""Copies of a store that a purge does not reach are named, also those that a killed process left."""

from __future__ import annotations

import pytest

from engramma.store.copies import copies_of


@pytest.mark.parametrize(
    "name", ["store/.restoring-x", "store/.kept-x", ".engramma-backup-x", "store/backups/.engramma-backup-x"]
)
def test_a_copy_that_a_killed_process_left_is_named(tmp_path, name):
    assert copies_of(tmp_path / "store") == ()
    (tmp_path / name).mkdir(parents=True)
    (tmp_path / name / "memory.db").write_bytes(b"a copy")
    assert copies_of(tmp_path / "store") == (str(tmp_path / name / "memory.db"),)
