"""Seals a file under a key, in chunks: the construction is STREAM (Hoang, Reyhanitabar, Rogaway, Vizar 2015), with
the parameters that the file format age uses.

    magic (16 bytes) | salt (32 random bytes) | chunks

The file's own key is HKDF-SHA256(key, salt). A chunk is up to 64 KiB of text under ChaCha20-Poly1305 and 16 bytes
longer for its tag; its nonce is its number (11 bytes, big-endian) and one byte that is 1 in the last chunk only. So
chunks cannot be swapped, dropped or cut off without being noticed, and no nonce is used twice under one key.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import IO, TYPE_CHECKING

from ..errors import StoreCorrupt

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC = b"ENGRAMMA-SEALED\x01"
SALT_BYTES = 32
CHUNK = 64 * 1024
TAG = 16


class SealedWriter:
    """Writes a sealed file; it is whole only once it is closed."""

    def __init__(self, file: IO[bytes], key: bytes) -> None:
        self._file = file
        salt = os.urandom(SALT_BYTES)
        self._cipher = cipher(key, salt)
        self._waiting = bytearray()
        self._number = 0
        file.write(MAGIC + salt)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self._waiting += data
        sealed = 0
        with memoryview(self._waiting) as waiting:
            while len(waiting) - sealed > CHUNK:  # never the last byte: the last chunk is known only at the end
                self._put(waiting[sealed : sealed + CHUNK], last=False)
                sealed += CHUNK
        del self._waiting[:sealed]

    def close(self) -> None:
        """Write the last chunk. The file under it stays open."""
        self._put(self._waiting, last=True)
        self._waiting = bytearray()

    def __enter__(self) -> SealedWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()

    def _put(self, part: bytearray | memoryview, *, last: bool) -> None:
        self._file.write(self._cipher.encrypt(nonce(self._number, last), bytes(part), None))
        self._number += 1


def seal(data: bytes, key: bytes) -> bytes:
    """A text sealed as a whole file is."""
    import io

    file = io.BytesIO()
    with SealedWriter(file, key) as sealed:
        sealed.write(data)
    return file.getvalue()


def unseal(data: bytes | memoryview, key: bytes) -> bytearray:
    """What a sealed file holds; StoreCorrupt if it was changed, cut off, or sealed under another key."""
    from cryptography.exceptions import InvalidTag

    begins = len(MAGIC) + SALT_BYTES
    if bytes(data[: len(MAGIC)]) != MAGIC or len(data) < begins + TAG:
        raise StoreCorrupt("This file was not encrypted by Engramma, or it is truncated.")
    found = cipher(key, bytes(data[len(MAGIC) : begins]))
    text, view = bytearray(), memoryview(data)
    try:
        for number, start in enumerate(range(begins, len(data), CHUNK + TAG)):
            part = view[start : start + CHUNK + TAG]
            text += found.decrypt(nonce(number, start + CHUNK + TAG >= len(data)), bytes(part), None)
    except InvalidTag:
        raise StoreCorrupt(
            "An encrypted file was changed or truncated, or it was encrypted with another key."
        ) from None
    return text


def is_sealed(data: bytes) -> bool:
    """Whether a file begins as a sealed one does."""
    return data[: len(MAGIC)] == MAGIC


def cipher(key: bytes, salt: bytes) -> ChaCha20Poly1305:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    from .keys import derived

    return ChaCha20Poly1305(derived(key, b"engramma sealed file v1", salt))


def nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\x01" if last else b"\x00")
