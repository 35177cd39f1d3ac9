"""The command that answers: ask."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import command, needed_model, open_memory, tell


@command("ask")
def _ask(
    question: Annotated[str, typer.Argument(help="A question about people and what they said.")],
    conversation: Annotated[
        str | None,
        typer.Option("--conversation", "-c", help="Only this conversation.", show_default="those of whom it names"),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show how the question was understood and what its confidence is.")
    ] = False,
    llm: Annotated[
        bool, typer.Option("--llm", help="Let the configured model word what is verified ([llm] in config.toml).")
    ] = False,
) -> None:
    """Answer a question with sources, or say why it cannot be answered: whose it was, or that nobody said so."""
    from ..render import answer_lines

    with open_memory() as memory:
        answer = memory.ask(question, conversation, needed_model(memory) if llm else None)
    tell(answer, answer_lines(answer, explain))
