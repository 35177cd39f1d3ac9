"""Commands that forget: forget, purge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import BadInput
from ...language.near_names import did_you_mean
from ...language.text import fold_text, speaker_name
from ..conversation_names import place_meant
from .common import command, given_time, open_memory, say, tell, wants_json

if TYPE_CHECKING:
    from ...memory import Memory
    from ...records import Forgotten

IdsArgument = Annotated[list[str] | None, typer.Argument(help="Segment, note or turn ids.", show_default=False)]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it; without this, only show what would be removed.")]


@dataclass(frozen=True, slots=True)
class ForgetOptions:
    """What is meant: all that meets every one of these."""

    query: Annotated[str | None, typer.Option("--query", "-q", help="Turns that contain these words.")] = None
    speaker: Annotated[str | None, typer.Option("--speaker", "-s", help="What this person said.")] = None
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation",
            "-c",
            help="Only in this conversation or document: its id or how that begins, its title or file's name, or "
            "words of these.",
        ),
    ] = None
    session: Annotated[str | None, typer.Option("--session", help="Only in this session.")] = None
    since: Annotated[
        str | None, typer.Option("--since", help="Said at this time or later: a date, or words such as yesterday.")
    ] = None
    until: Annotated[str | None, typer.Option("--until", help="Said before this time.")] = None

    def values(self) -> dict[str, Any]:
        times = {"since": given_time("--since", self.since), "until": given_time("--until", self.until)}
        return {**asdict(self), **times}


@command("forget")
def _forget(ids: IdsArgument = None, *, bounds: ForgetOptions, yes: YesOption = False) -> None:
    """Hide what matches all the given criteria; `engramma undo N` brings it back. Without --yes, only a preview."""
    within = bounds.values()
    with open_memory() as memory:
        within, meant = _with_title_read(memory, within)
        meant += _own_names(memory, bounds.speaker)
        done, me = memory.forget(ids or None, **within, preview=not yes), memory.user_name
        meant += [] if done.turns else _unheard(memory, bounds.speaker)
    _told(done, me, meant)
    if done.act is not None:
        say(
            f"`engramma undo {done.act}` brings it back; `engramma purge --act {done.act}` shows it and, with --yes, "
            "deletes it permanently."
        )
    elif done.turns:
        say("Nothing was forgotten yet: this is a preview. Run it again with --yes.")


@command("purge")
def _purge(
    ids: IdsArgument = None,
    act: Annotated[int | None, typer.Option("--act", help="What this act of forgetting hid.")] = None,
    *,
    bounds: ForgetOptions,
    yes: YesOption = False,
) -> None:
    """Permanently delete what matches from every file. Nothing brings it back, not even importing it again."""
    from ..render import plural

    within = bounds.values()
    if act is not None and (ids or any(within.values())):
        raise BadInput("Give either --act or what to purge, not both.")
    with open_memory() as memory:
        try:
            within, meant = _with_title_read(memory, within)
        except BadInput:
            if yes:  # an interrupted purge may have taken the conversation out, and the next one finishes it
                with suppress(BadInput):
                    memory.purge(ids or None, **within)
            raise
        meant += _own_names(memory, bounds.speaker)
        done, me = memory.purge(ids or None, act=act, **within, preview=not yes), memory.user_name
        meant += [] if done.turns or done.purged else _unheard(memory, bounds.speaker)
    _told(done, me, meant)
    if not yes:
        if done.turns or done.repeats:
            say("Nothing was purged: this is a preview. A purge is final; run it again with --yes.")
        return
    if done.backups and not wants_json():
        say(f"{plural(len(done.backups), 'backup')} made earlier may still contain it:")
        for path in done.backups:
            say(f"  {path}")
        say("Delete them to remove it completely, and make a new one with `engramma backup`.")
    elif done.purged and not wants_json():
        say("Backups and exports that you keep elsewhere may still contain it.")


def _with_title_read(memory: Memory, within: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The same with the conversation or document that was named as `show` takes it, and a remark if by a part only."""
    if within["conversation"] is None:
        return within, []
    place = place_meant(memory, within["conversation"])
    if place.document is not None and within["session"] not in (None, place.document):
        raise BadInput(f"{within['conversation']!r:.200} is a document, which has no sessions. Leave --session out.")
    session = within["session"] if place.document is None else place.document
    return {**within, "conversation": place.conversation, "session": session}, [place.remark] if place.remark else []


def _own_names(memory: Memory, speaker: str | None) -> list[str]:
    """A remark where somebody is the user, who speaks under several names: all of them are meant."""
    names = memory.browse.spellings(speaker) if speaker else []
    told = list({fold_text(name): name for name in names}.values())
    return [f"You speak here as {' and as '.join(told)}: all of it is meant."] if len(told) > 1 else []


def _unheard(memory: Memory, speaker: str | None) -> list[str]:
    """A remark where nobody speaks under a name, with who may be meant: what is forgotten is named in full."""
    if speaker is None or fold_text(speaker) in map(fold_text, memory.browse.spellings(speaker)):
        return []
    near = [name for name in memory.browse.names_near(speaker) if name != speaker]
    return [f"Nobody called {speaker!r:.200} has spoken here. {did_you_mean(near)}".rstrip()]


def _told(done: Forgotten, me: str, remarks: Sequence[str]) -> None:
    tell(done, lines(done, me), *remarks)


def lines(done: Forgotten, me: str = "") -> Iterator[str]:
    """What goes or went, with its first turns; `me` is the user's name."""
    from ..render import plural

    if not (done.purged or done.turns or done.repeats):
        yield "Nothing matches."
        return
    what = "purged" if done.purged else "forgotten" if done.act is not None else "would go"
    counts = plural(done.turns, "turn")
    if done.segments:  # nobody knows them any more where a purge that was interrupted is finished
        counts += f" in {plural(done.segments, 'segment')} of {plural(done.sessions, 'session')}"
    repeats = f", {plural(done.repeats, 'repeat')}" if done.repeats else ""
    yield f"{what}: {counts}{repeats}"
    for line in done.sample:
        when, end, said = line.partition("] ")
        name, colon, words = said.partition(": ")
        yield f"  {when}{end}{speaker_name(name, me)}{colon}{words}"
    if done.turns > len(done.sample) and done.sample:
        yield f"  … and {done.turns - len(done.sample):,} more"
