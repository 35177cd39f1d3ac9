"""The command that answers: ask."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ..styled import Styled
from .common import command, needed_model, open_memory, out, say, show, wants_json
from .served import printed_by_daemon

if TYPE_CHECKING:
    from ...people import AnswerStream
    from ...records.people import Evidence


@command("ask")
def _ask(
    words: Annotated[list[str], typer.Argument(metavar="QUESTION", help="A question about people and what they said.")],
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation",
            "-c",
            help="Only this conversation: its id, its title, or words of it.",
            show_default="those of the people it names",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Also show how the question was understood and how confident the answer is."),
    ] = False,
    llm: Annotated[
        bool | None,
        typer.Option(
            "--llm/--no-llm",
            help="Let the configured model write the answer, or not ([llm] in config.toml).",
            show_default="as `answers` in [llm] says",
        ),
    ] = None,
) -> None:
    """Answer a question with sources, or say why it cannot be answered: it was somebody else's, or nobody said so."""
    question = " ".join(words)
    call = {"question": question, "conversation": conversation, "llm": llm, "explain": explain, "json": wants_json()}
    if llm or (printed := printed_by_daemon("ask", call)) is None:
        from ..command_answers import asked_conversation, printed_answer

        with open_memory() as memory:
            model = needed_model(memory) if llm else None
            talk = asked_conversation(memory, conversation)
            with memory.ask_stream(question, talk, False if llm is False else model) as stream:
                shown = 0 if wants_json() else print_sentences(stream)
                printed = printed_answer(stream.answer, call, memory.user_name, shown)
    show(printed)


def print_sentences(stream: AnswerStream) -> int:
    """Prints the sentences of a model as they are completed and checked; returns how many they were."""
    from ..render import sentence_line

    if stream.is_written and sys.stderr.isatty():
        say("The language model is writing …")
    numbers: dict[Evidence, int] = {}
    printed = 0
    for sentence in stream:
        out(Styled((sentence_line(sentence, numbers), "title")))
        sys.stdout.flush()
        printed += 1
    return printed
