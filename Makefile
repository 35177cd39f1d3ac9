# make demo: set up and show what Engramma does. make test: set up and run the tests.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
DATA   ?=
ENGINES := tests/contract tests/test_moving_postgres.py tests/index/test_backends.py tests/index/test_backends_failing.py tests/index/test_backends_chosen.py

.PHONY: setup demo test engines browser check bench clean

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -e '.[dev]'
	touch $(READY)

demo: $(READY)
	$(BIN)/engramma demo

test: $(READY)
	$(BIN)/python -m pytest -n 3 --ignore=tests/browser $(ENGINES:%=--ignore=%)

# Other engines: the store, recall, graph, steward, forgetting and people once more on PostgreSQL and encrypted, and the
# vector backends.
engines: $(READY)
	$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -e '.[dev,dev-engines]'
	$(BIN)/python -m pytest -n 2 $(ENGINES)
	ENGRAMMA_LONG=1 $(BIN)/python -m pytest -n 2 tests/encryption/contract

# The pages in a real browser: installs Debian's chromium if it is missing and this may be done, else says how.
# ENGRAMMA_BROWSER=required: a missing browser fails. ENGRAMMA_LOCOMO=FILE: also on a store made from LoCoMo.
browser: $(READY)
	$(BIN)/python -m pytest -rs -n 2 --dist loadfile tests/browser

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(MAKE) test engines browser

# make bench DATA=path/to/locomo.json adds the recall figures to the throughput and index figures
bench: $(READY)
	$(BIN)/python evaluate/bench/run.py $(if $(DATA),--locomo $(DATA))

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
