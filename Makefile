# Everything there is to do here, by name. Each target installs what it needs first, into .venv.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed

# Python keeps what it compiled, whatever the caller says: else each process that a test starts compiles it anew.
export PYTHONDONTWRITEBYTECODE :=

# The first Python from 3.11 on; give PYTHON=… to choose another one.
PYTHON ?= $(shell for name in python3 python3.11 python3.12 python3.13 python3.14 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$name"; break; }; done)

.PHONY: help setup demo test test-long check format wheel bench clean

help:
	@echo 'make setup      install into $(VENV)'
	@echo 'make demo       move sample documents into a new folder and put them back'
	@echo 'make test       the everyday tests'
	@echo 'make test-long  kills and fuzz, some minutes'
	@echo 'make check      formatting, lint, types, directions of imports'
	@echo 'make format     format the code'
	@echo 'make wheel      build a wheel into dist/'
	@echo 'make bench      our speed beside the floors'
	@echo 'make clean      remove everything that these targets made'

setup: $(INSTALLED)

$(INSTALLED): pyproject.toml
	@test -n '$(PYTHON)' || { \
		echo 'Python 3.11 or later is needed. Install it, or name it: make PYTHON=/path/to/python3' >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo 'No virtual environment could be made. On Debian and Ubuntu: apt-get install python3-venv' >&2; exit 2; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(INSTALLED)
	@BIN=$(BIN) bash specs/samples/demo.sh

test: $(INSTALLED)
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m 'not long'

test-long: $(INSTALLED)
	$(BIN)/python -m pytest -n 3 --dist loadfile -m long
	DRAWS=whole $(BIN)/python -m pytest -n 3 --dist loadfile -m 'not long' tests/properties

check: $(INSTALLED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheel: $(INSTALLED)
	rm -rf dist
	$(BIN)/python -m build --wheel --outdir dist .

bench: $(INSTALLED)
	$(BIN)/python bench/start.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/walk.py
	$(BIN)/python bench/decisions.py
	$(BIN)/python bench/rules_analysis.py
	$(BIN)/python bench/lint.py
	$(BIN)/python bench/deep_search.py
	$(BIN)/python bench/schedule.py
	$(BIN)/python bench/notes.py
	$(BIN)/python bench/adapters.py
	$(BIN)/python bench/adapters_http.py
	$(BIN)/python bench/drive.py
	$(BIN)/python bench/topic.py
	$(BIN)/python bench/web.py

clean:
	rm -rf $(VENV) .demo build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
