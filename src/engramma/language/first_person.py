"""Whether a message is of somebody who speaks of themself, as in talk, and not only of a piece of work to be done."""

from __future__ import annotations

import re

from .sentences import sentences

# Not "me": "show me" is said to a machine.
_FIRST_PERSON = re.compile(
    r"(?<![\w.])(?:i|i['’](?:m|ve|d|ll)|my|mine|we|we['’](?:re|ve|d|ll)|our|ours|us)(?![\w/]|\s*[=<>+\[(])", re.I
)
_ENDS_ASKING = re.compile(r"\?[\s\"”'’)*_]*$")
READ = 4_000  # characters of a message that are looked at


def speaks_of_oneself(text: str) -> bool:
    """Whether somebody speaks of themself: "What is next in my plan?"."""
    return _FIRST_PERSON.search(text[:READ]) is not None


def tells_of_oneself(text: str) -> bool:
    """Whether somebody tells something of themself and does not only ask: "I am back. What is next?"."""
    read = text[:READ]
    said = (read[start:end] for start, end in sentences(read))
    return any(_FIRST_PERSON.search(one) and not _ENDS_ASKING.search(one) for one in said)
