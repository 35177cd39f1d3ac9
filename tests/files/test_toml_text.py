"""Somebody's TOML with one table changed: everything else keeps its bytes, or nothing is changed at all."""

from __future__ import annotations

import pytest

from engramma import BadInput
from engramma.files.toml_text import put, set_table

SPLIT = """[llm]
url = "http://127.0.0.1:1/v1"

[[llm.options.tools]]
name = "a"

[llm.options.format]
type = "json"

[[llm.options.tools]]  # tomlkit would bring it to the first one
name = "b"

[redact]
pii = true
"""


def test_an_array_of_tables_that_another_interrupts_stays_as_it_is():
    assert set_table(SPLIT, "index", {"backend": "qdrant"}) == SPLIT + '\n[index]\nbackend = "qdrant"\n'
    assert set_table(SPLIT, "store", None) == SPLIT
    servers = '[mcp_servers.a]\nx = 1\n\n[[hooks]]\nname = "a"\n\n[mcp_servers.b]\nx = 2\n'
    assert put(servers, ("mcp_servers", "engramma"), {"x": 3}) == servers + "\n[mcp_servers.engramma]\nx = 3\n"


def test_what_cannot_be_changed_alone_is_refused():
    with pytest.raises(BadInput, match=r"\[index\] cannot be changed"):
        set_table('[index]\nbackend = "chroma"\n\n' + SPLIT, "index", {"backend": "qdrant"})


def test_line_ends_and_comments_stay():
    text = '# mine\r\n[index] # old\r\nbackend = "chroma"\r\n\r\n# about masking\r\n[redact]\r\npii = true\r\n'
    after = set_table(text, "index", {"backend": "qdrant"})
    assert "# about masking\r\n[redact]\r\npii = true\r\n" in after and 'backend = "qdrant"\r\n' in after
    assert "chroma" not in after and "\n" not in after.replace("\r\n", "")
