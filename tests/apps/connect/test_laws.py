"""Laws of the text editors: what was put in comes out to the byte, whatever the file looks like."""

from __future__ import annotations

import json
import time
import tomllib

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engramma.apps.connect import claude_hooks, json_text
from engramma.apps.connect.jsonc import Damaged, parse_jsonc
from engramma.files import toml_text
from tests.conftest import some

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=12
)
documents = st.dictionaries(texts.filter(lambda key: key not in ("servers", "hooks")), values, max_size=4)
space = st.sampled_from(["", " ", "\n", "\t", "\r\n", ' /* {"a": [ */ ', ' // "x": }\n', "\n\n"])
ENTRY = {"command": "/x", "args": ["mcp"]}


@st.composite
def written(draw, value, trailing):
    """A value as JSON with space, comments and trailing commas wherever they may stand."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else [(None, one) for one in value]
        parts = []
        for key, one in pairs:
            name = "" if key is None else json.dumps(key) + draw(space) + ":" + draw(space)
            parts.append(draw(space) + name + draw(written(one, trailing)) + draw(space))
        end = "," + draw(space) if trailing and parts and draw(st.booleans()) else ""
        inside = ",".join(parts) + end or draw(space)
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@given(data=st.data(), document=documents, servers=st.none() | st.dictionaries(texts, values, max_size=3))
@settings(max_examples=some(240), deadline=None)
def test_put_and_drop_are_inverse(data, document, servers):
    value = document if servers is None else {**document, "servers": servers}
    text = data.draw(space) + data.draw(written(value, True)) + data.draw(space)
    assert parse_jsonc(text).value == value
    put = json_text.put(text, ("servers", "ours"), ENTRY)
    assert parse_jsonc(put).value == {**value, "servers": {**(servers or {}), "ours": ENTRY}}
    assert json_text.put(put, ("servers", "ours"), ENTRY) == put
    other = {"url": "http://y"}
    assert parse_jsonc(json_text.put(put, ("servers", "ours"), other)).value["servers"]["ours"] == other
    if "ours" not in (servers or {}):
        dropped = json_text.drop(put, ("servers", "ours"))
        assert parse_jsonc(dropped).value == {**value, "servers": servers or {}}
        if servers:  # where something else stands beside it, nothing has to be guessed
            assert dropped == text


@given(data=st.data(), document=documents, groups=st.lists(values, max_size=2), has=st.booleans())
@settings(max_examples=some(180), deadline=None)
def test_hooks_come_and_go(data, document, groups, has):
    own = [{"matcher": "x", "hooks": [{"type": "command", "command": "lint"}]}, *groups]
    value = {**document, "hooks": {"Stop": own, "Other": 1}} if has else document
    text = data.draw(written(value, True))
    hooks = claude_hooks.hooks_for("/bin/engramma-hook")
    put = claude_hooks.put_hooks(text, hooks)
    assert parse_jsonc(put).value == claude_hooks.with_hooks(value, hooks)
    assert claude_hooks.put_hooks(put, hooks) == put
    assert claude_hooks.found(parse_jsonc(put).value) == hooks
    dropped = claude_hooks.drop_hooks(put, with_table=not has)
    assert parse_jsonc(dropped).value == value
    if has:
        assert dropped == text


@given(st.text(alphabet='{}[]":,/*\\ntrue1-.e \n', max_size=20))
@settings(max_examples=some(200), deadline=None)
def test_what_json_reads_we_read_and_nothing_worse(text):
    try:
        expected = json.loads(text)
    except ValueError:
        try:
            parse_jsonc(text)
        except Damaged as error:
            assert error.line >= 1 and error.column >= 1
        return
    assert parse_jsonc(text).value == expected == parse_jsonc(text, "e").value


@pytest.mark.parametrize(
    "text",
    ['{"a": 1', '{"a" 1}', "{'a': 1}", '{"a": 01}', '{"a": NaN}', '["x\n"]', "[" * 5000, '{"a": ' + "9" * 5000 + "}"],
)
def test_damage_is_told_by_line(text):
    for only in (None, "b"):
        with pytest.raises(Damaged, match="line 1, column"):
            parse_jsonc(text, only)


def test_years_of_history_beside_the_servers_are_read_at_once():
    history = json.dumps([{"display": f"do {n}", "pasted": {}} for n in range(20_000)])
    text = f'{{"projects": {history}, "mcpServers": {{"a": {{"command": "x"}}}} /* ours */}}'
    began = time.process_time()
    whole = parse_jsonc(text)
    middle = time.process_time()
    there = parse_jsonc(text, "mcpServers")
    assert time.process_time() - middle < (middle - began) / 3
    assert there.value == whole.value and there.member("mcpServers") == whole.member("mcpServers")
    put = json_text.put(text, ("mcpServers", "engramma"), {"command": "y"})
    assert json_text.drop(put, ("mcpServers", "engramma")) == text


keys = st.sampled_from(["a", "b-c", "x y", "d.e", "é", '"', "mcp_servers"])
toml_values = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | texts.filter(lambda one: "\r" not in one),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


@given(
    tables=st.lists(st.tuples(st.lists(keys, min_size=1, max_size=2), st.dictionaries(keys, toml_values, max_size=3))),
    gap=st.sampled_from(["\n", "\n\n", "\n# [mcp_servers.engramma]\n", "\n  \n"]),
    entry=st.dictionaries(keys, toml_values, min_size=1, max_size=3),
)
@example(tables=[(["mcp_servers", "a"], {}), (["mcp_servers"], {})], gap="\n", entry={"a": []})
@example(tables=[(["mcp_servers", "a"], {}), (["mcp_servers"], {})], gap="\n# [mcp_servers.engramma]\n", entry={"a": 1})
@settings(max_examples=some(240), deadline=None)
def test_toml_tables_come_and_go(tables, gap, entry):
    text = gap.join("\n".join([toml_text._written(path, value).rstrip()]) for path, value in tables) + "\n"
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    if not isinstance(before.get("mcp_servers", {}), dict):
        return
    path = ("mcp_servers", "engramma")
    put = toml_text.put(text, path, entry)
    try:
        after = tomllib.loads(put)
    except tomllib.TOMLDecodeError:
        return  # an inline table on the way; the caller refuses that
    assert after == {**before, "mcp_servers": {**before.get("mcp_servers", {}), "engramma": entry}}
    assert toml_text.put(put, path, entry) == put
    assert tomllib.loads(toml_text.drop(put, path)) == before
    assert toml_text.drop(put, path) == text or not text.strip()


ABOVE = ("", "a = 1\n", "[mcp_servers.x]\na = 1\n\n[y]\n", 't = """\n[mcp_servers.ours]\n"""\n')
BELOW = "# kept\n[z]\nq = 1"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("before", ABOVE)
def test_a_toml_file_around_a_table_keeps_every_byte(before, end):
    """Comments, order, line ends and a last line without one, wherever the table stands."""
    above, below = before.replace("\n", end), BELOW.replace("\n", end)
    gap = end if above else ""
    table = f'[mcp_servers.ours]{end}command = "x"{end}'
    whole = above + gap + table + below
    assert toml_text.drop(whole, ("mcp_servers", "ours")) == above + below
    assert toml_text.put(whole, ("mcp_servers", "ours"), {"command": "x"}) == whole
    assert toml_text.drop(above + below, ("mcp_servers", "ours")) == above + below
