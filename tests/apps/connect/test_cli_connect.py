"""`engramma connect` and `disconnect` as a user meets them, in a home of their own."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from engramma.apps.cli import main
from engramma.apps.connect.clients import CLIENTS

HERE = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the usual places differ")


@pytest.fixture
def home(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def run(tmp_path, home, monkeypatch, capfd):
    """The command in this process: dozens of interpreters would take a minute to start."""
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "ENGRAMMA_STORE", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": home, "XDG_CONFIG_HOME": home / ".config", "PATH": "/usr/bin:/bin"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(tmp_path)

    def call(*arguments, ok=True):
        monkeypatch.setattr(sys, "argv", ["engramma", *map(str, arguments)])
        code = 0
        try:
            main.run()
        except SystemExit as end:
            code = end.code or 0
        told = capfd.readouterr()
        assert "Traceback" not in told.err, told.err
        assert (code == 0) is ok, told.err
        return SimpleNamespace(stdout=told.out, stderr=told.err, returncode=code)

    return call


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_from_its_usual_place_and_back(run, home, client):
    refused = run("connect", client, ok=False)
    assert "does not seem to be installed" in refused.stderr and "--force" in refused.stderr
    assert list(home.iterdir()) == []

    file = home / HERE[client]
    if client == "claude-code":
        (home / ".claude").mkdir()
    else:
        file.parent.mkdir(parents=True)
    shown = run("connect", client, "--dry-run")
    assert '"engramma"' in shown.stdout or "[mcp_servers.engramma]" in shown.stdout
    assert not file.exists()
    run("connect", client)
    text = file.read_text()
    value = tomllib.loads(text) if client == "codex" else json.loads(text)
    entry = value[CLIENTS[client].table]["engramma"]
    assert Path(entry["command"]).is_absolute() and entry["args"][-1] == "mcp"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = run("connect", client)
    assert again.stdout == "" and "nothing to do" in again.stderr and file.read_text() == text
    run("disconnect", client)
    assert not file.exists()


def test_the_registered_command_starts_our_server_from_anywhere(run, home, tmp_path):
    file = tmp_path / "mcp.json"
    run("--store", tmp_path / "my store", "connect", "cursor", "--namespace", "work", "--read-only", "--file", file)
    entry = json.loads(file.read_text())["mcpServers"]["engramma"]
    assert entry["args"] == ["mcp", "--store", str(tmp_path / "my store"), "--namespace", "work", "--read-only"]
    asked = subprocess.run(
        [entry["command"], *entry["args"], "--help"], capture_output=True, cwd="/", env={"HOME": str(home)}
    )
    assert asked.returncode == 0 and b"MCP" in asked.stdout


def test_a_store_named_by_the_environment_is_written_down(run, tmp_path, monkeypatch):
    file = tmp_path / "mcp.json"
    monkeypatch.setenv("ENGRAMMA_STORE", str(tmp_path / "elsewhere"))
    run("connect", "gemini", "--file", file)
    assert str(tmp_path / "elsewhere") in json.loads(file.read_text())["mcpServers"]["engramma"]["args"]


def test_http_registers_address_and_token_which_is_not_shown(run, tmp_path):
    file, store = tmp_path / "mcp.json", tmp_path / "store"
    file.write_text("{}")
    file.chmod(0o644)
    result = run("--store", store, "connect", "vscode", "--http", "-n", "work", "--file", file)
    entry = json.loads(file.read_text())["servers"]["engramma"]
    token = (store / "daemon" / "token").read_text().strip()
    assert entry["headers"] == {"Authorization": f"Bearer {token}", "X-Engramma-Namespace": "work"}
    assert (entry["type"], entry["url"]) == ("http", "http://127.0.0.1:7733/mcp")
    assert token not in result.stdout + result.stderr and "readable only by you" in result.stderr
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    run("--store", store, "connect", "vscode", "--http", "-n", "work", "--file", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600, "a second time, where nothing else is to be changed"

    desktop = tmp_path / "desktop.json"
    assert "instead" in run("--store", store, "connect", "claude-desktop", "--http", "--file", desktop).stderr
    assert "command" in json.loads(desktop.read_text())["mcpServers"]["engramma"]
    refused = run("--store", store, "connect", "cursor", "--http", "--scope", "project", ok=False)
    assert "--scope user" in refused.stderr and not (tmp_path / ".cursor").exists()


def test_a_project_gets_its_own_file(run, tmp_path):
    run("connect", "claude-code", "--scope", "project", "--hooks")
    assert "engramma" in json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]
    hooks = json.loads((tmp_path / ".claude" / "settings.local.json").read_text())["hooks"]
    assert set(hooks) == {"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"}
    run("disconnect", "claude-code", "--scope", "project")
    assert not (tmp_path / ".mcp.json").exists() and not (tmp_path / ".claude").exists()
    assert "no project settings" in run("connect", "claude-desktop", "--scope", "project", ok=False).stderr


SETTINGS = """{
  "permissions": {"allow": ["Bash(ls:*)"]},
  "hooks": {
    "Stop": [
      {"hooks": [{"type": "command", "command": "say done"}]}
    ],
    "PreToolUse": [{"matcher": "Bash", "hooks": []}]
  }
}
"""


def test_hooks_join_those_of_others_and_leave_them_alone(run, home):
    (home / ".claude").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text(SETTINGS)
    run("connect", "claude-code", "--hooks")
    value = json.loads(settings.read_text())
    assert value["hooks"]["Stop"][0] == {"hooks": [{"type": "command", "command": "say done"}]}
    ours = value["hooks"]["Stop"][1]["hooks"][0]
    assert ours["type"] == "command" and ours["timeout"] <= 10
    ran = subprocess.run(ours["command"], shell=True, input=b"{}", capture_output=True, cwd="/")
    assert (ran.returncode, ran.stdout) == (0, b"")
    before = settings.read_text()
    run("connect", "claude-code", "--hooks")
    assert settings.read_text() == before
    run("disconnect", "claude-code")
    assert settings.read_text() == SETTINGS
    assert sorted(path.name for path in home.rglob("*") if path.is_file()) == ["settings.json"]


DAMAGED = [
    ("cursor", b'{\n  "mcpServers": {\n    "a": {}\n', "line 4"),
    ("cursor", b'{"mcpServers": []}', "not a table"),
    ("cursor", b'{"mcpServers": null}', "not a table"),
    ("cursor", b'{"a": ' + b"9" * 5_000 + b"}", "too many digits"),
    ("cursor", b"[1, 2]", "not a JSON object"),
    ("vscode", b'{"servers": {"engramma": 3}}', "not a table"),
    ("gemini", b'{\n"a": "\xff"}', "line 2"),
    ("claude-desktop", "{}".encode("utf-16"), "UTF-16"),
    ("codex", b"[mcp_servers\n", "line 1"),
    ("codex", b"mcp_servers = 3\n", "not a table"),
    ("codex", b"a = " + b"[" * 100_000, "damaged"),
]


@pytest.mark.parametrize(("client", "data", "told"), DAMAGED)
def test_a_damaged_file_is_refused_and_left_alone(run, tmp_path, client, data, told):
    file = tmp_path / "settings"
    file.write_bytes(data)
    refused = run("connect", client, "--file", file, ok=False)
    assert str(file) in refused.stderr and told in refused.stderr and "left as it is" in refused.stderr
    assert run("disconnect", client, "--file", file, ok=False).returncode == 1
    assert file.read_bytes() == data and {path.name for path in tmp_path.iterdir()} == {"home", "settings"}


def test_of_a_file_that_is_no_settings_file_only_so_much_is_read(run, tmp_path, monkeypatch):
    monkeypatch.setattr("engramma.apps.connect.files.MOST_BYTES", 1_000)
    with (tmp_path / "disk").open("wb") as file:
        file.truncate(1 << 42)  # no machine has the memory for it
    refused = run("connect", "cursor", "--file", tmp_path / "disk", ok=False)
    assert "that is not a settings file" in refused.stderr


def test_links_are_followed_and_permissions_kept(run, tmp_path):
    real = tmp_path / "dotfiles" / "mcp.json"
    real.parent.mkdir()
    real.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    real.chmod(0o640)
    link = tmp_path / "mcp.json"
    link.symlink_to(real)
    run("connect", "cursor", "--file", link)
    assert link.is_symlink() and "engramma" in real.read_text() and stat.S_IMODE(real.stat().st_mode) == 0o640
    assert stat.S_IMODE((real.parent / "mcp.json.engramma-backup").stat().st_mode) == 0o640
    run("disconnect", "cursor", "--file", link)
    assert real.read_text() == '{"mcpServers": {"a": {"command": "x"}}}' and link.is_symlink()


def test_what_is_printed_is_what_would_be_written(run, tmp_path):
    printed = run("connect", "codex", "--print").stdout
    assert tomllib.loads(printed)["mcp_servers"]["engramma"]["args"] == ["mcp"]
    told = json.loads(run("connect", "gemini", "--print", "--json").stdout)
    assert told[0]["entry"]["args"] == ["mcp"]
    assert "claude mcp add-json" in run("connect", "claude-code", "--print").stdout
    listed = json.loads(run("connect", "--json").stdout)
    assert [one["client"] for one in listed] == list(CLIENTS)
    data = json.loads(run("connect", "cursor", "--file", tmp_path / "new.json", "--json").stdout)
    assert data["changes"][0]["action"] == "added" and data["transport"] == "stdio"
    assert "choose from" in run("connect", "emacs", ok=False).stderr
    assert "--hooks is for claude-code" in run("connect", "cursor", "--hooks", ok=False).stderr
    wanted = run("connect", "claude-code", "--hooks", "--file", tmp_path / "x.json", ok=False)
    assert "--hooks-file" in wanted.stderr and not (tmp_path / "x.json").exists()
