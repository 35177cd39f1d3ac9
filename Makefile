# make demo: set up and show what Engramma does. make test: set up and run the tests.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
FIRST  := $(VENV)/first-store
DATA   ?=

# Every package in its locked version, with its hash checked: requirements/dev.txt, and engines.txt for what only
# `make check` needs: the engines, types and a browser.
# pip.txt comes first: the pip that a Python brings along may take more than twice as long. The locks are whole, so that
# it need not look for what packages ask for (--no-deps).
LOCK   := requirements/dev.txt
PIP_LOCK      := requirements/pip.txt
ENGINES_LOCK  := requirements/engines.txt
ENGINES_READY := $(VENV)/.ready-engines
INSTALL := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check

# What Python compiles is kept, for the command outside of make and for the hundreds of processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test engines browser check types everything bench wheels lock clean

setup: $(READY)

# The first command of a new user finds compiled what it imports: our sources, and of the packages what a recall needs.
# Where the environment has a model that is away, these two commands fail, and setup does not.
$(READY): pyproject.toml $(LOCK) $(PIP_LOCK) hatch_build.py $(wildcard native/*.[ch])
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r $(PIP_LOCK)
	$(INSTALL) --require-hashes --no-deps -r $(LOCK)
	$(INSTALL) --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q -j 0 src/engramma
	rm -rf $(FIRST)
	-$(BIN)/engramma --store $(FIRST) remember "The first." > /dev/null
	-$(BIN)/engramma --store $(FIRST) recall "What is the first?" > /dev/null
	rm -rf $(FIRST)
	touch $(READY)

$(ENGINES_READY): $(READY) $(ENGINES_LOCK)
	$(INSTALL) --require-hashes --no-deps -r $(LOCK) -r $(ENGINES_LOCK)
	touch $(ENGINES_READY)

demo: $(READY)
	$(BIN)/engramma demo

# What tests write lies in memory, where that has room: no test needs it after a power cut, and a disk lets them wait.
IN_MEMORY := $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 3000000 { print "TMPDIR=/dev/shm" }')
# Tests are compiled as Python does it, in seconds: pytest's own way, which tells what was compared, takes a minute. What
# failed is run once more in that way.
PYTEST   := $(IN_MEMORY) $(BIN)/python -m pytest --ignore=tests/browser
COMPILE  := $(BIN)/python -m compileall -q -j 0 tests
DETAILS  := --last-failed --last-failed-no-failures none
# worksteal: tests of a file stay together, so that what a file's tests share is made once. Four processes, since tests
# wait now and then, or as many as the second argument says: each takes seconds to import the tests.
run_tests = $(PYTEST) --assert plain -n $(or $(2),4) --dist worksteal $(1) || { $(PYTEST) $(DETAILS) $(1); exit 1; }

# What takes long (crowds, kills, floods, hostile input, outages, servers) is left to `make check`, and so are most
# examples of each law.
test: export ENGRAMMA_SHORT = 1
test: $(READY)
	$(COMPILE)
	$(call run_tests,-m "not engines and not long")

# Other engines: the store, recall, graph, steward, forgetting and people once more on PostgreSQL and encrypted, and the
# vector backends. On an engine tests hardly wait, but for a server that is at work meanwhile.
engines: $(ENGINES_READY)
	$(call run_tests,-m engines)
	$(call run_tests,--engine postgres,3)
	$(call run_tests,--engine encrypted,3)

# The pages in a real browser: installs Debian's chromium if it is missing and this may be done, else says how.
# ENGRAMMA_BROWSER=required: a missing browser fails. ENGRAMMA_LOCOMO=FILE: also on a store made from LoCoMo.
browser: $(ENGINES_READY)
	$(IN_MEMORY) $(BIN)/python -m pytest -rs -n 2 --dist loadfile tests/browser

# All that a change has to pass. mypy looks into the engines' packages, so they come first; it works beside the tests,
# which wait now and then.
check: $(ENGINES_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) -j 2 types everything
	$(MAKE) engines browser

types: $(ENGINES_READY)
	$(BIN)/mypy

everything: $(READY)
	$(COMPILE)
	$(call run_tests,-m "not engines")

# make bench DATA=path/to/locomo.json adds the recall figures to the throughput and index figures
bench: $(READY)
	$(BIN)/python evaluate/bench/run.py $(if $(DATA),--locomo $(DATA))

# Wheels for all of Linux on both kinds of processors, into dist/; Debian's gcc-x86-64-linux-gnu and gcc-aarch64-linux-gnu
# compile the library that runs the packaged networks, each for the other.
wheels: $(READY)
	for machine in x86_64 aarch64; do \
	  ENGRAMMA_MACHINE=$$machine CC=$$machine-linux-gnu-gcc $(BIN)/python -m hatchling build -t wheel || exit 1; done

# Writes the lock files anew from pyproject.toml, over the network. UPGRADE=--upgrade: to the newest versions.
lock:
	$(PYTHON) requirements/lock.py $(UPGRADE)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests evaluate -name __pycache__ -prune -exec rm -rf {} +
