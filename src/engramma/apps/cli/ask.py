"""The command that answers: ask."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import JsonOption, NamespaceOption, StoreOption, opened, out, say, wants_json


def register(app: typer.Typer) -> None:
    app.command("ask")(ask)


def ask(
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
    store: StoreOption = None,
    namespace: NamespaceOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a question with sources, or say why it cannot be answered: whose it was, or that nobody said so."""
    from ..render import answer_lines, as_json

    with opened(store, namespace) as memory:
        model = memory.llm.model() if llm else None
        if llm and model is None:
            say("engramma: no language model is configured. Add a table [llm] to the store's config.toml.")
            raise typer.Exit(1)
        answer = memory.ask(question, conversation, model)
    if wants_json(json):
        out(as_json(answer))
        return
    out("\n".join(answer_lines(answer, explain)))
