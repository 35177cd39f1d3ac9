"""The list of commands in `engramma --help`, by what they are for: plain text, because rich takes 75 ms to import."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup

from .plain_values import take_plain_values

# Each in words that fit beside it in a terminal of 80 columns; the command's own --help has the rest.
GROUPS = {
    "Get started": {
        "import": "Bring in chats: ChatGPT, Claude, WhatsApp and many more",
        "remember": "Remember a note, or a turn of a conversation",
        "recall": "Recall what matters for a question",
        "ask": "Answer a question about people, with sources",
        "demo": "Try it on a small sample memory with three questions",
        "init": "Create a memory; import and remember do so, too",
    },
    "Look around": {
        "open": "The dashboard in your browser",
        "sessions": "List what was said: titles, ids, times",
        "show": "Show a segment, a session or a whole conversation",
        "stats": "Statistics: how much, how large, which model",
        "notes": "List the notes, or show one",
        "topics": "What the memory is about",
        "match": "Find segments by meaning, or meaning and graph",
        "neighbors": "What is linked to some segments",
        "recipes": "The ways to recall, step by step",
    },
    "People and facts": {
        "people": "The people something was said about",
        "person": "All that is known about a person",
        "me": "Say who you are; joins user, You and your name",
        "extract": "Extract claims from what was said",
        "claims": "What was said about whom, by whom",
        "decisions": "Decisions on what is the same across conversations",
        "overrule": "Overrule or confirm a decision",
        "entities": "Who and what was named; rename, merge, delete",
        "entity": "All that is known about a person or thing",
        "graph-query": "Ask the knowledge graph a structured question",
        "export-graph": "Write the knowledge graph to a file",
    },
    "Add and link": {
        "ingest": "Read documents: Markdown, text, HTML, PDF, code",
        "watch": "Import from assistants' transcripts as they grow",
        "link": "Link two segments with a typed link",
        "unlink": "Remove a typed link",
        "links": "List the typed links",
        "feedback": "Say which segments of an answer were useful",
    },
    "Correct and forget": {
        "forget": "Hide something; undo brings it back",
        "purge": "Delete something permanently",
        "undo": "Take back an act",
        "acts": "What was done to the memory, and why",
        "steward": "Expire, prune, merge and archive; can be undone",
        "redact": "What would be masked in a text, or in the memory",
        "redactions": "Where secrets were masked",
    },
    "Assistants and the daemon": {
        "connect": "Register the memory with an assistant",
        "disconnect": "Remove it from an assistant's settings",
        "mcp": "Serve the memory over MCP on stdin and stdout",
        "start": "Start the daemon in the background",
        "stop": "Stop it; what was captured is stored first",
        "status": "State of the daemon and its capture",
        "serve": "The daemon in this terminal, until Ctrl-C",
        "logs": "The daemon's log",
        "pause": "Pause capture",
        "resume": "Resume capture",
        "env": "Shell lines with the base URLs of the capture proxy",
        "relay": "Keep that address working while no daemon runs",
        "token": "Print the token of the daemon's API",
        "unit": "A service unit that starts the daemon at login",
    },
    "Maintenance": {
        "backup": "Write the whole store to one file",
        "restore": "Create a store from a backup",
        "export": "Everything said as JSON lines",
        "doctor": "Check the store",
        "encrypt": "Encrypt an existing memory",
        "decrypt": "Decrypt it",
        "key": "Show or change what opens an encrypted memory",
        "engine": "Which database it uses; stop a private server",
        "reindex": "Embed everything again, with another model",
        "namespace": "Separate parts of a memory: list, create, rename, delete",
        "trust": "Confirm the addresses in its settings",
        "migrate": "Copy it to another engine or folder, row by row",
        "users": "Who else may use it, and with which rights",
        "audit": "Who wrote or forgot how much",
        "eval": "Measure recall on a benchmark's file",
    },
}
OTHERS = "More"


class PlainCommand(TyperCommand):
    """Shows what a list is of, not its Python type: <path> instead of <list[Path]>."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        take_plain_values(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> Any:
        found = super().get_params(ctx)
        for one in found:
            if getattr(getattr(one, "type_descriptor", None), "is_list", False):
                inner = one.bare_type().removeprefix("list[").removesuffix("]").lower()  # type: ignore[attr-defined]
                one.display_type = lambda _, told=inner: f"<{told}>"  # type: ignore[attr-defined]
        return found


class Grouped(TyperGroup):
    """Lists its commands under headings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        take_plain_values(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        shown = self.list_commands(ctx)
        width = max(map(len, shown), default=0)
        room = formatter.width - width - 6
        named = {name for group in GROUPS.values() for name in group}
        others = {name: self.commands[name].get_short_help_str(room) for name in shown if name not in named}
        for heading, group in {**GROUPS, OTHERS: others}.items():
            if rows := [(name.ljust(width), words) for name, words in group.items() if name in shown]:
                with formatter.section(heading):
                    formatter.write_dl(rows)
