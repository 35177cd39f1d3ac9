"""Reads a SQLite file page by page, without SQLite: what is left of one that is damaged.

A table is a tree of pages. Where its root is stands in the schema, which is a table itself; its pages are found by
their looks, so the first page may be gone. Trees are walked from their roots, and what cannot be read is left out.
Pages that no tree leads to, because one above them is damaged, are told apart by whoever knows what the tables' rows
look like.

The format: https://www.sqlite.org/fileformat2.html
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

INDEX_INSIDE, TABLE_INSIDE, INDEX_LEAF, TABLE_LEAF = KINDS = 2, 5, 10, 13
INSIDE = (INDEX_INSIDE, TABLE_INSIDE)
MAGIC = b"SQLite format 3\0"
SIZES = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)
OURS = 8192
WAL_MAGIC = (0x377F0682, 0x377F0683)
WAL_HEADER, FRAME_HEADER = 32, 24
REALS = {7}
INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # serial type -> bytes
DEEPEST = 40  # pages from a root to a leaf
# How often a page is read as part of long rows, in the mean: in a sound file once for each of three looks. Where many
# cells point to one long row, each would be as long as the file.
MOST_LOOKS = 10

Values = tuple[Any, ...]


class UnreadablePage(Exception):
    """A page, cell or record that is not what it should be."""


class Record(NamedTuple):
    """A row as it lies in a page; `rowid` is None in tables that have none, and in indexes."""

    rowid: int | None
    values: Values


@dataclass(slots=True)
class Image:
    """The pages of a database with its journal's over them, and what was met on the way through them."""

    data: bytes
    size: int  # of a page
    usable: int
    over: Mapping[int, bytes]  # pages that the journal has in a newer state
    count: int
    looks: int = 0  # at pages of long rows, so far
    visited: set[int] = field(default_factory=set)
    damaged: set[int] = field(default_factory=set)

    def page(self, number: int) -> bytes:
        if number in self.over:
            return self.over[number]
        found = self.data[(number - 1) * self.size : number * self.size]
        if number < 1 or not found:
            raise UnreadablePage(f"page {number} is not there")
        return found.ljust(self.size, b"\0")  # the last one may be cut: what stands before the cut can be read


