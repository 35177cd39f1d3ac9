"""The command that answers: ask."""

from __future__ import annotations

from typing import Annotated

import typer

from ..styled import Styled
from .common import command, needed_model, open_memory, tell


@command("ask")
def _ask(
    question: Annotated[str, typer.Argument(help="A question about people and what they said.")],
    conversation: Annotated[
        str | None,
        typer.Option(
            "--conversation", "-c", help="Only this conversation.", show_default="those of the people it names"
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Also show how the question was understood and how confident the answer is."),
    ] = False,
    llm: Annotated[
        bool, typer.Option("--llm", help="Let the configured model phrase the verified answer ([llm] in config.toml).")
    ] = False,
) -> None:
    """Answer a question with sources, or say why it cannot be answered: it was somebody else's, or nobody said so."""
    from ..render import answer_lines

    with open_memory() as memory:
        answer = memory.ask(question, conversation, needed_model(memory) if llm else None)
    first, *others = answer_lines(answer, explain)
    tell(answer, [Styled((first, "dim" if answer.abstained else "title")), *others])
