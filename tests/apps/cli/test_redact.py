"""`engramma redact` as a user meets it."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.commands import ran

KEY = "AKIA" + "QX7RZ2WLM4TB9DKP"
TEXT = f"The key is {KEY}.\nMail bob@acme.io, my password is tr0ub4dor&3xyz\n"


@pytest.fixture
def run(tmp_path):
    def call(*arguments, stdin=None, code=0):
        result = ran("--store", tmp_path / "store", *arguments, stdin=stdin, cwd=tmp_path)
        assert "Traceback" not in result.stderr
        assert result.returncode == code, result.stderr
        return result

    return call


def bytes_of(folder) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_a_text_is_masked_and_nothing_is_stored(run, tmp_path):
    (tmp_path / "notes.txt").write_text(TEXT, "utf-8")
    wanted = "The key is [redacted:aws-access-key].\nMail bob@acme.io, my password is [redacted:password]\n"
    for result in (run("redact", "notes.txt"), run("redact", "-", stdin=TEXT)):
        assert result.stdout == wanted
        assert result.stderr == "2 secrets masked: aws-access-key 1, password 1\n"
    assert "[redacted:email]" in run("redact", "-", "--pii", stdin=TEXT).stdout
    assert run("redact", "-", stdin="hello\n").stdout == "hello\n"
    assert not (tmp_path / "store").exists()


def test_json_says_where_and_never_what(run):
    result = run("redact", "-", "--json", stdin=TEXT)
    found = json.loads(result.stdout)
    start = TEXT.index(KEY)
    assert found["redactions"][0] == {"rule": "aws-access-key", "start": start, "length": len(KEY)}
    assert KEY not in result.stdout + result.stderr


def test_the_rules_are_those_of_the_memory(run, tmp_path):
    usual = run("redact", "--rules").stdout.splitlines()
    names = [line.split()[0] for line in usual]
    assert names == sorted(set(names)) and {"private", "aws-access-key", "password"} <= set(names)
    assert "email" not in names and "email" in run("redact", "--rules", "--pii").stdout
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "config.toml").write_text(
        '[redact]\ndisabled = ["password"]\n'
        '[[redact.rules]]\nid = "badge"\ndescription = "ours"\npattern = "B-[0-9]{5}"\n'
    )
    listed = {rule["id"]: rule["description"] for rule in json.loads(run("redact", "--rules", "--json").stdout)}
    assert listed["badge"] == "ours" and "password" not in listed
    assert run("redact", "-", stdin="B-12345").stdout == "[redacted:badge]"


def test_a_scan_shows_first_and_masks_with_yes_in_all_namespaces(run, tmp_path):
    run("init")
    config = tmp_path / "store" / "config.toml"
    before = config.read_text() if config.exists() else ""
    config.write_text(before + "\n[redact]\nenabled = false\n")
    for name in ("default", "work"):
        run("-n", name, "remember", f"For {name}: my password is tr0ub4dor&3xyz", "--at", "2026-03-01T09:00:00Z")
    assert "disabled" in run("redact", "--scan").stderr
    config.write_text(before)
    shown = run("redact", "--scan")
    assert "[default] to mask in 1 turn of 1 segment\n  password 1\n  note_" in shown.stdout
    assert "[work] to mask in 1 turn" in shown.stdout and "preview" in shown.stderr
    assert b"tr0ub4dor" in bytes_of(tmp_path / "store")
    report = json.loads(run("redact", "--scan", "--json", "-n", "work").stdout)
    assert list(report) == ["work"] and report["work"]["rules"] == {"password": 1}
    done = run("redact", "--scan", "--yes")
    assert "[default] masked in 1 turn" in done.stdout and "[work] masked in 1 turn" in done.stdout
    assert b"tr0ub4dor" not in bytes_of(tmp_path / "store")
    assert run("redact", "--scan").stdout == "[default] nothing to mask\n[work] nothing to mask\n"
    assert "my password is [redacted:password]" in run("-n", "work", "recall", "password").stdout
    run("doctor")


def test_wrong_usage_says_what_to_do(run, tmp_path):
    assert "one of: a file or -" in run("redact", code=1).stderr
    assert "one of: a file or -" in run("redact", "-", "--scan", code=1).stderr
    assert "--yes requires --scan" in run("redact", "-", "--yes", code=1).stderr
    assert "[redact]" in run("redact", "--scan", "--pii", code=1).stderr
    assert "Cannot read nothing.txt" in run("redact", "nothing.txt", code=1).stderr
    assert "engramma init" in run("redact", "--scan", code=1).stderr
    (tmp_path / "picture").write_bytes(b"\x89PNG\0\0\1\2")
    assert "not a text document" in run("redact", "picture", code=1).stderr


@pytest.mark.parametrize("where", [(), ("-c", "home")])
def test_remember_says_what_it_masked(run, where):
    told = run("remember", TEXT, *where).stdout.splitlines()
    assert told[0].startswith("Remembered as ")
    assert told[1:] == [
        "masked 2 secrets (1 aws-access-key, 1 password): change them where they are still in use; "
        "`engramma redactions` shows where"
    ]
    assert "2 secrets masked in 1 turn" in run("redactions").stderr
    found = json.loads(run("remember", "The other key is " + KEY[:-1] + "Q", *where, "--json").stdout)
    assert found["redactions"] == {"aws-access-key": 1} and KEY[:-1] not in str(found)
    assert len(run("remember", "The ferry leaves at nine.", *where).stdout.splitlines()) == 1
    assert json.loads(run("remember", "Tea at five.", *where, "--json").stdout)["redactions"] == {}


def test_stats_and_redactions_count_the_same(run, tmp_path):
    def counted() -> tuple[dict[str, int], dict[str, int]]:
        listed = Counter[str]()
        for row in json.loads(run("redactions", "--json").stdout):
            listed.update(row["rules"])
        return json.loads(run("stats", "--json").stdout)["redacted"], dict(listed)

    run("remember", TEXT)  # a note
    run("remember", "My password is swordfish22.", "-c", "home", "--close")
    one, other = counted()
    assert one == other == {"aws-access-key": 1, "password": 2}
    (tmp_path / "export.jsonl").write_text(run("export").stdout, encoding="utf-8")
    run("forget", "-c", "home", "--yes")
    one, other = counted()
    assert one == other == {"aws-access-key": 1, "password": 1}
    run("import", tmp_path / "export.jsonl", "--store", tmp_path / "copy")
    copied = json.loads(run("stats", "--json", "--store", tmp_path / "copy").stdout)["redacted"]
    assert copied == {"aws-access-key": 1, "password": 2}
