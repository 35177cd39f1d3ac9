"""A cross-encoder from a local folder: it reads a query and a text together and says how well they fit.

The folder has `model.onnx` (or another of the names that embedders may have) and `tokenizer.json`. One pair is one
run, unpadded, for the reasons given in local_embedder.py: a score does not depend on what else is scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from ..errors import ModelError
from .folder import TOKENIZER
from .local_embedder import CHARACTERS_A_TOKEN, cores, error_line, open_tokenizer
from .onnx import open_session
from .settings import prefix_text
from .weight_files import ONNX_FILES

MAX_TOKENS = 512  # of query and text together; the longer of the two is cut first
OUTPUT = "logits"  # preferred where a graph has several outputs
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class Reranker:
    """An ONNX cross-encoder with its tokenizer. Safe to share between threads."""

    def __init__(self, folder: Path) -> None:
        weights, tokenizer = _files(folder)
        self.name = folder.resolve().name
        self._session = open_session(weights, self.name)
        self._inputs = [declared.name for declared in self._session.get_inputs()]
        if unknown := [name for name in self._inputs if name not in INPUTS]:
            raise ModelError(f"{folder} needs inputs other than tokens ({', '.join(unknown)}); use a cross-encoder")
        outputs = [declared.name for declared in self._session.get_outputs()]
        self._output = OUTPUT if OUTPUT in outputs else outputs[0]
        self._tokenizer = open_tokenizer(tokenizer, MAX_TOKENS)
        self._score("probe", "probe")  # a graph of another kind is refused now, not at the first question

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text fits the query, as the model's own logit; higher is better."""
        with ThreadPoolExecutor(cores(), thread_name_prefix="engramma-rerank") as pool:
            return list(pool.map(lambda text: self._score(query, text), texts))

    def _score(self, query: str, text: str) -> float:
        limit = MAX_TOKENS * CHARACTERS_A_TOKEN
        pair = self._tokenizer.encode(prefix_text(query, "", limit), prefix_text(text, "", limit))
        ids = np.array([pair.ids or [0]], np.int64)
        types = np.array([pair.type_ids or [0]], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": types}
        try:
            [output] = self._session.run([self._output], {name: feeds[name] for name in self._inputs})
        except Exception as error:  # onnxruntime's classes have no base of their own
            raise ModelError(f"{self.name} failed on {ids.size} tokens: {error_line(error)}") from error
        if output.shape not in ((1,), (1, 1), (1, 2)):
            shape = " x ".join(map(str, output.shape))
            raise ModelError(
                f"{self.name} gives {shape} numbers for a pair ({self._output}), not one logit or two; "
                "use a cross-encoder, exported with its classification head"
            )
        logits = output.astype(np.float64).ravel()
        # Of two classes the second is "fits"; their difference is the logit of its probability.
        score = float(logits[0] if len(logits) == 1 else logits[1] - logits[0])
        if not np.isfinite(score):
            raise ModelError(f"{self.name} gave a score that is not a number; download its weights again")
        return round(score, 6)


def load_reranker(spec: str) -> Reranker:
    """The reranker that the setting names."""
    folder = Path(spec).expanduser()
    if not folder.is_dir():
        raise ModelError(f"there is no folder {spec!r}; set reranker in config.toml to a cross-encoder's folder")
    return Reranker(folder)


def _files(folder: Path) -> tuple[Path, Path]:
    weights = next((folder / name for name in ONNX_FILES if (folder / name).is_file()), None)
    if weights is None:
        raise ModelError(f"{folder} has no model; a reranker needs one of {', '.join(ONNX_FILES)}")
    tokenizer = folder / TOKENIZER
    if not tokenizer.is_file():
        raise ModelError(f"{folder} has no {TOKENIZER}; save the model's fast tokenizer there")
    return weights, tokenizer
