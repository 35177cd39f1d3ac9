"""Commands about topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, opened, out, progress_bar, say, wants_json

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Topic

BAR = 20  # characters of the longest bar


def register(app: typer.Typer) -> None:
    app.command("topics")(topics)


def topics(
    topic: Annotated[int | None, typer.Argument(help="A topic's number, to see what is in it.")] = None,
    find: Annotated[bool, typer.Option("--find", help="Find the topics, or bring them up to date.")] = False,
    join: Annotated[
        bool, typer.Option("--join", help="Only put what is new into the topics there are: fast, needs no extra.")
    ] = False,
    limit: Annotated[int, typer.Option(help="Most topics or segments to show; --json shows all.", min=1)] = 30,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """List what the memory is about, the largest topic first, or show one topic's segments, the most linked first."""
    from ..render import as_json, plural

    with opened(store, namespace) as memory:
        if find:
            with progress_bar() as bar:
                task = bar.add_task("finding topics", total=None)
                memory.topics.find(lambda done, total: bar.update(task, completed=done, total=total))
        elif join:
            say(f"{plural(memory.topics.join(), 'segment')} joined a topic.")
        if topic is not None:
            show_topic(memory, topic, limit, wants_json(json))
            return
        found = memory.topics.all() if wants_json(json) else memory.topics.all(0)
    if wants_json(json):
        out(as_json(found))
        return
    for line in listed(found[:limit]):
        out(line)
    if len(found) > limit:
        say(f"… and {len(found) - limit:,} more (--limit shows them).")
    if not found:
        say("There are no topics yet. `engramma topics --find` looks for them.")


def listed(found: list[Topic]) -> list[str]:
    """One line a topic: number, size with a bar, first and last day, terms."""
    largest = max((topic.size for topic in found), default=1)
    width = max((len(str(topic.id)) for topic in found), default=1)
    return [
        f"{topic.id:>{width}}  {topic.size:>5,}  {'█' * max(1, round(BAR * topic.size / largest)):<{BAR}}  "
        f"{topic.first_said_at:%Y-%m-%d} – {topic.last_said_at:%Y-%m-%d}  {topic.name}"
        for topic in found
    ]


def show_topic(memory: Memory, id: int, limit: int, json: bool) -> None:
    from ...errors import BadInput
    from ...language.times import readable
    from ..render import as_json

    found = memory.topics.get(id)
    if found is None:
        raise BadInput(f"There is no topic {id}. `engramma topics` lists what is there.")
    topic, segments = found
    if json:
        out(as_json({"topic": topic, "segments": segments}))
        return
    out(listed([topic])[0])
    for segment in segments[:limit]:
        text = segment.text if len(segment.turn_ids) > 1 else f"{segment.speakers[0]}: {segment.text}"
        out(f"\n{segment.id}  {readable(segment.said_at)} UTC\n{text}")
    if len(segments) > limit:
        say(f"… and {len(segments) - limit:,} more (--limit shows them).")
