"""Connecting and disconnecting on files of every client: valid, idempotent, undone to the byte."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from engramma.apps.connect import change, files
from engramma.apps.connect.clients import CLIENTS, ServerEntry
from engramma.apps.connect.jsonc import parse_jsonc
from engramma.apps.connect.registry import Servers

from .samples import JSON_CLIENTS, TOML_SAMPLES, json_samples

STDIO = ServerEntry(command=("/opt/my tools/engramma", "mcp", "--store", 'C:\\Users\\Zoë "q"'))
HTTP = ServerEntry(url="http://127.0.0.1:7733/mcp", headers={"Authorization": "Bearer abc-_123"})
CASES = [
    *((name, sample) for name in JSON_CLIENTS for sample in json_samples(CLIENTS[name].table)),
    *(("codex", sample) for sample in TOML_SAMPLES),
]


def bytes_of(client: str, sample: str) -> bytes:
    return TOML_SAMPLES[sample] if client == "codex" else json_samples(CLIENTS[client].table)[sample]


def value_of(client: str, data: bytes) -> dict:
    """By a parser that is not ours where there is one: JSON with comments has none."""
    text = data.decode("utf-8-sig")
    if client == "codex":
        return tomllib.loads(text)
    try:
        return json.loads(text)
    except ValueError:
        node = parse_jsonc(text)
        return node.value if node else {}


@pytest.mark.parametrize(("client", "sample"), CASES)
def test_connect_is_valid_idempotent_and_undone_to_the_byte(tmp_path, client, sample):
    kind, original = Servers(CLIENTS[client]), bytes_of(client, sample)
    file = tmp_path / "settings"
    file.write_bytes(original)
    entry = CLIENTS[client].entry(HTTP if CLIENTS[client].takes_http else STDIO)

    first = change.plan_connection(kind, file, entry)
    connected = file.read_bytes()
    assert first.action == "added" and first.backup.read_bytes() == original
    before, after = value_of(client, original or b"{}" if client != "codex" else original), value_of(client, connected)
    table = CLIENTS[client].table
    assert after == {**before, table: {**before.get(table, {}), "engramma": entry}}

    assert change.plan_connection(kind, file, entry).action == "unchanged"
    assert file.read_bytes() == connected

    assert change.disconnect(kind, file).restores
    assert file.read_bytes() == original
    assert [path.name for path in tmp_path.iterdir()] == ["settings"]
    assert change.disconnect(kind, file).action == "absent"


@pytest.mark.parametrize("client", CLIENTS)
def test_a_missing_file_is_made_and_goes_again(tmp_path, client):
    kind, file = Servers(CLIENTS[client]), tmp_path / "deep" / "settings"
    entry = CLIENTS[client].entry(STDIO)
    assert change.plan_connection(kind, file, entry).action == "added"
    assert value_of(client, file.read_bytes()) == {CLIENTS[client].table: {"engramma": entry}}
    assert change.plan_connection(kind, file, entry).action == "unchanged"
    assert change.disconnect(kind, file).after is None
    assert not file.exists()


def test_a_folder_that_was_made_for_the_file_goes_with_it(tmp_path):
    kind, entry = Servers(CLIENTS["cursor"]), CLIENTS["cursor"].entry(STDIO)
    for folder, kept in ((".cursor", None), (".cursor", "rules"), ("project", None)):
        file = tmp_path / folder / "mcp.json"
        change.plan_connection(kind, file, entry)
        if kept:
            (file.parent / kept).touch()
        assert change.disconnect(kind, file).restores
        assert file.parent.exists() == (kept is not None or folder == "project"), "only an empty one of settings goes"


@pytest.mark.parametrize(("client", "sample"), CASES)
def test_without_a_backup_everything_else_still_stays(tmp_path, client, sample):
    kind, original = Servers(CLIENTS[client]), bytes_of(client, sample)
    file = tmp_path / "settings"
    file.write_bytes(original)
    change.plan_connection(kind, file, CLIENTS[client].entry(STDIO))
    files.backup_of(file).unlink()
    change.disconnect(kind, file)
    left = value_of(client, file.read_bytes()) if file.exists() else {}
    before, table = value_of(client, original or b"{}" if client != "codex" else original), CLIENTS[client].table
    assert {**left, table: left.get(table, {})} == {**before, table: before.get(table, {})}
    for line in original.decode("utf-8-sig").splitlines():  # comments and odd layout, too
        if line.strip(" \t{}") and table not in line and file.exists():
            assert line.rstrip() in file.read_bytes().decode("utf-8-sig")


@pytest.mark.parametrize("client", CLIENTS)
def test_an_entry_of_an_older_version_is_brought_up_to_date(tmp_path, client):
    kind, sample = Servers(CLIENTS[client]), bytes_of(client, "others")
    file, entry = tmp_path / "settings", CLIENTS[client].entry(STDIO)
    file.write_bytes(sample)
    old = {"command": "engramma-mcp", "args": ["--old"], "env": {"LANG": "de"}, "timeout": 30_000}
    change.plan_connection(kind, file, old)
    with_old = file.read_bytes()
    updated = change.plan_connection(kind, file, entry)
    assert updated.action == "updated"
    after = value_of(client, file.read_bytes())
    kept = {"env": {"LANG": "de"}, "timeout": 30_000}  # what the user set is the user's
    assert after[CLIENTS[client].table]["engramma"] == {**entry, **kept}
    assert change.plan_connection(kind, file, entry).action == "unchanged"
    assert change.disconnect(kind, file).restores and file.read_bytes() == sample

    file.write_bytes(with_old)  # connected by somebody else: there is no backup without our entry
    change.plan_connection(kind, file, entry)
    assert files.backup_of(file).read_bytes() == with_old
    change.disconnect(kind, file)
    assert value_of(client, file.read_bytes()) == value_of(client, sample)


@pytest.mark.parametrize("client", CLIENTS)
def test_what_others_changed_meanwhile_stays(tmp_path, client):
    kind, file = Servers(CLIENTS[client]), tmp_path / "settings"
    file.write_bytes(bytes_of(client, "others"))
    change.plan_connection(kind, file, CLIENTS[client].entry(STDIO))
    added = {"codex": b"\n[later]\nx = 1\n"}.get(client, b"\n// later\n")
    file.write_bytes(file.read_bytes() + added)
    undone = change.disconnect(kind, file)
    assert not undone.restores and undone.backup.exists()
    assert file.read_bytes() == bytes_of(client, "others") + added


TOML_FORMS = {
    "header": "[mcp_servers.engramma]\ncommand = 'x'\n",
    "with env": "[mcp_servers.engramma]\ncommand = 'x' # mine\n\n[mcp_servers.engramma.env]\nA = '1'\n",
    "quoted": '[ mcp_servers . "engramma" ]\ncommand = "x"\n',
    "inline": "[mcp_servers]\nengramma = { command = 'x', args = [\n  'a',\n] }\ndocs = { command = 'y' }\n",
    "dotted": "mcp_servers.engramma.command = 'x'\nmcp_servers.engramma.args = []\nmcp_servers.docs.command = 'y'\n",
}


@pytest.mark.parametrize("form", TOML_FORMS)
def test_every_way_to_write_our_table_is_found(tmp_path, form):
    kind, file, entry = Servers(CLIENTS["codex"]), tmp_path / "config.toml", CLIENTS["codex"].entry(STDIO)
    rest = "# head\nmodel = 'm'\n"
    text = rest + TOML_FORMS[form] + "\n# tail\n[z]\nq = 1\n"
    others = {name: one for name, one in tomllib.loads(text)["mcp_servers"].items() if name != "engramma"}
    env = tomllib.loads(text)["mcp_servers"]["engramma"].get("env")
    file.write_text(text)
    assert change.plan_connection(kind, file, entry).action == "updated"
    after = tomllib.loads(file.read_text())
    assert after["mcp_servers"] == {**others, "engramma": {**entry, **({"env": env} if env else {})}}
    assert change.plan_connection(kind, file, entry).action == "unchanged"
    change.disconnect(kind, file)
    left = tomllib.loads(file.read_text())
    assert left.get("mcp_servers", {}) == others and left["model"] == "m" and left["z"] == {"q": 1}
    assert "# head" in file.read_text() and "# tail\n[z]" in file.read_text()


def test_a_whole_inline_table_is_refused_and_left_alone(tmp_path):
    file: Path = tmp_path / "config.toml"
    file.write_text("mcp_servers = { docs = { command = 'y' } }\n")
    with pytest.raises(files.UnreadableSource, match="--print"):
        change.plan_connection(Servers(CLIENTS["codex"]), file, CLIENTS["codex"].entry(STDIO))
    assert file.read_text() == "mcp_servers = { docs = { command = 'y' } }\n"
    assert [path.name for path in tmp_path.iterdir()] == ["config.toml"]


def test_what_another_program_writes_meanwhile_is_not_lost(tmp_path):
    kind, file, entry = Servers(CLIENTS["claude-code"]), tmp_path / ".claude.json", {"command": "x", "args": []}
    file.write_text('{"numStartups": 1}')
    planned = change.to_connect(kind, file, entry)
    file.write_text('{"numStartups": 2}')
    with pytest.raises(files.FileChanged):
        change.apply(planned)
    assert file.read_text() == '{"numStartups": 2}'
    change.plan_connection(kind, file, entry)
    assert json.loads(file.read_text()) == {"numStartups": 2, "mcpServers": {"engramma": entry}}
    change.disconnect(kind, file)
    assert file.read_text() == '{"numStartups": 2}'
    assert [path.name for path in tmp_path.iterdir()] == [".claude.json"]
