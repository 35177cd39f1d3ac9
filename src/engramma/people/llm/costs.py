"""Accounts for a model's cost: counts every request before it is sent and when it is answered, with a daily limit."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from ...errors import RemoteFailed
from ...language.text import estimate_tokens
from ...models.chat import ModelUnreachable, ReplyCancelled
from ...models.http_client import Cancellation
from ...models.llm import LLM, Completion, LLMSettings, Message, stream_reply
from ...store.store import Store

COUNTED = ("requests", "failed", "prompt_tokens", "completion_tokens", "estimated", "proposed", "kept")


class DailyLimit(RemoteFailed):
    """The day's tokens are spent: nothing was asked."""


class CountedModel:
    """A model whose questions are counted in a store. What is killed on its way was counted already."""

    def __init__(self, llm: LLM, store: Store, settings: LLMSettings) -> None:
        self._llm, self._store, self._settings = llm, store, settings

    @property
    def model(self) -> str:
        return self._llm.model

    def complete(
        self,
        messages: Sequence[Message],
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Mapping[str, Any]] | None = None,
    ) -> Completion:
        """The reply; DailyLimit if the question and the longest reply would not fit into what is left of the day."""
        with self._charged(messages, tools) as owed:
            reply = self._llm.complete(messages, schema, tools)
            owed |= cost_of(reply)
        return reply

    def stream(
        self, messages: Sequence[Message], until: float, cancel: Cancellation
    ) -> Generator[str, None, Completion]:
        """The same piece by piece. Of a reply that nobody reads to its end, what came of it is counted."""
        with self._charged(messages, None) as owed:
            pieces, writing = list[str](), stream_reply(self._llm, messages, until, cancel)
            try:
                while True:
                    pieces.append(next(writing))
                    yield pieces[-1]
            except StopIteration as done:
                reply: Completion = done.value
                owed |= cost_of(reply)
            except BaseException:
                owed |= {"completion_tokens": estimate_tokens("".join(pieces)), "estimated": 1}
                raise
            finally:
                writing.close()
        return reply

    @contextmanager
    def _charged(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]] | None
    ) -> Iterator[dict[str, int]]:
        """Counts a question before it is sent, and afterwards what is found to be owed, or that it failed."""
        sent = [message.get("content") or "" for message in messages]
        expected = estimate_tokens(json.dumps([sent, tools or []], ensure_ascii=False))
        limit, day = self._settings.daily_tokens, today()
        with self._store.transaction():
            if limit and spent(self._store, day) + expected + self._settings.max_tokens > limit:
                raise DailyLimit("daily limit")
            charge(self._store, day, self.model, requests=1, prompt_tokens=expected)
        owed: dict[str, int] = {}
        try:
            yield owed
            owed["prompt_tokens"] = owed.get("prompt_tokens", expected) - expected
        except (GeneratorExit, ReplyCancelled):  # nobody reads on: the question stays counted, and is no failure
            raise
        except BaseException as error:  # of a bad reply the question stays counted: it may well have been read
            owed["failed"] = 1
            if isinstance(error, ModelUnreachable) and not owed.get("completion_tokens"):
                owed["prompt_tokens"] = -expected  # nothing was read, nothing is owed
            raise
        finally:
            with self._store.transaction():
                charge(self._store, day, self.model, **owed)


def cost_of(reply: Completion) -> dict[str, int]:
    """What a whole reply is counted as."""
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "estimated": int(reply.is_estimated),
    }


def charge(store: Store, day: str, model: str, **counted: int) -> None:
    """Add to a day's counts, inside the caller's transaction."""
    store.run("llm_charge", day=day, model=model, **{**dict.fromkeys(COUNTED, 0), **counted})


def spent(store: Store, day: str) -> int:
    """The tokens of a day, of all models."""
    row = store.one("llm_spent", day=day)
    return 0 if row is None else int(row["tokens"])


def today() -> str:
    """The day that is counted under: days are those of UTC."""
    return datetime.now(UTC).date().isoformat()
