"""The commands about secrets: redact and redactions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from ...language.text import speaker_name
from ...language.times import local_minute
from .common import chosen, command, open_memory, out, out_json, say, store_path, tell, wants_json

if TYPE_CHECKING:
    from ...records import RedactReport
    from ...redaction import RuleSet

STDIN = "-"
SHOWN = 20  # segments named; --json names all


@command("redact")
def _redact(
    file: Annotated[
        str | None, typer.Argument(help="File whose text to mask, or - for standard input.", show_default=False)
    ] = None,
    pii: Annotated[bool, typer.Option("--pii", help="Also personal data: e-mail, phone, card, IBAN.")] = False,
    rules: Annotated[bool, typer.Option("--rules", help="List the rules that apply here.")] = False,
    scan: Annotated[
        bool, typer.Option("--scan", help="Look for secrets in what is stored, in all namespaces.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --scan: mask them permanently, in every file.")
    ] = False,
) -> None:
    """Show what this memory's rules would mask in a text; with --scan, in what is already stored."""

    if sum((file is not None, rules, scan)) != 1:
        raise BadInput("Give one of: a file or -, --rules, --scan.")
    if yes and not scan:
        raise BadInput("--yes requires --scan.")
    if scan and pii:
        raise BadInput(
            "Stored text is masked by the memory's own rules: set `pii = true` under [redact] in its config.toml."
        )
    if scan:
        scan_store(yes)
    elif rules:
        list_rules(chosen_rules(pii))
    else:
        assert file is not None
        mask_text(_text_of(file), chosen_rules(pii))


@command("redactions")
def redactions() -> None:
    """Show where secrets were masked, so that you can change those still in use."""
    from ...store.masks import rules_in
    from ..render import plural

    with open_memory() as memory:
        found = [
            (talk.id, session.id, turn, rules)
            for talk in memory.conversations()
            for session in talk.sessions
            for turn in session.turns
            if (rules := Counter(rule for rule, _ in rules_in(turn.text)))
        ]
        me = memory.user_name
    keys = ("conversation", "session", "turn", "speaker", "said_at", "rules")
    rows = ((talk, session, turn.id, turn.speaker, turn.said_at, rules) for talk, session, turn, rules in found)
    lines = (
        f"{local_minute(turn.said_at) if turn.said_at else 'undated'}  {talk}, turn {turn.id}, "
        f"{speaker_name(turn.speaker, me)}: {by_rule(rules)}"
        for talk, _, turn, rules in found
    )
    secrets = plural(sum(rules.total() for *_, rules in found), "secret")
    told = [dict(zip(keys, row, strict=True)) for row in rows]
    tell(told, lines, f"{secrets} masked in {plural(len(found), 'turn')}")


def chosen_rules(pii: bool) -> RuleSet:
    """The rules of the memory's config.toml; the usual ones where there is none."""
    from ...config.settings import load_config
    from ...redaction import rules_from

    table = load_config(store_path()).redact
    return rules_from({**table, "pii": True} if pii else table)


def _text_of(file: str) -> str:
    from ...errors import UnreadableSource
    from ...sources.documents.decode import decode_document

    try:
        data = sys.stdin.buffer.read() if file == STDIN else Path(file).expanduser().read_bytes()
    except OSError as error:
        raise UnreadableSource(f"Cannot read {file}: {error.strerror or error}.") from error
    text, notes = decode_document(data, Path(file))
    for note in notes:
        say(f"note: {note}")
    return text


def mask_text(text: str, rules: RuleSet) -> None:
    from ...redaction import redact as masked
    from ..render import plural

    found = masked(text, rules=rules)
    if wants_json():
        places = [{"rule": one.rule, "start": one.start, "length": one.length} for one in found.redactions]
        out_json({"text": found.text, "redactions": places})
    else:
        sys.stdout.write(found.text)
    counts = Counter(one.rule for one in found.redactions)
    told = ": " + by_rule(dict(counts.most_common())) if counts else ""
    say(f"{plural(len(found.redactions), 'secret')} masked{told}")


def list_rules(rules: RuleSet) -> None:
    listed = {"private": "<private>…</private>, always masked"}
    for rule in rules.rules:  # several may share a name
        listed.setdefault(rule.id, rule.description)
    width = max(map(len, listed))
    told = [{"id": id, "description": text} for id, text in sorted(listed.items())]
    tell(told, (f"{one['id']:<{width}}  {one['description']}".rstrip() for one in told))


def scan_store(yes: bool) -> None:
    """Every namespace, or the one given, one after the other."""

    with open_memory() as memory:
        enabled = memory.config.redact.get("enabled", True)
        names = [chosen.namespace] if chosen.namespace else [info.name for info in memory.namespaces.all()]
    reports = {}
    for name in names:
        with open_memory(name) as memory:
            reports[name] = memory.redact_stored(apply=yes)
        if not wants_json():
            tell_scanned(name, reports[name])
    if wants_json():
        out_json(reports)
    if not enabled:
        say("Redaction is disabled in config.toml, so only private tags were looked for.")
    if not yes and any(report.rules or report.unfinished for report in reports.values()):
        say("Nothing was changed: this is a preview. With --yes the secrets are masked permanently, in every file.")


def tell_scanned(name: str, report: RedactReport) -> None:
    from ...redaction import redact as masked
    from ..render import plural

    name = masked(name).text
    if not (report.rules or report.unfinished):
        out(f"[{name}] nothing to mask")
        return
    parts = (
        ("repeat", report.repeats),
        ("title", report.titles),
        ("link", report.links),
        ("act", report.acts),
        ("name", report.names),
    )
    beside = "".join(f", {plural(count, noun)}" for noun, count in parts if count)
    done = "masked in" if report.is_applied else "to mask in"
    out(f"[{name}] {done} {plural(report.turns, 'turn')} of {plural(report.segments, 'segment')}{beside}")
    if report.rules:
        out(f"  {by_rule(report.rules)}")
    for place in report.places[:SHOWN]:
        out(f"  {place}")
    if len(report.places) > SHOWN:
        out(f"  … and {len(report.places) - SHOWN:,} more")
    if report.unfinished:
        out("  Some file still contains what was masked in an earlier run; run it again with --yes.")


def by_rule(rules: Mapping[str, int]) -> str:
    return ", ".join(f"{rule} {count:,}" for rule, count in rules.items())
