"""Loads embedding models by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import ModelError
from .embed import FORMER, MINI, PACKAGED, Embedder

if TYPE_CHECKING:
    from .progress import Received


def floor_of(spec: str | None) -> float | None:
    """The edge floor of a model that cannot be asked for it; None where only the model itself knows."""
    from .settings import EDGE_FLOOR

    if spec is None or spec == PACKAGED:
        return EDGE_FLOOR
    from .tiers import TIERS

    if spec in TIERS:
        return TIERS[spec].settings.edge_floor
    return None if spec and Path(spec).is_absolute() else EDGE_FLOOR


def load(
    spec: str | None = None,
    *,
    offline: bool | None = None,
    models: Path | None = None,
    cache: Path | None = None,
    received: Received | None = None,
) -> Embedder:
    """The embedder that `spec` names; the packaged one by default.

    `offline`, `models` (a folder of optional models) and `cache` come from the environment where they are not
    given. `received` is told how a fetch goes on; without it there is a bar on a terminal, elsewhere silence.
    """
    # Imported here: onnxruntime, tokenizers and the HTTP client must not cost those who never embed.
    from .packaged import load_mini, load_packaged

    if spec is None or spec == PACKAGED:
        return load_packaged()
    if spec == MINI:
        return load_mini()
    if spec in FORMER:
        raise ModelError(
            f"{spec} came with an earlier version and was replaced by {PACKAGED}: use that, or leave it out"
        )
    from . import environment
    from .local_model import graph_file, load_folder, load_model
    from .tiers import TIERS

    cache = cache or environment.cache_folder()
    if spec in TIERS:
        from .extra import import_of_extra
        from .fetch import fetch
        from .folder import TOKENIZER, ModelFolder
        from .graph_parts import onnx_library
        from .onnx import runtime
        from .weight_files import SAFETENSORS

        tier = TIERS[spec]
        if not graph_file(tier.config, tier.settings.precision, tier.weights.sha256, cache)[1].is_file():
            onnx_library()  # what it needs is asked for before anything is fetched
        runtime()
        import_of_extra("tokenizers")
        place = fetch(tier, folder=models, cache=cache, offline=offline, progress=received)
        model = ModelFolder(place / SAFETENSORS, place / TOKENIZER, tier.settings, tier.config)
        return load_model(model, tier.weights.sha256, cache)
    if spec.startswith(("ollama:", "openai:")):
        from .remote import open_remote

        return open_remote(spec, offline=environment.is_offline(offline), key=environment.api_key())
    if spec and (folder := Path(spec).expanduser()).is_dir():
        return load_folder(folder, cache)
    raise ModelError(
        f"there is no embedder {spec!r} and no such folder; choose {PACKAGED}, {MINI}, {', '.join(TIERS)}, a folder "
        "with model.onnx or model.safetensors, ollama:MODEL, ollama:MODEL@http://host:port, "
        "or openai:MODEL@https://host/v1"
    )
