"""Trains the multilingual encoder: engramma-mini's layers, a larger vocabulary, engramma-mini's vectors as the goal.

A text in another language is to lie where engramma-mini puts its English side. English texts are engramma-mini's own
in the package, so the little English here only keeps what is mixed in its place.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from . import model, multi_batches, multi_devsets, multi_pack, reader_trunk

PART = 15 * 2**20  # bytes of a file that comes back
KNOWN = 0.5  # known words move by this part of a step
FOREIGN = 0.1  # share of new pieces from which a text is not engramma-mini's
CHUNKS = 6  # a batch is cut by length, so that little is padding
SHARES = {"translated": 0.45, "mixed": 0.47, "english": 0.08}  # English itself stays engramma-mini's


def padded(tokens: list[Tensor]) -> Tensor:
    """Rows of several widths in one matrix of -1."""
    width = max(part.shape[1] for part in tokens)
    return torch.cat([functional.pad(part, (0, width - part.shape[1]), value=-1) for part in tokens])


def vectors(encoder: model.Encoder, tokens: Tensor, chunks: int = CHUNKS, room: int = multi_batches.ROOM) -> Tensor:
    """Unit vectors of rows of tokens, worked through by length."""
    order = torch.argsort((tokens >= 0).sum(1))
    found = []
    for rows in order.chunk(chunks):
        with torch.autocast(tokens.device.type, torch.bfloat16, enabled=tokens.device.type == "cuda"):
            found.append(encoder(*multi_batches.packed(tokens[rows], room)).float())
    back = torch.empty_like(order)
    back[order] = torch.arange(len(order), device=order.device)
    return torch.cat(found)[back]


class Measure:
    """The sets that measure; without them nothing is measured."""

    def __init__(self, folder: Path, device: torch.device) -> None:
        self.device, self.names = device, []
        if (folder / "devsets.xz").is_file():
            self.names = json.loads((folder / "devsets.json").read_text("utf-8"))
            self.packed = multi_pack.load(folder / "devsets.xz")

    def made(self, encoder: model.Encoder, vocabulary: str) -> np.ndarray:
        """Vectors of all texts by an encoder over ids of its vocabulary: `new` or `base`."""
        ids, sizes = self.packed[f"{vocabulary}_ids"], self.packed[f"{vocabulary}_sizes"]
        rows = multi_batches.flat(ids, sizes, self.device)
        places = torch.arange(len(sizes), device=self.device)
        tokens, is_there = rows.cut(places, places + 1, multi_devsets.LONGEST)
        with torch.no_grad():
            found = vectors(encoder, torch.where(is_there, tokens, -1), 40, multi_devsets.LONGEST)
        return found.cpu().numpy()

    def of_mini(self, mini: model.Encoder) -> None:
        """Keeps the vectors of engramma-mini, and which texts have few pieces that it does not know."""
        if self.names:
            self.plain = self.made(mini, "base")
            is_new = np.append(self.packed["new_ids"] >= mini.shape.words, False)
            sizes = self.packed["new_sizes"]
            offsets = np.concatenate([[0], np.cumsum(sizes)])[:-1]
            new = np.where(sizes > 0, np.add.reduceat(is_new, offsets), 0)
            self.is_plain = new < FOREIGN * np.maximum(sizes, 1)
            print("not engramma-mini's:", round(1 - float(self.is_plain.mean()), 3), flush=True)

    def __call__(self, encoder: model.Encoder | None, title: str) -> dict[str, float]:
        """Figures of an encoder beside engramma-mini, as the package routes texts; without one, of mini alone."""
        if not self.names:
            return {}
        made = self.plain
        if encoder is not None:
            made = np.where(self.is_plain[:, None], self.plain, self.made(encoder, "new"))
        found = multi_devsets.recall(made, self.packed, self.names)
        own, across = (
            [v for n, v in found.items() if n.endswith(kind) and not n.startswith("en")] for kind in ("own", "across")
        )
        found |= {"own": round(sum(own) / len(own), 1), "across": round(sum(across) / len(across), 1)}
        print(title, json.dumps(found), flush=True)
        return found


def loss_of(made: Tensor, goal: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    """How far the vectors are from their goals, and how unlike their likenesses to the batch are."""
    near = 1 - (made * goal).sum(1).mean()
    wanted = torch.softmax(goal @ goal.T / temperature, 1)
    like = -(wanted * torch.log_softmax(made @ goal.T / temperature, 1)).sum(1).mean()
    floor = -(wanted * torch.log(wanted.clamp(min=1e-9))).sum(1).mean()
    return near, like - floor


def drawn(data: multi_batches.Data, count: int) -> tuple[Tensor, Tensor]:
    """A batch: tokens for the student, tokens of the English side for engramma-mini."""
    tokens, words = data.translated(int(count * SHARES["translated"]))
    windows = data.windows(int(count * (SHARES["mixed"] + SHARES["english"])))
    split = int(count * SHARES["mixed"])
    student = padded([tokens, data.mixed(windows[:split]), data.own(windows[split:])])
    return student, padded([data.plain(words), data.plain(windows)])


def begin(data: multi_batches.Data, start: Path, device: torch.device) -> tuple[model.Encoder, model.Encoder]:
    """engramma-mini, and the student that starts as it with a larger table."""
    state = reader_trunk.read(start)
    shape = dataclasses.replace(model.MINILM, words=data.size)
    mini, student = model.Encoder(), model.Encoder(shape)
    mini.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    table = multi_pack.begun(state["words.weight"], data.size, data.starts)
    student.load_state_dict({n: torch.from_numpy(v.copy()) for n, v in (state | {"words.weight": table}).items()})
    return mini.to(device).eval().requires_grad_(False), student.to(device).train()


def rate(done: float) -> float:
    """Up over the first twentieth, then down in a line."""
    return min(done / 0.05, (1 - done) / 0.95, 1.0)


def train(
    data: multi_batches.Data,
    measure: Measure,
    start: Path,
    steps: int,
    count: int,
    out: Path,
    rates: tuple[float, float],
) -> dict[str, object]:
    """Trains for some steps; the weights are kept half-way and at the end."""
    device = data.device
    mini, student = begin(data, start, device)
    measure.of_mini(mini)
    report: dict[str, object] = {"mini": measure(None, "mini"), "first": measure(student, "first")}
    began = time.monotonic()
    table = student.words.weight
    rest = [value for name, value in student.named_parameters() if name != "words.weight"]
    optim = torch.optim.AdamW(
        [{"params": [table], "top": rates[0]}, {"params": rest, "top": rates[1]}],
        lr=1e-4, betas=(0.9, 0.98), weight_decay=0.0, fused=device.type == "cuda",
    )  # fmt: skip
    step, done, is_kept, seen = 0, 0.0, False, {"near": 0.0, "like": 0.0}
    while done < 1:
        for group in optim.param_groups:
            group["lr"] = group["top"] * rate(done)
        tokens, plain = drawn(data, count)
        with torch.no_grad():
            goal = vectors(mini, plain)
            before = table[: mini.shape.words].clone()
        made = vectors(student, tokens)
        near, like = loss_of(made, goal, 0.05)
        optim.zero_grad(set_to_none=True)
        (4 * near + like).backward()
        torch.nn.utils.clip_grad_norm_(rest, 1.0)
        optim.step()
        with torch.no_grad():
            table[: mini.shape.words].lerp_(before, 1 - KNOWN)
        if step % 50 == 0:
            split = [int(count * SHARES["translated"]), int(count * SHARES["mixed"])]
            each = (1 - (made * goal).sum(1)).detach()
            parts = [float(part.mean()) for part in each.tensor_split([split[0], sum(split)])]
            seen = {"near": float(near.detach()), "like": float(like.detach())}
            shown = f"{step} {time.monotonic() - began:.0f}s near {seen['near']:.3f} {parts} like {seen['like']:.3f}"
            print(shown, f"tokens {tokens.ge(0).sum()}", flush=True)
        step += 1
        done = step / steps
        if done > 0.55 and not is_kept:
            keep(student, out)
            report["half"], is_kept = measure(student, "half"), True
    keep(student, out)
    report |= {**seen, "steps": step, "seconds": time.monotonic() - began}
    (out / "multi.json").write_text(json.dumps(report), "utf-8")
    report["final"] = measure(student, "final")
    return report


def keep(encoder: model.Encoder, out: Path) -> None:
    """The weights in parts: the table in int8 with a step a row, the rest in half precision."""
    state = {name: value.detach().float().cpu().numpy() for name, value in encoder.state_dict().items()}
    table = state.pop("words.weight")
    steps = np.maximum(np.abs(table).max(1, keepdims=True) / 127, 1e-8)
    stored = {name: value.astype(np.float16) for name, value in state.items()}
    stored |= {"words.weight": np.rint(table / steps).astype(np.int8), "words.steps": steps.astype(np.float32)}
    buffer = io.BytesIO()
    np.savez(buffer, **stored)
    content = buffer.getvalue()
    for number, place in enumerate(range(0, len(content), PART)):
        (out / f"multi.{number}").write_bytes(content[place : place + PART])


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder that multi_pack wrote")
    parser.add_argument("--start", type=Path, required=True, help="engramma-mini's int8 graph")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--devsets", type=Path, required=True, help="folder that multi_devsets wrote")
    parser.add_argument("--steps", type=int, default=3382)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rates", type=float, nargs=2, default=(1.5e-3, 3e-4), help="of the table and of the layers")
    options = parser.parse_args(arguments)
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    began = time.monotonic()
    options.out.mkdir(parents=True, exist_ok=True)
    data = multi_batches.Data(options.data, device)
    print(f"data {time.monotonic() - began:.1f}s, {len(data.pairs.offsets) - 1} pairs, {data.texts} texts", flush=True)
    measure = Measure(options.devsets, device)
    report = train(data, measure, options.start, options.steps, options.batch, options.out, tuple(options.rates))
    (options.out / "multi.json").write_text(json.dumps(report), "utf-8")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
