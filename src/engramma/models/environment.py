"""What the models read from the environment, in one place."""

from __future__ import annotations

import os
from pathlib import Path

OFFLINE = "ENGRAMMA_OFFLINE"  # 1: never leave this machine
MODELS = "ENGRAMMA_MODELS"  # a folder with optional models, looked at before anything is fetched
HUB = "ENGRAMMA_HUB"  # another base address for the model hub
KEYS = ("ENGRAMMA_EMBED_API_KEY", "OPENAI_API_KEY")  # for an OpenAI-compatible server; the first one set wins

DEFAULT_HUB = "https://huggingface.co"


def is_offline(wanted: bool | None = None) -> bool:
    """The caller's wish if there is one, else the environment's."""
    if wanted is not None:
        return wanted
    return os.environ.get(OFFLINE, "").strip().lower() not in ("", "0", "false", "no", "off")


def models_folder() -> Path | None:
    """The folder of optional models that the user configured."""
    named = os.environ.get(MODELS, "").strip()
    return Path(named).expanduser() if named else None


def cache_folder() -> Path:
    """Where fetched weights and built graphs are kept; it can be deleted at any time."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("engramma", appauthor=False))


def hub_address() -> str:
    """The model hub's base address, without a slash at its end."""
    return (os.environ.get(HUB, "").strip() or DEFAULT_HUB).rstrip("/")


def api_key() -> str | None:
    """The key of an OpenAI-compatible server, if one is set."""
    return next((key for name in KEYS if (key := os.environ.get(name, "").strip())), None)
