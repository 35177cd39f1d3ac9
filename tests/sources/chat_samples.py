"""A small valid file of every format of messengers and memories, for tests that damage them."""

from __future__ import annotations

import json
from typing import Any

from .samples import json_lines

TELEGRAM_MESSAGES: list[dict[str, Any]] = [
    {"id": 1, "type": "service", "date": "2023-11-14T22:00:00", "actor": "Ann", "action": "phone_call", "text": ""},
    {
        "id": 2,
        "type": "message",
        "date": "2023-11-14T22:13:20",
        "date_unixtime": "1700000000",
        "edited": "2023-11-14T22:15:00",
        "edited_unixtime": "1700000100",
        "from": "Ann",
        "from_id": "user7",
        "text": ["See ", {"type": "text_link", "text": "this", "href": "https://example.org"}],
        "reply_to_message_id": 1,
    },
    {
        "id": 3,
        "type": "message",
        "date": "2023-11-15T22:13:20",
        "date_unixtime": "1700086400",
        "from": None,
        "from_id": "user8",
        "file": "(File not included.)",
        "media_type": "voice_message",
        "duration_seconds": 5,
        "text": "",
    },
]
TELEGRAM_CHAT: dict[str, Any] = {"name": "Ann", "type": "personal_chat", "id": 7, "messages": TELEGRAM_MESSAGES}

SLACK_DAY: list[dict[str, Any]] = [
    {"type": "message", "subtype": "channel_join", "user": "U1", "text": "<@U1> has joined", "ts": "1700000000.000100"},
    {"type": "message", "user": "U1", "text": "hi <@U2> &amp; <https://a.example|a>", "ts": "1700000001.000100"},
    {
        "type": "message",
        "user": "U2",
        "text": "",
        "ts": "1700000002.000100",
        "thread_ts": "1700000001.000100",
        "edited": {"user": "U2", "ts": "1700000009.000100"},
        "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "hello"}}],
        "files": [{"name": "a.png"}],
    },
]

LONGMEMEVAL: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question": "Where?",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["answer_1", "s2"],
        "haystack_sessions": [
            [{"role": "user", "content": "I keep bees.", "has_answer": True}, {"role": "assistant", "content": "Oh."}],
            [{"role": "user", "content": "Which tea?"}],
        ],
    }
]

MCP_MEMORY: list[dict[str, Any]] = [
    {"type": "entity", "name": "Ann", "entityType": "person", "observations": ["keeps bees", "sings"]},
    {"type": "relation", "from": "Ann", "to": "Ben", "relationType": "knows"},
]

WHATSAPP_ANDROID = """\
12/30/23, 9:41\u202fPM - Messages and calls are end-to-end encrypted.
12/30/23, 9:43\u202fPM - Ann: Shall we take
the train?
12/31/23, 12:05\u202fAM - Ben: IMG-1.jpg (file attached)
"""

WHATSAPP_IOS = """\
\u200e[31.12.23, 21:41:05] Trip: \u200eNachrichten sind verschlüsselt.
[31.12.23, 21:42:00] Ann: Wer kommt?
\u200e[31.12.23, 21:43:10] Ben: \u200e<Anhang: PHOTO-1.jpg>
[31.12.23, 21:44:00] Ben: ich \u200e<Diese Nachricht wurde bearbeitet.>
"""

MARKDOWN = """\
---
title: Eggs
date: 2024-05-01
---
# Eggs

## User (2024-05-01 10:00)

How long?

---

## Assistant

```
## User
```

---

## User

Thanks.
"""

FACTS = "# Log\n\n- [2026-02-10] Prefers tea\n#food\n## 2026-02-11\n2026-02-11T09:30:00Z Moved to Lyon\nSings\n"

MAILBOX = """\
From ann@example.org Tue Oct 20 08:00:00 2026
From: =?utf-8?q?Ann_=C3=85s?= <ann@example.org>
To: Ben <ben@example.org>
Subject: The bout
Date: Tue, 20 Oct 2026 09:00:00 +0100
Message-ID: <a1@example.org>
Content-Type: multipart/alternative; boundary="b"

--b
Content-Type: text/plain; charset="utf-8"; format=flowed

Who drives on 
Saturday?
--b
Content-Type: text/html; charset="utf-8"

<p>Who drives on Saturday?</p>
--b--

From ben@example.org Tue Oct 20 16:40:00 2026
From: Ben <ben@example.org>
Subject: Re: The bout
Date: Tue, 20 Oct 2026 17:40:00 +0100
Message-ID: <a2@example.org>
References: <a1@example.org>

I do.

On Tue, 20 Oct 2026, Ann wrote:
> Who drives on Saturday?
"""


def chat_files() -> dict[str, tuple[str, bytes]]:
    """The format and the content of each, by a name of its own."""
    account = {"about": "Telegram", "personal_information": {}, "chats": {"list": [TELEGRAM_CHAT]}}
    return {
        "whatsapp-android": ("whatsapp", WHATSAPP_ANDROID.encode()),
        "whatsapp-ios": ("whatsapp", WHATSAPP_IOS.encode()),
        "telegram-chat": ("telegram", json.dumps(TELEGRAM_CHAT, indent=1).encode()),
        "telegram-account": ("telegram", json.dumps(account, indent=1).encode()),
        "slack-day": ("slack", json.dumps(SLACK_DAY, indent=1).encode()),
        "longmemeval": ("longmemeval", json.dumps(LONGMEMEVAL, indent=1).encode()),
        "mcp-memory-lines": ("mcp-memory", json_lines(MCP_MEMORY).encode()),
        "mcp-memory-graph": (
            "mcp-memory",
            json.dumps({"entities": MCP_MEMORY[:1], "relations": MCP_MEMORY[1:]}, indent=1).encode(),
        ),
        "markdown": ("markdown", MARKDOWN.encode()),
        "mailbox": ("email", MAILBOX.encode()),
        "facts": ("facts", FACTS.encode()),
    }
