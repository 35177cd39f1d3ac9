"""Packages that models of one's own need, and the packaged ones where our library is not built: the extra `models`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import ModelError

INSTALL_MODELS = "pip install 'engramma[models]'"


def import_of_extra(name: str) -> Any:
    """A package of the extra; an error that says how to install it where it is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ModelError(
            f"models of your own, and the packaged ones where our library is not built, need {name}, which is not "
            f"installed or cannot be loaded ({error}): {INSTALL_MODELS}"
        ) from error
