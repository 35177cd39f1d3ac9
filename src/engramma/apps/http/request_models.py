"""Request models: every value with its limits. A value outside them is refused before a memory sees it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from ...ingest.validate import MAX_NAME
from ...language.times import parse_end, parse_time
from ...recall.query import MAX_QUERY
from ...recall.recipes import RECIPES
from ...records import LinkKind, Role
from ...records.notes import MAX_META_ENTRIES, MAX_META_NAME, MAX_META_SIZE, MAX_TAG, MAX_TAGS
from ...records.recall import MOST_HOPS, MOST_NEIGHBORS

MOST_TURNS = 1_000  # of one request
LONGEST_TEXT = 4 * 1024 * 1024  # characters of a turn or a note; the store's own limit, in bytes, may be lower
MOST_K = 1_000
MOST_TOKENS = 1_000_000
MOST_IDS = 1_000
MOST_CONTEXT = 200  # turns in front of the assistant already
MOST_NAMESPACES = 100  # of one question
LONGEST_TTL_DAYS = 36_600
LONGEST_ID = 2 * MAX_NAME + 50  # a segment's id names its conversation and its session
BIGGEST = 2**63 - 1  # that a database takes


SPEAKER_FILTER = "Only segments in which this person says something; the case of letters is ignored."
SINCE_FILTER = "Only what was said at this time or later."
UNTIL_FILTER = "Only what was said before this time; a date without a time includes that day."
TAG_FILTER = "Only notes with this tag."
SOURCE_FILTER = "Only what came from there: an import format, a note's source or a document's name."


def whole_text(text: str) -> str:
    """A text that can be stored: no NUL, no half of a character."""
    if "\0" in text:
        raise ValueError("it contains a NUL character; remove it")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("it has half a character (a lone surrogate); decode the source first") from None
    return text


def spoken_time(value: Any) -> datetime | None:
    """A moment with its offset from UTC."""
    return None if value is None else _time(value, needs_offset=True)


def told_time(value: Any) -> datetime | None:
    """A date or a moment, in UTC unless it says otherwise."""
    return None if value is None else _time(value, needs_offset=False)


def ending_time(value: Any) -> datetime | None:
    """The same as the end of a span: a date without a time means the end of that day."""
    return None if value is None else _time(value, needs_offset=False, parse=parse_end)


def _time(value: Any, needs_offset: bool, parse: Callable[[str, tzinfo | None], datetime] = parse_time) -> datetime:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or len(value) > 64:
        raise ValueError("a time must be a string such as 2026-05-08T13:56:00Z")
    return parse(value, None if needs_offset else UTC)


Text = Annotated[str, AfterValidator(whole_text)]
Name = Annotated[Text, Field(min_length=1, max_length=MAX_NAME)]
Namespace = Annotated[Text, Field(min_length=1, max_length=200)]
Id = Annotated[Text, Field(min_length=1, max_length=LONGEST_ID)]
Tag = Annotated[Text, Field(min_length=1, max_length=MAX_TAG, pattern="^[^,]+$")]
Said = Annotated[
    datetime | None,
    BeforeValidator(spoken_time),
    WithJsonSchema({"anyOf": [{"type": "string", "format": "date-time"}, {"type": "null"}]}),
]
_MOMENT = WithJsonSchema({"anyOf": [{"type": "string", "maxLength": 64}, {"type": "null"}], "examples": ["2026-05-08"]})
Moment = Annotated[datetime | None, BeforeValidator(told_time), _MOMENT]
SpanEnd = Annotated[datetime | None, BeforeValidator(ending_time), _MOMENT]
Recipe = Annotated[
    Text, Field(min_length=1, max_length=50, description=f"How to look: {', '.join(RECIPES)}.", examples=["default"])
]
K = Annotated[
    int | None,
    Field(ge=1, le=MOST_K, description="Maximum number of entry segments: 10, and with a budget as many as fit."),
]
Hops = Annotated[int, Field(ge=1, le=MOST_HOPS, description="How many edges away.")]
Cap = Annotated[int, Field(ge=1, le=MOST_NEIGHBORS, description="Maximum number of neighbours.")]
Topic = Annotated[int | None, Field(ge=1, le=BIGGEST, description="Only this topic (GET /api/topics).")]
AnyLink = Literal[
    "related_to", "supports", "contradicts", "part_of", "caused_by", "before", "after", "extends", "supersedes"
]


class RequestModel(BaseModel):
    """Names that are not known are refused: a typo must not change what is meant."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class TurnIn(RequestModel):
    """One message by one speaker."""

    speaker: Name = Field(examples=["Ann"])
    text: Text = Field(min_length=1, max_length=LONGEST_TEXT, examples=["The boiler was repaired in March."])
    said_at: Said = Field(None, description="When, with an offset from UTC; by default now.")
    id: Name | None = Field(None, description="Your own id. A turn sent again with the same id is not stored twice.")
    role: Role | None = Field(None, description="In a chat with an assistant.")


class TurnsIn(RequestModel):
    """Turns of one session, in the order in which they were said."""

    conversation: Name = Field(description="The thread.", examples=["kitchen"])
    session: Name | None = Field(None, description="The session; by default, a long pause ends one.")
    turns: list[TurnIn] = Field(min_length=1, max_length=MOST_TURNS)
    close: bool = Field(False, description="Close the session after this.")


