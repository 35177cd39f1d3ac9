"""Everything Engramma raises on purpose. Each message says what to do next.

EngrammaError
├── BadInput            a value that cannot be remembered or asked
│   ├── BadTurn         an empty, oversized, timeless or unencodable turn; a turn id used twice
│   └── UnknownRecipe
├── SessionClosed       add() after close() on the same session object
├── StoreError          the directory or its database
│   ├── StoreTooNew     written by a newer version
│   ├── StoreNotFound
│   │   └── StoreReplaced  its files were deleted or replaced while it was open; it was opened anew
│   ├── StoreNotWritable
│   ├── StoreFull       no space left; the transaction was rolled back
│   ├── StoreBusy       other processes held the store for longer than the time-out
│   ├── StoreLocked     the store is encrypted, and its key was not given or is another one's
│   └── StoreCorrupt
├── AddressNotConfirmed  a store's settings name an address that its owner has not confirmed: `engramma trust`
├── ModelError          weights that are missing, damaged or of the wrong shape
│   ├── EmbedderMismatch  the store was embedded by another model: `engramma reindex`
│   ├── EmbedderAway      the embedder cannot be used now: words still answer, new segments wait for their vectors
│   ├── FetchFailed       every source of optional weights failed
│   └── RemoteFailed      an embedding server did not answer as it should
└── UnreadableSource    a file no reader recognises, or that is damaged
"""

from __future__ import annotations


class EngrammaError(Exception):
    """Base of every error that Engramma raises on purpose."""


class BadInput(EngrammaError, ValueError):
    """A value that cannot be remembered or asked."""


class BadTurn(BadInput):
    """A turn that cannot be stored as it is."""


class UnknownRecipe(BadInput):
    """A recipe name that does not exist."""


class SessionClosed(EngrammaError):
    """A turn was added to a session object after close()."""


class StoreError(EngrammaError):
    """The store's directory or database cannot be used."""


class StoreTooNew(StoreError):
    """The store was written by a newer version of Engramma."""


class StoreNotFound(StoreError):
    """There is no store where one was expected."""

    @classmethod
    def at(cls, place: object) -> StoreNotFound:
        """Nothing was ever remembered there: say how to begin, in the same words everywhere."""
        return cls(
            f"There is no memory at {place} yet. `engramma import FILE` makes one from your chats, `engramma init` an "
            "empty one."
        )


class StoreReplaced(StoreNotFound):
    """The store's files were deleted or replaced while it was open."""


class StoreNotWritable(StoreError):
    """The store's directory cannot be written."""


class StoreFull(StoreError):
    """The disk is full; nothing of the failed write was kept."""


class StoreBusy(StoreError):
    """Other processes held the store for longer than the time-out."""


class StoreLocked(StoreError):
    """The store is encrypted, and its key was not given or is another one's."""


class StoreCorrupt(StoreError):
    """The database file is damaged."""


class AddressNotConfirmed(EngrammaError):
    """A store's settings name an address that its owner has not confirmed on this machine."""


class ModelError(EngrammaError):
    """A model's files are missing, damaged or of the wrong shape."""


class EmbedderMismatch(ModelError):
    """The store was embedded by another model."""


class EmbedderAway(ModelError):
    """The embedder cannot be used now; words still answer, and what is stored waits for its vectors."""


class FetchFailed(ModelError):
    """Every source of optional weights failed."""


class RemoteFailed(ModelError):
    """An embedding server did not answer as it should."""


class UnreadableSource(EngrammaError):
    """A file that no reader recognises, or that is damaged."""
