"""Commands that write: init, remember."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import BadInput
from ...records import Turn
from .common import (
    JsonOption,
    NamespaceOption,
    StoreOption,
    command,
    open_memory,
    say,
    say_if_paused,
    store_path,
    tell,
    time_in,
)
from .encryption import KeyFileOption, KeyOption, PassphraseFileOption, chosen_key

if TYPE_CHECKING:
    from ...memory import Memory

THREAD = "cli"  # of a turn that names none


@command("init")
def init(
    store: StoreOption = None,  # these two stand first here
    namespace: NamespaceOption = None,
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder", "--model", help="Model to embed with, by its name or its folder; by default the packaged one."
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="sqlite; postgres: a private server in the directory; or postgres://… of a shared one."),
    ] = None,
    encrypted: Annotated[
        bool, typer.Option("--encrypted", help="Encrypt it; `engramma encrypt` encrypts an existing one.")
    ] = False,
    key: KeyOption = None,
    key_file: KeyFileOption = None,
    passphrase_file: PassphraseFileOption = None,
    json: JsonOption = False,
) -> None:
    """Create a memory: one directory that holds everything."""
    from ...errors import EmbedderAway

    if encrypted and engine not in (None, "sqlite"):
        raise BadInput("Only a memory on SQLite can be encrypted: a PostgreSQL server writes its own files.")
    if (key or key_file or passphrase_file) and not encrypted:
        raise BadInput("--key, --key-file and --passphrase-file set how a memory is encrypted: add --encrypted.")
    if encrypted:
        from ...admin.encrypt import make_encrypted

        folder = store_path()
        make_encrypted(folder, chosen_key(folder, key, key_file, passphrase_file))
    if engine is not None:
        from ...files.folders import make_folder
        from ...store.engine import choose

        make_folder(store_path(), create=True)
        choose(store_path(), engine)
    with open_memory(create=True, embedder=embedder) as memory:
        with suppress(EmbedderAway):
            memory.admin.reach_embedder()
        name = memory.admin.embedder.name
        if (left := memory.backlog()).away_since is not None:
            say(f"note: embedder {left}. New text is stored now and embedded when it is back.")
        sealed = (
            "It is encrypted: without its key nobody can read it, not even you. `engramma key` shows what opens it."
        )
        tell(
            {
                **{"store": str(memory.path), "namespace": memory.namespace, "embedder": name},
                **({"encrypted": True} if encrypted else {}),
            },
            [f"Memory ready at {memory.path} (namespace {memory.namespace}, embedder {name})."],
            *([sealed] if encrypted else []),
            'Next: engramma import FILE, or engramma remember "…", then engramma recall "…"',
        )


@command("remember")
def _remember(
    text: Annotated[str, typer.Argument(help="What to remember; - reads it from standard input.")],
    tags: Annotated[str | None, typer.Option(help="Tags, separated by commas.", show_default=False)] = None,
    ttl: Annotated[
        str | None, typer.Option(help="How long it is worth keeping: 90m, 12h, 30d, 8w.", show_default=False)
    ] = None,
    strength: Annotated[float, typer.Option(help="How much it matters, 0 to 1.", min=0, max=1)] = 0.5,
    source: Annotated[str | None, typer.Option(help="Where it comes from.", show_default=False)] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option("--meta", metavar="NAME=VALUE", help="What else to keep with it; may be repeated."),
    ] = None,
    speaker: Annotated[str, typer.Option("--speaker", "-s", help="Who said it.")] = "user",
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation", "-c", help="Remember a turn of this thread instead of a note.", show_default=False
        ),
    ] = None,
    session: Annotated[
        str | None, typer.Option(help="Session it belongs to; by default, a long pause starts a new one.")
    ] = None,
    at: Annotated[str | None, typer.Option(help="When it was said, ISO 8601 with an offset; by default now.")] = None,
    turn_id: Annotated[str | None, typer.Option("--id", help="Your own id for the turn.")] = None,
    close: Annotated[bool, typer.Option("--close", help="Close the session after this turn.")] = False,
) -> None:
    """Remember a note, or with --conversation a turn of a thread. It can be recalled at once."""

    try:
        text = sys.stdin.read() if text == "-" else text
    except UnicodeDecodeError as error:
        raise BadInput(f"Standard input is not UTF-8 ({error}). Decode it first.") from error
    if not text.strip():
        raise BadInput('The text is empty. Give what to remember: engramma remember "…"')
    said_at = time_in("--at", at or None, None) or datetime.now(UTC)
    is_turn = conversation is not None or turn_id is not None or close
    if is_turn and (tags or ttl or source or meta):
        given = "--tags, --ttl, --source and --meta are for notes"
        raise BadInput(f"{given}; --conversation, --id and --close are for turns.")
    say_if_paused()
    with open_memory(create=True) as memory:
        if not is_turn:
            kept: dict[str, Any] = {"source": source, "session": session, "strength": strength, "at": said_at}
            kept["meta"] = parse_meta(meta or ())
            _remember_note(memory, text, speaker, tags, ttl, kept)
        else:
            turn = Turn(speaker, text, said_at, turn_id)
            remember_turn(memory, turn, conversation or THREAD, session, close)


def _remember_note(
    memory: Memory, text: str, speaker: str, tags: str | None, ttl: str | None, kept: dict[str, Any]
) -> None:
    from ..render import as_value, plural

    named = [tag.strip() for tag in (tags or "").split(",") if tag.strip()]
    made = memory.remember(text, speaker=speaker, tags=named, ttl=parse_time_span(ttl), **kept)
    line = f"Already known as {made.note.id} ({made.similarity or 0:.2f} alike); counted as a repeat."
    if made.is_new:
        linked = f", with {plural(len(made.links), 'link')}" if made.links else ""
        line = f"Remembered as {made.note.id}{linked}."
    masked = Counter(one.rule for one in memory.redactor.mask(text).redactions)
    tell({**as_value(made), "redactions": masked}, [line, *_masked_lines(masked)], *_no_secret(masked))


def remember_turn(memory: Memory, turn: Turn, conversation: str, session: str | None, close: bool) -> None:

    # By the turn's own time: turns of the past, a minute apart, belong to one sitting.
    memory.close_idle(turn.said_at)
    live = memory.session(conversation, session)
    given = live.add(turn.speaker, turn.text, turn.said_at, turn.id)
    if close:
        live.close()
    masked = live.report.redactions
    where = {"conversation": conversation, "session": live.id, "turn": given, "redactions": masked}
    line = f"Remembered as turn {given} of {conversation}/{live.id}."
    tell(where, [line, *_masked_lines(masked)], *_no_secret(masked))


def _masked_lines(masked: Mapping[str, int]) -> list[str]:
    """What was masked before storing, as an import says it; nothing where nothing was."""
    if not masked:
        return []
    from .import_report import masked_line

    return [masked_line(dict(sorted(masked.items())))]


def _no_secret(masked: Mapping[str, int]) -> list[str]:
    """How to keep what a rule took for a secret; what somebody marked as private is one."""
    rules = sorted(set(masked) - {"private"})
    if not rules:
        return []
    named = json.dumps(rules)
    return [
        f"If that is no secret: ENGRAMMA_REDACT_DISABLED='{named}' before the command keeps it once, "
        f"`disabled = {named}` under [redact] in config.toml always."
    ]


def parse_meta(pairs: Sequence[str]) -> dict[str, str]:
    """Metadata as given on the command line: NAME=VALUE each."""
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise BadInput(f"--meta {pair!r:.80} must be NAME=VALUE, such as --meta ticket=42.")
        if name.strip() in found:
            raise BadInput(f"--meta {name.strip()!r:.80} was given twice.")
        found[name.strip()] = value
    return found


def parse_time_span(text: str | None) -> timedelta | None:
    """A time span as people write it: 90m, 12h, 30d, 8w."""

    if text is None:
        return None
    units = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
    number, unit = text[:-1].strip(), units.get(text[-1:].lower())
    try:
        return timedelta(**{unit or "days": float(number if unit else text)})
    except (ValueError, OverflowError) as error:
        raise BadInput(f"--ttl {text!r:.40} is not a time span. Write 90m, 12h, 30d or 8w.") from error
