"""Commands that read: recall, recipes, show, sessions, stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, given_time, opened, out, say, store_path, wants_json

if TYPE_CHECKING:
    from ...memory import Memory

# tests/apps/test_cli.py holds it against the recipes themselves, which take as long to import as a command to start.
RECIPE_NAMES = "default, pmg, pocketpaw, pgmemory, takizen, bm25 or vector"


LAID_ASIDE = {"archived": "segments archived", "retired": "retired", "forgotten_turns": "turns forgotten"}


def register(app: typer.Typer) -> None:
    app.command("recall")(recall)
    app.command("recipes")(recipes)
    app.command("show")(show)
    app.command("sessions")(sessions)
    app.command("stats")(stats)


def recall(
    query: Annotated[str, typer.Argument(help="What to look for, in your own words.")],
    k: Annotated[int, typer.Option("-k", help="Most entry segments.")] = 10,
    recipe: Annotated[str, typer.Option(help=f"{RECIPE_NAMES}; `engramma recipes` shows them.")] = "default",
    exclude_session: Annotated[str | None, typer.Option(help="The session at hand, which needs no recalling.")] = None,
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only this conversation.")] = None,
    context: Annotated[
        list[str] | None,
        typer.Option("--context", help="A turn in front of the assistant already (repeatable)."),
    ] = None,
    budget: Annotated[int | None, typer.Option(help="Most tokens of the context block.", min=1)] = None,
    asked_at: Annotated[
        str | None,
        typer.Option(
            help='Date or time from which "last week" counts, in UTC unless it says otherwise.',
            show_default="when something was last said",
        ),
    ] = None,
    as_of: Annotated[
        str | None, typer.Option(help="Answer with what was known then (date or time).", show_default=False)
    ] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Look at what was archived, too.")] = False,
    topic: Annotated[int | None, typer.Option(help="Only this topic; `engramma topics` lists them.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Also say why each segment is there.")] = False,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Recall what matters for a question: the context block, in the order in which it was said."""
    from ..render import as_json, explain_lines, recall_notes

    at, then = given_time("--asked-at", asked_at), given_time("--as-of", as_of)
    with opened(store, namespace) as memory:
        found = memory.recall(
            query, k, recipe, exclude_session, context or (), conversation, budget, at, then, archived, topic
        )
    if wants_json(json):
        out(as_json(found))
        return
    out(found.context)
    if explain:
        out("\n".join(["", *explain_lines(found)]))
    for line in recall_notes(found):
        say(f"note: {line}")


