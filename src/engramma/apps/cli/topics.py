"""Commands about topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from ...language.times import local_day, zoned_minute
from .common import command, open_memory, progress_bar, say, tell, wants_json

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Segment, Topic

BAR = 20  # characters of the longest bar


@command("topics")
def _topics(
    topic: Annotated[int | None, typer.Argument(help="A topic's number, to see what is in it.")] = None,
    find: Annotated[bool, typer.Option("--find", help="Find the topics, or bring them up to date.")] = False,
    join: Annotated[
        bool, typer.Option("--join", help="Only add new segments to existing topics: fast, needs no extra.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Maximum topics or segments to show; --json shows all.", min=1)] = 30,
) -> None:
    """List what the memory is about, the largest topic first, or show one topic's segments, the most linked first."""
    from ..render import plural

    with open_memory() as memory:
        if find:
            with progress_bar() as bar:
                task = bar.add_task("finding topics", total=None)
                memory.topics.find(lambda done, total: bar.update(task, completed=done, total=total))
        elif join:
            say(f"{plural(memory.topics.join(), 'segment')} joined a topic.")
        if topic is not None:
            return show_topic(memory, topic, limit)
        found = memory.topics.all() if wants_json() else memory.topics.all(0)
    none = "There are no topics yet. `engramma topics --find` looks for them."
    return tell(found, _listed(found[:limit]), *more(found, limit), none=none)


def _listed(found: list[Topic]) -> list[str]:
    """One line a topic: number, size with a bar, first and last day, terms."""
    largest = max((topic.size for topic in found), default=1)
    width = max((len(str(topic.id)) for topic in found), default=1)
    return [
        f"{topic.id:>{width}}  {topic.size:>5,}  {'█' * max(1, round(BAR * topic.size / largest)):<{BAR}}  "
        f"{local_day(topic.first_said_at)} – {local_day(topic.last_said_at)}  {topic.name}"
        for topic in found
    ]


def show_topic(memory: Memory, id: int, limit: int) -> None:
    found = memory.topics.get(id)
    if found is None:
        raise BadInput(f"There is no topic {id}. `engramma topics` lists them.")
    topic, segments = found
    me = memory.user_name
    lines = [*_listed([topic]), *(segment_lines(segment, me) for segment in segments[:limit])]
    tell({"topic": topic, "segments": segments}, lines, *more(segments, limit))


def segment_lines(segment: Segment, me: str) -> str:
    from ..render import segment_text

    return f"\n{segment.id}  {zoned_minute(segment.said_at)}\n{segment_text(segment, me)}"


def more(found: Sequence[object], limit: int) -> list[str]:
    return [f"… and {len(found) - limit:,} more (--limit shows them)."] if len(found) > limit else []
