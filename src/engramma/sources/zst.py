"""Lines out of a zstd file. Needs zstandard (`pip install 'engramma[zst]'`)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import UnreadableSource
from ..records import Problem
from .containers import open_source
from .files import BOM, HEAD_BYTES, MAX_LINE_BYTES
from .zips import HARMLESS_BYTES, MAX_RATIO

if TYPE_CHECKING:
    from types import ModuleType

MAX_WINDOW = 128 * 1024 * 1024  # what `zstd --long` needs; more is memory that a file's header asks for
INSTALL = "pip install 'engramma[zst]'"
_MAGIC = b"\x28\xb5\x2f\xfd"
# A line that fits the Codex readers' eye: what stands for the head where zstandard is not installed.
_SESSION = '{"type":"session_meta","payload":{}}'


def is_zst(path: Path) -> bool:
    """Whether a file is packed with zstd, by its first bytes."""
    try:
        with open_source(path) as file:
            return file.read(4) == _MAGIC
    except (OSError, UnreadableSource):
        return False


def zst_head(path: Path) -> str:
    """The beginning of the unpacked text, for looking; by its name, a session's where it cannot be unpacked."""
    try:
        zstandard = _zstandard(path)
    except UnreadableSource:
        return _SESSION if path.name.startswith("rollout-") else ""
    data = bytearray()
    try:
        with open_source(path) as packed, _unpacked(zstandard, packed) as file:
            while len(data) < HEAD_BYTES and (more := file.read1(HEAD_BYTES - len(data))):
                data += more
    except (OSError, UnreadableSource, zstandard.ZstdError):
        pass  # what stands before the damage may be enough
    return data.removeprefix(BOM).decode("utf-8", "replace")


def zst_lines(path: Path) -> Iterator[tuple[int, str] | Problem]:
    """As `files.lines`, of a packed file; damage is reported where it begins, and what stands before it is read."""
    zstandard = _zstandard(path)
    number = 0
    try:
        with open_source(path) as packed, _unpacked(zstandard, packed) as file:
            while data := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(data) > MAX_LINE_BYTES:
                    while not data.endswith(b"\n") and (data := file.readline(MAX_LINE_BYTES + 1)):
                        pass
                    yield Problem(str(path), f"line {number}", f"longer than {MAX_LINE_BYTES >> 20} MiB; skipped", True)
                    continue
                try:
                    text = data.removeprefix(BOM if number == 1 else b"").decode("utf-8")
                except UnicodeDecodeError as error:
                    reason = f"not UTF-8: byte 0x{data[error.start]:02x} at position {error.start} of the line; skipped"
                    yield Problem(str(path), f"line {number}", reason, damage=True)
                    continue
                if text.strip():
                    yield number, text.removesuffix("\n")
    except zstandard.ZstdError as error:
        yield Problem(
            str(path), f"line {number + 1}", f"the compressed data is damaged ({error}); the rest is skipped", True
        )
    except OSError as error:
        raise UnreadableSource(f"{path} cannot be read: {error.strerror or error}") from None


def _zstandard(path: Path) -> ModuleType:
    try:
        import zstandard
    except ImportError:
        raise UnreadableSource(f"{path} is compressed with zstd. To read it: {INSTALL}") from None
    return zstandard


def _unpacked(zstandard: ModuleType, packed: BinaryIO) -> io.BufferedReader:
    counted = _Counted(packed)
    unpacker = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW)
    return io.BufferedReader(_Unpacking(unpacker.stream_reader(counted, read_across_frames=True), counted, zstandard))


class _Counted:
    """A packed file that knows how much of it was read."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        data = self._packed.read(size)
        self.taken += len(data)
        return data


class _Unpacking(io.RawIOBase):
    """Hands on what is unpacked piece by piece: what stands before damage is not lost with it."""

    def __init__(self, reader: Any, counted: _Counted, zstandard: ModuleType) -> None:
        self._reader = reader
        self._counted = counted
        self._error = zstandard.ZstdError
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = int(self._reader.readinto1(buffer))
        self._given += count
        if self._given > HARMLESS_BYTES and self._given > MAX_RATIO * max(1, self._counted.taken):
            raise self._error(
                f"it unpacks to over {self._given} bytes from {self._counted.taken}: not a plausible session"
            )
        return count