def read_image(path: Path) -> Image:
    """A database's pages, from a copy that nobody writes to; `<path>-wal` beside it is taken into account."""
    data = path.read_bytes() if path.exists() else b""
    journal = path.with_name(f"{path.name}-wal")
    logged, logged_size, pages = read_journal(journal.read_bytes() if journal.exists() else b"")
    head = logged.get(1) or data[:100]
    size, reserved = page_size(head, data, logged_size)
    count = max([-(-len(data) // size), pages, *logged])
    return Image(data, size, size - reserved, logged, count)


def page_size(head: bytes, data: bytes, logged: int) -> tuple[int, int]:
    """Bytes of a page and those at its end that hold nothing: as the header says, or by how the pages look."""
    if head.startswith(MAGIC):
        (told,) = struct.unpack(">H", head[16:18])
        told = 65536 if told == 1 else told
        if told in SIZES and head[20] < 64:
            return told, head[20]
    if logged in SIZES:
        return logged, 0

    def share(size: int) -> float:
        """How many of the pages look like pages of a tree, if they have this size."""
        starts = range(size, len(data), size)
        return sum(data[at] in KINDS for at in starts) / max(len(starts), 1)

    shares = {size: share(size) for size in SIZES}
    if not (best := max(shares.values())):
        return OURS, 0
    return next(size for size in SIZES if shares[size] >= 0.75 * best), 0  # twice the size is as likely, half of it not


def read_journal(data: bytes) -> tuple[dict[int, bytes], int, int]:
    """The committed pages of a write-ahead journal, its page size, and how many pages the database then has."""
    if len(data) < WAL_HEADER:
        return {}, 0, 0
    magic, _, size, _, salt1, salt2, sum1, sum2 = struct.unpack(">8I", data[:WAL_HEADER])
    if magic not in WAL_MAGIC or size not in SIZES:
        return {}, 0, 0
    order = ">" if magic & 1 else "<"
    sums = checksum(data[:24], (0, 0), order)
    if sums != (sum1, sum2):
        return {}, 0, 0
    committed: dict[int, bytes] = {}
    open_frames: dict[int, bytes] = {}
    pages, at = 0, WAL_HEADER
    while at + FRAME_HEADER + size <= len(data):
        number, after, one, other, sum1, sum2 = struct.unpack(">6I", data[at : at + FRAME_HEADER])
        page = data[at + FRAME_HEADER : at + FRAME_HEADER + size]
        sums = checksum(page, checksum(data[at : at + 8], sums, order), order)
        if (one, other) != (salt1, salt2) or sums != (sum1, sum2) or not number:
            break
        open_frames[number] = page
        if after:
            committed |= open_frames
            open_frames, pages = {}, after
        at += FRAME_HEADER + size
    return {number: page for number, page in committed.items() if number <= pages}, size, pages


def checksum(data: bytes, sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, other = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for n in range(0, len(words), 2):
        one = (one + words[n] + other) & 0xFFFFFFFF
        other = (other + words[n + 1] + one) & 0xFFFFFFFF
    return one, other


# --- trees -------------------------------------------------------------------------------------------------


def read_tree(image: Image, root: int) -> Iterator[Record]:
    """The rows of the tree that begins here; what cannot be read is left out and noted in `damaged`."""
    waiting = [(root, 0)]
    while waiting:
        number, depth = waiting.pop()
        if number in image.visited or depth > DEEPEST:
            continue
        image.visited.add(number)
        try:
            page = image.page(number)
            kind, cells, right = layout(page, number, image.usable)
            below = [struct.unpack(">I", page[at : at + 4])[0] for at in cells] if kind in INSIDE else []
        except (UnreadablePage, struct.error):  # the latter where a cell is cut by the page's end
            image.damaged.add(number)
            continue
        if kind in INSIDE:
            waiting += [(child, depth + 1) for child in reversed([*below, right])]
        if kind != TABLE_INSIDE:
            yield from _records(image, number, page, kind, cells)


def _records(image: Image, number: int, page: bytes, kind: int, cells: list[int]) -> Iterator[Record]:
    """The rows in one page, without those that cannot be read."""
    for at in cells:
        try:
            yield _cell(image, page, at + 4 if kind == INDEX_INSIDE else at, kind)
        except (UnreadablePage, IndexError, struct.error, UnicodeDecodeError):
            image.damaged.add(number)


def layout(page: bytes, number: int, usable: int) -> tuple[int, list[int], int]:
    """A page's kind, where its cells begin, and its rightmost child."""
    at = 100 if number == 1 else 0
    kind, _, count, _, _, right = struct.unpack(">BHHHBI", page[at : at + 12])
    if kind not in KINDS:
        raise UnreadablePage(f"page {number} is not a tree page")
    first = at + (12 if kind in INSIDE else 8)
    if first + 2 * count > usable:
        raise UnreadablePage(f"page {number} has more cells than fit into it")
    cells = list(struct.unpack(f">{count}H", page[first : first + 2 * count]))
    if any(not first + 2 * count <= cell < usable for cell in cells):
        raise UnreadablePage(f"page {number} has a cell outside of it")
    return kind, cells, right


def _cell(image: Image, page: bytes, at: int, kind: int) -> Record:
    """One row: its payload, which may go on in other pages, taken apart."""
    length, at = varint(page, at)
    rowid = None
    if kind == TABLE_LEAF:
        rowid, at = varint(page, at)
        rowid = rowid - (1 << 64) if rowid >= 1 << 63 else rowid
    if not 0 < length <= len(image.data) + len(image.over) * image.size:
        raise UnreadablePage("a row that is longer than the file")
    local = local_bytes(length, image.usable, kind == TABLE_LEAF)
    data = page[at : at + local]
    if local < length:
        (next_page,) = struct.unpack(">I", page[at + local : at + local + 4])
        data = b"".join([data, *overflow(image, next_page, length - local)])
    if len(data) != length:
        raise UnreadablePage("a row that is cut off")
    return Record(rowid, taken_apart(data))


def local_bytes(length: int, usable: int, is_table: bool) -> int:
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (usable - 12) * 32 // 255 - 23
    wanted = least + (length - least) % (usable - 4)
    return wanted if wanted <= most else least


def overflow(image: Image, number: int, left: int) -> Iterator[bytes]:
    seen = set[int]()
    while left > 0:
        if number in seen:
            raise UnreadablePage("a row that goes round in a circle")
        if image.looks >= MOST_LOOKS * image.count:
            raise UnreadablePage("more long rows than there is room for")
        image.looks += 1
        seen.add(number)
        page = image.page(number)
        yield page[4 : 4 + min(left, image.usable - 4)]
        left -= image.usable - 4
        (number,) = struct.unpack(">I", page[:4])
    image.visited |= seen


def taken_apart(data: bytes) -> Values:
    """The values of a record."""
    end, at = varint(data, 0)
    kinds = []
    while at < end:
        kind, at = varint(data, at)
        kinds.append(kind)
    if at != end:
        raise UnreadablePage("a record whose header is cut off")
    values: list[Any] = []
    for kind in kinds:
        value, at = value_at(data, at, kind)
        values.append(value)
    if at != len(data):
        raise UnreadablePage("a record of another length than it says")
    return tuple(values)


def value_at(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind == 0:
        return None, at
    if kind in (8, 9):
        return kind - 8, at
    if kind in (10, 11):
        raise UnreadablePage("a value of a kind that is not in use")
    size = INTEGERS.get(kind) or (8 if kind in REALS else (kind - 12) // 2)
    part = data[at : at + size]
    if len(part) != size:
        raise UnreadablePage("a value that is cut off")
    if kind in INTEGERS:
        return int.from_bytes(part, "big", signed=True), at + size
    if kind in REALS:
        return struct.unpack(">d", part)[0], at + size
    return (part.decode("utf-8") if kind % 2 else part), at + size


def varint(data: bytes, at: int) -> tuple[int, int]:
    found = 0
    for step in range(8):
        byte = data[at + step]
        found = found << 7 | byte & 0x7F
        if byte < 0x80:
            return found, at + step + 1
    return found << 8 | data[at + 8], at + 9


# --- the file as a whole -----------------------------------------------------------------------------------


def roots(image: Image) -> dict[str, int]:
    """Name -> root page of every table and index that the schema's pages tell of, wherever these lie."""
    found: dict[str, int] = {}
    for number, page, kind, cells in leaves(image):
        if kind == TABLE_LEAF:
            for record in _records(image, number, page, kind, cells):
                if is_schema(record, image.count):
                    found.setdefault(record.values[1], record.values[3])
    image.damaged.clear()  # of pages that may belong to nobody: they are looked at again
    image.visited.clear()
    return found


def is_schema(record: Record, pages: int) -> bool:
    values = record.values
    return (
        len(values) == 5
        and values[0] in ("table", "index")
        and isinstance(values[1], str)
        and isinstance(values[3], int)
        and 1 < values[3] <= pages
    )


def leaves(image: Image, numbers: Iterator[int] | None = None) -> Iterator[tuple[int, bytes, int, list[int]]]:
    """The pages that hold rows, as far as their looks tell."""
    for number in numbers if numbers is not None else iter(range(1, image.count + 1)):
        try:
            page = image.page(number)
            kind, cells, _ = layout(page, number, image.usable)
        except (UnreadablePage, struct.error):
            continue
        if kind in (TABLE_LEAF, INDEX_LEAF) and cells:
            yield number, page, kind, cells


def free_pages(image: Image) -> set[int]:
    """Pages that hold nothing any more, by the list that the first page begins; what they held may be stale."""
    try:
        first = image.page(1)
    except UnreadablePage:
        return set()
    if not first.startswith(MAGIC):
        return set()
    (trunk,), found = struct.unpack(">I", first[32:36]), set[int]()
    while trunk and trunk not in found:
        found.add(trunk)
        try:
            page = image.page(trunk)
        except UnreadablePage:
            break
        next_trunk, count = struct.unpack(">2I", page[:8])
        count = min(count, image.usable // 4 - 2)
        found.update(struct.unpack(f">{count}I", page[8 : 8 + 4 * count]))
        trunk = next_trunk
    return found


def orphans(image: Image) -> Iterator[tuple[bool, list[Record]]]:
    """The rows of pages that no walk came to and that are not free: whether of a table with row ids, page by page."""
    free = free_pages(image)
    rest = [number for number in range(1, image.count + 1) if number not in image.visited and number not in free]
    for number, page, kind, cells in leaves(image, iter(rest)):
        yield kind == TABLE_LEAF, list(_records(image, number, page, kind, cells))
