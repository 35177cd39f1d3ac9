"""Nothing reaches a file before redaction: every way in, then a byte search over the whole store."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from engramma import BadInput, BadTurn, Config, Memory, Turn
from engramma.admin.doctor import doctor
from engramma.transfer.imports import import_file
from tests.fakes import HashEmbedder

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
# Built from parts, so that no scanner takes this file for a leak.
SECRETS = {
    "aws": "AKIA" + "QX7RZ2WLM4TB9DKP",
    "github": "ghp_" + "a8Kd02LmQpZx71VbNcYt5RwEuIoSfGhJkL34",
    "openai": "sk-proj-" + "Zk3vP9sLq7TnB1xWc8RyE2uIoA5dFgHjM6K4" * 2,
    "uri": "S3cr3t-Rain-0815",
    "password": "tr0ub4dor&3xyz",
}
TEXTS = {
    "aws": f"the key is {SECRETS['aws']} ok",
    "github": f"git clone https://{SECRETS['github']}@github.com/a/b",
    "openai": f"OPENAI_API_KEY={SECRETS['openai']}",
    "uri": f"postgres://app:{SECRETS['uri']}@db.internal:5432/app",
    "password": f"my password is {SECRETS['password']}",
}


def left_in(folder) -> list[str]:
    data = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    names = "".join(str(path) for path in folder.rglob("*"))
    return [name for name, secret in SECRETS.items() if secret.encode() in data or secret in names]


@pytest.fixture
def memory(tmp_path):
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as opened:
        yield opened


def test_no_way_in_lets_a_secret_through(memory, tmp_path):
    everything = " and ".join(TEXTS.values())
    turns = [Turn("Ann", text, START + timedelta(minutes=n), f"t{n}") for n, text in enumerate(TEXTS.values())]
    memory.remember_session("c", "s", turns, title=everything)
    with memory.session("live") as live:
        for text in TEXTS.values():
            live.add("Ben", text, START)
    for n, text in enumerate(TEXTS.values()):
        memory.remember(f"Note {n}: {text}", at=START)
        memory.remember(f"Note {n}: {text}!", at=START + timedelta(days=1))
    (tmp_path / "guide.md").write_text("# Keys\n\n" + "\n\n".join(TEXTS.values()), "utf-8")
    memory.documents.ingest(tmp_path / "guide.md")
    messages = [{"role": "user", "content": text} for text in TEXTS.values()]
    (tmp_path / "chat.json").write_text(json.dumps({"messages": messages}), "utf-8")
    import_file(memory._core, tmp_path / "chat.json")
    memory.remember_session("m", "s", [Turn("Ann", "hi", START, "t", meta={"cwd": everything})])
    assert [check for check in doctor(memory._core) if not check.ok] == []
    assert "[redacted:" in memory.recall("my password").context
    memory.close()
    assert left_in(tmp_path / "store") == []


def test_what_was_masked_is_written_down_without_it(memory):
    twice = [Turn("Ann", f"{TEXTS['aws']} {TEXTS['password']}", START, "a"), Turn("Ben", TEXTS["aws"], START, "b")]
    memory.remember_session("c", "s", twice)
    rows = memory._core.store.all("redactions_of_session", session=memory._core.store.session("c", "s").key)
    found = [(row["id"], row["rule"], row["start"], row["length"]) for row in rows]
    aws, password = "aws-access-key", "password"
    assert [(id, rule) for id, rule, _, _ in found] == [("a", aws), ("a", password), ("b", aws)]
    start = twice[0].text.index(SECRETS["aws"])
    assert found[0][2:] == (start, len(SECRETS["aws"]))
    prints = [row["fingerprint"] for row in rows]
    assert prints[0] == prints[2] != prints[1] and all(len(one) == 16 for one in prints)


def test_importing_again_changes_nothing_also_over_what_was_stored_unmasked(tmp_path):
    turns = [Turn("Ann", text, START + timedelta(minutes=n), f"t{n}") for n, text in enumerate(TEXTS.values())]
    off = Config(redact={"enabled": False})
    with Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=off) as before:
        before.remember_session("c", "s", turns)
        assert SECRETS["aws"] in before.recall("the key is").context
    with Memory.open(tmp_path / "store", embedder=HashEmbedder()) as memory:
        for _ in range(2):
            report = memory.remember_session("c", "s", turns)
            assert (report.turns, report.known_turns) == (0, len(turns))


def test_private_is_never_stored(memory, tmp_path):
    memory.remember_session("c", "s", [Turn("Ann", "public <private>only for me</private> end", START, "a")])
    (turn,) = memory.turns("c", "s")
    assert turn.text == "public [redacted:private] end"


def test_rules_of_ones_own_and_wrong_ones(tmp_path):
    own = {"rules": [{"id": "badge", "pattern": r"B-\d{5}", "keywords": ["b-"]}], "disabled": ["password"]}
    with Memory.open(tmp_path / "store", embedder=HashEmbedder(), config=Config(redact=own)) as memory:
        memory.remember_session("c", "s", [Turn("Ann", f"badge B-12345, {TEXTS['password']}", START, "a")])
        (turn,) = memory.turns("c", "s")
        assert turn.text == f"badge [redacted:badge], {TEXTS['password']}"
    for wrong in ({"rules": [{"id": "x", "pattern": "("}]}, {"often": True}, {"disabled": ["nothing"]}):
        with pytest.raises(BadInput, match="redact"):
            Memory.open(tmp_path / "wrong", config=Config(redact=wrong))


def test_meta_comes_back_and_what_cannot_be_kept_is_refused(memory):
    memory.remember_session("c", "s", [Turn("Ann", "hello", START, "a", meta={"model": "m-1", "branch": "b"})])
    assert memory.turns("c", "s")[0].meta == {"branch": "b", "model": "m-1"}
    for wrong in ({"a": 1}, {1: "a"}, {"a": "x" * 5_000}, ["a"]):
        with pytest.raises(BadTurn, match="meta"):
            memory.remember_session("c", "w", [Turn("Ann", "hello", START, "a", meta=wrong)])
