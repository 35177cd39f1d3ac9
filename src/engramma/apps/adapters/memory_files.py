"""Files under `/memories` that are kept in a memory: the six commands of Anthropic's memory tool.

Each version of a file is kept (slots.py); its text is what recall finds, and the last version is what `view` shows.
Results and refusals have the words that Anthropic documents for the tool, because models know them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote

from ...ingest.validate import MAX_NAME
from ...memory import Memory
from . import packing, slots

ROOT = "/memories"
CONVERSATION = "memories"
MAX_FILE = 1_000_000  # bytes
MAX_PATH = MAX_NAME - 100  # characters: a version's mark and masks still fit behind it
MAX_LINES = 999_999
MAX_SHOWN = 16_000  # characters of one view, as the tool tells the model; the rest is seen with view_range
AROUND = 2  # lines before and after a change that its snippet shows
EMPTY = "(an empty file)"  # the words of a file that has none
TRIES = 20  # of an edit that others keep changing the file under


class CommandRefused(Exception):
    """A command that cannot be done, in the words that the model gets."""


class MemoryFiles:
    """The files, and what can be done with them."""

    def __init__(self, memory: Memory, *, conversation: str = CONVERSATION, max_file: int = MAX_FILE) -> None:
        self.memory, self.conversation, self.max_file = memory, conversation, max_file

    def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """A file's lines with their numbers, or what is in a directory."""
        place = _checked(path)
        version = self._file(place)
        if version is not None:
            return numbered_view(path, content_of(version), view_range)
        below = self._below(place)
        if not below and place != ROOT:
            raise CommandRefused(f"The path {path} does not exist. Please provide a valid path.")
        head = (
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        )
        return "\n".join([head, *_listed(place, {name: len(content_of(v).encode()) for name, v in below.items()})])

    def read(self, path: str) -> str | None:
        """A file's content, exactly; None if there is no such file."""
        version = self._file(_checked(path))
        return None if version is None else content_of(version)

    def create(self, path: str, file_text: str) -> str:
        """A new file; one that is there already stays as it is."""
        place = _checked(path)
        if place == ROOT or self._file(place) is not None or self._below(place):
            raise CommandRefused(f"Error: File {path} already exists")
        self._check_parents(place)
        if not self._write(place, file_text, after=None):
            raise CommandRefused(f"Error: File {path} already exists")
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str | None = None) -> str:
        """Put one text in the place of another that occurs exactly once."""
        place = _checked(path)
        for _ in range(TRIES):
            version = self._file(place)
            if version is None:
                raise CommandRefused(f"Error: The path {path} does not exist. Please provide a valid path.")
            content = content_of(version)
            at = occurrences(content, old_str)
            if not at:
                raise CommandRefused(
                    f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
                )
            if len(at) > 1:
                lines = ", ".join(str(content.count("\n", 0, position) + 1) for position in at)
                raise CommandRefused(
                    f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. "
                    "Please ensure it is unique"
                )
            edited = content[: at[0]] + (new_str or "") + content[at[0] + len(old_str) :]
            if self._write(place, edited, after=version):
                return "The memory file has been edited.\n" + snippet(edited, content.count("\n", 0, at[0]), new_str)
        raise CommandRefused(f"Error: The file {path} is being edited by others. Try again.")

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Put lines after the line of that number; 0 is the beginning."""
        place = _checked(path)
        for _ in range(TRIES):
            version = self._file(place)
            if version is None:
                raise CommandRefused(f"Error: The path {path} does not exist")
            lines = content_of(version).split("\n")
            if lines[-1] == "":
                lines.pop()
            if type(insert_line) is not int or not 0 <= insert_line <= len(lines):
                raise CommandRefused(
                    f"Error: Invalid `insert_line` parameter: {insert_line}. It should be within the range of lines "
                    f"of the file: [0, {len(lines)}]"
                )
            lines.insert(insert_line, insert_text.removesuffix("\n"))
            if self._write(place, "\n".join(lines) + "\n", after=version):
                return f"The file {path} has been edited."
        raise CommandRefused(f"Error: The file {path} is being edited by others. Try again.")

    def delete(self, path: str) -> str:
        """Take a file, or a directory with all that is in it, out of sight."""
        place = _checked(path)
        if place == ROOT:
            raise CommandRefused(f"Error: The {ROOT} directory itself cannot be deleted")
        gone = [*slots.versions_of(self.memory, self.conversation, place), *self._versions_below(place)]
        if not gone:
            raise CommandRefused(f"Error: The path {path} does not exist")
        slots.forget_versions(self.memory, self.conversation, gone)
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Give a file or a directory another path."""
        old, new = _checked(old_path), _checked(new_path)
        if old == ROOT:
            raise CommandRefused(f"Error: The {ROOT} directory itself cannot be renamed")
        moved = self._below(old)
        if (version := self._file(old)) is not None:
            moved[slots.mask_slot_name(self.memory, old)] = version
        if not moved:
            raise CommandRefused(f"Error: The path {old_path} does not exist")
        if new == ROOT or self._file(new) is not None or self._below(new):
            raise CommandRefused(f"Error: The destination {new_path} already exists")
        if new.startswith(f"{old}/"):
            raise CommandRefused(f"Error: The path {old_path} cannot be moved into itself")
        self._check_parents(new)
        before = len(slots.mask_slot_name(self.memory, old))
        for name, version in moved.items():
            if not self._write(new + name[before:], content_of(version), after=None):
                raise CommandRefused(f"Error: The destination {new_path} already exists")
            slots.forget_versions(self.memory, self.conversation, [version])
        return f"Successfully renamed {old_path} to {new_path}"

    def clear(self) -> str:
        """Take everything out of sight."""
        slots.forget_versions(self.memory, self.conversation, slots.versions(self.memory, self.conversation))
        return "All memory cleared"

    # --- steps ---------------------------------------------------------------------------------

    def _file(self, place: str) -> slots.Version | None:
        return slots.get(self.memory, self.conversation, place)

    def _versions_below(self, place: str) -> list[slots.Version]:
        return slots.versions(self.memory, self.conversation, f"{slots.mask_slot_name(self.memory, place)}/")

    def _below(self, place: str) -> dict[str, slots.Version]:
        """The files in a directory and in those within it, by their paths."""
        return {version.name: version for version in self._versions_below(place)}

    def _check_parents(self, place: str) -> None:
        parts = place.split("/")
        for depth in range(3, len(parts)):
            if self._file(parent := "/".join(parts[:depth])) is not None:
                raise CommandRefused(f"Error: The path {parent} is a file, so nothing can be in it")

    def _write(self, place: str, content: str, after: slots.Version | None) -> bool:
        if (size := len(content.encode("utf-8", "surrogatepass"))) > self.max_file:
            raise CommandRefused(
                f"Error: File {place} would have {size:,} bytes; the limit is {self.max_file:,}. Split it into files."
            )
        is_plain = content.strip() and "\0" not in content and packing.is_whole(content)
        meta = (
            {}
            if is_plain
            else packing.pack_value(content, self.memory.redactor.mask, self.memory.config.max_turn_bytes)
        )
        words = content if is_plain else packing.make_storable(content)
        text = words if words.strip() else EMPTY
        return slots.store_version(self.memory, self.conversation, place, text, speaker=place, meta=meta, after=after)


