"""SQL that is written once: the queries of sql/shared are in SQLite's words, and this puts them into PostgreSQL's.

What has to change is listed in RULES, with the reason. Each rule is for all queries; one that needs more stands in
sql/sqlite and in sql/postgres instead. The rules go by the spelling of our files: keywords in capitals, one space after
a comma. Strings, quoted names and comments are out of their reach.
"""

from __future__ import annotations

import re
from collections.abc import Callable

# Parameters that are lists, or that may be NULL and are asked for it: PostgreSQL has to be told their type.
TEXTS = {
    *("called", "conversation", "conversations", "entity", "groups", "hashes", "id", "kind", "kinds", "nodes"),
    *("people", "person", "pieces", "relation", "relations", "session", "source", "speaker", "tag", "type", "who"),
    "words",
}
NUMBERS = {
    *("before", "entities", "facts", "forms", "items", "key", "keys", "sessions", "since", "topic", "turns", "until"),
}

_APART = re.compile(
    r"""
    (?P<space> (?: \s | --[^\n]* | /\*.*?\*/ )+ )
    | '(?:[^']|'')*' | "(?:[^"]|"")*" | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$
    """,
    re.VERBOSE | re.DOTALL,
)
_PARAMETER = re.compile(r"(?<!:):([A-Za-z_]\w*)")  # and not the second half of a cast
_NESTED = re.compile(r"\([^()]*\)")
_ALONG_A_LIST = re.compile(
    r"^SELECT (?!DISTINCT\b)(?:(?! FROM ).)* FROM json_each@ (\w+)\b(?!.*\b(?:GROUP BY|ORDER BY|LIMIT|UNION)\b)"
)


def in_postgres(sql: str) -> str:
    """A query of sql/shared as psycopg takes it, in one line and without comments."""
    kept: list[str] = []

    def laid_aside(found: re.Match[str]) -> str:
        if found["space"]:
            return " "
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    code = _in_order(_APART.sub(laid_aside, sql).strip())
    for found, said in _COMPILED:
        code = found.sub(said, code)
    code = _PARAMETER.sub(r"%(\1)s", code.replace("%", "%%"))
    return re.sub(r"\0(\d+)\0", lambda at: kept[int(at[1])].replace("%", "%%"), code)


def _in_order(code: str) -> str:
    """SQLite goes along a list in its order, and so do the rows of the answer; PostgreSQL has to be told."""
    outermost, nested = code, 1
    while nested:
        outermost, nested = _NESTED.subn("@", outermost)
    found = _ALONG_A_LIST.match(outermost)
    return f"{code.removesuffix(';')} ORDER BY {found[1]}.place;" if found else code


def _type(name: str) -> str:
    if name not in TEXTS | NUMBERS:
        raise ValueError(f"PostgreSQL has to be told what :{name} is: add it to TEXTS or NUMBERS.")
    return "text" if name in TEXTS else "bigint"


def _among(found: re.Match[str]) -> str:
    return f"{'<> ALL' if found[1] else '= ANY'}(:{found[2]}::{_type(found[2])}[])"


def _listed(found: re.Match[str]) -> str:
    return f"unnest(:{found[1]}::{_type(found[1])}[]) WITH ORDINALITY {found[2]}(value, place)"


def _asked_for_null(found: re.Match[str]) -> str:
    return f":{found[1]}::{_type(found[1])} {found[2]}"


def _part_of_text(found: re.Match[str]) -> str:
    text, *places = found[1].split(", ")
    return f"substr({', '.join([text, *(at if at.isdigit() else f'({at})::int' for at in places)])})"


# What is found (:@ stands for a parameter), and what is said instead. Beside these, a walk along a list is put in order
# (_in_order), :name becomes %(name)s, and % becomes %%.
RULES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    # Hints to SQLite's planner; PostgreSQL has statistics. A CROSS JOIN with a condition is a join in a fixed order.
    (r" INDEXED BY \w+", ""),
    (r"\blikely\(", "("),
    (r"\bCROSS (JOIN \w+(?: \w+)? ON\b)", r"\1"),
    # A list comes as JSON. PostgreSQL gets it as an array, whose members it can look up in an index.
    (r"\b(NOT )?IN \(SELECT value FROM json_each\(:@\)\)", _among),
    (r"\bjson_each\(:@\) (\w+)", _listed),
    # A list of texts that stands in a column.
    (r"\bjson_each\((\w+\.\w+)\) (\w+)", r"json_array_elements_text(\1::json) \2(value)"),
    # Nothing but the query tells PostgreSQL the type of a NULL.
    (r":@ (IS (?:NOT )?NULL)\b", _asked_for_null),
    # A limit of -1 is none.
    (r"\bLIMIT :@(?=;| ?\)| OFFSET\b)", r"LIMIT nullif(:\1::bigint, -1)"),
    # Numbers have 64 bits, but for places in a text.
    (r"\bAS INTEGER\)", "AS bigint)"),
    (r"\bAS REAL\)", "AS double precision)"),
    (r"\bsubstr\(([^()]+)\)", _part_of_text),
    # A parameter's letters are folded like those of the columns, whose collation is "C": A to Z alone.
    (r"\blower\(:@\)", r'lower(:\1 COLLATE "C")'),
    # Functions with other names. The lesser and the greater of two values, neither of them NULL, are no aggregates.
    (r"\binstr\(", "strpos("),
    (r"\bmin(?=\([^(),]+, [^(),]+\))", "least"),
    (r"\bmax(?=\([^(),]+, [^(),]+\))", "greatest"),
)
_COMPILED = [(re.compile(found.replace(":@", _PARAMETER.pattern)), said) for found, said in RULES]
