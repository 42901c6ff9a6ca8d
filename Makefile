# `make demo` and `make test` are all a newcomer needs: each makes its own virtual environment.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST := $(BIN)/python -m pytest
SPHINX := OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -b html -W --keep-going -n -q -j auto -d docs/_build/doctrees

.PHONY: help install demo test test-slow test-kernels docs docs-quick figures release browser mutants lint format clean

help:                              ## list what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(VENV)/.dev             ## all that developers need

demo: $(VENV)/.demo                ## plant wrong labels in scikit-learn's digits, find them, make a report
	$(BIN)/python examples/planted_digits.py

test: $(VENV)/.dev                 ## run the tests
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(PYTEST) --numprocesses auto --dist worksteal

test-slow: $(VENV)/.dev            ## run the long experiments too
	$(PYTEST) --override-ini addopts="--strict-markers --import-mode=importlib" -m slow

test-kernels: $(VENV)/.dev         ## run the numeric tests as on other processors
	$(BIN)/python .ci/kernels.py

docs: $(VENV)/.docs                ## build the site, all examples run: docs/_build/html
	$(SPHINX) docs docs/_build/html

docs-quick: $(VENV)/.docs          ## the same without running the examples
	$(SPHINX) -D plot_gallery=0 docs docs/_build/html

figures: $(VENV)/.dev              ## draw the pictures of the pages again, from result files and examples
	MPLBACKEND=Agg $(BIN)/python docs/figures/draw.py

release: $(VENV)/.dev              ## build wheel and source archive, check and try them, say what is left
	rm -rf dist
	$(PIP) build twine
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python .ci/try_package.py

browser:                           ## install Chromium, which tests of the pages look for
	@if which chromium chromium-browser google-chrome 2>/dev/null | grep -q .; then :; \
	elif command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		apt-get install --quiet --yes --no-install-recommends chromium \
		|| { apt-get update --quiet && apt-get install --quiet --yes --no-install-recommends chromium; } \
		|| echo "WARNING: Chromium cannot be installed; the pages are not tested in a browser." >&2; \
	else echo "WARNING: no Chromium, and not root; the pages are not tested in a browser." >&2; fi

mutants: $(VENV)/.dev              ## break 20 lines at random, in a copy, and see whether tests notice
	$(BIN)/python tests/mutants.py

lint: $(VENV)/.dev                 ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev               ## let ruff lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:                             ## remove what these commands made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist demo.audit \
		docs/_build docs/_demo docs/_words docs/examples docs/reference/commands.rst docs/reference/generated docs/reference/rooms docs/reference/used_in

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev]'
	touch $@

$(VENV)/.docs: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[docs]'
	touch $@
