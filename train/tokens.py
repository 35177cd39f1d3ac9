"""Texts as token ids: one flat array and offsets, so that batches are gathered without loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .person import OTHER, SELF

if TYPE_CHECKING:
    import torch

PAD, CLS, SEP, SELF_ID, OTHER_ID = 0, 101, 102, 2, 3  # in BERT's vocabulary; [unused1] is 2


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of many texts, with the marks at both ends."""

    ids: NDArray[np.uint16]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def save(self, path: Path) -> None:
        np.savez_compressed(path, ids=self.ids, offsets=self.offsets)


def load(path: Path) -> Tokens:
    """What `Tokens.save` wrote."""
    with np.load(path) as read:
        return Tokens(read["ids"], read["offsets"])


def open_tokenizer(path: Path, max_tokens: int) -> Any:
    """The encoder's tokenizer, with the stand-ins for names as tokens of their own."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    tokenizer.add_special_tokens([SELF, OTHER])
    return tokenizer


def tokenize(tokenizer: Any, texts: Sequence[str], characters: int = 4096) -> Tokens:
    """All texts; more characters than the window can hold are cut off first."""
    rows = [row.ids for row in tokenizer.encode_batch([text[:characters] for text in texts])]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return Tokens(np.fromiter((token for row in rows for token in row), np.uint16, int(offsets[-1])), offsets)


class Batcher:
    """Token arrays on a device, gathered into padded batches."""

    def __init__(self, tokens: Tokens, device: torch.device) -> None:
        import torch

        self.device = device
        self.ids = torch.from_numpy(tokens.ids.astype(np.int32)).to(device)
        self.offsets = torch.from_numpy(tokens.offsets).to(device)

    def lengths(self, rows: torch.Tensor, limit: int) -> torch.Tensor:
        return (self.offsets[rows + 1] - self.offsets[rows]).clamp(max=limit)

    def gather(
        self, rows: torch.Tensor, limit: int, names: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Ids and mask of some texts; `names` (rows, 2) take the places of the stand-ins."""
        import torch

        lengths = self.lengths(rows, limit)
        widest = -(-int(lengths.max()) // 8) * 8  # attention kernels want multiples of 8
        steps = torch.arange(widest, device=self.device)
        mask = steps < lengths[:, None]
        places = (self.offsets[rows, None] + steps).clamp(max=len(self.ids) - 1)
        ids = torch.where(mask, self.ids[places].long(), PAD)
        ids.scatter_(1, lengths[:, None] - 1, SEP)  # a text cut at the limit ends as others do
        if names is not None:
            ids = torch.where(ids == SELF_ID, names[:, :1], ids)
            ids = torch.where(ids == OTHER_ID, names[:, 1:], ids)
        return ids, mask
