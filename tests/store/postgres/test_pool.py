"""A connection is ours, whatever the environment and the role say otherwise."""

from __future__ import annotations

import threading

import psycopg
import pytest

from engramma.store.postgres.address import parse_address
from engramma.store.postgres.database import Postgres

pytestmark = pytest.mark.engines


@pytest.fixture
def address(schemas):
    return parse_address(schemas.address("pooled"))


@pytest.fixture
def admin(address):
    with psycopg.connect(**address.parameters, autocommit=True) as connection:
        yield connection


def test_a_writer_sees_what_the_one_before_wrote_whatever_the_role_says(address, admin):
    """A stricter isolation would show it the state from before its wait."""
    admin.execute("ALTER ROLE CURRENT_USER SET default_transaction_isolation = 'repeatable read'")
    try:
        one, other, seen = Postgres(address, busy_seconds=20), Postgres(address, busy_seconds=20), []
    finally:
        admin.execute("ALTER ROLE CURRENT_USER RESET default_transaction_isolation")

    def look():
        with other.transaction(ns=7):
            seen.append(other.one("change_last", {"ns": 7})[0])

    waiting = threading.Thread(target=look)
    with one.transaction(ns=7):
        waiting.start()
        while not admin.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchone():
            assert waiting.is_alive()
        one.run("change_add", {"ns": 7, "key": 1, "op": 1})
    waiting.join()
    one.close()
    other.close()
    assert seen == [1]


def test_texts_go_as_they_are_whatever_the_environment_says(address, admin, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    other = Postgres(address, busy_seconds=5)
    with other.transaction():
        other.run("meta_put", {"key": "encoded", "value": "é 猫"})
    assert other.one("meta_get", {"key": "encoded"})["value"] == "é 猫"
    other.close()
    told = admin.execute("SELECT value FROM pooled.meta WHERE key = 'encoded'").fetchone()
    assert told == ("sé 猫",)
