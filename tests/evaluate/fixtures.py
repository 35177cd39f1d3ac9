"""Small data sets of our own in the official formats; the real ones never enter the repository."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def turns(session: int, *lines: str) -> list[dict[str, str]]:
    found = []
    for number, line in enumerate(lines, 1):
        speaker, _, text = line.partition(": ")
        found.append({"speaker": speaker, "dia_id": f"D{session}:{number}", "text": text})
    return found


def qa(question: str, category: int, *evidence: str) -> dict[str, Any]:
    return {"question": question, "answer": "-", "evidence": list(evidence), "category": category}


LOCOMO: list[dict[str, Any]] = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Mira",
            "speaker_b": "Tom",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns(
                1,
                "Mira: Hi Tom, I adopted a grey kitten called Pepper yesterday.",
                "Tom: Lovely! I started pottery lessons on Tuesday evenings.",
                "Mira: Pepper sleeps in my guitar case all day.",
            ),
            "session_2_date_time": "10:00 am on 20 June, 2023",
            "session_2": turns(
                2,
                "Tom: My first vase broke in the kiln.",
                "Mira: What a pity. I am moving to Lisbon in August.",
                "Tom: Lisbon! I will visit you with a new vase.",
            ),
        },
        "qa": [
            qa("What is the name of Mira's kitten?", 4, "D1:1"),
            qa("What happened to Tom's vases?", 1, "D2:1; D2:3"),  # two in one string
            qa("When does Mira move to Lisbon?", 2, "D2:05", "D:2:02"),  # a zero, a colon, and one that names no turn
            qa("Would Mira like a dog?", 3),  # no evidence at all
            qa("What is the name of Tom's kitten?", 5, "D1:1"),
        ],
    },
    {
        "sample_id": "conv-2",
        "conversation": {
            "speaker_a": "Ines",
            "speaker_b": "Karl",
            "session_1_date_time": "9:30 am on 3 March, 2023",
            "session_1": turns(
                1,
                "Ines: I won the chess tournament in Graz.",
                "Karl: Congratulations! I am baking rye bread for the feast.",
            ),
        },
        "qa": [qa("Where did Ines win at chess?", 4, "D1:1"), qa("What is Karl baking?", 4, "D1:2")],
    },
]

CORRECTIONS = [
    {"sample_id": "conv-1", "qa_index": 0, "correct_evidence": ["D1:3"]},
    {"sample_id": "conv-2", "qa_index": 1, "correct_evidence": []},
]


def said(role: str, content: str, answer: bool = False) -> dict[str, Any]:
    return {"role": role, "content": content, "has_answer": answer}


CAR = [
    said("user", "My car had its first service, and then the GPS stopped working.", True),
    said("assistant", "A dealer can reset the GPS."),
]
SHELF = [said("user", "Which shelf fits a narrow hall?"), said("assistant", "The Billy in birch, 40 cm wide.", True)]
YOGA = [said("user", "I go to yoga on Mondays."), said("assistant", "That sounds relaxing.")]
YOGA_NOW = [said("user", "I moved yoga to Thursdays.", True), said("assistant", "Noted.")]


def lme(key: str, kind: str, question: str, gold: list[str], sessions: dict[str, Any]) -> dict[str, Any]:
    return {
        "question_id": key,
        "question_type": kind,
        "question": question,
        "answer": "-",
        "question_date": "2023/06/01 (Thu) 10:00",
        "haystack_dates": [f"2023/05/{day:02d} (Mon) 17:50" for day in range(1, len(sessions) + 1)],
        "haystack_session_ids": list(sessions),
        "haystack_sessions": list(sessions.values()),
        "answer_session_ids": gold,
    }


LONGMEMEVAL = [
    lme("q-car", "single-session-user", "What broke after the service?", ["answer_1"], {"answer_1": CAR, "x_2": YOGA}),
    lme("q-hall", "single-session-assistant", "Which shelf did you name?", ["answer_3"], {"answer_3": SHELF}),
    lme("q-yoga", "knowledge-update", "On which day is yoga?", ["answer_4"], {"x_2": YOGA, "answer_4": YOGA_NOW}),
    lme("q-boat_abs", "single-session-user", "What is my boat called?", ["answer_1"], {"answer_1": CAR}),
]


def snippet(row: dict[str, Any]) -> dict[str, Any]:
    ids, dates, sessions = (row[f"haystack_{part}"] for part in ("session_ids", "dates", "sessions"))
    return {
        **{name: row[name] for name in ("question_id", "question_type", "question", "answer_session_ids")},
        "sessions": [
            {
                "session_id": name,
                "date": date,
                "user_text_500": "\n".join(t["content"] for t in talk if t["role"] == "user"),
            }
            for name, date, talk in zip(ids, dates, sessions, strict=True)
        ],
    }


def locomo_file(folder: Path) -> Path:
    path = folder / "locomo.json"
    path.write_text(json.dumps(LOCOMO), encoding="utf-8")
    return path


def corrections_file(folder: Path) -> Path:
    path = folder / "corrections.json"
    path.write_text(json.dumps(CORRECTIONS), encoding="utf-8")
    return path


def longmemeval_file(folder: Path) -> Path:
    path = folder / "oracle.json.gz"
    path.write_bytes(gzip.compress(json.dumps(LONGMEMEVAL).encode()))
    return path


def snippet_file(folder: Path) -> Path:
    path = folder / "snippet.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(json.dumps(snippet(row)) for row in LONGMEMEVAL).encode()))
    return path
