"""Paths that answer a question: at once, or as events while a language model writes the answer."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from ...errors import EngrammaError
from ...people import AnswerStream
from ...recall.query import MAX_QUERY
from ...records.people import Answer as Answered
from ..daemon.logfile import locate_error
from ..render import as_value
from .recall import LONGEST_IN_URL
from .request import Asked, Face
from .request_models import Name, RequestModel, Text
from .response_models import JsonAnswer, events_content

paths = APIRouter(tags=["people"])
logger = logging.getLogger("engramma.http")

LOOK_SECONDS = 0.25  # how soon a stream notices that its reader is gone, or that the daemon stops
HEARTBEAT_SECONDS = 5.0
BUSY = "as many answers as it may are being written already"
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; with `stream`, events.",
        "content": events_content("found", "sentence", "answer", "error"),
    }
}
STREAM = "Send server-sent events while the answer is written."


class AskIn(RequestModel):
    """A question, and where to look for its answer."""

    question: Text = Field(min_length=1, max_length=MAX_QUERY, examples=["Where does Ann work?"])
    conversation: Name | None = Field(None, description="Only this one; by default those of the people it names.")
    stream: bool = Field(False, description=STREAM)


@paths.post("/ask", name="ask", response_model=Answered, responses=EVENTS, summary="Answer a question, or say why not")
def answer_question(where: Asked, given: AskIn, request: Request) -> Response:
    """An answer with its sources, or why there is none: somebody else's, or nobody said so (`engramma ask --json`).

    `confidence` says how likely the quote answers the question; where there is no answer, `abstained` is true. With
    `answers = true` in the settings' table [llm], a language model writes it: `sentences`, each checked, with the turns
    it rests on; `remark` says if it did not. With `stream`, the reply is events: `found` (the answer without the model,
    if one is to write), `sentence` (one that was checked), and at last `answer`, the whole. Closing the connection
    ends the model's work.
    """
    return _answered(where.face, where.memory.ask_stream(given.question, given.conversation), request, given.stream)


@paths.get("/ask", response_model=Answered, responses=EVENTS, summary="Answer a question, with a GET request")
def ask_by_url(
    where: Asked,
    request: Request,
    question: Annotated[Text, Query(min_length=1, max_length=LONGEST_IN_URL, description="What to answer.")],
    conversation: Annotated[Name | None, Query(description="Only this conversation.")] = None,
    stream: Annotated[bool, Query(description=STREAM)] = False,
) -> Response:
    """The same, for `curl`."""
    return _answered(where.face, where.memory.ask_stream(question, conversation), request, stream)


def _answered(face: Face, stream: AnswerStream, request: Request, as_events: bool) -> Response:
    if as_events:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(answer_events(face, stream, request), media_type="text/event-stream", headers=headers)
    with stream, a_place(face, stream) as is_free:
        return JsonAnswer(stream.answer if is_free else stream.without_model(BUSY))


@contextmanager
def a_place(face: Face, stream: AnswerStream) -> Iterator[bool]:
    """Whether there is a place for one more answer by the model, and keeps it: a slow model takes no more threads."""
    is_free = not stream.is_written or face.answers.acquire(blocking=False)
    try:
        yield is_free
    finally:
        if stream.is_written and is_free:
            face.answers.release()


async def answer_events(face: Face, stream: AnswerStream, request: Request) -> AsyncIterator[bytes]:
    """The events of an answer, until it is whole, its reader is gone, or the daemon stops."""
    loop, queue = asyncio.get_running_loop(), asyncio.Queue[bytes | None]()

    def put(event: bytes | None) -> None:
        with suppress(RuntimeError):  # the loop has ended, and so has who would read it
            loop.call_soon_threadsafe(queue.put_nowait, event)

    threading.Thread(target=_write_events, args=(face, stream, put), daemon=True).start()
    quiet_since = time.monotonic()
    try:
        while True:
            try:
                event = await asyncio.wait_for(queue.get(), LOOK_SECONDS)
            except TimeoutError:
                if face.daemon.closing.is_set() or await request.is_disconnected():
                    return
                if time.monotonic() - quiet_since < HEARTBEAT_SECONDS:
                    continue
                event = b": still here\n\n"
            if event is None:
                return
            quiet_since = time.monotonic()
            yield event
    finally:
        stream.cancel()


def _write_events(face: Face, stream: AnswerStream, put: Any) -> None:
    """Reads an answer to its end, in a thread of its own: the model may take minutes."""
    try:
        with stream, a_place(face, stream) as is_free:
            if stream.is_written:
                put(_event("found", stream.found))
            if is_free:
                for sentence in stream:
                    put(_event("sentence", sentence))
            put(_event("answer", stream.answer if is_free else stream.without_model(BUSY)))
    except EngrammaError as error:
        put(_event("error", {"title": type(error).__name__, "detail": str(error)}))
    except Exception as error:
        logger.error("an answer failed: %s", locate_error(error))
        put(_event("error", {"title": "Internal error", "detail": "The daemon's log says where. Please report it."}))
    finally:
        put(None)


def _event(kind: str, value: Any) -> bytes:
    text = json.dumps(as_value(value), ensure_ascii=False, separators=(",", ":"))
    return f"event: {kind}\ndata: {text}\n\n".encode("utf-8", "backslashreplace")
