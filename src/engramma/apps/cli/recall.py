"""Commands that read: recall, recipes, stats."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

import typer

from ...language.times import parse_time, zoned_minute
from .common import command, given_end, given_time, open_memory, out, out_json, show, store_path, tell, wants_json
from .served import printed_by_daemon
from .terminal import screen

# tests/apps/cli/test_cli.py holds it against the recipes, which take as long to import as a command to start.
RECIPE_NAMES = "default, best, pmg, pocketpaw, pgmemory, takizen, bm25 or vector"

LAID_ASIDE = ("archived", "retired")  # figures of segments that are kept, and found when they are asked for


@dataclass(frozen=True, slots=True)
class RecallFilters:
    """Only what meets all of these."""

    speaker: Annotated[str | None, typer.Option("--speaker", "-s", help="Only what this person says.")] = None
    since: Annotated[
        str | None, typer.Option(help="Only what was said then or later: a date or time, or words such as yesterday.")
    ] = None
    until: Annotated[str | None, typer.Option(help="Only what was said before then; a date includes that day.")] = None
    tag: Annotated[str | None, typer.Option(help="Only notes with this tag.")] = None
    source: Annotated[
        str | None, typer.Option(help="Only what came from there: a format, a note's source, a document.")
    ] = None

    def values(self) -> dict[str, Any]:
        span = {"since": given_time("--since", self.since), "until": given_end("--until", self.until)}
        return {**asdict(self), **span}


@command("recall")
def _recall(
    words: Annotated[list[str], typer.Argument(metavar="QUERY", help="What to look for, in your own words.")],
    k: Annotated[
        int | None,
        typer.Option("-k", help="Maximum number of entry segments.", show_default="10; with --budget as many as fit"),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="The whole context block that an assistant is given, its times in your zone.")
    ] = False,
    recipe: Annotated[str, typer.Option(help=f"{RECIPE_NAMES}; `engramma recipes` shows them.")] = "default",
    exclude_session: Annotated[
        str | None, typer.Option(help="The current session, which need not be recalled.")
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation",
            "-c",
            help="Only this conversation or document: its id, its title or file's name, or words of these.",
        ),
    ] = None,
    *,
    filters: RecallFilters,
    context: Annotated[
        list[str] | None,
        typer.Option("--context", help="A turn the assistant already sees (repeatable)."),
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Maximum tokens in the context block.", min=1)] = None,
    asked_at: Annotated[
        str | None,
        typer.Option(
            help='Date or time that "last week" is relative to; local unless it has an offset.',
            show_default="when something was last said",
        ),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(help="Answer with what was known at that time (date or time).", show_default=False)
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Include archived segments.")] = False,
    topic: Annotated[int | None, typer.Option(help="Only this topic; `engramma topics` lists them.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also explain why each segment was included.")] = False,
) -> None:
    """Recall what matters for a question, best first, each cut to what matched. `engramma show ID` shows the rest."""
    at, then = given_time("--asked-at", asked_at), given_time("--as-of", as_of)
    asked = {
        **{"text": " ".join(words), "k": k, "exclude_session": exclude_session, "active_context": context or []},
        **{"conversation": conversation, "budget_tokens": budget, "archived": archived, "topic": topic},
        **{"asked_at": at, "as_of": then},
        **filters.values(),
    }
    call = {
        "query": {name: one.isoformat() if isinstance(one, datetime) else one for name, one in asked.items()},
        **{"recipe": recipe, "full": full, "explain": explain, "json": wants_json(), "screen": screen()},
    }
    if (printed := printed_by_daemon("recall", call)) is None:
        from ..command_answers import answer_recall, printed_recall

        with open_memory() as memory:
            printed = printed_recall(answer_recall(memory, call), call, memory.user_name)
    show(printed)


@command("recipes", without=("namespace",))
def recipes(
    name: Annotated[str | None, typer.Argument(help=f"{RECIPE_NAMES}.", show_default="all of them")] = None,
) -> None:
    """Show how each recipe recalls, step by step, with its numbers as this memory sets them."""
    from ...config.settings import load_config
    from ...recall.recipes import RECIPES, check_overrides, plan_for
    from ..render import plan_lines

    overrides = load_config(store_path()).recipes
    check_overrides(overrides)
    plans = [plan_for(recipe, overrides) for recipe in (RECIPES if name is None else [name])]
    told = "\n\n".join("\n".join(plan_lines(plan)) for plan in plans)
    tell(plans if name is None else plans[0], [told])


def shown_minute(at: str | None) -> str:
    """A time of the figures, for people."""
    return "never" if at is None else zoned_minute(parse_time(at))


@command("stats")
def _stats() -> None:
    """Show statistics: what is remembered, how large it is, which model and thresholds are used."""
    from ...admin.switch_index import told_health
    from ...ingest.backlog import told_backlog
    from ...language.text import speaker_name
    from ..render import plural, size

    with open_memory() as memory:
        figures, me = memory.stats(), memory.user_name
    if wants_json():
        out_json(figures)
        return
    f = figures
    others = [name for name in f["namespaces"] if name != f["namespace"]]
    beside = f"; others: {', '.join(others)}" if others else ""
    out(f"store       {f['store']} (namespace {f['namespace']}{beside})")
    out(
        f"remembered  {plural(f['conversations'], 'conversation')}, {plural(f['sessions'], 'session')} "
        f"({f['open_sessions']} open), {plural(f['turns'], 'turn')}"
    )
    kept = [plural(f["notes"], "note"), plural(f["documents"], "document"), plural(f["topics"], "topic")]
    apart = [f"{plural(f[name], 'segment')} {name}" for name in LAID_ASIDE if f[name]]
    out(f"kept        {', '.join(kept + apart)}")
    if f["forgotten_turns"]:
        them = "it" if f["forgotten_turns"] == 1 else "them"
        back = f"`engramma acts` says when, `engramma undo` brings {them} back"
        out(f"hidden      {plural(f['forgotten_turns'], 'turn')} forgotten ({back})")
    out(f"from, to    {shown_minute(f['first_turn'])}, {shown_minute(f['last_turn'])}")
    spoken = ", ".join(f"{speaker_name(name, me)} {count}" for name, count in f["speakers_by_person"].items())
    out(f"speakers    {spoken}")
    parts = [plural(f["segments"], "segment"), *(plural(n, f"{kind} edge") for kind, n in f["edges"].items())]
    out(f"graph       {', '.join(parts)}")
    if f["redacted"]:
        out(f"masked      {', '.join(f'{rule} {count}' for rule, count in f['redacted'].items())}")
    shape = f"{f['embedder']['dimension']} dimensions" if f["embedder"]["dimension"] else "never reached so far"
    out(f"embedder    {f['embedder']['name']}, {shape}")
    if f["backlog"]["segments"] or f["backlog"]["away_since"]:
        out(f"            {told_backlog(f['backlog'])}")
    if f["index"]["backend"] != "faiss":
        out(f"index       {told_health(f['index'])}")
    if f["thresholds"]:
        t = f["thresholds"]
        out(
            f"thresholds  {t['mode']}: floor {t['floor']:.3f}, edge {t['edge']:.3f}, "
            f"dedup {t['dedup']:.3f} (recipe default)"
        )
    out(f"on disk     {', '.join(f'{name} {size(count)}' for name, count in f['bytes'].items() if count)}")
