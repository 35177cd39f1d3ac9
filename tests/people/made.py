"""Claims made by hand, as extraction gives them: the design's own examples, and what else is needed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from engramma.records.people import Claim


def day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def said(
    speaker: str,
    relation: str,
    value: str,
    place: str,
    when: str,
    quote: str = "",
    *,
    of: str | None = None,
    **more: Any,
) -> Claim:
    """A claim by `speaker` of themselves, or `of` somebody else. `place`: conversation/turn, as in conv-41/D3:5."""
    conversation, turn = place.split("/")
    session = f"{conversation}-s{turn.removeprefix('D').split(':')[0]}"
    return Claim(
        subject=of or speaker,
        subject_type="person",
        relation=relation,
        value=value,
        value_type=more.pop("value_type", "thing"),
        speaker=speaker,
        conversation=conversation,
        session=session,
        turn_ids=(turn, *more.pop("also", ())),
        said_at=day(when),
        quote=quote or f"{relation} {value}",
        start=0,
        **{"confidence": 0.8, "id": f"{place}:{relation}:{value}", **more},
    )


PARTNERS = {"conv-41": ("Maria",), "conv-43": ("Tim",), "conv-47": ("James",), "conv-26": ("Melanie",)}

JOB_1 = (
    said(
        *("John", "works_as", "software engineer", "conv-41/D3:5", "2023-05-15"),
        "I work at TechCorp as a software engineer",
        questions=(("What is John's role?", "software engineer"),),
    ),
    said(
        *("John", "works_at", "TechCorp", "conv-41/D3:5", "2023-05-15"),
        "I work at TechCorp as a software engineer",
        questions=(("Where does John work?", "TechCorp"),),
        value_type="organisation",
    ),
)
JOB_2 = (
    said("John", "works_as", "team lead", "conv-43/D2:4", "2023-07-10", "I just became team lead at my company"),
    said("John", "works_at", "company", "conv-43/D2:4", "2023-07-10", "I just became team lead at my company"),
)
JOB_3 = (
    said("John", "left_job", "job", "conv-47/D1:7", "2023-09-12", "I left my job to start a startup"),
    said("John", "founded", "startup", "conv-47/D1:7", "2023-09-12", "I left my job to start a startup"),
)
JOHNS_JOB = (*JOB_1, *JOB_2, *JOB_3)

SARAH = said(
    "John", "dating", "Sarah", "conv-41/D5:2", "2023-05-20", "I'm dating Sarah, it's serious", value_type="person"
)
LISA = said("John", "married_to", "Lisa", "conv-47/D3:1", "2023-09-20", "Lisa and I got married", value_type="person")

SEATTLE = said("John", "lives_in", "Seattle", "conv-41/D2:3", "2023-05-10", "I live in Seattle", value_type="place")
AUSTIN = said(
    *("John", "moved_to", "Austin", "conv-47/D2:2", "2023-09-14", "I moved to Austin for the startup"),
    value_type="place",
)

CAREER = (
    said(
        *("Caroline", "aspires_to", "counseling or working in mental health", "conv-26/D1:9", "2023-05-08"),
        "I'm keen on counseling or working in mental health",
        questions=(("What career path is Caroline considering?", "counseling or working in mental health"),),
    ),
    said(
        *("Caroline", "needs", "psychology courses and counseling certification", "conv-26/D1:11", "2023-05-08"),
        "I'd need psychology courses and counseling certification",
    ),
    said(
        *(
            "Caroline",
            "plans",
            "working with trans people, helping them accept themselves",
            "conv-26/D4:7",
            "2023-06-27",
        ),
        "I'm thinking of working with trans people, helping them accept themselves",
        modality="plan",
    ),
)


def without(claims: Iterable[Claim], *conversations: str) -> list[Claim]:
    return [claim for claim in claims if claim.conversation not in conversations]
