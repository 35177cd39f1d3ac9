"""Arguments that several tools take."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .token_budget import LEAST_TOKENS, MOST_TOKENS

MAX_QUERY = 4_000
MAX_ID = 4_000

Query = Annotated[str, Field(min_length=1, max_length=MAX_QUERY, description="A full question, or keywords.")]
Id = Annotated[str, Field(min_length=1, max_length=MAX_ID, description="An id from an earlier result.")]
Name = Annotated[str, Field(min_length=1, max_length=1_000)]
Tokens = Annotated[int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="Most tokens in the result.")]
Day = Annotated[str, Field(max_length=40, description="2026-03-01 or 2026-03-01T14:00:00Z.")]
Offset = Annotated[int, Field(ge=0, le=2**31)]
