"""Zip archives, read in place: nothing is unpacked to disk, and nothing a header claims is believed.

The list of contents gives the entries. Where it is missing or damaged, as in a download that broke
off, the entries are found by walking from one to the next, so that what came before the damage can
still be read.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Never

from ..errors import UnreadableSource
from . import rooted_files

# Chat exports shrink to a tenth. A file that unpacks to far more than it holds was made to fill a
# disk; below the first figure it cannot do harm.
HARMLESS_BYTES = 64 * 1024 * 1024
MAX_RATIO = 250
MAX_MEMBER_BYTES = 64 * 1024 * 1024 * 1024

STORED, DEFLATED = 0, 8
_BEGIN, _EMPTY = b"PK\x03\x04", b"PK\x05\x06"
_HEADER = struct.Struct("<4s5H3I2H")
_ENCRYPTED, _SIZES_BEHIND, _UTF8 = 0x1, 0x8, 0x800
_UNKNOWN = 0xFFFFFFFF
_STEP = 256 * 1024


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One file in an archive: where its header stands, how it is packed; `size` None: until the data ends."""

    name: str
    offset: int
    method: int
    flags: int
    size: int | None
    crc: int | None
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """The entries of an archive in its order, and what is wrong with the archive, if anything is."""

    entries: tuple[ZipEntry, ...]
    damage: str | None = None


def is_zip(path: Path) -> bool:
    try:
        with rooted_files.open_below_root(path) as file:
            return file.read(4) in (_BEGIN, _EMPTY)
    except (OSError, ValueError, UnreadableSource):
        return False


def contents(path: Path) -> Contents:
    """The entries of an archive, from its list or, where that cannot be read, by walking through it."""
    try:
        with rooted_files.open_below_root(path) as file, zipfile.ZipFile(file) as archive:
            return Contents(tuple(_listed(info) for info in archive.infolist() if not info.is_dir()))
    # zipfile answers damage with whatever its parsing runs into.
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, EOFError, LookupError, OSError):
        found = tuple(_walked(path))
    size = path.stat().st_size
    damage = f"the archive's list of contents is missing or damaged (it ends at byte {size}, perhaps truncated)"
    return Contents(tuple(entry for entry in found if not entry.name.endswith("/")), damage)


def open_zip_entry(path: Path, entry: ZipEntry) -> io.BufferedReader:
    """The unpacked bytes of an entry as a stream; raises UnreadableSource where they cannot be had."""
    where = f"{path}/{entry.name}"
    if entry.flags & _ENCRYPTED:
        raise UnreadableSource(f"{where} is encrypted: unpack it with its password and import the folder")
    if entry.method not in (STORED, DEFLATED):
        raise UnreadableSource(
            f"{where} uses compression method {entry.method}, which is not supported: unpack it and import the folder"
        )
    return io.BufferedReader(_Unpacked(path, entry), _STEP)


class _Unpacked(io.RawIOBase):
    """The bytes of one entry, counted as they come."""

    def __init__(self, path: Path, entry: ZipEntry) -> None:
        super().__init__()
        self.where = f"{path}/{entry.name}"
        self.entry = entry
        self.file = rooted_files.open_below_root(path)
        self.left = entry.size
        self.inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self.waiting = b""
        self.taken = self.given = self.crc = 0
        header = _header(self.file, entry.offset)
        if header is None:
            self.file.close()
            self.fail(f"is damaged: no file starts at byte {entry.offset} of the archive")
        self.file.seek(header.data)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self.file.close()
        super().close()

    @property
    def position(self) -> int:
        """Where in the archive the packed data ends that was used so far."""
        return self.file.tell() - len(self.waiting) - len(self.inflate.unused_data)

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        data = self.stored(len(view)) if self.entry.method == STORED else self.inflated(len(view))
        self.given += len(data)
        self.crc = zlib.crc32(data, self.crc)
        if self.given > MAX_MEMBER_BYTES or (
            self.given > HARMLESS_BYTES and self.given > MAX_RATIO * max(1, self.taken)
        ):
            self.fail(f"unpacks to over {self.given} bytes from {self.taken}: not a plausible export; not read further")
        if not data and view.nbytes and self.entry.crc is not None and self.crc != self.entry.crc:
            self.fail("does not match its checksum: its content may be damaged")
        view[: len(data)] = data
        return len(data)

    def stored(self, size: int) -> bytes:
        return self.packed(size)

    def inflated(self, size: int) -> bytes:
        while not self.inflate.eof:
            if not self.waiting:
                self.waiting = self.packed(_STEP)
                if not self.waiting:
                    self.fail(f"ends too early, at byte {self.file.tell()} of the archive")
            try:
                data = self.inflate.decompress(self.waiting, size)
            except zlib.error:
                self.fail(f"is damaged near byte {self.file.tell()} of the archive")
            self.waiting = self.inflate.unconsumed_tail
            if data:
                return data
        return b""

    def packed(self, size: int) -> bytes:
        wanted = size if self.left is None else min(size, self.left)
        data = self.file.read(wanted)
        self.taken += len(data)
        if self.left is not None:
            self.left -= len(data)
            if wanted and not data:
                self.fail(f"ends too early, at byte {self.file.tell()} of the archive")
        return data

    def fail(self, what: str) -> Never:
        raise UnreadableSource(f"{self.where} {what}")


