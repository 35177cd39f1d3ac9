"""Encoders that run in this process: onnxruntime, a tokenizer, and numpy.

One text is one run, unpadded, on a pool of single-threaded runs. A quantised graph may scale its activations
over the whole input, so in a padded batch a text's vector would depend on its neighbours (cosines down to .98
between batches of 1 and of 32), and float sums depend on the padding in their last bits. One run a text gives
the same bits always, and was no slower than batches of 32 on any model measured.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError
from ..files.hashing import sha256_of
from . import graph
from .embed import Kind, Progress
from .emoji import blank_emoji
from .folder import ModelFolder, read_folder
from .graph_parts import Precision
from .settings import EncoderSettings, prefix_text
from .weight_files import all_weight_files

WEIGHTS = Path(__file__).parent / "weights"  # of the models that come with Engramma (packaged.py)

# Ordinary text has 4 to 5 characters a token, so this much fills the window, and a text of 5 MB costs
# milliseconds in the tokenizer instead of 17 s. Only long runs of spaces or an endless word feel it.
CHARACTERS_A_TOKEN = 16
WINDOW = 4096  # texts submitted at a time, which bounds the memory of a long import

TOKEN = 4  # characters of ordinary English text a token

# A graph's outputs that are what they are called, with their rank; best first.
OUTPUTS = (("sentence_embedding", 2), ("last_hidden_state", 3), ("token_embeddings", 3))

# Stores know models of these architectures by their weights alone; of later ones, config.json counts as well.
WEIGHTS_ALONE = ("bert", "mpnet")


def graph_name(weights: str) -> str:
    """The file beside a packaged network's weights that runs them: the same bits from fewer operators (train/)."""
    return weights.replace(".int8.", ".graph.")


