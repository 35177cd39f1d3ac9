"""A tiny random ModernBERT, and what it should compute, worked out in plain numpy independently of the graph."""

from __future__ import annotations

import math

import numpy as np

LAYERS, HEADS, HIDDEN, INNER, TOKENS, WINDOW = 4, 4, 32, 48, 18, 6


def config(**changes: object) -> dict:
    """As files before 2026 have it; `layer_types` and `rope_parameters` are the newer way."""
    return {
        "model_type": "modernbert",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "hidden_size": HIDDEN,
        "intermediate_size": INNER,
        "max_position_embeddings": 40,
        "norm_eps": 1e-5,
        "global_attn_every_n_layers": 3,
        "local_attention": WINDOW,
        "global_rope_theta": 160000.0,
        "local_rope_theta": 10000.0,
        "hidden_activation": "gelu",
    } | changes


def weights(seed: int = 0, biased: bool = False, tokens: int = TOKENS) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def random(*shape: int) -> np.ndarray:
        return (rng.standard_normal(shape) * 0.3).astype(np.float32)

    found = {"embeddings.tok_embeddings.weight": random(tokens, HIDDEN)}
    norms = ["embeddings.norm", "final_norm"]
    for layer in range(LAYERS):
        below = f"layers.{layer}."
        norms += [f"{below}attn_norm"] * (layer > 0) + [f"{below}mlp_norm"]
        found |= {
            f"{below}attn.Wqkv.weight": random(3 * HIDDEN, HIDDEN),
            f"{below}attn.Wo.weight": random(HIDDEN, HIDDEN),
            f"{below}mlp.Wi.weight": random(2 * INNER, HIDDEN),
            f"{below}mlp.Wo.weight": random(HIDDEN, INNER),
        }
    matrices = [name for name in found if name.startswith("layers.")]
    found |= {f"{name}.weight": 1 + random(HIDDEN) for name in norms}
    if biased:
        found |= {f"{name}.bias": random(HIDDEN) for name in norms}
        found |= {name.replace("weight", "bias"): random(found[name].shape[0]) for name in matrices}
    return found


def forward(
    tensors: dict[str, np.ndarray],
    ids: list[int],
    activation: str = "gelu",
    thetas: tuple[float, float] = (160000.0, 10000.0),
    every: int = 3,
) -> np.ndarray:
    """One unpadded text's hidden states, in float64 and loops; `thetas` are those of global and local attention."""
    weight = {name: tensor.astype(np.float64) for name, tensor in tensors.items()}
    zero = np.zeros(1)

    def norm(rows: np.ndarray, name: str) -> np.ndarray:
        centred = rows - rows.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)
        return scaled * weight[f"{name}.weight"] + weight.get(f"{name}.bias", zero)

    def dense(rows: np.ndarray, name: str) -> np.ndarray:
        return rows @ weight[f"{name}.weight"].T + weight.get(f"{name}.bias", zero)

    rows = norm(weight["embeddings.tok_embeddings.weight"][ids], "embeddings.norm")
    width = HIDDEN // HEADS
    for layer in range(LAYERS):
        below, is_global = f"layers.{layer}.", layer % every == 0
        theta = thetas[0] if is_global else thetas[1]
        fused = dense(norm(rows, below + "attn_norm") if layer else rows, below + "attn.Wqkv")
        mixed = np.zeros_like(rows)
        for head in range(HEADS):
            start = head * width
            queries, keys, values = (fused[:, at + start : at + start + width] for at in (0, HIDDEN, 2 * HIDDEN))
            for at in range(len(ids)):
                seen = [other for other in range(len(ids)) if is_global or abs(other - at) <= WINDOW // 2]
                turned = rotate(queries[at], at, theta)
                scores = np.array([turned @ rotate(keys[other], other, theta) for other in seen]) / math.sqrt(width)
                shares = np.exp(scores - scores.max())
                mixed[at, start : start + width] = shares / shares.sum() @ values[seen]
        rows = rows + dense(mixed, below + "attn.Wo")
        wide = dense(norm(rows, below + "mlp_norm"), below + "mlp.Wi")
        rows = rows + dense(activate(wide[:, :INNER], activation) * wide[:, INNER:], below + "mlp.Wo")
    return norm(rows, "final_norm")


def rotate(vector: np.ndarray, position: int, theta: float) -> np.ndarray:
    """Each number of the first half makes a pair with its counterpart in the second: a complex number, turned."""
    half = len(vector) // 2
    pairs = vector[:half] + 1j * vector[half:]
    angles = [position * theta ** (-2 * number / len(vector)) for number in range(half)]
    turned = pairs * np.exp(1j * np.array(angles))
    return np.concatenate([turned.real, turned.imag])


def activate(rows: np.ndarray, activation: str) -> np.ndarray:
    if activation == "silu":
        return rows / (1 + np.exp(-rows))
    return rows * 0.5 * (1 + np.vectorize(math.erf)(rows / math.sqrt(2)))