@dataclass(frozen=True, slots=True)
class _Header:
    entry: ZipEntry
    data: int


def _header(file: BinaryIO, offset: int) -> _Header | None:
    """What stands before an entry's data, if an entry begins there."""
    file.seek(offset)
    fixed = file.read(_HEADER.size)
    if len(fixed) < _HEADER.size or not fixed.startswith(_BEGIN):
        return None
    _, _, flags, method, _, _, crc, packed, _, name_size, extra_size = _HEADER.unpack(fixed)
    name, extra = file.read(name_size), file.read(extra_size)
    if len(extra) < extra_size:
        return None
    size: int | None = _size64(extra) if packed == _UNKNOWN else packed
    if flags & _SIZES_BEHIND:
        size, crc = None, None
    entry = ZipEntry(_decoded(name, flags), offset, method, flags, size, crc)
    return _Header(entry, offset + _HEADER.size + name_size + extra_size)


def _size64(extra: bytes) -> int | None:
    """The packed size from the field that archives over 4 GiB have: the second number in it."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2H", extra)
        if kind == 1 and size >= 16 and len(extra) >= 20:
            return int(struct.unpack_from("<2Q", extra, 4)[1])
        extra = extra[4 + size :]
    return None


def _walked(path: Path) -> Iterator[ZipEntry]:
    """The entries one after the other, until one is damaged; the damaged one is the last."""
    with rooted_files.open_below_root(path) as file:
        offset = 0
        while header := _header(file, offset):
            yield header.entry
            end = _end(path, header)
            if end is None:
                return
            # Sizes and checksum may stand behind the data: 12 to 24 bytes.
            file.seek(end)
            gap = file.read(24 + len(_BEGIN)).find(_BEGIN)
            if gap < 0:
                return
            offset = end + gap


def _end(path: Path, header: _Header) -> int | None:
    """Where an entry's data ends in the archive; None where it does not."""
    if header.entry.size is not None:
        end = header.data + header.entry.size
        return end if end <= path.stat().st_size else None
    if header.entry.method != DEFLATED or header.entry.flags & _ENCRYPTED:
        return None
    try:
        with _Unpacked(path, header.entry) as unpacked:
            room = bytearray(_STEP)
            while unpacked.readinto(room):
                pass
            return unpacked.position
    except UnreadableSource:
        return None


def _listed(info: zipfile.ZipInfo) -> ZipEntry:
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        name = _decoded(name.encode("cp437", "replace"), 0)
    is_link = stat.S_ISLNK(info.external_attr >> 16)
    return ZipEntry(name, info.header_offset, info.compress_type, info.flag_bits, info.compress_size, info.CRC, is_link)


def _decoded(name: bytes, flags: int) -> str:
    """A name as text: many programs write UTF-8 without saying so; else it is read as in DOS."""
    try:
        return name.decode("utf-8")
    except UnicodeDecodeError:
        return name.decode("utf-8", "replace") if flags & _UTF8 else name.decode("cp437")
