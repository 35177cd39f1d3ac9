"""Translates PostgreSQL's errors into Engramma's. None of them contains a password."""

from __future__ import annotations

import re

import psycopg
from psycopg import errors as pg

from ...errors import BadInput, StoreBusy, StoreCorrupt, StoreError, StoreFull, StoreNotFound, StoreNotWritable


class DatabaseUnreachable(psycopg.OperationalError):
    """A connection could not be made; libpq gives the reason only as text."""

    @property
    def is_passing(self) -> bool:
        """Whether the server is there and only has no room yet, or not yet started."""
        return any(
            words in str(self) for words in ("starting up", "too many clients", "connection slots", "shutting down")
        )


class CommitUnknown(StoreError):
    """The connection died with a COMMIT and nobody can say whether it was done."""


def in_our_words(error: psycopg.Error, name: str, busy_seconds: float) -> StoreError | BadInput:
    """What happened and what to do next."""
    if isinstance(error, DatabaseUnreachable):
        return _unreachable(name, error)
    if isinstance(error, pg.DiskFull | pg.OutOfMemory):
        return StoreFull(
            f"No space left on the server of {name}. The write was rolled back and everything stored before is safe. "
            "Free some space there and run the same command again: what is already there is skipped."
        )
    if isinstance(error, pg.ReadOnlySqlTransaction):
        return StoreNotWritable(f"{name} accepts no writes: it is a standby, or read-only. Write to its primary.")
    if isinstance(error, pg.LockNotAvailable | pg.DeadlockDetected):
        return StoreBusy(
            f"Other processes kept {name} busy for {busy_seconds:g} s. Try again, or raise busy_seconds in config.toml."
        )
    if isinstance(error, pg.QueryCanceled):
        return StoreBusy(f"{name} took too long and the query was cancelled. Try again when it is less busy.")
    if isinstance(error, pg.InsufficientPrivilege):
        return StoreNotWritable(f"The user may not do this on {name}: {first_line(error)}. Ask its administrator.")
    if isinstance(error, pg.DataCorrupted | pg.IndexCorrupted):
        return StoreCorrupt(f"{name} is damaged ({first_line(error)}). Check it with `engramma doctor`.")
    if isinstance(error, pg.ProgramLimitExceeded):
        return BadInput(f"Something is too long for PostgreSQL ({first_line(error)}): shorten the name.")
    if isinstance(error, pg.FeatureNotSupported | pg.UndefinedFile) and "vector" in str(error):
        return no_vector(name)
    if is_lost(error):
        return StoreError(
            f"The connection to {name} was lost ({first_line(error)}). The write was rolled back: run the same "
            "command again when the server is back; what is already stored is skipped."
        )
    return StoreError(f"{name}: {first_line(error)}")


def _unreachable(name: str, error: DatabaseUnreachable) -> StoreError:
    text = first_line(error)
    if error.is_passing:
        return StoreBusy(f"{name} has no free connection: {text}. Try again, or raise max_connections there.")
    if re.search(r'database "[^"]*" does not exist', text):
        return StoreNotFound(f"There is no such database: {name}. Create it with `createdb`, or correct the address.")
    if re.search(r'password|authentication|role "[^"]*" does not exist|no pg_hba', text):
        return StoreError(
            f"{name} rejects the user or the password. Check both; the password can be in the address, in PGPASSWORD "
            "or in ~/.pgpass."
        )
    return StoreError(f"Cannot reach {name}: {text}. Check that the server is running and the address is correct.")


def no_vector(name: str) -> StoreError:
    return StoreError(
        f"The server of {name} has no pgvector. Install it there (package postgresql-NN-pgvector), then have a "
        "superuser run CREATE EXTENSION vector, and try again."
    )


def fate_unknown(name: str) -> CommitUnknown:
    return CommitUnknown(
        f"The connection to {name} was lost during COMMIT, and the server cannot be asked whether it succeeded. "
        "Run the same command again when it is back: what is already stored is skipped."
    )


def is_lost(error: BaseException) -> bool:
    """Whether the connection is gone, and with it a transaction that was not committed."""
    gone = pg.AdminShutdown | pg.CrashShutdown | pg.IdleInTransactionSessionTimeout
    if isinstance(error, gone):
        return True
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError) and (
        error.sqlstate is None or error.sqlstate.startswith("08")
    )


def first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].removeprefix("connection failed: ").strip().rstrip(".") if lines else type(error).__name__
