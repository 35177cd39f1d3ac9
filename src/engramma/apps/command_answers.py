"""What `engramma recall` and `engramma ask` print, made from a memory: by the command itself or by a daemon for it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from ..language.fence import unfenced
from ..recall.context import local_context
from ..records import Query, Recall
from ..redaction import redact
from .hits import hit_lines
from .printed import Printed
from .render import answer_lines, as_json, explain_lines, plural, recall_notes
from .styled import Styled

if TYPE_CHECKING:
    from ..memory import Memory
    from ..records.people import Answer

TIMES = ("asked_at", "as_of", "since", "until")  # of a query; they come as ISO 8601
KEPT_ROWS = 3  # of a screen: the command, a remark, the next prompt


def printed_recall(found: Recall, call: Mapping[str, Any], me: str = "") -> Printed:
    """A recall as JSON, as a whole, or as the hits that a screen takes; `me` is the user's name."""
    if call["json"]:
        return Printed(as_json(found))
    explain: bool = call["explain"]
    if call["full"] or not found.entries:
        lines: list[str] = [local_context(unfenced(found.context))]
        remarks = mask_remarks(*recall_notes(found, explain))
    else:
        columns, rows = call["screen"]
        shown, count = hit_lines(call["query"]["text"], found.entries, columns, rows - KEPT_ROWS, me)
        lines = list(shown)
        remarks = mask_remarks(*recall_notes(found, explain, of_context=False))
        remarks += rest(len(found.entries) - count, found)
    lines += ["", *explain_lines(found)] if explain else []
    return Printed(None, tuple(lines), tuple(f"note: {line}" for line in remarks))


def answer_recall(memory: Memory, call: Mapping[str, Any]) -> Recall:
    """What a call of `recall` finds."""
    given = {**call["query"]}
    times = {name: datetime.fromisoformat(given[name]) for name in TIMES if given[name] is not None}
    if given["conversation"] is not None:
        from .conversation_names import place_meant  # most recalls name none, and a command starts without it

        place = place_meant(memory, given["conversation"])
        given["conversation"] = place.conversation
        if place.document is not None:
            if given["source"] not in (None, place.document):
                raise BadInput("A document is where its text comes from: give it by -c or by --source, not both.")
            given["source"] = place.document
    return memory.recall(Query(**{**given, **times}), recipe=call["recipe"])


def asked_conversation(memory: Memory, given: str | None) -> str | None:
    """The id of the conversation that a question is bound to; all documents are one, so there must be no other."""
    if given is None:
        return None
    from .conversation_names import place_meant, typed_name

    place = place_meant(memory, given)
    if place.document is not None and len(memory.documents.all()) > 1:
        raise BadInput(
            f"{given!r:.200} is one of several documents, and only `engramma recall -c {typed_name(given)}` looks "
            "through a single one. Leave -c out."
        )
    return place.conversation


def rest(more: int, found: Recall) -> list[str]:
    """What a screen did not take."""
    around = len(found.candidates) - len(found.entries)
    beside = f"{plural(around, 'segment')} around them" if around else ""
    hits = f"{plural(more, 'more hit')}" if more else ""
    what = " and ".join(filter(None, [hits, beside]))
    return [f"--full shows everything, with {what}"] if what else []


def printed_answer(answer: Answer, call: Mapping[str, Any], me: str = "", sentences: int = 0) -> Printed:
    """An answer as JSON or as lines, after the sentences of it that are printed already."""
    remarks = tuple(mask_remarks(f"note: {answer.remark}.") if answer.remark else [])
    if call["json"]:
        return Printed(as_json(answer), (), remarks)
    first, *others = answer_lines(answer, call["explain"], me)[sentences:]
    style = "dim" if answer.abstained else "" if sentences else "title"
    return Printed(None, (Styled((first, style)), *others), remarks)


def mask_remarks(*remarks: str) -> list[str]:
    """Remarks may quote what was read."""
    return [redact(remark).text for remark in remarks]
