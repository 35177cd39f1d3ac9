"""The server tells of writes by others: in the right namespace, and after a connection was lost."""

from __future__ import annotations

import time

import psycopg
import pytest

from engramma.store.postgres.address import parse_address
from engramma.store.postgres.database import Postgres
from engramma.store.postgres.notify import AGAIN_SECONDS
from engramma.store.store import Store
from tests.store.postgres.servers import until

pytestmark = pytest.mark.engines


@pytest.fixture
def two(schemas):
    """Two processes' worth of databases on one schema."""
    address = parse_address(schemas.address("listening"))
    one, other = (Postgres(address, busy_seconds=5) for _ in range(2))
    yield one, other
    one.close()
    other.close()


def test_a_write_is_told_of_in_its_namespace_and_nowhere_else(two):
    one, other = two
    until(lambda: one.heard(7) is not None)
    before = one.heard(7), one.heard(8)
    with other.transaction(ns=7):
        other.run("meta_put", {"key": "a", "value": 1})
        time.sleep(0.1)
        assert one.heard(7) == before[0], "not before it is committed"
    until(lambda: one.heard(7) == before[0] + 1)
    assert one.heard(8) == before[1]
    with pytest.raises(RuntimeError), other.transaction(ns=7):
        raise RuntimeError("rolled back")
    with other.transaction():
        other.run("meta_put", {"key": "a", "value": 2})
    until(lambda: one.heard(8) == before[1] + 1)  # the store as a whole concerns all
    assert one.heard(7) == before[0] + 2


def test_what_was_said_while_the_connection_was_lost_is_not_missed(two):
    one, other = two
    until(lambda: one.heard(7) is not None)
    before = one.heard(7)
    with psycopg.connect(**one.address.parameters, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
    until(lambda: one.heard(7) is None)  # nobody tells: one has to look
    with other.transaction(ns=7):
        other.run("meta_put", {"key": "a", "value": 3})
    until(lambda: one.heard(7) is not None, 3 * AGAIN_SECONDS)
    assert one.heard(7) > before


def test_a_closed_store_listens_no_more(two):
    one, _ = two
    until(lambda: one.heard(1) is not None)
    listener = one._listener
    Store(one, "default")
    one.close()
    assert not listener._thread.is_alive() and one.heard(1) is None
