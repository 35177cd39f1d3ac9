"""Extracts claims with a language model, if one is configured, and reports what that cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...config.trust import check, llm_address
from ...core.core import Core
from ...errors import BadInput
from ...files.locks import hold_lock
from ...models.chat import open_llm
from ...models.llm import LLM, LLMSettings, llm_settings
from ..claims.store import claims_up_to_date
from .costs import CountedModel, today
from .queue import Drained, QueueRun, counts, drain

LOCK_FILE = "llm.lock"
DAYS = 31  # of costs in a status


@dataclass(frozen=True, slots=True)
class DayCost:
    """What a day cost with one model. `cost` is by the prices in config.toml; None without any."""

    day: str
    model: str
    requests: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    estimated: int  # requests whose tokens the server did not count
    proposed: int
    kept: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class LLMStatus:
    """How far a model has read, what came of it, and what it cost."""

    model: str | None
    blocks: int  # of 200 turns at most, without documents
    waiting: int
    later: int  # of these, failed and waiting for another try
    open: int  # in sessions that are still open: read when they are closed
    pieces: Mapping[str, int]  # by outcome: read, unreadable, failed
    proposed: int
    kept: int
    dropped: Mapping[str, int]  # claims by why they were not believed
    days: tuple[DayCost, ...]
    tokens_today: int
    daily_tokens: int  # the limit; 0: none


class LLMReader:
    """Extracts claims with a language model. Nothing here runs unless config.toml has a table [llm]."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def settings(self) -> LLMSettings | None:
        """The configured model; None if there is none."""
        return llm_settings(self._core.config.llm)

    def model(self) -> LLM | None:
        """The configured model, ready to be asked and counted with the rest; None if there is none."""
        settings = self.settings()
        return None if settings is None else self._counted(settings)

    def extract(
        self,
        limit: int | None = None,
        progress: Callable[[float, int, Drained], None] | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> Drained:
        """Let the configured model read what it has not read yet, at most so many pieces of talk.

        May be killed at any point and called again. One process reads at a time; for another one it is `busy`.
        """
        if limit is not None and (type(limit) is not int or limit < 1):
            raise BadInput(f"limit must be a whole number from 1, not {limit!r:.80}.")
        settings = self._needed()
        claims_up_to_date(self._core.store)
        with hold_lock(self._core.path / LOCK_FILE) as is_alone:
            if not is_alone:
                return Drained(ended="busy")
            return drain(
                QueueRun(
                    self._core.store,
                    self._counted(settings),
                    settings,
                    lambda text: bool(self._core.look(text).redactions),
                    is_over,
                    progress or (lambda done, total, so_far: None),
                    limit,
                )
            )

    def retry(self, everything: bool = False) -> None:
        """Retry what failed; with `everything`, read everything again, for example with another model."""
        with self._core.store.transaction():
            if everything:
                self._core.store.run("llm_blocks_again")
                self._core.store.run("llm_pieces_again")
            else:
                self._core.store.run("llm_blocks_retry")
                self._core.store.run("llm_blocks_retry_unread")
                self._core.store.run("llm_pieces_retry")

    def status(self) -> LLMStatus:
        """How far the model has read, and what it cost."""
        settings = self.settings()
        with self._core.store.snapshot():
            found = counts(self._core.store)
            outcomes = self._core.store.all("llm_outcomes")
            drops = self._core.store.all("llm_drops")
            used = self._core.store.all("llm_usage_listed", limit=DAYS)
        pieces: dict[str, int] = {}
        for row in outcomes:
            pieces[row["outcome"]] = pieces.get(row["outcome"], 0) + row["pieces"]
        dropped: dict[str, int] = {}
        for row in drops:
            dropped[row["reason"]] = dropped.get(row["reason"], 0) + row["claims"]
        days = tuple(
            DayCost(**dict(row), cost=priced(settings, row["prompt_tokens"], row["completion_tokens"])) for row in used
        )
        return LLMStatus(
            None if settings is None else settings.model,
            found.get("blocks", 0),
            found.get("waiting", 0),
            found.get("later", 0),
            found.get("open", 0),
            pieces,
            sum(row["proposed"] for row in outcomes),
            sum(row["kept"] for row in outcomes),
            dropped,
            days,
            sum(day.prompt_tokens + day.completion_tokens for day in days if day.day == today()),
            0 if settings is None else settings.daily_tokens,
        )

    def _counted(self, settings: LLMSettings) -> CountedModel:
        """The model behind the settings, if its address is confirmed; what it is asked is counted."""
        check(self._core.path, llm_address(self._core.config.llm))
        return CountedModel(open_llm(settings), self._core.store, settings)

    def _needed(self) -> LLMSettings:
        settings = self.settings()
        if settings is None:
            raise BadInput(
                f"No model is configured. Add to {self._core.path / 'config.toml'}:\n"
                '[llm]\nurl = "http://127.0.0.1:11434/v1"\nmodel = "…"\nand see docs/howto/llm.md.'
            )
        return settings


def priced(settings: LLMSettings | None, prompt_tokens: int, completion_tokens: int) -> float | None:
    """What tokens cost by the configured prices."""
    if settings is None or not (settings.price_in or settings.price_out):
        return None
    return (prompt_tokens * settings.price_in + completion_tokens * settings.price_out) / 1_000_000
