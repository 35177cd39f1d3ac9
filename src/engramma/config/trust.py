"""Which addresses a store may send to: those that this user named or confirmed for it on this machine.

A store is a folder that can be copied, restored or handed over, and its settings come along: the address of an
embedding server, a language model, a database, and the name of the environment variable whose value is sent there.
So an address that was only found in a store is used after its owner confirmed it (`engramma trust`). What somebody says
to this program (an option, an argument, a Config of their own) is confirmed by saying it. Confirmations lie in the
user's own configuration folder, never in a store, one small file each: a copied store cannot bring them along.

An address of this machine that gets no key needs no confirmation: whoever listens there is this machine's already.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import AddressNotConfirmed, StoreNotWritable
from ..files import foreign_json
from .settings import Config

PLACE = "ENGRAMMA_TRUST"  # another folder for confirmations
FOLDER = "engramma-trust"  # beside, not in, the folder where the default store may be
EMBED_KEYS = ("ENGRAMMA_EMBED_API_KEY", "OPENAI_API_KEY")  # as in models/environment.py; a test compares them
LLM_KEY, INDEX_KEY = "ENGRAMMA_LLM_API_KEY", "ENGRAMMA_INDEX_KEY"
OLLAMA, OPENAI = "http://127.0.0.1:11434", "https://api.openai.com/v1"
# Written so that every program that reads it finds this machine in it, and nothing else.
HERE = re.compile(r"https?://(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?(/[\w./-]*)?")

_said: set[str] = set()  # by this process's caller, in words of their own


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A setting by which something leaves this process: where to, and which keys go along."""

    setting: str
    address: str
    keys: tuple[str, ...] = ()  # environment variables, the first that is set is sent
    carries: str = ""  # what else goes along
    is_local: bool = False  # this machine, and nothing but the keys above is worth guarding

    def __str__(self) -> str:
        sent = [*([f"the key in {' or '.join(self.keys)}"] if self.keys else []), *filter(None, (self.carries,))]
        return f"{self.setting} = {_shown(self.address)}" + (f" (gets {', '.join(sent)})" if sent else "")

    @property
    def is_free(self) -> bool:
        """Whether it needs nobody's word: it stays on this machine, and no key is set that would go along."""
        return self.is_local and not any(os.environ.get(name, "").strip() for name in self.keys)

    def digest(self, store: Path) -> str:
        """What a confirmation is known by: this address with these keys, for the store at this place."""
        said = json.dumps([str(store), self.setting, self.address, self.keys])
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def addresses_in(config: Config) -> list[Outgoing]:
    """The addresses that settings name, whoever wrote them; what cannot be one is left to those who check settings."""
    found = [embedder_address(config.embedder), llm_address(config.llm), engine_address(config.store)]
    return [one for one in (*found, *index_addresses(config.index)) if one is not None]


def embedder_address(spec: object) -> Outgoing | None:
    """Where an embedder named `openai:…` or `ollama:…` is; None for those that run in this process."""
    if not isinstance(spec, str) or not spec.startswith(("ollama:", "openai:")):
        return None
    scheme, _, rest = spec.partition(":")
    address = rest.partition("@")[2] or (OLLAMA if scheme == "ollama" else OPENAI)
    return Outgoing("embedder", address, EMBED_KEYS if scheme == "openai" else (), "what is said", is_here(address))


def llm_address(table: Mapping[str, Any]) -> Outgoing | None:
    """Where the language model is."""
    url = table.get("url")
    if not isinstance(url, str):
        return None
    return Outgoing("[llm] url", url, (str(table.get("key_env", LLM_KEY)),), "what is said", is_here(url))


def index_addresses(table: Mapping[str, Any]) -> list[Outgoing]:
    """Where the engine that finds neighbours is: a server, or a folder outside of the store."""
    key, url, path = (str(table.get("key_env", INDEX_KEY)),), table.get("url"), table.get("path")
    found = [Outgoing("[index] url", url, key, "vectors", is_here(url))] if isinstance(url, str) else []
    return found + ([Outgoing("[index] path", path, carries="vectors")] if isinstance(path, str) else [])


def engine_address(table: Mapping[str, Any]) -> Outgoing | None:
    """Where a shared database is."""
    engine = table.get("engine")
    return database_address("[store] engine", engine) if isinstance(engine, str) and "://" in engine else None


