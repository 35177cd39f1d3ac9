"""Topics: how long they take to find, and what they are worth on LoCoMo.

    python evaluate/bench/topics.py speed [--segments 100000] [--edges 1000000] [--json OUT]
    python evaluate/bench/topics.py locomo locomo.json [--cache DIR] [--json OUT]

`speed` fills a store with made-up turns and planted groups of 25, four edges of five inside a group, and times
the first run, a second with nothing new, joining 1,000 new segments, and a third run after that.

`locomo` asks how often two evidence turns of one question fall into one topic, against two turns drawn by chance,
for several shares of the chain and several grains; what becomes of topics when the last tenth of a talk comes; and
what `per_topic` does to recall.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))

from engramma import Memory
from engramma.apps.render import as_json
from engramma.evaluate.answers import QuestionFigures, ask_benchmark_question, group_answers
from engramma.evaluate.cache import CachedEmbedder
from engramma.evaluate.report import recorded
from engramma.evaluate.runner import EACH, SHARED
from engramma.evaluate.stores import build_stores, open_workplace
from engramma.evaluate.task import BenchmarkStore, Task, TaskReading
from engramma.evaluate.tasks import locomo
from engramma.models.load import load
from engramma.recall.recipes import RECIPES
from engramma.store.store import ARCHIVED, LIVE
from engramma.topics import topic_store as steward
from recall import MadeUp, fill_bare

GROUP = 25  # segments of a planted group
INSIDE = 0.8  # share of the planted edges that stay in a group
NEW = 1000
CHAINS = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
GRAINS = (500.0, 1000.0, 2000.0, 4000.0)
SEEDS = (steward.SEED, 1, 2, 3, 4)  # one partition is luck: means over five
PER_TOPIC = (None, 5, 3, 2)


def planted(
    memory: Memory, keys: NDArray[np.int64], group: NDArray[np.int64], edges: int, seed: int, since: int = 0
) -> None:
    """Semantic edges from random segments, of those from place `since` on, most of them within a group."""
    random = np.random.default_rng(seed)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(group.max() + 2))
    one = random.integers(since, len(keys), edges)
    low, high = starts[group[one]], starts[group[one] + 1]
    near = order[low + (random.random(edges) * (high - low)).astype(np.int64)]
    other = np.where(random.random(edges) < INSIDE, near, random.integers(0, len(keys), edges))
    weight = np.round(random.uniform(0.6, 0.9, edges), 4)
    good = one != other
    pairs = zip(keys[one[good]].tolist(), keys[other[good]].tolist(), weight[good].tolist(), strict=True)
    rows = ({"src": src, "kind": "semantic", "dst": dst, "weight": w} for src, dst, w in pairs)
    with memory._core.store.transaction():
        memory._core.store.many("edge_put", rows)


def speed(segments: int, edges: int) -> dict[str, Any]:
    """CPU seconds of each call on a store of made-up talk; all but the database's waiting is on one core."""
    with tempfile.TemporaryDirectory() as folder, Memory.open(folder, embedder=MadeUp()) as memory:
        fill_bare(memory, segments)
        keys = memory._core.store.keys("keys_all")
        group = np.random.default_rng(3).permutation(len(keys)) // GROUP
        held, new = keys[:-NEW], keys[-NEW:]
        with memory._core.store.transaction():
            memory._core.store.set_states(dict.fromkeys(new.tolist(), ARCHIVED))
        planted(memory, held, group[:-NEW], edges, 4)
        found: dict[str, Any] = {"segments": segments, "edges": edges}
        stages: list[float] = []
        began = time.process_time()
        memory_topics = memory.topics.find(lambda done, total: stages.append(time.process_time() - began))
        found["first_run_s"] = round(time.process_time() - began, 2)
        found["stages_s"] = dict(
            zip(("read", "group", "name", "store"), np.round(np.diff(stages), 2).tolist(), strict=True)
        )
        found |= {"topics": len(memory_topics), "median_size": float(np.median([t.size for t in memory_topics]))}
        found["planted_together"] = round(together(memory, held, group[:-NEW]), 4)
        found["again_s"] = timed(memory.topics.find)
        found["list_s"] = timed(lambda: memory.topics.all(0))
        found["one_topic_ms"] = round(1000 * timed(lambda: memory.topics.get(memory_topics[0].id)), 1)
        with memory._core.store.transaction():
            memory._core.store.set_states(dict.fromkeys(new.tolist(), LIVE))
        planted(memory, keys, group, NEW * edges // segments, 5, len(held))
        ids = {topic.id for topic in memory_topics}
        found["join_s"] = timed(memory.topics.join)
        began = time.process_time()
        later = memory.topics.find()
        found["third_run_s"] = round(time.process_time() - began, 2)
        found["topics_later"] = len(later)
        found["ids_kept"] = round(len(ids & {topic.id for topic in later}) / len(ids), 4)
    return found


def timed(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return round(time.process_time() - began, 4)


def together(memory: Memory, keys: NDArray[np.int64], group: NDArray[np.int64]) -> float:
    """The share of segments in the topic that most of their planted group are in."""
    topics = steward.stored_topics(memory._core.store, keys)
    pairs, counts = np.unique(np.stack([group, topics])[:, topics >= 0], axis=1, return_counts=True)
    best = np.zeros(group.max() + 1, dtype=np.int64)
    np.maximum.at(best, pairs[0], counts)
    return float(best.sum() / len(keys))


def worth(task: Task, cache: Path | None) -> dict[str, Any]:
    """What topics hold together and what they do to recall, one store per conversation and all in one."""
    result: dict[str, Any] = {"task": "topics", "dataset": {"file": task.file, "sha256": task.sha256}, "stores": {}}
    with open_workplace(cache) as place, tempfile.TemporaryDirectory() as work:
        embedder = CachedEmbedder(load(), place / "vectors")
        for layout, stores in ((EACH, task.each), (SHARED, (task.shared,))):
            built = build_stores(task, layout, stores, embedder, place, lambda count: None)
            folder, growing = Path(work) / layout, Path(work) / f"{layout}-growing"
            for copy in (folder, growing):  # topics are stored: the cache stays as it was
                shutil.copytree(built.folder, copy)
            ways = [(c, steward.GRAIN) for c in CHAINS] + [(steward.SHARES["chain"], g) for g in GRAINS]
            held = {
                f"chain {chain:g}, grain {grain:g}": [
                    summed([evidence(task, layout, store, folder, embedder, chain, grain, seed) for store in stores])
                    for seed in SEEDS
                ]
                for chain, grain in ways
            }
            result["stores"][layout] = {
                "topics": {label: over_seeds(runs) for label, runs in held.items()},
                "growth": growth(stores, growing, embedder),
                "recall": recalls(task, layout, stores, folder, embedder),
            }
    return result


def evidence(
    task: Task,
    layout: str,
    store: BenchmarkStore,
    folder: Path,
    embedder: CachedEmbedder,
    chain: float,
    grain: float,
    seed: int,
) -> dict[str, Any]:
    """In one store: pairs of evidence turns in one topic, within a session and across, and what chance gives."""
    with Memory.open(folder, store.name, embedder=embedder) as memory:
        graph = steward.read_graph(memory._core.store, {**steward.SHARES, "chain": chain})
        topics = steward.find_communities(graph, np.full(len(graph.keys), -1), grain, seed)
        segments = memory._core.store.hydrate(graph.keys.tolist())
    place = {turn: at for at, key in enumerate(graph.keys.tolist()) for turn in segments[key].turn_ids}
    session = [segments[key].session_id for key in graph.keys.tolist()]
    sizes = np.bincount(topics[topics >= 0], minlength=1)
    found: Counter[str] = Counter(pairs=0)
    for question in task.questions:
        if layout == EACH and question.store != store.name:
            continue
        for one, other in combinations(sorted({place[turn] for turn in question.gold.turns if turn in place}), 2):
            kind = "within" if session[one] == session[other] else "across"
            found[kind] += 1
            found[f"{kind}_together"] += bool(topics[one] >= 0 and topics[one] == topics[other])
    count = len(topics)
    chance = float((sizes * (sizes - 1)).sum() / (count * (count - 1)))
    return {**found, "chance": chance, "sizes": sizes.tolist(), "segments": count, "inside": int((topics >= 0).sum())}


def growth(stores: tuple[BenchmarkStore, ...], folder: Path, embedder: CachedEmbedder) -> dict[str, float]:
    """Topics found without the last tenth of the segments, then with them: what joined where, and what stayed."""
    count: Counter[str] = Counter()
    for store in stores:
        with Memory.open(folder, store.name, embedder=embedder) as memory:
            keys = np.sort(memory._core.store.keys("keys_all"))
            old, new = np.split(keys, [len(keys) * 9 // 10])
            with memory._core.store.transaction():
                memory._core.store.set_states(dict.fromkeys(new.tolist(), ARCHIVED))
            ids = {topic.id for topic in memory.topics.find()}
            before = steward.stored_topics(memory._core.store, old)
            with memory._core.store.transaction():
                memory._core.store.set_states(dict.fromkeys(new.tolist(), LIVE))
            count["joined"] += memory.topics.join()
            joined = steward.stored_topics(memory._core.store, new)
            later = {topic.id for topic in memory.topics.find()}
            after, found = (steward.stored_topics(memory._core.store, part) for part in (old, new))
            count.update({"new": len(new), "old": len(old), "topics": len(ids), "kept": len(ids & later)})
            count.update({"stayed": int((before == after).sum()), "agreed": int((joined == found)[joined >= 0].sum())})
    return {
        "new_that_joined": round(count["joined"] / count["new"], 3),
        "joined_where_a_run_puts_them": round(count["agreed"] / count["joined"], 3),
        "topics_kept": round(count["kept"] / count["topics"], 3),
        "old_segments_that_stayed": round(count["stayed"] / count["old"], 3),
    }


def summed(rows: list[dict[str, Any]]) -> dict[str, float]:
    total: Counter[str] = Counter()
    for row in rows:
        pairs = row["across"] + row["within"]
        total.update({name: row[name] for name in row if name not in ("sizes", "chance")})
        total.update({"all": pairs, "expected": row["chance"] * pairs})
    sizes = [size for row in rows for size in row["sizes"] if size]
    chance = total["expected"] / total["all"]
    across, within = (total[f"{kind}_together"] / total[kind] for kind in ("across", "within"))
    return {
        "topics": len(sizes),
        "median_size": float(np.median(sizes)),
        "largest": max(sizes),
        "in_a_topic": round(total["inside"] / total["segments"], 3),
        "across_sessions": round(across, 3),
        "within_a_session": round(within, 3),
        "chance": round(chance, 4),
        "times_chance": round(across / chance, 1),
    }


def over_seeds(runs: list[dict[str, float]]) -> dict[str, float]:
    """The mean over several seeds, and how far evidence from two sessions spreads."""
    means = {name: round(float(np.mean([run[name] for run in runs])), 4) for name in runs[0]}
    return {**means, "across_spread": round(float(np.std([run["across_sessions"] for run in runs])), 4)}


def recalls(
    task: Task, layout: str, stores: tuple[BenchmarkStore, ...], folder: Path, embedder: CachedEmbedder
) -> dict[str, Any]:
    """Recall by the default recipe with at most so many entries of one topic."""
    answers: dict[str, list[QuestionFigures]] = {str(most): [] for most in PER_TOPIC}
    embedder.embed([question.text for question in task.questions], "query")
    for store in stores:
        texts = {str(t.id): t for talk in store.conversations for s in talk.sessions for t in s.turns}
        with Memory.open(folder, store.name, embedder=embedder) as memory:
            memory.topics.find()
            for most in PER_TOPIC:
                plan = replace(RECIPES["default"], per_topic=most)
                own = [q for q in task.questions if layout == SHARED or q.store == store.name]
                # k is what per_topic counts within, so the ranking is asked for ten, not deeper.
                answers[str(most)] += [
                    ask_benchmark_question(memory, question, plan, 10, texts, context=False) for question in own
                ]
    return {most: group_answers(found, task.groups, "figures") for most, found in answers.items()}


def show(record: Mapping[str, Any], console: Console) -> None:
    for layout, figures in record["stores"].items():
        columns = list(next(iter(figures["topics"].values())))
        table = Table("topics", *columns, title=f"{layout}: evidence pairs in one topic")
        for label, row in figures["topics"].items():
            table.add_row(label, *(f"{row[name]:g}" for name in columns))
        console.print(table)
        console.print(f"{layout}, the last tenth added: {figures['growth']}")
        groups = list(next(iter(figures["recall"].values())))
        table = Table("per_topic", *groups, title=f"{layout}: turn recall@10")
        for most, by_group in figures["recall"].items():
            table.add_row(most, *(f"{100 * by_group[group]['turn_recall@10']:.1f}" for group in groups))
        console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ways = parser.add_subparsers(dest="way", required=True)
    fast = ways.add_parser("speed", help="times on a made-up store")
    fast.add_argument("--segments", type=int, default=100_000)
    fast.add_argument("--edges", type=int, default=1_000_000)
    gain = ways.add_parser("locomo", help="what topics hold together, and recall with per_topic")
    gain.add_argument("path", type=Path, help="a LoCoMo file")
    gain.add_argument("--cache", type=Path, help="keep stores and vectors here, as `engramma eval --cache` does")
    for way in (fast, gain):
        way.add_argument("--json", type=Path, help="write every figure to this file")
    options = parser.parse_args()
    console = Console(width=170)
    if options.way == "speed":
        result = speed(options.segments, options.edges)
        console.print(as_json(result))
    else:
        result = worth(locomo.read(options.path, TaskReading()), options.cache)
        show(result, console)
    if options.json:
        record = recorded(result, sys.argv[1:], "python evaluate/bench/topics.py")
        options.json.write_text(as_json(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
