"""Commands that forget: forget, purge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .common import JsonOption, NamespaceOption, StoreOption, given_time, opened, out, say, wants_json

if TYPE_CHECKING:
    from ...records import Forgotten

IdsArgument = Annotated[list[str] | None, typer.Argument(help="Segment, note or turn ids.", show_default=False)]
QueryOption = Annotated[str | None, typer.Option("--query", "-q", help="Turns that contain these words.")]
SpeakerOption = Annotated[str | None, typer.Option("--speaker", "-s", help="What this person said.")]
ConversationOption = Annotated[str | None, typer.Option("--conversation", "-c", help="Only in this conversation.")]
SessionOption = Annotated[str | None, typer.Option("--session", help="Only in this session.")]
SinceOption = Annotated[str | None, typer.Option("--since", help="Said at this time or later, ISO 8601.")]
UntilOption = Annotated[str | None, typer.Option("--until", help="Said before this time, ISO 8601.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it; without this, only show what would go.")]


def register(app: typer.Typer) -> None:
    app.command("forget")(forget)
    app.command("purge")(purge)


def forget(
    ids: IdsArgument = None,
    query: QueryOption = None,
    speaker: SpeakerOption = None,
    conversation: ConversationOption = None,
    session: SessionOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    yes: YesOption = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Hide what meets all the bounds given; `engramma undo` brings it back. Without --yes, a preview."""
    bounds = chosen_bounds(query, speaker, conversation, session, since, until)
    with opened(store, namespace) as memory:
        done = memory.forget(ids or None, **bounds, preview=not yes)
    told(done, wants_json(json))
    if done.act is not None:
        say(f"`engramma undo {done.act}` brings it back; `engramma purge --act {done.act} --yes` removes it for good.")
    elif done.turns:
        say("Nothing was forgotten yet: this is a preview. The same with --yes does it.")


def purge(
    ids: IdsArgument = None,
    act: Annotated[int | None, typer.Option("--act", help="What this act of forgetting hid.")] = None,
    query: QueryOption = None,
    speaker: SpeakerOption = None,
    conversation: ConversationOption = None,
    session: SessionOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    yes: YesOption = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Take what meets the bounds out of every file for good. Nothing brings it back, not even importing it again."""
    from ...errors import BadInput
    from ..render import plural

    bounds = chosen_bounds(query, speaker, conversation, session, since, until)
    if act is not None and (ids or any(bounds.values())):
        raise BadInput("Say either --act or what to purge, not both.")
    if act is not None and not yes:
        raise BadInput(f"A purge is final. `engramma purge --act {act} --yes` does it.")
    with opened(store, namespace) as memory:
        if not yes:
            found = memory.forget(ids or None, **bounds, preview=True)
            told(found, wants_json(json))
            if found.turns or found.repeats:
                say("Nothing was purged: this is a preview. A purge is final; the same with --yes does it.")
            return
        done = memory.purge(ids or None, act=act, **bounds)
    told(done, wants_json(json))
    if done.backups and not wants_json(json):
        say(f"{plural(len(done.backups), 'backup')} made before still hold it, if they are of that time:")
        for path in done.backups:
            say(f"  {path}")
        say("Delete them to be rid of it for good, and make a new one with `engramma backup`.")
    elif done.purged and not wants_json(json):
        say("Backups and exports that you keep elsewhere may still hold it.")


def chosen_bounds(
    query: str | None,
    speaker: str | None,
    conversation: str | None,
    session: str | None,
    since: str | None,
    until: str | None,
) -> dict[str, Any]:
    times = {"since": given_time("--since", since), "until": given_time("--until", until)}
    return {"query": query, "speaker": speaker, "conversation": conversation, "session": session, **times}


def told(done: Forgotten, json: bool) -> None:
    from ..render import as_json, plural

    if json:
        out(as_json(done))
        return
    if not (done.purged or done.turns or done.repeats):
        out("Nothing matches.")
        return
    what = "purged" if done.purged else "forgotten" if done.act is not None else "would go"
    counts = f"{plural(done.turns, 'turn')} in {plural(done.segments, 'segment')} of {plural(done.sessions, 'session')}"
    repeats = f", {plural(done.repeats, 'repeat')}" if done.repeats else ""
    out(f"{what}: {counts}{repeats}")
    for line in done.sample:
        out(f"  {line}")
    if done.turns > len(done.sample) and done.sample:
        out(f"  … and {done.turns - len(done.sample):,} more")
