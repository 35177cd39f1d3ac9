"""The vectors of a query, of the questions in it, and of what the assistant sees already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderAway
from ..language.several_questions import split_questions
from ..language.text import labelled
from ..models.embed import Embedder
from ..records import Turn
from .query import Query
from .recipes import Plan, by_words, needs_vector

Asked = tuple[NDArray[np.float16], NDArray[np.float16]]  # a query's vector, and those of the active context


def embed_query(embedder: Embedder, plan: Plan, query: Query) -> tuple[Plan, Asked | None, str | None]:
    """The query's vector and those of the turns that are in front of the assistant already, if the plan wants them.

    Where the embedder is away: the plan that does without, and why.
    """
    active = query.active_context if plan.thresholds != "none" else ()
    texts = [labelled([(t.speaker, t.text)]) if isinstance(t, Turn) else str(t) for t in active]
    texts = [t for t in texts if t.strip()]
    if not (needs_vector(plan) or texts):
        return plan, None, None
    try:
        vector = embedder.embed([query.text], "query")[0].astype(np.float16)
        context = embedder.embed(texts, "document") if texts else np.zeros((0, len(vector)), np.float32)
    except EmbedderAway as error:
        return by_words(plan), None, str(error)
    return plan, (vector, context.astype(np.float16)), None


def embed_each(embedder: Embedder, plan: Plan, query: Query, found: Asked | None) -> dict[str, NDArray[np.float16]]:
    """The vector of each question, where the query asks several; where the query has none, they have none."""
    asked = split_questions(query.text)
    if not asked or found is None or not needs_vector(plan):
        return dict.fromkeys(asked, np.zeros(0, np.float16))
    try:
        return dict(zip(asked, embedder.embed(asked, "query").astype(np.float16), strict=True))
    except EmbedderAway:
        return {}


def embed_again(embedder: Embedder, plan: Plan, known: NDArray[np.float16], text: str) -> NDArray[np.float16]:
    """The vector of another question to the same plan; the one that is known where none can be made."""
    if not needs_vector(plan):
        return known
    try:
        vector: NDArray[np.float16] = embedder.embed([text], "query")[0].astype(np.float16)
        return vector
    except EmbedderAway:
        return known


def unasked(dimension: int) -> Asked:
    """Vectors of a query that was not embedded: near to nothing."""
    return np.zeros(dimension, np.float16), np.zeros((0, dimension), np.float16)
