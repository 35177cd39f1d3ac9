"""The two ways in which the packaged networks run, for tests that hold for both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engramma.models import packaged
from engramma.models.native import is_faster, layout_name
from engramma.models.onnx import graph_name

# By the name of the file that each needs beside the weights: our library, and ONNX Runtime.
RUNS = (layout_name, graph_name)


def run_by(patch: pytest.MonkeyPatch, needed: Callable[[str], str]) -> None:
    """Has networks that are opened from now on run one way or the other."""
    is_native = needed is layout_name
    if is_native and not is_faster():
        pytest.skip("the library was not built for this machine")
    patch.setattr(packaged, "runs_networks", lambda: is_native)
