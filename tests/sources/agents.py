"""Small files of coding agents, written as the programs write them, with the traps that their files hold."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from .samples import json_lines

SESSION = "5d3f7c3e-0a51-4f0e-9d2b-2f6f3f0c9a11"
OTHER = "0b9a7f7e-1111-4222-8333-444455556666"

Row = dict[str, Any]


# --- Claude Code -----------------------------------------------------------------------------------


def claude_row(kind: str, uuid: str, second: int, content: Any, **more: Any) -> Row:
    """A row of a transcript; `more` replaces what every row has, or is added to it."""
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message = {"id": f"msg_{uuid[0]}", "type": "message", "model": "claude-opus-4-8", **message}
    row = {
        "parentUuid": None,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/ann/kites",
        "sessionId": SESSION,
        "version": "2.1.12",
        "gitBranch": "main",
        "type": kind,
        "message": message,
        "uuid": uuid,
        "timestamp": f"2026-09-28T09:{second // 60:02}:{second % 60:02}.000Z",
    }
    return {**row, **more}


def text(words: str) -> Row:
    return {"type": "text", "text": words}


CLAUDE_CODE: list[Row] = [
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}, "isSnapshotUpdate": False},
    {"type": "queue-operation", "operation": "dequeue", "timestamp": "2026-09-28T09:00:00Z", "sessionId": SESSION},
    {"type": "summary", "summary": "Another session", "leafUuid": "elsewhere"},
    claude_row("user", "m1", 0, "Caveat: The messages below were …", isMeta=True),
    claude_row("user", "c1", 1, "<command-name>/clear</command-name>\n<command-args></command-args>"),
    claude_row("user", "c2", 2, "<local-command-stdout>done</local-command-stdout>"),
    claude_row("user", "u1", 3, "Why does the kite fall?\n<system-reminder>Be kind.</system-reminder>"),
    claude_row("assistant", "a1", 4, [{"type": "thinking", "thinking": "Hm.", "signature": "x"}]),
    claude_row("assistant", "a2", 5, [text("The tail is too short.")]),
    claude_row("assistant", "a3", 6, [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"path": "kite.py"}}]),
    claude_row("user", "r1", 7, [{"type": "tool_result", "tool_use_id": "t1", "content": "secret"}]),
    claude_row("assistant", "s1", 8, [text("A subagent speaks.")], isSidechain=True, agentId="a1b2"),
    claude_row("assistant", "a4", 9, [text("Line 12 cuts it.")]),
    claude_row("user", "k1", 10, "This session is being continued …", isCompactSummary=True),
    claude_row("assistant", "e1", 11, [text("API Error")], isApiErrorMessage=True),
    claude_row("user", "i1", 12, [text("[Request interrupted by user]")]),
    claude_row("user", "u2", 13, [text("Like this?"), {"type": "image", "source": {"type": "base64", "data": "…"}}]),
    {
        **claude_row("attachment", "q1", 14, ""),
        "attachment": {"type": "queued_command", "prompt": "And use silk.", "commandMode": "prompt"},
    },
    claude_row("user", "c3", 15, "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
               "<command-args>the tail only</command-args>"),
    claude_row("assistant", "b1", 16, [text("It holds now.")]),
    claude_row("user", "u3", 59 * 60, "Good morning again."),
    {"type": "ai-title", "aiTitle": "Kites and tails", "sessionId": SESSION},
    {"type": "custom-title", "customTitle": "The kite", "sessionId": SESSION},
    {"type": "ai-title", "aiTitle": "Later title", "sessionId": SESSION},
]  # fmt: skip


# --- Codex -----------------------------------------------------------------------------------------


def codex_row(second: int, kind: str, **payload: Any) -> Row:
    return {"timestamp": f"2026-09-28T09:00:{second:02}.000Z", "type": kind, "payload": payload}


def codex_event(second: int, kind: str, message: str, **more: Any) -> Row:
    return codex_row(second, "event_msg", type=kind, message=message, **more)


def codex_item(second: int, kind: str, words: str) -> Row:
    item = {"type": kind, "id": f"i{second}", "content": [{"type": "Text", "text": words}]}
    return codex_row(second, "event_msg", type="item_completed", item=item)


def codex_message(second: int, role: str, *texts: str) -> Row:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_row(
        second, "response_item", type="message", role=role, content=[{"type": kind, "text": one} for one in texts]
    )


CODEX_META = codex_row(
    0, "session_meta", id=SESSION, timestamp="2026-09-28T09:00:00.000Z", cwd="/home/ann/kites", cli_version="0.120.0",
    source="cli", git={"branch": "tail", "commit_hash": "abc"},
)  # fmt: skip

CODEX: list[Row] = [
    CODEX_META,
    codex_message(0, "developer", "You are Codex."),
    codex_message(1, "user", "<user_instructions>Be kind.</user_instructions>"),
    codex_message(1, "user", "<environment_context>\n  <cwd>/home/ann/kites</cwd>\n</environment_context>"),
    codex_message(1, "user", "Warning: a message that the program wrote."),
    codex_row(2, "turn_context", cwd="/home/ann/kites", model="gpt-6-codex"),
    codex_message(2, "user", "Why does the kite fall?"),
    codex_event(2, "user_message", "Why does the kite fall?", images=[]),
    codex_row(3, "response_item", type="reasoning", summary=[], encrypted_content="gAAA"),
    codex_event(3, "agent_reasoning", "Thinking about tails."),
    codex_row(4, "response_item", type="function_call", name="shell", arguments="{}", call_id="c1"),
    codex_row(5, "response_item", type="function_call_output", call_id="c1", output="secret"),
    codex_event(6, "agent_message", "The tail is too short."),
    codex_message(6, "assistant", "The tail is too short."),
    codex_row(7, "event_msg", type="token_count", info=None),
    codex_message(8, "user", "ok"),
    codex_event(8, "user_message", "ok"),
    codex_message(9, "user", "ok"),
    codex_event(9, "user_message", "ok"),
    codex_row(10, "event_msg", type="thread_name_updated", thread_id=SESSION, thread_name="The kite"),
    # Continued with a later version, which writes no such events.
    codex_message(11, "user", "<recommended_plugins>none</recommended_plugins>", "And silk?"),
    codex_item(12, "UserMessage", "And silk?"),
    codex_message(13, "assistant", "Silk is best."),
    codex_item(13, "AgentMessage", "Silk is best."),
]

CODEX_OLD: list[Row] = [
    {"id": OTHER, "timestamp": "2025-06-01T10:00:00.000Z", "instructions": None, "git": {"branch": "main"}},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
    {"type": "reasoning", "id": "r", "summary": []},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
]


# --- Gemini ----------------------------------------------------------------------------------------


def gemini_message(name: str, second: int, kind: str, content: Any, **more: Any) -> Row:
    return {"id": name, "timestamp": f"2026-09-28T09:00:{second:02}.000Z", "type": kind, "content": content, **more}


GEMINI_HEAD: Row = {
    "sessionId": SESSION,
    "projectHash": "79b6fa86",
    "startTime": "2026-09-28T09:00:00.000Z",
    "lastUpdated": "2026-09-28T09:00:00.000Z",
    "kind": "main",
}

GEMINI_MESSAGES: list[Row] = [
    gemini_message("i1", 0, "info", "Gemini CLI update available!"),
    gemini_message(
        "u1", 1, "user", [{"text": "Read kite.py\nimport kite"}], displayContent=[{"text": "Read @kite.py"}]
    ),
    gemini_message("g1", 2, "gemini", "", thoughts=[{"subject": "Tails"}], toolCalls=[{"id": "t", "name": "read"}]),
    gemini_message("g2", 3, "gemini", "It flies.", model="gemini-4-pro", tokens={"total": 3}),
    gemini_message("u2", 4, "user", [{"text": "And this?"}, {"inlineData": {"mimeType": "image/png", "data": "…"}}]),
    gemini_message("g3", 5, "gemini", [{"text": "Hm.", "thought": True}, {"text": "A red one."}]),
]

GEMINI_LINES: list[Row] = [
    GEMINI_HEAD,
    *GEMINI_MESSAGES[:4],
    {"$set": {"lastUpdated": "2026-09-28T09:00:03.000Z", "summary": "Kites"}},
    gemini_message("g2", 3, "gemini", "It flies.", model="gemini-4-pro", toolCalls=[{"id": "t2", "name": "run"}]),
    *GEMINI_MESSAGES[4:],
    {"$set": {"messages": [gemini_message("x", 9, "user", [{"text": "<state_snapshot>short</state_snapshot>"}])]}},
    {"$rewindTo": "u2"},
]

GEMINI_SESSION: Row = {**GEMINI_HEAD, "messages": GEMINI_MESSAGES, "summary": "Kites"}

GEMINI_LOG: list[Row] = [
    {"sessionId": OTHER, "messageId": 0, "type": "user", "message": "Hello", "timestamp": "2025-07-01T10:00:00.000Z"},
    {"sessionId": OTHER, "messageId": 1, "type": "user", "message": "/quit", "timestamp": "2025-07-01T10:00:09.000Z"},
]

GEMINI_CHECKPOINT: Row = {
    "history": [
        {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context for our chat."}]},
        {"role": "model", "parts": [{"text": "Got it. Thanks for the context!"}]},
        {"role": "user", "parts": [{"text": "Why does the kite fall?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "secret"}}}]},
        {"role": "model", "parts": [{"text": "The tail is too short."}]},
    ]
}


def activity(title: str, time: str | None, answer: str | None = None, **more: Any) -> Row:
    row: Row = {"header": "Gemini Apps", "title": title, "time": time, "products": ["Gemini Apps"], **more}
    return {**row, "safeHtmlItem": [{"html": answer}]} if answer else row


TAKEOUT: list[Row] = [
    activity("Prompted And the tail?\nAttached 2 files.", "2026-07-26T06:09:00.000Z", "<p>Longer.</p>"),
    activity("Created Gemini Canvas titled Kite", "2026-07-26T06:08:00.000Z"),
    activity("Gave feedback: Good response", "2026-07-26T06:08:01.000Z"),
    activity(
        "Prompted Why does the kite fall?", "2026-07-26T06:07:57.773Z",
        "<h3>Reasons</h3><ul><li>wind</li><li>weight &amp; tail</li></ul><pre><code>lift = 0\n</code></pre>",
    ),
    {"header": "Search", "title": "Searched for gemini", "time": "2026-07-26T06:00:00.000Z", "products": ["Search"]},
    activity("Prompted Linked", "2026-07-24T10:00:00Z", "<p>Yes.</p>",
             titleUrl="https://gemini.google.com/app/0123456789abcdef"),
    activity("送信したメッセージ: 凧", "2026-07-20T10:00:00Z", "<p>はい。</p>", header="Gemini アプリ", products=[]),
    activity("Prompted without a time", None, "<p>Lost.</p>"),
]  # fmt: skip


def card(body: str, details: str = "", title: str = "Gemini Apps") -> str:
    return (
        '<div class="outer-cell mdl-cell mdl-cell--12-col mdl-shadow--2dp"><div class="mdl-grid">'
        f'<div class="header-cell mdl-cell mdl-cell--12-col"><p class="mdl-typography--title">{title}<br></p></div>'
        f'<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1">{body}</div>'
        '<div class="content-cell mdl-cell mdl-cell--6-col mdl-typography--body-1 mdl-typography--text-right"></div>'
        f'<div class="content-cell mdl-cell mdl-cell--12-col mdl-typography--caption"><b>Products:</b><br>{details}'
        "</div></div></div>"
    )


TAKEOUT_PAGE = (
    "<html><head><title>My Activity History</title><style>body{}</style></head><body><div class='mdl-grid'>"
    + card(
        "Prompted&nbsp;Why <b>now</b>?<br>See below<br>Jul 25, 2026, 11:07:57\u202fPM PDT<br><p>It is <i>late</i>.</p>"
    )
    + card("Created Gemini Canvas titled Kite<br>Jul 25, 2026, 11:08:00\u202fPM PDT<br>")
    + card(
        "Prompted&nbsp;Linked<br>18 Sept 2025, 12:02:52 CET<br><p>Yes.</p>",
        'From: <a href="https://gemini.google.com/app/0123456789abcdef">chat</a>',
    )
    + card("Prompted&nbsp;Undated<br>10 de mai. de 2026, 03:46:09 BRT<br><p>No.</p>")
    + card("Searched for kites<br>Jul 25, 2026, 11:00:00\u202fPM PDT<br>", title="Search")
    + "</div></body></html>"
)


# --- Cursor ----------------------------------------------------------------------------------------

TOKEN = "sk-cursor-access-token"


def bubble(name: str, kind: int, words: str, **more: Any) -> Row:
    return {"_v": 3, "type": kind, "bubbleId": name, "text": words, **more}


def cursor_cells() -> dict[str, Any]:
    """The keys of a database of today."""
    chat = f"bubbleId:{SESSION}:"
    return {
        f"composerData:{SESSION}": {
            "_v": 10,
            "composerId": SESSION,
            "name": "The kite",
            "text": "half a thought in the input box",
            "createdAt": 1790586000000,
            "createdOnBranch": "tail",
            "modelConfig": {"modelName": "claude-5-opus"},
            "status": "completed",
            "generatingBubbleIds": ["b7"],
            "fullConversationHeadersOnly": [{"bubbleId": f"b{n}", "type": 1 + n % 2} for n in range(1, 8)],
        },
        f"{chat}b1": bubble("b1", 1, "Why does the kite fall?", createdAt="2026-09-28T09:00:00.000Z"),
        f"{chat}b2": bubble("b2", 2, "", thinking={"text": "Hm."}, createdAt="2026-09-28T09:00:01.000Z"),
        f"{chat}b3": bubble("b3", 2, "", toolFormerData={"name": "read_file", "result": "secret"}),
        f"{chat}b4": bubble("b4", 2, "The tail is too short.", createdAt="2026-09-28T09:00:05.000Z"),
        f"{chat}b5": bubble(
            "b5", 1, "", images=[{"uuid": "p"}],
            richText=json.dumps({"root": {"children": [
                {"type": "paragraph", "children": [{"type": "text", "text": "Like "}, {"text": "this?"}]},
            ]}}),
        ),
        # b6 was deleted; b7 is being written.
        f"{chat}b7": bubble("b7", 2, "Half an ans"),
        f"composerData:{OTHER}": {
            "composerId": OTHER,
            "createdAt": 1748772000000,
            "conversation": [
                bubble("c1", 1, "Hello"),
                bubble("c2", 2, "Hi.", timingInfo={"clientStartTime": 4745281.3, "clientRpcSendTime": 1748772005000}),
            ],
        },
        "composerData:empty": {"composerId": "empty", "fullConversationHeadersOnly": [], "createdAt": 1748772000000},
        "cursorAuth/accessToken": TOKEN,
        "agentKv:blob:1": TOKEN,
        "bubbleId:stray": TOKEN,
    }  # fmt: skip


OLD_CHATS: Row = {
    "tabs": [
        {
            "tabId": "tab-1",
            "chatTitle": "Old kites",
            "lastSendTime": 1717236000000,
            "bubbles": [
                {
                    "type": "user",
                    "id": "o1",
                    "text": "",
                    "initText": json.dumps({"root": {"children": [{"text": "Hi"}]}}),
                },
                {"type": "ai", "id": "o2", "rawText": "Hello.", "modelType": "gpt-4"},
            ],
        }
    ]
}


def cursor_database(path: Path, cells: dict[str, Any], items: dict[str, Any] | None = None) -> Path:
    database = sqlite3.connect(path)
    database.execute("PRAGMA synchronous = OFF")
    database.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    database.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    kept, shown = "INSERT INTO cursorDiskKV VALUES (?, ?)", "INSERT INTO ItemTable VALUES (?, ?)"
    for insert, rows in ((kept, cells), (shown, items or {})):
        database.executemany(insert, [(key, cell(value)) for key, value in rows.items()])
    database.commit()
    database.close()
    return path


def cell(value: Any) -> str | bytes:
    """As Cursor writes it: JSON as text; bytes and half characters as they are."""
    if isinstance(value, bytes):
        return value
    written = value if isinstance(value, str) else json.dumps(value)
    return written if written.isascii() else written.encode("utf-8", "surrogatepass")


# --- all of them -----------------------------------------------------------------------------------


def agent_files(folder: Path) -> dict[str, bytes]:
    """A valid file of every shape, by a name whose part before the dot is the format's; `folder` is for scratch."""
    database = cursor_database(folder / "state.vscdb", cursor_cells(), {"cursorAuth/refreshToken": TOKEN})
    files = {
        "claude-code.lines": json_lines(CLAUDE_CODE),
        "codex.lines": json_lines(CODEX),
        "codex.old": json_lines(CODEX_OLD),
        "gemini-cli.lines": json_lines(GEMINI_LINES),
        "gemini-cli.session": json.dumps(GEMINI_SESSION, indent=2),
        "gemini-cli.logs": json.dumps(GEMINI_LOG, indent=2),
        "gemini-cli.checkpoint": json.dumps(GEMINI_CHECKPOINT, indent=2),
        "gemini-takeout.json": json.dumps(TAKEOUT),
        "gemini-takeout.html": TAKEOUT_PAGE,
    }
    content = {name: text.encode() for name, text in files.items()}
    return {**content, "cursor.database": database.read_bytes()}