class SessionIn(RequestModel):
    """A session by its name."""

    conversation: Name = Field(examples=["kitchen"])
    session: Name = Field(examples=["20260508T135600.000000Z"])


class Question(RequestModel):
    """What to look for, and where."""

    query: Text = Field(min_length=1, max_length=MAX_QUERY, examples=["When was the boiler repaired?"])
    k: K = None
    recipe: Recipe = "default"
    conversation: Name | None = Field(None, description="Only this conversation.")
    exclude_session: Id | None = Field(None, description="The current session, which need not be recalled.")
    active_context: list[Annotated[Text, Field(max_length=100_000)]] = Field(
        [], max_length=MOST_CONTEXT, description="What the assistant already sees; it is left out."
    )
    budget_tokens: int | None = Field(None, ge=1, le=MOST_TOKENS, description="Maximum tokens in the context block.")
    asked_at: Moment = Field(
        None, description='What "last week" is relative to; by default when something was last said.'
    )
    as_of: Moment = Field(None, description="Answer with what was known at that time.")
    archived: bool = Field(False, description="Include archived segments.")
    topic: Topic = None
    speaker: Name | None = Field(None, description=SPEAKER_FILTER)
    since: Moment = Field(None, description=SINCE_FILTER)
    until: SpanEnd = Field(None, description=UNTIL_FILTER)
    tag: Tag | None = Field(None, description=TAG_FILTER)
    source: Name | None = Field(None, description=SOURCE_FILTER)


class WideQuestion(Question):
    """A question to one namespace or to several at once."""

    namespaces: list[Namespace] | None = Field(
        None,
        min_length=1,
        max_length=MOST_NAMESPACES,
        description='Namespaces to search, as far as you may read them; "*": all.',
    )


class FeedbackIn(Question):
    """A question as it was asked, and which segments of its answer were of use."""

    used: list[Id] = Field(min_length=1, max_length=MOST_IDS, examples=[["note_5f1c0d3a9b7e4c21"]])


class NoteIn(RequestModel):
    """Something to keep on purpose."""

    text: Text = Field(min_length=1, max_length=LONGEST_TEXT, examples=["The boiler was repaired in March."])
    speaker: Name = Field("user", description="Who says so.")
    tags: list[Tag] = Field([], max_length=MAX_TAGS, examples=[["home", "boiler"]])
    ttl_days: float | None = Field(None, gt=0, le=LONGEST_TTL_DAYS, description="How long it is worth keeping.")
    source: Name | None = Field(None, description="Where it comes from.")
    session: Name | None = Field(None, description="The session it belongs to.")
    strength: float = Field(0.5, ge=0, le=1, description="How much it matters.")
    said_at: Said = Field(None, description="When; by default now.")
    meta: dict[Annotated[Text, Field(min_length=1, max_length=MAX_META_NAME)], Text] = Field(
        {},
        max_length=MAX_META_ENTRIES,
        description=f"What else to keep with it: names and texts, {MAX_META_SIZE:,} characters in all.",
        examples=[{"ticket": "42"}],
    )


class NoteChange(RequestModel):
    """A change to a note."""

    text: Text | None = Field(
        None, min_length=1, max_length=LONGEST_TEXT, description="New text: a new note replaces the old one."
    )
    tags: list[Tag] | None = Field(None, max_length=MAX_TAGS, description="Its new tags, all of them.")


class LinkIn(RequestModel):
    """A typed link from one segment to another."""

    source: Id = Field(examples=["note_5f1c0d3a9b7e4c21"])
    kind: LinkKind = Field(description="What the source is to the target.")
    target: Id = Field(examples=["seg_kitchen/monday_0"])
    weight: float = Field(1.0, gt=0, le=1)
    label: Name | None = Field(None, description="Your own label for it.")
    author: Name = Field("user", description="Who says so.")
    provenance: Name | None = Field(None, description="Where this is known from.")


class Bounds(RequestModel):
    """What is meant: all that meets every bound given. A query means the turns that contain its words."""

    ids: list[Id] | None = Field(None, min_length=1, max_length=MOST_IDS, description="Segments, or turns' ids.")
    query: Text | None = Field(None, min_length=1, max_length=MAX_QUERY)
    speaker: Name | None = None
    conversation: Name | None = None
    session: Name | None = None
    since: Moment = None
    until: Moment = None


class ForgetIn(Bounds):
    """What to hide; an undo brings it back."""

    preview: bool = Field(False, description="Only report what would be forgotten.")


class PurgeIn(Bounds):
    """What to take out of every file for good, by bounds or by the act of forgetting that hid it."""

    act: int | None = Field(None, ge=1, le=BIGGEST, description="What this act of forgetting hid.")
    confirm: Literal[True] = Field(description="A purge is final: set true to confirm.")


class UndoIn(RequestModel):
    """An act to take back."""

    act: int = Field(ge=1, le=BIGGEST, description="Its number in GET /api/acts.")


class NamespaceIn(RequestModel):
    """A namespace to make."""

    name: Text = Field(min_length=1, max_length=200, examples=["work"])


class RenameIn(RequestModel):
    """Another name for a namespace."""

    old: Text = Field(min_length=1, max_length=200, examples=["work"])
    new: Text = Field(min_length=1, max_length=200, examples=["job"])
