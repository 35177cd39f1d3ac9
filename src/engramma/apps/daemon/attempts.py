"""Records which spool item the worker is processing, so that one that crashes it is tried only twice."""

from __future__ import annotations

from .folder import DaemonFolder, read_json, write_json

MOST_TRIES = 2


class Attempts:
    """Counts the workers that died while they stored an item. Frames are counted by the daemon, which holds them."""

    def __init__(self, place: DaemonFolder) -> None:
        self._file = place.trying
        found = read_json(self._file)
        name, tries = found.get("item"), found.get("tries")
        self._name = name if isinstance(name, str) else None
        self._tries = tries if isinstance(tries, int) else 0

    @property
    def one_was_left(self) -> bool:
        """Whether the worker before this one died while it stored an item."""
        return self._name is not None

    def begin(self, name: str) -> bool:
        """Note that an item is tried now; False if it was on the table too often when a worker died."""
        if name == self._name and self._tries >= MOST_TRIES:
            return False
        self._tries = self._tries + 1 if name == self._name else 1
        self._name = name
        write_json(self._file, {"item": name, "tries": self._tries})
        return True

    def end(self) -> None:
        """Note that nothing is being tried."""
        self._name, self._tries = None, 0
        self._file.unlink(missing_ok=True)
