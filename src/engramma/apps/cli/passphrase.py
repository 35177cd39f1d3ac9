"""Asks for the passphrase of an encrypted memory, where somebody is there to type it."""

from __future__ import annotations

import sys

import typer


def ask_passphrase() -> str:
    """The question for somebody at the terminal; what they type is not shown."""
    return str(typer.prompt("Passphrase of the memory", hide_input=True, err=True))


def may_ask() -> None:
    """Let commands ask for a passphrase, where somebody sits at a terminal: never a server that a program started."""
    if not is_terminal():
        return
    from ...encryption.access import asking

    if not asking:
        asking.append(ask_passphrase)


def is_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()