class OnnxEmbedder:
    """An ONNX encoder with its tokenizer. Safe to share between threads."""

    def __init__(self, source: Path | bytes, tokenizer: Any, settings: EncoderSettings, sha256: str) -> None:
        """`tokenizer` is its file, or one that `open_tokenizer` opened."""
        self._settings = settings
        self._sha256 = sha256
        self._session = _open_session(source, settings.name)
        self._inputs = [declared.name for declared in self._session.get_inputs()]
        self._output = _choose_output(self._session, settings.name)
        is_file = isinstance(tokenizer, Path)
        self.tokenizer = open_tokenizer(tokenizer, settings.max_tokens) if is_file else tokenizer
        self._dimension = len(self.vector_of("probe"))

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def sha256(self) -> str:
        return self._sha256

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def edge_floor(self) -> float:
        return self._settings.edge_floor

    @property
    def window(self) -> int:
        """How many characters of ordinary text it reads; what follows is cut off."""
        return self._settings.max_tokens * TOKEN - TOKEN

    def embed(
        self, texts: Sequence[str], kind: Kind = "document", progress: Progress | None = None
    ) -> NDArray[np.float32]:
        """One unit row a text, in the order given."""
        return embed_with(self.vector_of, self._dimension, self._settings, texts, kind, progress)

    def vector_of(self, text: str) -> NDArray[np.float32]:
        """The unit vector of one text, which is prepared already."""
        return self.vector_of_ids(self.tokenizer.encode(text).ids)

    def vector_of_ids(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """The unit vector of one text, given as its tokens' ids."""
        # Some tokenizers add no marks of their own, and then nothing is left of an empty text.
        ids = np.array([tokens or [0]], np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            [output] = self._session.run([self._output], {name: feeds[name] for name in self._inputs})
        except Exception as error:  # onnxruntime's classes have no base of their own
            raise ModelError(f"{self.name} failed on {ids.size} tokens: {_first_line(error)}") from error
        output = output.astype(np.float32, copy=False)  # of a graph in half precision, before anything is summed up
        if output.ndim == 3:
            pooled = output[0].mean(axis=0) if self._settings.pooling == "mean" else output[0, 0]
        else:
            pooled = output[0]
        vector: NDArray[np.float32] = pooled
        length = np.sqrt(np.dot(vector, vector))
        if not np.isfinite(length) or length == 0:
            raise ModelError(f"{self.name} gave a zero vector; download its weights again")
        return np.asarray(vector / length, np.float32)


def embed_with(
    vector_of: Callable[[str], NDArray[np.float32]],
    dimension: int,
    settings: EncoderSettings,
    texts: Sequence[str],
    kind: Kind,
    progress: Progress | None,
) -> NDArray[np.float32]:
    """One row a text, in the order given; a text that is repeated is embedded once."""
    places: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        places.setdefault(prepare_text(text, kind, settings), []).append(place)
    rows = np.empty((len(texts), dimension), np.float32)
    for text, vector in _each_vector(vector_of, list(places)):
        rows[places[text]] = vector
        if progress is not None:
            progress(len(places[text]))
    return rows


def prepare_text(text: str, kind: Kind, settings: EncoderSettings) -> str:
    """A text as an encoder gets it: prefixed, and cut to what it may read."""
    prefix = settings.query_prefix if kind == "query" else settings.document_prefix
    prepared = prefix_text(text, prefix, settings.max_tokens * CHARACTERS_A_TOKEN)
    return prepared if settings.reads_emoji else blank_emoji(prepared)


def _each_vector(
    vector_of: Callable[[str], NDArray[np.float32]], texts: list[str]
) -> Iterator[tuple[str, NDArray[np.float32]]]:
    if len(texts) < 2:
        yield from ((text, vector_of(text)) for text in texts)
        return
    rest = iter(texts)
    with ThreadPoolExecutor(_cores(), thread_name_prefix="engramma-embed") as pool:
        while window := list(islice(rest, WINDOW)):
            window.sort(key=len, reverse=True)  # the long ones first, so that the workers end together
            yield from zip(window, pool.map(vector_of, window), strict=True)


def load_folder(folder: Path, cache: Path) -> OnnxEmbedder:
    """Any local model: an ONNX file, or safetensors of an architecture that graph.py knows."""
    model = read_folder(folder)
    return load_model(model, sha256_of(*all_weight_files(model.weights)), cache)


def identify_model(sha256: str, settings: EncoderSettings) -> str:
    """The hash of the weights, and of how texts are prepared where that is unusual: other vectors, another model."""
    usual = EncoderSettings(settings.name)
    chosen = (settings.pooling, settings.query_prefix, settings.document_prefix, settings.max_tokens)
    if chosen == (usual.pooling, usual.query_prefix, usual.document_prefix, usual.max_tokens):
        return sha256 if settings.reads_emoji else hashlib.sha256(f"{sha256} no emoji".encode()).hexdigest()
    chosen_too = () if settings.reads_emoji else (False,)
    return hashlib.sha256(repr((sha256, *chosen, *chosen_too)).encode()).hexdigest()


def graph_file(config: Mapping[str, Any], precision: Precision, sha256: str, cache: Path) -> tuple[str, Path]:
    """What identifies the graph of safetensors, and where it is kept once it is built."""
    if config.get("model_type") not in WEIGHTS_ALONE:
        sha256 = hashlib.sha256(f"{sha256} {graph.shape_digest(config)}".encode()).hexdigest()
    return sha256, cache / "graphs" / f"{sha256}-{precision}-{graph.GRAPH_VERSION}.onnx"


def load_model(model: ModelFolder, sha256: str, cache: Path) -> OnnxEmbedder:
    """A model whose files, settings and hash are known. The graph of safetensors is built once and kept."""
    if model.config is None:
        return OnnxEmbedder(model.weights, model.tokenizer, model.settings, identify_model(sha256, model.settings))
    precision = model.settings.precision
    sha256, built = graph_file(model.config, precision, sha256, cache)
    source = built if built.is_file() else _keep(built, graph.build_onnx_graph(model.weights, model.config, precision))
    if precision != "fp32":  # other vectors than the same weights give in full
        sha256 = hashlib.sha256(built.name.encode()).hexdigest()
    return OnnxEmbedder(source, model.tokenizer, model.settings, identify_model(sha256, model.settings))


def _keep(path: Path, content: bytes) -> Path | bytes:
    """Writes the file whole or not at all; a cache that cannot be written costs time, not the answer."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".part-") as folder:
            part = Path(folder) / path.name
            part.write_bytes(content)
            part.replace(path)
    except OSError:
        return content
    return path


def runtime() -> Any:
    """onnxruntime, told to report nothing. Import it nowhere else."""
    # It reports its use to its makers unless this is set before it is first imported; later its own function can
    # only stop the rest. A private memory tells no one that it is used.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(4)  # what goes wrong is raised; nothing is printed
    return onnxruntime


def _open_session(source: Path | bytes, name: str) -> Any:
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
        raise ModelError(f"{where} is not a usable ONNX model; download it again ({_first_line(error)})") from error


def open_tokenizer(path: Path, max_tokens: int) -> Any:
    """A tokenizer that cuts texts after `max_tokens` and fills none up."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
        tokenizer.enable_truncation(max_tokens)
        tokenizer.no_padding()
    except Exception as error:  # tokenizers raises a bare Exception
        raise ModelError(f"{path} is not a usable tokenizer ({_first_line(error)}); get it again") from error
    return tokenizer


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


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
