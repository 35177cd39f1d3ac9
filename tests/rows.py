"""What a store's database holds, row by row, whichever database it is."""

from __future__ import annotations

from engramma import Memory
from engramma.store.sqlite.database import SqliteDatabase


def ask(memory: Memory, sql: str) -> list[tuple]:
    """The rows of a plain question."""
    database = memory._core.store.database
    if isinstance(database, SqliteDatabase):
        return [tuple(row) for row in database._held().connection.execute(sql)]
    return [tuple(row) for row in database._with_connection(lambda c: c.execute(sql).fetchall())]


def tables(memory: Memory) -> list[str]:
    """The tables of the store, but for those of its words."""
    database = memory._core.store.database
    if isinstance(database, SqliteDatabase):
        names = [name for (name,) in ask(memory, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return [name for name in names if not name.startswith(("words_", "cold_", "terms_"))]
    return [name for name in database.tables() if name not in ("words", "word_totals", "word_counts")]


def everything(memory: Memory, table: str) -> list[tuple]:
    return sorted(ask(memory, f"SELECT * FROM {table}"), key=repr)  # noqa: S608


def words(memory: Memory, part: str) -> list[tuple]:
    """Every word that can be found, with its segment and place: of what is live ("words") or set aside ("cold")."""
    ns = memory._core.store.ns
    if isinstance(memory._core.store.database, SqliteDatabase):
        connection = memory._core.store.database._held().connection
        connection.execute(f"CREATE VIRTUAL TABLE temp.told USING fts5vocab(main, {part}_{ns}, 'instance')")
        found = connection.execute("SELECT term, doc, offset FROM temp.told ORDER BY 1, 2, 3").fetchall()
        connection.execute("DROP TABLE temp.told")
        return list(map(tuple, found))
    cold = int(part == "cold")
    sql = "SELECT u.lexeme, w.key, p - 1 FROM words w, unnest(w.body) u, unnest(u.positions) p"
    return ask(memory, f"{sql} WHERE w.ns = {ns} AND w.cold = {cold} ORDER BY 1, 2, 3")
