"""SQLite's words put into PostgreSQL's: each rule, and all that looks like one of them and is none."""

from __future__ import annotations

import re

import pytest

from engramma.store.database import queries, read_queries
from engramma.store.dialect import NUMBERS, RULES, TEXTS, in_postgres

OF_SQLITE = (
    r"\b(?:json_each|json_extract|json_group_array|INDEXED BY|likely|instr|iif|GLOB|MATCH|rowid|PRAGMA)\b|\{ns\}"
)


@pytest.mark.parametrize(
    ("sqlite", "postgres"),
    [
        # parameters
        ("SELECT :a, :b_2;", "SELECT %(a)s, %(b_2)s;"),
        ("VALUES (:a,:a);", "VALUES (%(a)s,%(a)s);"),
        ("SELECT 7 % :n;", "SELECT 7 %% %(n)s;"),
        # hints
        ("SELECT key FROM t INDEXED BY t_by_key WHERE ns = :ns;", "SELECT key FROM t WHERE ns = %(ns)s;"),
        ("WHERE merged = :a AND likely(merged > 0);", "WHERE merged = %(a)s AND (merged > 0);"),
        ("FROM a CROSS JOIN b ON b.x = a.x;", "FROM a JOIN b ON b.x = a.x;"),
        ("FROM a x CROSS JOIN b y INDEXED BY i ON y.x = x.x;", "FROM a x JOIN b y ON y.x = x.x;"),
        ("FROM a CROSS JOIN b;", "FROM a CROSS JOIN b;"),
        ("FROM a CROSS JOIN b y WHERE 1 = 1;", "FROM a CROSS JOIN b y WHERE 1 = 1;"),
        # lists
        ("WHERE x IN (SELECT value FROM json_each(:keys));", "WHERE x = ANY(%(keys)s::bigint[]);"),
        ("WHERE x NOT IN (SELECT value FROM json_each(:kinds));", "WHERE x <> ALL(%(kinds)s::text[]);"),
        ("WHERE x IN (SELECT key FROM t);", "WHERE x IN (SELECT key FROM t);"),
        (
            "FROM json_each(:hashes) k CROSS JOIN t ON t.a = k.value;",
            "FROM unnest(%(hashes)s::text[]) WITH ORDINALITY k(value, place) JOIN t ON t.a = k.value;",
        ),
        ("FROM json_each(n.tags) j;", "FROM json_array_elements_text(n.tags::json) j(value);"),
        # NULL
        ("WHERE :who IS NULL OR w = :who;", "WHERE %(who)s::text IS NULL OR w = %(who)s;"),
        ("WHERE :since IS NOT NULL;", "WHERE %(since)s::bigint IS NOT NULL;"),
        ("WHERE w IS NULL;", "WHERE w IS NULL;"),
        # limits
        ("LIMIT :limit;", "LIMIT nullif(%(limit)s::bigint, -1);"),
        ("LIMIT :most OFFSET :at;", "LIMIT nullif(%(most)s::bigint, -1) OFFSET %(at)s;"),
        ("FROM (SELECT 1 LIMIT :a\n);", "FROM (SELECT 1 LIMIT nullif(%(a)s::bigint, -1) );"),
        ("LIMIT 3 * :limit;", "LIMIT 3 * %(limit)s;"),
        ("LIMIT :limit - 1;", "LIMIT %(limit)s - 1;"),
        # numbers
        ("SELECT CAST(x AS INTEGER), CAST(y AS REAL);", "SELECT CAST(x AS bigint), CAST(y AS double precision);"),
        ("SELECT CAST(x AS TEXT);", "SELECT CAST(x AS TEXT);"),
        ("SELECT substr(t.text, 1, :most);", "SELECT substr(t.text, 1, (%(most)s)::int);"),
        ("SELECT substr(t, c.a + 1, c.b);", "SELECT substr(t, (c.a + 1)::int, (c.b)::int);"),
        ("SELECT substr(name, 3);", "SELECT substr(name, 3);"),
        # functions
        ("WHERE instr(lower(x), lower(:w)) > 0;", 'WHERE strpos(lower(x), lower(%(w)s COLLATE "C")) > 0;'),
        ("SELECT min(a, :b), max(a, b);", "SELECT least(a, %(b)s), greatest(a, b);"),
        ("SELECT min(a), max(b), coalesce(max(c), 0);", "SELECT min(a), max(b), coalesce(max(c), 0);"),
    ],
)
def test_each_rule(sqlite, postgres):
    assert in_postgres(sqlite) == postgres


