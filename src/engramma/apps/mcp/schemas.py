"""The tools' input schemas as clients get them, in as few tokens as they can be: every client pays for them each turn.

What a schema leaves out is still checked: arguments are validated by the functions' own types, which refuse a wrong
one with a message that says what is right.
"""

from __future__ import annotations

from typing import Any

CHECKED_ANYWAY = (
    "title",
    "minLength",
    "maxLength",
    "maxItems",
)  # a model never reaches them, or learns it by the refusal


def slim_schema(schema: Any, *, names: bool = False) -> Any:
    """A JSON schema without titles, lengths and nulls; `names`: its keys are those of arguments, not of a schema."""
    if isinstance(schema, list):
        return [slim_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: slim_schema(one) for name, one in schema.items()}
    options = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if len(options) == 1:  # an argument that may be left out
        schema = {**options[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    return {
        key: slim_schema(value, names=key == "properties")
        for key, value in schema.items()
        if key not in CHECKED_ANYWAY and not (key == "default" and value in (None, []))
    }