def content_of(version: slots.Version) -> str:
    """A file's content: its words, unless no turn could hold them."""
    if any(name.startswith(packing.NAME) for name in version.meta):
        return str(packing.unpack_value(version.meta))
    return version.text


def _checked(path: object) -> str:
    """A path under `/memories`, in its plain form; nothing that could lead out of it."""
    if not isinstance(path, str) or not (path == ROOT or path.startswith(f"{ROOT}/")):
        raise CommandRefused(f"Error: Path must start with {ROOT}, got: {path}")
    if len(path) > MAX_PATH:
        raise CommandRefused(f"Error: Path has {len(path):,} characters; the limit is {MAX_PATH:,}")
    plain = unquote(unquote(path))
    if "\\" in plain or ".." in plain.split("/") or not plain.isprintable() or not packing.is_whole(path):
        raise CommandRefused(f"Error: Path {path!r} would escape {ROOT} directory")
    return "/".join(["", *(part for part in path.split("/") if part not in ("", "."))])


def _listed(place: str, sizes: dict[str, int]) -> list[str]:
    """A directory's own line, then what is in it, two levels deep; a directory's size is that of its files."""
    shown: dict[str, int] = {}
    for path, size in sizes.items():
        parts = path.removeprefix(place).strip("/").split("/")
        if any(part.startswith(".") or part == "node_modules" for part in parts):
            continue
        for depth in range(1, min(len(parts), 2) + 1):
            name = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            shown[name] = shown.get(name, 0) + size
    total = sum(size for name, size in shown.items() if name.rstrip("/").count("/") == 0)
    lines = [f"{readable_size(size)}\t{place}/{name}" for name, size in sorted(shown.items())]
    return [f"{readable_size(total)}\t{place}", *lines]


def readable_size(size: int) -> str:
    """Bytes as people read them: 512B, 1.5K, 2M."""
    for unit, bytes in (("M", 1024**2), ("K", 1024)):
        if size >= bytes:
            return f"{size / bytes:.1f}".removesuffix(".0") + unit
    return f"{size}B"


def numbered_view(path: str, content: str, view_range: Sequence[int] | None) -> str:
    """A file's lines, or some of them, as many as may be shown at once."""
    lines = content.split("\n")
    if len(lines) > MAX_LINES:
        raise CommandRefused(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if view_range is not None and len(view_range) == 2:
        first, last = max(1, view_range[0]), len(lines) if view_range[1] == -1 else min(view_range[1], len(lines))
    shown, room = list[str](), MAX_SHOWN
    for number in range(first, last + 1):
        room -= len(lines[number - 1]) + 1
        if room < 0 and shown:
            shown.append(f"(lines {number} to {last} of {len(lines)} are left out: see them with view_range)")
            break
        shown.append(_numbered(number, lines[number - 1]))
    return "\n".join([f"Here's the content of {path} with line numbers:", *shown])


def _numbered(number: int, line: str) -> str:
    return f"{number:>6}\t{line}"


def snippet(content: str, line: int, new_str: str | None) -> str:
    """The lines around a change that begins at a line, counted from 0."""
    lines = content.split("\n")
    end = line + (new_str or "").count("\n") + AROUND + 1
    first = max(0, line - AROUND)
    return "\n".join(_numbered(n + 1, text) for n, text in enumerate(lines[first:end], first))


def occurrences(content: str, text: str) -> list[int]:
    """Where a text stands, also where it overlaps itself."""
    return [found.start() for found in re.finditer(f"(?={re.escape(text)})", content)] if text else []
