"""Settings files as people have them, per client: what stands in them must survive."""

from __future__ import annotations

from engramma.apps.connect.clients import CLIENTS

JSON_CLIENTS = [name for name, client in CLIENTS.items() if client.format == "json"]


def json_samples(table: str) -> dict[str, bytes]:
    """By name: the bytes of a file whose servers stand under `table`."""
    other = f'"{table}": {{\n    "files": {{"command": "npx", "args": ["-y", "server-files", "/tmp"]}}\n  }}'
    plain = f'{{\n  "theme": "dark",\n  {other},\n  "last": [1, 2.50, 1e3]\n}}\n'
    texts = {
        "empty": "",
        "space": "  \n\n",
        "braces": "{}",
        "braces-line": "{}\n",
        "open-braces": "{\n}\n",
        "no-table": '{\n    "theme": "dark"\n}',
        "empty-table": f'{{\n  "{table}": {{}}\n}}\n',
        "spaced-table": f'{{ "{table}": {{ }} }}',
        "others": plain,
        "tabs": plain.replace("  ", "\t"),
        "crlf": plain.replace("\n", "\r\n"),
        "bom": "\ufeff" + plain,
        "minified": f'{{"numStartups":41,"{table}":{{"a":{{"command":"x","args":[]}}}},"userID":"Zoë \\u2713"}}',
        "one-line": f'{{"{table}": {{"a": {{"command": "x"}}}}, "b": true}}\n',
        "no-end": f'{{\n  "{table}": {{\n    "a": {{"url": "http://x"}}\n  }}\n}}',
        "escapes": f'{{\n  "path": "C:\\\\Users\\\\ana\\\\\\"q\\"",\n  "u": "\\ud83d\\ude00"\n, "{table}" : {{ }}\n}}',
        "twice": f'{{"{table}": {{"old": {{}}}}, "{table}": {{"new": {{}}}}}}',
    }
    commented = {
        "comments": f"""// my servers
{{
  /* look: "{table}": {{}} is not here */
  "{table}": {{ // the real one
    "a": {{ "command": "x" }} // last, no comma }}
    // "off": {{ "command": "y" }},
  }} /* end */
}}
// bye""",
        "trailing": f'{{\n  "{table}": {{\n    "a": {{ "command": "x", }},\n  }},\n}}\n',
        "trailing-comment": f'{{\n  "{table}": {{\n    "a": {{ "command": "x" }}, // keep\n    /* me */\n  }}\n}}\n',
        "only-comments": f'{{\n  "{table}": {{\n    // "off": {{}}\n  }}\n}}\n',
        "lone-comment": "// nothing yet\n",
        "table-comment": f'{{ "{table}": {{ /* none */ }} }}\n',
    }
    return {name: text.encode() for name, text in {**texts, **commented}.items()}


TOML_SAMPLES: dict[str, bytes] = {
    name: text.encode()
    for name, text in {
        "empty": "",
        "space": "\n\n",
        "others": """# Codex
model = "gpt-5.5"   # the fast one

[mcp_servers.docs]
command = "npx"
args = [
  "-y", # yes
  "docs",
]

[mcp_servers.docs.env]
KEY = "[mcp_servers.engramma]"

# projects I trust
[projects."/home/ana/my.project"]
trust_level = "trusted"
""",
        "no-end": '[tui]\ntheme = "x"',
        "crlf": '# c\r\nmodel = "m"\r\n\r\n[a.b]\r\nc = 1\r\n',
        "bom": '\ufeffmodel = "m"\n',
        "table": "[mcp_servers]\n# none yet\n\n[other]\nx = 1\n",
        "strings": 'text = """\n[mcp_servers.engramma]\ncommand = "no"\n"""\n'
        "lit = '''\n# not a comment ' '''\nb = 1\n",
        "dates": "when = 2026-01-02T03:04:05Z\ninline = { a = [1, 2], 'b.c' = 'x' }\n\n"
        "[[many]]\nn = 1\n\n[[many]]\nn = 2\n",
    }.items()
}