@pytest.mark.parametrize(
    ("sqlite", "postgres"),
    [
        # strings, whatever is in them
        ("SELECT '::', ':name', :name;", "SELECT '::', ':name', %(name)s;"),
        ("SELECT 'it''s :a', :a;", "SELECT 'it''s :a', %(a)s;"),
        ("SELECT '  two  spaces -- :a';", "SELECT '  two  spaces -- :a';"),
        ("SELECT '/* :a', ':b */';", "SELECT '/* :a', ':b */';"),
        ("WHERE a LIKE '%:x%' AND b = :b;", "WHERE a LIKE '%%:x%%' AND b = %(b)s;"),
        ("SELECT 'LIMIT :limit;' LIMIT :limit;", "SELECT 'LIMIT :limit;' LIMIT nullif(%(limit)s::bigint, -1);"),
        ("SELECT 'instr(' || instr(a, 'max(a, b)');", "SELECT 'instr(' || strpos(a, 'max(a, b)');"),
        ("SELECT ')' FROM (SELECT '(') x;", "SELECT ')' FROM (SELECT '(') x;"),
        ("SELECT '0', '1', 0, '0';", "SELECT '0', '1', 0, '0';"),
        # quoted names
        ('SELECT ":a" AS "x "" :b", :c;', 'SELECT ":a" AS "x "" :b", %(c)s;'),
        # JSON: paths are strings, operators are none of ours
        ("SELECT json_extract(v, '$.a:b'), :c;", "SELECT json_extract(v, '$.a:b'), %(c)s;"),
        ("SELECT a ->> 'x', a->'y', a -> 0, :b;", "SELECT a ->> 'x', a->'y', a -> 0, %(b)s;"),
        # casts
        ("SELECT a::text, :b::bigint, '1'::int;", "SELECT a::text, %(b)s::bigint, '1'::int;"),
        ("SELECT a::who IS NULL;", "SELECT a::who IS NULL;"),
        ("SELECT :a :: text;", "SELECT %(a)s :: text;"),
        # dollar quoting
        ("SELECT $$:a '$$, $x$ :b $$ :c $x$, :d;", "SELECT $$:a '$$, $x$ :b $$ :c $x$, %(d)s;"),
        # comments go, and what is in them
        ("SELECT 1 -- :a, it's\n, :b;", "SELECT 1 , %(b)s;"),
        ("SELECT /* :a ; ' */ :b -- the end;\n;", "SELECT %(b)s ;"),
        ("-- before:all\nSELECT\n  :a;", "SELECT %(a)s;"),
        # times and numbers
        ("SELECT '12:30', 1.5, 9223372036854775807;", "SELECT '12:30', 1.5, 9223372036854775807;"),
    ],
)
def test_what_looks_like_a_parameter_and_is_none(sqlite, postgres):
    assert in_postgres(sqlite) == postgres


def test_rows_come_in_the_order_of_the_list_that_is_gone_along():
    along = (
        "SELECT t.a, (SELECT max(b) FROM u ORDER BY b LIMIT 1) FROM json_each(:keys) k CROSS JOIN t ON t.a = k.value"
    )
    assert in_postgres(f"{along};").endswith("JOIN t ON t.a = k.value ORDER BY k.place;")
    assert in_postgres(f"{along} WHERE t.b = 'ORDER BY';").endswith("WHERE t.b = 'ORDER BY' ORDER BY k.place;")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM json_each(:keys) k CROSS JOIN t ON t.a = k.value ORDER BY a;",
        "SELECT a, count(*) FROM json_each(:keys) k CROSS JOIN t ON t.a = k.value GROUP BY a;",
        "SELECT DISTINCT a FROM json_each(:keys) k CROSS JOIN t ON t.a = k.value;",
        "SELECT a FROM json_each(:keys) k CROSS JOIN t ON t.a = k.value LIMIT 1;",
        "SELECT k.value FROM json_each(:keys) k UNION SELECT a FROM t;",
        "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM json_each(:keys) k WHERE k.value = t.a);",
        "SELECT a FROM t CROSS JOIN json_each(:keys) k;",
        "DELETE FROM t WHERE a IN (SELECT k.value FROM json_each(:keys) k);",
    ],
)
def test_no_other_rows_are_put_in_order(sql):
    assert ".place;" not in in_postgres(sql)


def test_a_list_or_a_null_of_an_unknown_type_is_told():
    for sql in ("SELECT 1 FROM json_each(:things) t;", "SELECT 1 WHERE :thing IS NULL;"):
        with pytest.raises(ValueError, match=r":things? is: add it to TEXTS or NUMBERS"):
            in_postgres(sql)


def test_no_type_and_no_rule_is_there_for_nothing():
    assert not TEXTS & NUMBERS
    code = [re.sub(r"\s+", " ", sql) for sql in read_queries("shared").values()]
    typed = re.findall(r"json_each\(:(\w+)\)|:(\w+) IS (?:NOT )?NULL", " ".join(code))
    assert {lists or nulls for lists, nulls in typed} == TEXTS | NUMBERS
    for found, _ in RULES:  # never one for a single query
        assert sum(bool(re.search(found.replace(":@", r":(\w+)"), sql)) for sql in code) > 1, found


@pytest.mark.parametrize("name", sorted(read_queries("shared")))
def test_nothing_of_sqlite_is_left(name):
    said = queries("postgres")[name]
    assert not re.search(OF_SQLITE, said)
    assert not re.search(r"(?<!:):\w", re.sub(r"'[^']*'", "", said))
