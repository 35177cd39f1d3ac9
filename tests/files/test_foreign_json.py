"""JSON of strangers goes as deep as Engramma says, whatever the interpreter would let pass."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engramma
from engramma.apps.hooks.main import read_hook_call
from engramma.apps.proxy import body_parser
from engramma.apps.proxy import messages as said
from engramma.config.settings import load_config
from engramma.errors import BadInput, UnreadableSource
from engramma.files.foreign_json import MAX_DEPTH, TooDeep, check_depth, loads, raw_decode
from engramma.models.chat import tool_call
from engramma.people.llm.prompt import reply_object
from engramma.sources.json_files import parse_json
from tests.conftest import some

ROOT = Path(engramma.__file__).parent

# Modules that parse what Engramma itself wrote: rows of the database, caches under a checksum, frames between its own
# processes; and single tokens that a parser of ours cut out (jsonc).
OWN = (
    *(
        "store/",
        *("language/dates/languages.py", "people/answers/wording.py"),  # tables that ship with it
        "steward/",
        "people/reconcile/reconcile_store.py",
        "people/claims/hydrate.py",
        "people/reconcile/decisions.py",
    ),
    *(
        "notes/note_records.py",
        "rescan/",
        "ingest/masked_notes.py",
        "forget/purge.py",
        "index/cache.py",
        "index/external/",
    ),
    *("apps/proxy/exchange.py", "apps/connect/jsonc.py", "apps/cli/demo.py", "apps/adapters/packing.py"),
    *("apps/adapters/langgraph.py", "files/foreign_json.py", "admin/salvage/", "encryption/access.py"),
)


def lists(depth: int) -> str:
    return "[" * depth + "]" * depth


def objects(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


def mixed(depth: int) -> str:
    """Wide as well as deep, with brackets in its strings: something stands before every bracket that closes."""
    return '[{"x": "[[[", "a": ' * (depth // 2) + "0" + ', "b": 1}, 2]' * (depth // 2)


@pytest.mark.parametrize("nested", [lists, objects, mixed])
def test_the_deepest_that_may_be_is_read_and_one_more_is_not(nested):
    assert loads(nested(MAX_DEPTH)) == json.loads(nested(MAX_DEPTH))
    assert raw_decode("  " + nested(MAX_DEPTH) + " rest", 2)[1] == 2 + len(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 2, 900, 5_000, 200_000):
        for parse in (loads, raw_decode, lambda text: loads(text.encode()), lambda text: loads(text.encode("utf-16"))):
            with pytest.raises(TooDeep, match="more than 200 levels"):
                parse(nested(depth))


def test_how_deep_the_caller_stands_changes_nothing():
    def below(frames: int) -> object:
        return below(frames - 1) if frames else loads(lists(MAX_DEPTH))

    assert below(sys.getrecursionlimit() // 2) == json.loads(lists(MAX_DEPTH))


@settings(max_examples=some(200), deadline=None)
@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=12,
    ),
    more=st.integers(0, 2 * MAX_DEPTH),
)
def test_depth_alone_decides(value, more):
    def depth_of(part: object) -> int:
        parts = list(part.values()) if isinstance(part, dict) else part
        return 1 + max(map(depth_of, parts), default=0) if isinstance(parts, list) else 0

    for _ in range(more):
        value = [value]
    if depth_of(value) <= MAX_DEPTH:
        check_depth(value)
        assert loads(json.dumps(value)) == value
    else:
        with pytest.raises(TooDeep):
            loads(json.dumps(value))


@pytest.mark.parametrize("text", ["9" * 5_000, "[" + "1," * 10 + "9" * 100_000 + "]", '{"a": -' + "1" * 4_301 + "}"])
def test_a_number_with_thousands_of_digits_is_a_value_error(text):
    with pytest.raises(ValueError):
        loads(text)


TOO_DEEP = lists(MAX_DEPTH + 1)


def test_every_place_that_takes_json_of_strangers_refuses_what_is_too_deep(tmp_path):
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(TOO_DEEP)
    with pytest.raises(body_parser.Unreadable):
        body_parser.parse_object(b'{"messages": %b}' % TOO_DEEP.encode())
    assert list(body_parser.parse_events(b'data: {"a": %b}\n\ndata: {"b": 1}\n\n' % TOO_DEEP.encode())) == [{"b": 1}]
    assert said.compact(TOO_DEEP) == TOO_DEEP  # stays the text that it was
    assert reply_object('{"claims": ' + TOO_DEEP + "}") is None
    call = {"id": "1", "function": {"name": "find", "arguments": '{"a": ' + TOO_DEEP + "}"}}
    assert tool_call(call).arguments is None
    data = b'{"hook_event_name": "Stop", "x": %b}' % TOO_DEEP.encode()
    assert read_hook_call(lambda most: data) == {}


@pytest.mark.parametrize("depth", [MAX_DEPTH, 100_000])
def test_settings_that_nest_too_deeply_are_refused_with_their_file(tmp_path, depth):
    (tmp_path / "config.toml").write_text(f"a = {lists(depth)}\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"config\.toml"):
        load_config(tmp_path)


def test_data_sets_that_nest_too_deeply_are_refused_with_their_file(tmp_path):
    from engramma.evaluate.task import parse_data_set

    with pytest.raises(UnreadableSource, match=r"data\.json.*nested too deeply"):
        parse_data_set(TOO_DEEP.encode(), tmp_path / "data.json", "a data set")


def test_no_other_module_parses_json_with_the_interpreters_limit():
    found = []
    for path in ROOT.rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(OWN):
            continue
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "json" in text else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "json":
                found += [f"{name}:{node.lineno}"] if node.attr in ("load", "loads", "JSONDecoder") else []
            elif isinstance(node, ast.ImportFrom) and node.module == "json":
                found.append(f"{name}:{node.lineno}")
    assert found == []
