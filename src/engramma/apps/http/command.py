"""Answers the commands `recall` and `ask` of this very version, which print what comes. It is no part of the API."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body

from ...config.settings import load_config
from ...errors import EngrammaError
from ...memory import Memory
from ..command_answers import answer_recall, asked_conversation, printed_answer, printed_recall
from ..daemon.same_settings import circumstances
from ..printed import Printed, packed
from .problems import RequestRefused
from .request import Asked
from .response_models import JsonAnswer

paths = APIRouter(include_in_schema=False)


@paths.post("/command")
def print_for_command(where: Asked, asked: Annotated[dict[str, Any], Body()]) -> JsonAnswer:
    """What a command would print itself; refused where that is not certain, and then it does its work itself."""
    where.check_owner()
    daemon = where.face.daemon
    if asked.get("by") != circumstances(daemon.store, daemon.token):
        raise RequestRefused(409, "The command is of another version, or has other settings, or another store.")
    memory = where.memory
    if memory.config != load_config(daemon.store):
        raise RequestRefused(409, "The settings were changed after the daemon read them.")
    try:
        printed = PRINTED[asked["command"]](memory, asked["call"])
    except (EngrammaError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise RequestRefused(409, "The command itself finds out what is wrong.") from error
    if printed is None:
        raise RequestRefused(409, "The command itself does this better.")
    return JsonAnswer(packed(printed))


def recall_printed(memory: Memory, call: dict[str, Any]) -> Printed | None:
    """None where the embedder is away: the command may reach it."""
    found = answer_recall(memory, call)
    return None if found.trace.degraded is not None else printed_recall(found, call, memory.user_name)


def ask_printed(memory: Memory, call: dict[str, Any]) -> Printed | None:
    """None where the embedder is away, and where a model writes: the command shows each sentence as it comes."""
    talk = asked_conversation(memory, call["conversation"])
    with memory.ask_stream(call["question"], talk, False if call["llm"] is False else None) as stream:
        if stream.is_written or "degraded" in stream.found.trace:
            return None
        return printed_answer(stream.answer, call, memory.user_name)


PRINTED = {"recall": recall_printed, "ask": ask_printed}
