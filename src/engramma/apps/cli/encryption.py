"""Commands about encryption: encrypt, decrypt, key; and which key a new memory gets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import BadInput
from .common import command, progress_bar, store_path, tell
from .passphrase import is_terminal

if TYPE_CHECKING:
    from ...admin.encrypt import KeyChoice, Switched


class KeyKind(StrEnum):
    keyring = "keyring"
    passphrase = "passphrase"
    file = "file"


KeyOption = Annotated[
    KeyKind | None,
    typer.Option(
        "--key",
        help="What opens it: a key in the system keyring, a passphrase, or a key file.",
        show_default="keyring if available, else passphrase",
    ),
]
KeyFileOption = Annotated[
    Path | None, typer.Option("--key-file", help="The key file; created if it does not exist. Keep it elsewhere.")
]
PassphraseFileOption = Annotated[
    Path | None, typer.Option("--passphrase-file", help="Read the new passphrase from this file instead of asking.")
]


@command("encrypt", without=("namespace",))
def encrypt(
    key: KeyOption = None, key_file: KeyFileOption = None, passphrase_file: PassphraseFileOption = None
) -> None:
    """Encrypt an existing memory: database, archive, index, spool. No other program may have it open.

    If interrupted, either the old memory or the new one is left intact. Without its key nobody can read it, not even
    you.
    """
    from ...admin.encrypt import encrypt_store

    folder = store_path()
    check_idle(folder)
    choice = chosen_key(folder, key, key_file, passphrase_file)
    with moving_bar("encrypting") as told:
        done = encrypt_store(folder, choice, told)
    disk = "Files that were deleted may stay on the disk for a while: encrypt the disk as well, if you can."
    tell_switched(done, f"The memory at {folder} is encrypted and opens with {_named(choice)}.", disk)


@command("decrypt", without=("namespace",))
def decrypt(yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False) -> None:
    """Decrypt the memory: write it in plain text again."""
    from ...admin.encrypt import decrypt_store
    from ...encryption import is_encrypted

    folder = store_path()
    check_idle(folder)
    if not yes and is_encrypted(folder):
        typer.confirm(f"The memory at {folder} will be stored in plain text. Continue?", abort=True, err=True)
    with moving_bar("decrypting") as told:
        done = decrypt_store(folder, told)
    tell_switched(done, f"The memory at {folder} is no longer encrypted.")


@command("key", without=("namespace",))
def key(
    change: Annotated[
        bool, typer.Option("--change", help="Change the passphrase, keyring entry or key file that opens it.")
    ] = False,
    kind: KeyOption = None,
    key_file: KeyFileOption = None,
    passphrase_file: PassphraseFileOption = None,
) -> None:
    """Show whether the memory is encrypted and what opens it; with --change, change what opens it.

    Changing it writes only key.json. Existing backups still open with the old key.
    """
    from ...admin.encrypt import change_key, described
    from ...encryption import keys_in

    folder = store_path()
    if change:
        keys_in(folder)  # the old secret first
        change_key(folder, chosen_key(folder, kind, key_file, passphrase_file))
    elif kind or key_file or passphrase_file:
        raise BadInput("To change what opens the memory, add --change.")
    told = described(folder)
    words = told | {"encrypted": "yes" if told["encrypted"] else "no"}
    tell(told, ["\n".join(f"{name:9} {value}" for name, value in words.items())])


# --- what they share -------------------------------------------------------------------------------


def chosen_key(store: Path, kind: KeyKind | None, key_file: Path | None, passphrase_file: Path | None) -> KeyChoice:
    """The key that the options name, or the best that is there; a passphrase is asked for twice."""
    from ...admin.encrypt import KeyChoice
    from ...encryption.access import has_keyring, passphrase_in, passphrase_path

    if kind in (None, KeyKind.passphrase) and key_file is None and passphrase_file is None:
        passphrase_file = passphrase_path()
    meant = {KeyKind.file: key_file, KeyKind.passphrase: passphrase_file}
    given = [one for one, value in meant.items() if value is not None]
    if len(given) > 1 or (kind is not None and given and given != [kind]):
        raise BadInput("--key-file and --passphrase-file name two different keys: give only one.")
    kind = kind or (given[0] if given else None) or (KeyKind.keyring if has_keyring() else KeyKind.passphrase)
    if kind is KeyKind.passphrase:
        passphrase = passphrase_in(passphrase_file) if passphrase_file is not None else asked_twice()
        return KeyChoice("passphrase", passphrase)
    return KeyChoice("keyring") if kind is KeyKind.keyring else KeyChoice("file", key_file=key_file)


def asked_twice() -> str:

    if not is_terminal():
        raise BadInput(
            "There is no terminal to ask for a passphrase. Give --passphrase-file FILE (or set "
            "ENGRAMMA_PASSPHRASE_FILE), --key-file FILE, or --key keyring."
        )
    first = typer.prompt("New passphrase", hide_input=True, err=True)
    if typer.prompt("Once more", hide_input=True, err=True) != first:
        raise BadInput("The passphrases do not match. Nothing was changed.")
    return str(first)


def check_idle(store: Path) -> None:
    """Refuse while a daemon serves the memory."""
    from ...errors import StoreBusy
    from ..daemon.folder import place_in
    from ..daemon.run import is_running

    if is_running(place_in(store)):
        raise StoreBusy("A daemon serves this memory. Run `engramma stop` first, and start it again afterwards.")


@contextmanager
def moving_bar(what: str) -> Iterator[Any]:
    with progress_bar() as bar:
        task = bar.add_task(what, total=None)
        yield lambda table, done, total: bar.update(task, description=f"{what} {table}", completed=done, total=total)


def _named(choice: KeyChoice) -> str:
    return {"keyring": "a key in the system keyring", "passphrase": "your passphrase"}.get(
        choice.method, f"the key file {choice.key_file}"
    )


def tell_switched(done: Switched, words: str, *remarks: str) -> None:
    plain = [str(path) for path in done.plain_backups] if done.encrypted else []
    warned = ["These backups are still in plain text; delete them when you have made new ones:"] if plain else []
    told = {"store": str(done.store), "encrypted": done.encrypted, "plain_backups": plain}
    tell(told, [words], *warned, *(f"  {path}" for path in plain), *remarks)
