"""Runs ONNX graphs in this process: those of one's own models, and the packaged ones where our library is not built."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from .extra import import_of_extra
from .local_embedder import error_line
from .settings import EncoderSettings

WEIGHTS = Path(__file__).parent / "weights"  # of the models that come with Engramma (packaged.py)

# A graph's outputs that are what they are called, with their rank; best first.
OUTPUTS = (("sentence_embedding", 2), ("last_hidden_state", 3), ("token_embeddings", 3))


def graph_name(weights: str) -> str:
    """The file beside a packaged network's weights that runs them: the same bits from fewer operators (train/)."""
    return weights.replace(".int8.", ".graph.")


class OnnxNetwork:
    """A graph that gives a vector for a text's tokens. Safe to share between threads."""

    def __init__(self, source: Path | bytes, settings: EncoderSettings) -> None:
        self._name, self._pooling = settings.name, settings.pooling
        self._session = open_session(source, self._name)
        self._inputs = [declared.name for declared in self._session.get_inputs()]
        self._output = _choose_output(self._session, self._name)
        self.dimension = len(self._vector([0]))

    def vectors(self, texts: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """The unit vectors of some texts, given as their tokens' ids, each by a run of its own."""
        return np.stack([self._vector(tokens) for tokens in texts])

    def _vector(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        ids = np.array([tokens], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            [output] = self._session.run([self._output], {name: feeds[name] for name in self._inputs})
        except Exception as error:  # onnxruntime's classes have no base of their own
            raise ModelError(f"{self._name} failed on {ids.size} tokens: {error_line(error)}") from error
        output = output.astype(np.float32, copy=False)  # of a graph in half precision, before anything is summed up
        if output.ndim == 3:
            pooled = output[0].mean(axis=0) if self._pooling == "mean" else output[0, 0]
        else:
            pooled = output[0]
        vector: NDArray[np.float32] = pooled
        length = np.sqrt(np.dot(vector, vector))
        if not np.isfinite(length) or length == 0:
            raise ModelError(f"{self._name} gave a zero vector; download its weights again")
        return np.asarray(vector / length, np.float32)


def runtime() -> Any:
    """onnxruntime, told to report nothing. Import it nowhere else."""
    # It reports its use to its makers unless this is set before it is first imported; later its own function can
    # only stop the rest. A private memory tells no one that it is used.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    onnxruntime = import_of_extra("onnxruntime")
    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(4)  # what goes wrong is raised; nothing is printed
    return onnxruntime


def open_session(source: Path | bytes, name: str) -> Any:
    onnxruntime = runtime()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1  # the pool runs one text a core
    options.inter_op_num_threads = 1
    # To plan which tensors may share memory takes three quarters of the time of opening a graph, and saves neither
    # time nor memory afterwards: what is no longer needed is given back to the arena anyway (docs/log/start.md).
    options.enable_mem_reuse = False
    # On x86 without VNNI int8 sums would overflow, and the vectors be wrong.
    options.add_session_config_entry("session.x64quantprecision", "1")
    try:
        return onnxruntime.InferenceSession(
            source if isinstance(source, bytes) else str(source), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # onnxruntime's classes have no base of their own
        where = name if isinstance(source, bytes) else source
        raise ModelError(f"{where} is not a usable ONNX model; download it again ({error_line(error)})") from error


def _choose_output(session: Any, name: str) -> str:
    """The model's own sentence vector if it gives one, else its token vectors."""
    known = {"input_ids", "attention_mask", "token_type_ids"}
    unknown = [declared.name for declared in session.get_inputs() if declared.name not in known]
    if "position_ids" in unknown:  # where they begin differs between architectures
        raise ModelError(f"{name} asks for position_ids; export it to ONNX again without that input")
    if unknown:
        raise ModelError(f"{name} needs inputs other than tokens ({', '.join(unknown)}); use a text encoder")
    outputs: dict[str, int] = {declared.name: len(declared.shape) for declared in session.get_outputs()}
    for known_output, rank in OUTPUTS:
        if outputs.get(known_output) == rank:
            return known_output
    for wanted in (3, 2):
        for output, rank in outputs.items():
            if rank == wanted:
                return output
    raise ModelError(f"{name} gives no vectors, only {', '.join(outputs)}; use a text encoder")