def recipes(
    name: Annotated[str | None, typer.Argument(help=f"{RECIPE_NAMES}.", show_default="all of them")] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Show how each recipe recalls, step by step, with its numbers as this memory sets them."""
    from ...config import load_config
    from ...recall.recipes import RECIPES, check_overrides, plan_for
    from ..render import as_json, plan_lines

    overrides = load_config(store_path(store)).recipes
    check_overrides(overrides)
    plans = [plan_for(recipe, overrides) for recipe in (RECIPES if name is None else [name])]
    if wants_json(json):
        out(as_json(plans if name is None else plans[0]))
        return
    out("\n\n".join("\n".join(plan_lines(plan)) for plan in plans))


def show(
    what: Annotated[str, typer.Argument(help="A segment id (seg_…, note_…, doc_…), or CONVERSATION/SESSION.")],
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Show a segment with its edges, or a whole session, verbatim."""
    with opened(store, namespace) as memory:
        if what.startswith(("seg_", "note_", "doc_")) and show_segment(memory, what, wants_json(json)):
            return
        show_session(memory, what, wants_json(json))


def show_segment(memory: Memory, segment_id: str, json: bool) -> bool:
    from ...times import readable
    from ..render import as_json

    found = memory.segment(segment_id)
    if found is None:
        return False
    segment, links = found
    if json:
        edges = [{"kind": kind, "weight": weight, "segment": other} for kind, weight, other in links]
        out(as_json({"segment": segment, "edges": edges}))
        return True
    out(f"{segment.id}  {readable(segment.said_at)} UTC  turns {', '.join(segment.turn_ids)}")
    out(segment.text if len(segment.turn_ids) > 1 else f"{segment.speakers[0]}: {segment.text}")
    for kind, weight, other in links:
        out(f"  {kind:<8} {weight:.2f}  {other}")
    return True


def show_session(memory: Memory, name: str, json: bool) -> None:
    from ...errors import BadInput
    from ...times import readable
    from ..render import as_json

    rows = [r for r in memory.sessions() if name in (r["id"], f"{r['conversation']}/{r['id']}")]
    if not rows:
        raise BadInput(f"There is no segment or session {name!r}. `engramma sessions` lists what is there.")
    if len(rows) > 1:
        names = ", ".join(f"{r['conversation']}/{r['id']}" for r in rows[:5])
        raise BadInput(f"{name!r} is in several conversations: {names}. Say which.")
    row = rows[0]
    turns = memory.turns(row["conversation"], row["id"])
    if json:
        out(as_json({"conversation": row["conversation"], "session": row["id"], "turns": turns}))
        return
    out(f"{row['conversation']}/{row['id']}  {'closed' if row['closed'] else 'open'}")
    for turn in turns:
        assert turn.said_at is not None
        out(f"[{readable(turn.said_at)}] {turn.speaker}: {turn.text}")


def sessions(
    conversation: Annotated[str | None, typer.Option("--conversation", "-c", help="Only this conversation.")] = None,
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """List the sessions, oldest first."""
    from ...times import format_time, from_micros, readable
    from ..render import as_json, plural

    with opened(store, namespace) as memory:
        rows = memory.sessions(conversation)
    if wants_json(json):
        listed = [
            {
                "conversation": r["conversation"],
                "session": r["id"],
                "started_at": format_time(from_micros(r["started_at"])),
                "last_at": format_time(from_micros(r["last_at"])),
                "closed": bool(r["closed"]),
                "turns": r["turns"],
                "segments": r["segments"],
            }
            for r in rows
        ]
        out(as_json(listed))
        return
    for r in rows:
        state = "" if r["closed"] else "  (open)"
        out(
            f"{readable(from_micros(r['started_at']))}  {r['conversation']}/{r['id']}  "
            f"{plural(r['turns'], 'turn')}{state}"
        )
    if not rows and conversation is not None:
        say(f"There is no conversation {conversation!r}. `engramma sessions` lists what is there.")
    elif not rows:
        say("Nothing is remembered here yet.")


def stats(store: StoreOption = None, namespace: NamespaceOption = None, json: JsonOption = False) -> None:
    """Figures: what is remembered, how large it is, which model and thresholds it works with."""
    from ...upkeep import stats as figures_of
    from ..render import as_json, plural, size

    with opened(store, namespace) as memory:
        figures = figures_of(memory)
    if wants_json(json):
        out(as_json(figures))
        return
    f = figures
    out(f"store       {f['store']} (namespace {f['namespace']} of {', '.join(f['namespaces'])})")
    out(
        f"remembered  {plural(f['conversations'], 'conversation')}, {plural(f['sessions'], 'session')} "
        f"({f['open_sessions']} open), {plural(f['turns'], 'turn')}"
    )
    kept = [plural(f["notes"], "note"), plural(f["documents"], "document"), plural(f["topics"], "topic")]
    apart = [f"{f[name]:,} {told}" for name, told in LAID_ASIDE.items() if f[name]]
    out(f"kept        {', '.join(kept + apart)}")
    out(f"from, to    {f['first_turn']}, {f['last_turn']}")
    out(f"speakers    {', '.join(f'{name} {count}' for name, count in f['speakers'].items())}")
    parts = [plural(f["segments"], "segment"), *(plural(n, f"{kind} edge") for kind, n in f["edges"].items())]
    out(f"graph       {', '.join(parts)}")
    if f["redacted"]:
        out(f"masked      {', '.join(f'{rule} {count}' for rule, count in f['redacted'].items())}")
    out(f"embedder    {f['embedder']['name']}, {f['embedder']['dimension']} dimensions")
    if f["thresholds"]:
        t = f["thresholds"]
        out(
            f"thresholds  {t['mode']}: floor {t['floor']:.3f}, edge {t['edge']:.3f}, "
            f"dedup {t['dedup']:.3f} (recipe default)"
        )
    out(f"on disk     {', '.join(f'{name} {size(count)}' for name, count in f['bytes'].items() if count)}")
