"""Commands that maintain a store: export, backup, restore, reindex, doctor."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import BadInput
from .common import chosen, command, open_memory, progress_bar, say, store_path, tell

HEAD = 200  # characters that tell an export

if TYPE_CHECKING:
    from ...admin.doctor_checks import Check


@command("export", without=("json",))
def _export(
    target: Annotated[Path | None, typer.Argument(help="File to write; standard output if not given, or -.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write over any file, not only an earlier export.")
    ] = False,
) -> None:
    """Write everything said as JSON lines. Importing them gives the same memory."""
    import sys

    from ...encryption import is_encrypted
    from ...errors import StoreNotWritable

    if target is not None and target.is_file() and not overwrite and not _may_be_replaced(target):
        raise BadInput(f"{target} is no export. Choose another name, or write over it with --overwrite.")
    with open_memory() as memory:
        if target is None or str(target) == "-":
            sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
            for line in memory.export():
                sys.stdout.write(line.rstrip("\n") + "\n")
            return
        try:
            write_whole(target, memory.export())
        except OSError as error:
            raise StoreNotWritable(f"Cannot write {target}: {error}. Choose another file.") from error
    say(f"Exported to {target}{', in plain text' if is_encrypted(store_path()) else ''}.")


def _may_be_replaced(target: Path) -> bool:
    """Whether a file is empty or an earlier export: a nightly export writes over yesterday's, and over nothing else."""
    from ...sources.engramma_jsonl import looks_like

    try:
        with target.open(encoding="utf-8") as file:
            head = file.read(HEAD)
    except (OSError, UnicodeDecodeError):
        return False
    return not head or looks_like(head, target)


def write_whole(target: Path, lines: Iterable[str]) -> None:
    """The whole file or none: a reader never sees half an export."""
    import os
    import tempfile

    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".exporting-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            for line in lines:
                file.write(line.rstrip("\n") + "\n")
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@command("backup", without=("namespace",))
def _backup(target: Annotated[Path, typer.Argument(help="Zip file to write; must not exist yet.")]) -> None:
    """Write the whole store, all namespaces, to one file; it may be in use meanwhile."""
    from ..render import size

    with open_memory() as memory:
        memory.backup(target)
    count = target.stat().st_size
    tell({"backup": str(target), "bytes": count}, [f"Backed up to {target} ({size(count)})."])


@command("restore", without=("namespace",))
def _restore(
    source: Annotated[Path, typer.Argument(help="A file that `engramma backup` wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace the existing memory, which is kept as a backup.")
    ] = False,
    with_config: Annotated[
        bool, typer.Option("--with-config", help="Also restore the backup's settings (config.toml).")
    ] = False,
) -> None:
    """Create a store from a backup; replaces an existing one only with --replace.

    Its settings are left out unless you pass --with-config; what they would change is shown. Addresses are used only
    after you confirm them with `engramma trust`.
    """
    from ...config.trust import unconfirmed
    from ...errors import AddressNotConfirmed
    from ...transfer.backup_settings import changes_by
    from ...transfer.replace import replace_store
    from ...transfer.restore import restore as lay_down
    from .trust import addresses_of

    folder = store_path()
    if not source.is_file():
        there = "It is a folder." if source.is_dir() else "There is no such file."
        raise BadInput(f"{source} cannot be restored. {there} Give a file that `engramma backup` wrote.")
    kept = None
    changes = changes_by(source, folder)
    if replace:
        kept = replace_store(source, folder, with_config=with_config)
    else:
        lay_down(source, folder, with_config=with_config)
    with open_memory() as memory:
        with suppress(AddressNotConfirmed):  # told below
            memory.ingest.finish_pending()
        figures = {
            "store": str(folder),
            "turns": memory.admin.counts()["turns"],
            **({"kept": str(kept)} if kept else {}),
        }
    missing = unconfirmed(folder, addresses_of(folder))
    settings = {"settings": changes, "settings_restored": with_config, "unconfirmed": [str(one) for one in missing]}
    done = "were applied" if with_config else "were left out; --with-config applies them"
    tell(
        figures | settings,
        [f"Restored into {folder}." + (f" The previous memory is kept at {kept}." if kept else "")],
        *([f"Settings of the backup {done}:"] if changes else []),
        *(f"  {change}" for change in changes),
        *(f"Not used until you confirm it with `engramma trust --store {folder}`: {one}" for one in missing),
    )