def server_in(store: Path, table: Mapping[str, Any]) -> Outgoing | None:
    """The private server whose files lie in a store: its settings and its database can make it run any program."""
    if table.get("engine") != "postgres" or not (store / "postgres" / "PG_VERSION").exists():
        return None
    return Outgoing("[store] engine", "postgres", carries="the right to run the server's files in it")


def database_address(setting: str, url: str) -> Outgoing:
    """A shared database; its password counts as no part of its address."""
    plain = re.sub(r"^([^:]*://[^:@/]*):[^@/]*@", r"\1@", url)
    return Outgoing(setting, plain, carries="what is said, and your password there")


def is_here(address: str) -> bool:
    return HERE.fullmatch(address) is not None


def _shown(address: str) -> str:
    """An address on one line, without what could be mistaken for something else."""
    plain = re.sub(r"//[^/@]*:[^/@]*@", "//…@", address)
    return json.dumps(plain[:300], ensure_ascii=True)


# --- asking and confirming ------------------------------------------------------------------------


def check(store: Path, *wanted: Outgoing | None) -> None:
    """Refuse to send anything to an address that nobody confirmed for this store."""
    if missing := unconfirmed(store, wanted):
        raise AddressNotConfirmed(
            f"The settings of {store} name an address that you have not confirmed: {'; '.join(map(str, missing))}. "
            "Nothing was sent. If you added it or know who did, confirm it with `engramma trust --store {store}`; "
            "otherwise remove it from the settings."
        )


def unconfirmed(store: Path, wanted: Iterable[Outgoing | None]) -> list[Outgoing]:
    """Those of some addresses that may not be used for this store yet."""
    place = _placed(store)
    return [one for one in wanted if one is not None and not (one.is_free or is_confirmed(place, one))]


def is_confirmed(place: Path, one: Outgoing) -> bool:
    digest = one.digest(place)
    if digest in _said:
        return True
    try:
        state = (trust_folder() / digest).lstat()
    except OSError:
        return False
    return not hasattr(os, "geteuid") or state.st_uid == os.geteuid()


def note_named_addresses(store: Path, *named: Outgoing | None, lasting: bool = False) -> None:
    """Note what the caller of this process named in words of their own; `lasting`: it is written into the store."""
    for one in named:
        if one is not None:
            _said.add(one.digest(_placed(store)))
            if lasting:
                with suppress(StoreNotWritable):  # then the next process asks
                    confirm(store, one)


def confirm(store: Path, *named: Outgoing) -> None:
    """Remember on this machine, for this user, that a store may use these addresses."""
    folder, place = trust_folder(), _placed(store)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for one in named:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            with os.fdopen(os.open(folder / one.digest(place), flags, 0o600), "w", encoding="utf-8") as file:
                json.dump({"store": str(place), "setting": one.setting, "address": _shown(one.address)}, file)
    except OSError as error:
        raise StoreNotWritable(f"Cannot write into {folder}: {error}. Confirmations are kept there.") from error


def keep_own(store: Path, files: Path) -> None:
    """Remove files that came along with a store and that reading would run as a program; those made here stay.

    They hold nothing that the database does not: whoever wants them makes them anew.
    """
    own = Outgoing("files", files.name)
    if not is_confirmed(_placed(store), own):
        if files.is_symlink() or files.is_file():
            files.unlink()
        elif files.exists():
            shutil.rmtree(files)
        note_named_addresses(store, own, lasting=True)


def carry(source: Path, target: Path, wanted: Iterable[Outgoing | None]) -> None:
    """What was confirmed for a store is for the copy that Engramma itself made of it at the user's word."""
    place = _placed(source)
    note_named_addresses(target, *(one for one in wanted if one is not None and is_confirmed(place, one)), lasting=True)


def withdraw(store: Path) -> int:
    """Take back everything that was confirmed for a store; returns how much that was."""
    place, gone = _placed(store), 0
    for path in trust_folder().glob("*"):
        with suppress(OSError, ValueError):
            found = foreign_json.loads(path.read_text(encoding="utf-8"))
            if isinstance(found, dict) and found.get("store") == str(place):
                path.unlink()
                gone += 1
    _said.clear()
    return gone


def trust_folder() -> Path:
    """Where confirmations lie: with this user's settings, in no store."""
    if given := os.environ.get(PLACE):
        return Path(given).expanduser()
    import platformdirs

    return Path(platformdirs.user_config_dir(FOLDER, appauthor=False))


def _placed(store: Path) -> Path:
    return store.expanduser().resolve()
