"""An encoder as one writes it first: ONNX Runtime's defaults, batches of 32 in the order given, padded to the longest.

It needs numpy, onnxruntime and tokenizers alone: the stores that speed.py compares with use it in environments of their
own, where there is no engramma.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

BATCH = 32
WINDOW = 256  # tokens, as the packaged encoder reads


class PlainEncoder:
    """A network of ONNX Runtime, mean of the tokens, unit length."""

    def __init__(self, model: Path, tokenizer: Path) -> None:
        onnxruntime.set_default_logger_severity(4)
        self._session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        self._inputs = [one.name for one in self._session.get_inputs()]
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(WINDOW)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit row a text."""
        return np.vstack([self._batch(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.zeros((len(encoded), max(len(one.ids) for one in encoded)), np.int64)
        mask = np.zeros_like(ids)
        for row, one in enumerate(encoded):
            ids[row, : len(one.ids)] = one.ids
            mask[row, : len(one.ids)] = 1
        given: dict[str, Any] = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return np.asarray(pooled / np.linalg.norm(pooled, axis=1, keepdims=True), np.float32)
