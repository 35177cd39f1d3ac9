"""Choosing another index backend changes one table of config.toml, whatever kind of file that is."""

from __future__ import annotations

import stat

from engramma.admin.switch_index import write_choice


def test_a_linked_file_stays_linked_private_and_with_its_line_ends(tmp_path):
    dotfile, config = tmp_path / "dotfile.toml", tmp_path / "config.toml"
    dotfile.write_bytes(b"[redact]\r\npii = true\r\n")
    dotfile.chmod(0o600)
    config.symlink_to(dotfile)
    write_choice(config, {"backend": "sqlite-vec"})
    assert config.is_symlink() and stat.S_IMODE(dotfile.stat().st_mode) == 0o600
    assert dotfile.read_bytes() == b'[redact]\r\npii = true\r\n\r\n[index]\r\nbackend = "sqlite-vec"\r\n'
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.toml", "dotfile.toml"]


def test_a_new_file_is_for_its_owner_only(tmp_path):
    write_choice(tmp_path / "config.toml", {"backend": "sqlite-vec"})
    assert stat.S_IMODE((tmp_path / "config.toml").stat().st_mode) == 0o600
