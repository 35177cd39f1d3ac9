# make demo: set up and show what Engramma does. make test: set up and run the tests.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DATA   ?=

.PHONY: setup demo test contract browser check bench clean

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $(READY)

demo: $(READY)
	$(BIN)/engramma demo

test: $(READY)
	$(BIN)/python -m pytest -n 3 --ignore=tests/browser --ignore-glob='tests/contract/test_pg_*'

# The tests of the store, recall, graph, steward, forgetting and people once more, on PostgreSQL.
contract: $(READY)
	$(BIN)/python -m pytest -n 2 tests/contract

# The pages in a real browser: installs Debian's chromium if it is missing and this may be done, else says how.
# ENGRAMMA_BROWSER=required: a missing browser fails. ENGRAMMA_LOCOMO=FILE: also on a store made from LoCoMo.
browser: $(READY)
	$(BIN)/python -m pytest -rs tests/browser

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(MAKE) test contract browser

# make bench DATA=path/to/locomo.json adds the recall figures to the throughput and index figures
bench: $(READY)
	$(BIN)/python evaluate/bench/run.py $(if $(DATA),--locomo $(DATA))

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
