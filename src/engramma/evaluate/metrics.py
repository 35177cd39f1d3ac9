"""The measures of a ranking, as pure functions. `ranked` is best first and names nothing twice; `gold` is not empty.

Definitions and sources stand in docs/explanation/evaluation.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

CUTS = (1, 5, 10, 20, 50)
NDCG_CUT = 10


def found_at(ranked: Sequence[str], gold: Collection[str], k: int) -> int:
    """How many gold ids stand among the first k."""
    return len(set(gold).intersection(ranked[:k]))


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """The share of the gold ids among the first k."""
    return found_at(ranked, gold, k) / len(set(gold))


def any_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if at least one gold id stands among the first k."""
    return float(found_at(ranked, gold, k) > 0)


def all_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1 if every gold id stands among the first k."""
    return float(found_at(ranked, gold, k) == len(set(gold)))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """1 / rank of the first gold id; 0 if there is none."""
    return next((1 / rank for rank, name in enumerate(ranked, 1) if name in gold), 0.0)


def dcg(relevances: Sequence[float]) -> float:
    """LongMemEval's: rel_1 + sum of rel_i / log2(i) from i = 2, so ranks 1 and 2 weigh the same."""
    return sum(rel if rank == 1 else rel / math.log2(rank) for rank, rel in enumerate(relevances, 1))


def ndcg_any(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """LongMemEval's ndcg_any@k: the ranking's DCG over that of a perfect one."""
    relevances = [float(name in gold) for name in ranked[:k]]
    return dcg(relevances) / dcg([1.0] * min(k, len(set(gold))))


def ranking_figures(kind: str, ranked: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """All measures of one ranking, their names starting with `kind` (turn or session)."""
    figures = {}
    for k in CUTS:
        figures[f"{kind}_recall@{k}"] = recall_at(ranked, gold, k)
        figures[f"{kind}_any@{k}"] = any_at(ranked, gold, k)
        figures[f"{kind}_all@{k}"] = all_at(ranked, gold, k)
    figures[f"{kind}_mrr"] = reciprocal_rank(ranked, gold)
    figures[f"{kind}_ndcg@{NDCG_CUT}"] = ndcg_any(ranked, gold, NDCG_CUT)
    return figures


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies, between neighbours in proportion."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def summarize_values(values: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and mean; empty without values."""
    if not values:
        return {}
    return {"p50": percentile(values, 0.5), "p95": percentile(values, 0.95), "mean": sum(values) / len(values)}


def means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over the rows that have it."""
    values: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            values.setdefault(name, []).append(value)
    return {name: sum(found) / len(found) for name, found in values.items()}
