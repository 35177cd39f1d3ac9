"""Runs calls that may hang, one thread each, with a time limit."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from .backend import BackendFailed

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")

MOST_STUCK = 4  # calls left behind that still run; beyond them nothing new is begun


class PatientCalls:
    """Runs calls to one engine. One that is left behind ends when it does; nobody waits for it, not even at exit."""

    def __init__(self, one_at_a_time: bool) -> None:
        self._turn: Any = threading.Lock() if one_at_a_time else nullcontext()
        self._stuck: list[Future[Any]] = []

    def call(self, seconds: float, act: Callable[..., T], *given: Any) -> T:
        """What the call returns; BackendFailed where it raises anything or takes longer."""
        from concurrent.futures import Future  # brings logging along, and most stores have no engine

        self._stuck = [one for one in self._stuck if not one.done()]
        if len(self._stuck) >= MOST_STUCK:
            raise BackendFailed(f"{len(self._stuck)} earlier calls have not returned yet")
        future: Future[T] = Future()
        threading.Thread(target=self._run, args=(future, act, given), name="engramma-backend", daemon=True).start()
        try:
            return future.result(seconds)
        except TimeoutError:
            if not future.done():
                self._stuck.append(future)
                raise BackendFailed(f"no answer within {seconds:g} s") from None
            raise BackendFailed("its own timeout") from None
        except BackendFailed:
            raise
        except Exception as error:
            raise BackendFailed(f"{type(error).__name__}: {' '.join(str(error).split())[:300]}") from error

    def _run(self, future: Future[T], act: Callable[..., T], given: tuple[Any, ...]) -> None:
        try:
            with self._turn:
                found = act(*given)
        except Exception as error:
            future.set_exception(error)
        except BaseException as error:  # a panic of an extension written in Rust is no Exception
            future.set_exception(BackendFailed(f"{type(error).__name__}: {error}"[:300]))
        else:
            future.set_result(found)
