"""A tiny made-up corpus in the formats of the real sources."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from train import corpus, longmemeval, wordnet

TOKENIZER = Path(__file__).parents[2] / "src/engramma/models/weights/tokenizer.json"
FACTS = (
    ("What degree did I graduate with?", "I graduated with a degree in biology last spring."),
    ("Where did I buy my bicycle?", "I bought my bicycle at the market in Delft."),
    ("Who did I go to the concert with?", "I went to the concert with my sister on Friday."),
    ("What is the name of my hamster?", "My hamster is called Biscuit, I love that little animal."),
    ("How many books did I read in May?", "I read seven books in May because it rained a lot."),
    ("What instrument have I been learning?", "I've been learning the cello for two months."),
    ("When did I paint the fence?", "I painted the fence yesterday, and my back hurts."),
    ("What tea do I like?", "I enjoy green tea with honey in the morning."),
)

_INDEX = {
    "noun": "degree bicycle market concert sister hamster book cello fence tea honey animal biology",
    "verb": "graduate buy go love read learn paint enjoy hurt rain like call",
    "adj": "green",
    "adv": "quickly",
}


def words() -> wordnet.WordNet:
    """A WordNet of a few words in its own format; every noun is a kind of the first."""
    files: dict[str, str] = {}
    for part, listed in _INDEX.items():
        names = listed.split()
        above = "001 @ 00000001 n 0000" if part == "noun" else "000"
        files[f"index.{part}"] = "".join(
            f"{name} {part[0]} 1 0 1 1 {place:08d}  \n" for place, name in enumerate(names, 1)
        )
        files[f"data.{part}"] = "".join(
            f"{place:08d} 00 {part[0]} 02 {name} 0 {name}ish 0 {above} "
            f'| what a {name} is to people; "a {name} is here today"  \n'
            for place, name in enumerate(names, 1)
        )
    return wordnet.parse({name: "  1 licence\n" + text for name, text in files.items()})


def inputs(folder: Path) -> corpus.Inputs:
    """The sources, written into a folder."""
    rows, number = [], 0
    while len(rows) < 2 * len(FACTS):  # until both trainable and kept-apart questions are there
        question, fact = FACTS[len(rows) % len(FACTS)]
        session = [
            {"role": "user", "content": f"Hello there. By the way, {fact}", "has_answer": True},
            {"role": "assistant", "content": "That is good to hear! Tell me more about it, please."},
            {"role": "user", "content": "What should I cook tonight with the rice? I have some rice left."},
            {"role": "assistant", "content": "You could fry the rice with an egg and some greens."},
        ]
        key = f"q{number}"
        number += 1
        rows.append(
            {
                "question_id": key,
                "question": question,
                "question_type": "single-session-user",
                "haystack_session_ids": [f"answer_{key}"],
                "haystack_sessions": [session],
                "answer_session_ids": [f"answer_{key}"],
            }
        )
    assert {longmemeval.is_kept_apart(row["question_id"]) for row in rows} == {True, False}
    (folder / "oracle.json.gz").write_bytes(gzip.compress(json.dumps(rows).encode()))
    (folder / "locomo.json").write_text(json.dumps([_talk()]), "utf-8")
    return corpus.Inputs(folder / "oracle.json.gz", None, folder / "locomo.json", TOKENIZER)


def _talk() -> dict[str, object]:
    said = ("Hi Ben!", "I adopted a parrot named Kiwi.", "Lovely! I planted tomatoes on my balcony.", "Which sort?")
    turns = [
        {"speaker": ("Ana", "Ben")[place % 2], "dia_id": f"D1:{place + 1}", "text": text}
        for place, text in enumerate(said)
    ]
    asked = [
        {"question": "What pet does Ben have?", "answer": "a parrot", "evidence": ["D1:02"], "category": 4},
        {"question": "What grows on Ana's balcony?", "answer": "tomatoes", "evidence": ["D1:3; D1:9"], "category": 1},
    ]
    return {"sample_id": "made-up", "conversation": {"session_1": turns, "speaker_a": "Ana"}, "qa": asked}
