"""The settings that lie in a backup: what they would change, and what they may not.

A backup's settings are somebody's word on where talk and keys are sent, so a restore leaves them out unless it is asked
for them, and says in both cases how they differ from what is there.
"""

from __future__ import annotations

import json
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config.settings import CONFIG_FILE, config_from
from ..errors import BadInput, UnreadableSource

MOST_BYTES = 1 << 20  # of a config.toml
LONGEST = 200  # characters of a value that is shown


@dataclass(frozen=True, slots=True)
class SettingChange:
    """One setting that a backup has otherwise than the store: both values as JSON; None: not set."""

    setting: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        before, after = ("(not set)" if value is None else value for value in (self.before, self.after))
        return f"{self.setting}: {before} -> {after}"


def changes_by(source: Path, store: Path) -> tuple[SettingChange, ...]:
    """How the settings in a backup differ from those of a store; nothing if the backup has none."""
    try:
        with zipfile.ZipFile(source) as archive:
            after = read_settings(archive)
    except (OSError, zipfile.BadZipFile, zlib.error, ValueError, EOFError, NotImplementedError) as error:
        raise UnreadableSource(f"{source} is not a backup of Engramma, or it is damaged ({error}).") from error
    if after is None:
        return ()
    try:
        wanted = flat(_values_of(after, f"{CONFIG_FILE} in the backup"))
    except BadInput as error:
        return (SettingChange(CONFIG_FILE, None, f"cannot be read: {json.dumps(str(error))}"),)
    before: dict[str, str] = {}
    with suppress(OSError, BadInput):  # none, or none that can be read: then all of it is new
        before = flat(_values_of((store / CONFIG_FILE).read_bytes(), CONFIG_FILE))
    return changes(before, wanted)


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[SettingChange, ...]:
    names = sorted({*before, *after})
    return tuple(
        SettingChange(name, before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    )


def read_settings(archive: zipfile.ZipFile) -> bytes | None:
    """The settings in a backup as they stand there."""
    if CONFIG_FILE not in archive.namelist():
        return None
    with archive.open(CONFIG_FILE) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UnreadableSource(
            f"{CONFIG_FILE} in the backup is larger than {MOST_BYTES >> 20} MiB, too large for settings."
        )
    return data


def settings_to_restore(data: bytes | None, with_config: bool) -> bytes | None:
    """The settings of a backup that a restore puts in place: only if asked for, valid, without a database elsewhere."""
    if data is None or not with_config:
        return None
    where = f"{CONFIG_FILE} in the backup"
    config = config_from(_values_of(data, where), where)
    if config.store:
        raise BadInput(
            f"{where} names a database ([store]), but a backup contains its own. Restore without --with-config."
        )
    return data


def _values_of(data: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{where} is not valid TOML: {error}. Restore without --with-config.") from error


def flat(values: Mapping[str, Any], above: str = "") -> dict[str, str]:
    """Settings by their dotted names, each as JSON, which has no control characters."""
    return dict(_flat(values, above))


def _flat(values: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        plain = name if name.replace("_", "").isalnum() else json.dumps(name)
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{above}{plain}.")
        else:
            said = json.dumps(value, default=str)
            yield f"{above}{plain}", said if len(said) <= LONGEST else f"{said[:LONGEST]}…"