@command("reindex", without=("namespace",))
def _reindex(
    embedder: Annotated[
        str | None,
        typer.Option(
            "--embedder",
            "--model",
            help="Model to embed with, by its name or its folder; by default config.toml's, else the packaged encoder, "
            "of which a store keeps engramma-mini-1 if it has that.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Embed again even if this model was already used.")] = False,
    backend: Annotated[
        str | None,
        typer.Option(help="Backend that finds neighbours from now on: faiss, sqlite-vec, chroma, qdrant, pgvector."),
    ] = None,
    url: Annotated[str | None, typer.Option(help="Address of that backend's server; without it, files.")] = None,
) -> None:
    """Embed everything again, with another model, and fill the index backend. Can be interrupted and run again."""
    from ...config.trust import check, embedder_address
    from ...models.embed import MINI
    from ...models.load import load
    from ..render import plural

    if url is not None and backend is None:
        raise BadInput("--url is the address of a backend; name the backend with --backend.")
    with open_memory() as memory:  # before a model is loaded, and perhaps fetched
        kept = MINI if memory.admin.embedder_spec == MINI else None  # it moves on when it is told to
        wanted = embedder or memory.config.embedder or kept
        if wanted is not None:
            memory.admin.check_reindex(wanted)
        if embedder is None:
            check(memory.path, embedder_address(wanted))
        model = load(wanted)
        with progress_bar() as bar:
            task = bar.add_task("reindexing", total=None)
            count = memory.admin.reindex(
                model,
                wanted or model.name,
                lambda done, total: bar.update(task, completed=done, total=total),
                force=force,
            )

            def filling(done: int, total: int) -> None:
                bar.update(task, description="filling the index backend", completed=done, total=total)

            if backend is not None:
                memory.admin.switch_index(backend, url, filling)
            else:
                memory.admin.fill_index(filling)
        engine = backend or memory.config.index.get("backend", "faiss")
    line = f"Everything is already embedded with {model.name}. `engramma reindex --force` embeds it again."
    lines = [f"Embedded {plural(count, 'segment')} with {model.name}." if count else line]
    lines += [] if backend is None else [f"Neighbours are found by {backend} from now on."]
    tell({"embedder": model.name, "segments": count, "backend": engine}, lines)


@command("doctor")
def _doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="Finish what a crash interrupted and rewrite wrong archive files.")
    ] = False,
    salvage: Annotated[
        bool,
        typer.Option("--salvage", help="Build a new store from what is left of a damaged one."),
    ] = False,
    to: Annotated[
        Path | None,
        typer.Option(help="With --salvage: where to write it; by default STORE.salvaged.", show_default=False),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="With --salvage: put it in place; the damaged store is moved aside.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="One line for each check, including those that pass.")
    ] = False,
) -> None:
    """Check the store: every namespace, or the one given. Exit code 3 if a check fails."""
    if salvage or to is not None or replace:
        return rebuild(salvage, fix, to, replace)
    from ...admin.doctor_checks import Check
    from ...errors import EngrammaError, StoreCorrupt
    from ..daemon.quarantine import aside_checks
    from ..render import plural

    one, advice = chosen.namespace, None
    try:
        with open_memory() as memory:
            checks = memory.admin.doctor(fix) if one else memory.admin.doctor_all(fix)
            with suppress(EngrammaError):  # of a damaged store: the checks tell what is wrong
                advice = memory.admin.language_advice()
    except StoreCorrupt as error:  # too damaged to be opened: that is what was found
        checks = [Check("database file", False, str(error))]
    checks += aside_checks(store_path(), fix)
    is_sound = all(check.ok for check in checks)
    sound = f"all checks passed: {plural(len(checks), 'check')} (--verbose names them)"
    lines = [sound] if is_sound and not (verbose or fix) else map(check_line, checks)
    tell({"ok": is_sound, "checks": checks, "advice": advice}, [*lines, *([advice] if advice else [])])
    if not is_sound:
        raise typer.Exit(3)
    return None


def check_line(check: Check) -> str:
    where = f"[{check.namespace}] " if check.namespace else ""
    return f"{'ok ' if check.ok else 'BAD'}  {where}{check.name}: {check.detail}"


def rebuild(asked: bool, fix: bool, to: Path | None, replace: bool) -> None:
    """Salvage a store, and say what was saved from where and what could not be. Exit code 3 if something was not."""
    from ...admin.salvage.salvage import describe_salvage, salvage
    from ..render import as_value

    if not asked or fix:
        raise BadInput("--to and --replace require --salvage, which cannot be combined with --fix.")
    found = salvage(store_path(), to, replace=replace)
    tell({"ok": found.ok, **as_value(found)}, describe_salvage(found))
    if not found.ok:
        raise typer.Exit(3)
