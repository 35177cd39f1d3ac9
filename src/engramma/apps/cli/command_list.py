"""The list of commands in `engramma --help`, by what they are for: plain text, because rich takes 75 ms to import."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

# Each in words that fit beside it in a terminal of 80 columns; the command's own --help has the rest.
GROUPS = {
    "Begin": {
        "import": "Bring in chats: ChatGPT, Claude, WhatsApp and many more",
        "remember": "Remember a note, or a turn of a conversation",
        "recall": "Recall what matters for a question",
        "ask": "Answer a question about people, with sources",
        "demo": "A small memory to look at, with three questions",
        "init": "Make a memory; import and remember do it, too",
    },
    "Look around": {
        "open": "The dashboard in your browser",
        "sessions": "List what was said: titles, ids, times",
        "show": "Show a segment, a session or a whole conversation",
        "stats": "Figures: how much, how large, which model",
        "notes": "List the notes, or show one",
        "topics": "What the memory is about",
        "match": "Find segments by meaning, or meaning and words",
        "neighbors": "What is linked with some segments",
        "recipes": "The ways to recall, step by step",
    },
    "People and facts": {
        "people": "Who something was said of",
        "person": "All that is known of somebody",
        "extract": "Read what was said into claims",
        "claims": "What was said of whom, by whom",
        "decisions": "What was decided where people were told apart",
        "overrule": "Decide otherwise, or confirm a decision",
        "entities": "Who and what was named; rename, merge, delete",
        "entity": "All that is known of somebody or something",
        "graph-query": "A structured question to the knowledge graph",
        "export-graph": "Write the knowledge graph to a file",
    },
    "Add and link": {
        "ingest": "Read documents: Markdown, text, HTML, PDF, code",
        "watch": "Import what assistants' transcripts say as they grow",
        "link": "Join two segments by a typed link",
        "unlink": "Take a typed link away",
        "links": "List the typed links",
        "feedback": "Say which segments of an answer were of use",
    },
    "Correct and forget": {
        "forget": "Hide something; undo brings it back",
        "purge": "Remove something for good",
        "undo": "Take back an act",
        "acts": "What was done to the memory, and why",
        "steward": "Expire, prune, merge and archive; undoable",
        "redact": "What would be masked in a text, or in the memory",
        "redactions": "Where secrets were masked",
    },
    "Assistants and the daemon": {
        "connect": "Register the memory with an assistant",
        "disconnect": "Take it out of an assistant's settings",
        "mcp": "Serve the memory over MCP on stdin and stdout",
        "start": "Start the daemon in the background",
        "stop": "Stop it; what was captured is stored first",
        "status": "How the daemon and its capture are",
        "serve": "The daemon in this terminal, until Ctrl-C",
        "logs": "The daemon's log",
        "pause": "Capture nothing for a while",
        "resume": "Capture again",
        "env": "Lines for your shell: base URLs of the capture proxy",
        "relay": "Hold that address while no daemon runs",
        "token": "Print the token of the daemon's API",
        "unit": "A unit that starts the daemon with your session",
    },
    "Keep it well": {
        "backup": "The whole store in one file",
        "restore": "Lay a backup down as a store",
        "export": "Everything said as JSON lines",
        "doctor": "Look the store over",
        "encrypt": "Encrypt the memory that is there",
        "decrypt": "Write it in plain text again",
        "key": "What opens an encrypted memory; change that",
        "engine": "Which database is under it; stop a private server",
        "reindex": "Embed everything anew, with another model",
        "namespace": "Walls within a memory: list, create, rename, delete",
        "trust": "Confirm the addresses that its settings name",
        "migrate": "Move it to another engine or folder, row by row",
        "users": "Who else may use it, with which rights where",
        "audit": "Who wrote or forgot how much",
        "eval": "Measure recall on a benchmark's file",
    },
}
OTHERS = "More"


class Grouped(TyperGroup):
    """Lists its commands under headings."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        shown = {name: one for name, one in commands.items() if one is not None and not one.hidden}
        width = max(map(len, shown), default=0)
        room = formatter.width - width - 6
        named = {name for group in GROUPS.values() for name in group}
        others = {name: one.get_short_help_str(room) for name, one in shown.items() if name not in named}
        for heading, group in {**GROUPS, OTHERS: others}.items():
            if rows := [(name.ljust(width), words) for name, words in group.items() if name in shown]:
                with formatter.section(heading):
                    formatter.write_dl(rows)
