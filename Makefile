# Everything a newcomer needs: `make run` and `make test`. Both set up .venv the first time, and only then.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.run-$(shell cksum < requirements.lock | cut -d ' ' -f 1)
DEV_STAMP := $(VENV)/.dev-$(shell cksum < requirements-dev.lock | cut -d ' ' -f 1)
ARGS ?=

.PHONY: help run test lint format bench measured lock catalog wheel browser clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

run: $(RUN_STAMP) ## Start the app with the built-in table (ARGS="--port 9000" for other options)
	@$(BIN)/perdollar serve $(ARGS)

test: $(DEV_STAMP) browser lint ## Run every test, the browser's included
	$(BIN)/pytest -n 2 $(ARGS)

lint: $(DEV_STAMP) ## Check format, style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(DEV_STAMP) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV_STAMP) ## Measure speed: ratios against references, in one run
	$(BIN)/python -m tests.bench $(ARGS)

MEASURED := .venv-measured
measured: $(DEV_STAMP) ## Time a real PyTorch model and speech recognition (installs torch, pocketsphinx, espeak-ng)
	@test -x $(MEASURED)/bin/python || $(PYTHON) -m venv $(MEASURED)
	@$(MEASURED)/bin/pip install --quiet --disable-pip-version-check torch pocketsphinx
	@command -v espeak-ng > /dev/null || apt-get install --yes --quiet espeak-ng
	PERDOLLAR_MEASURED_PYTHON=$(CURDIR)/$(MEASURED)/bin/python $(BIN)/pytest tests/measured

browser: ## Install Chromium for the browser tests where there is none
	@sh tests/browser/install_chromium.sh

# No index address may stand in the lock files.
LOCK = $(BIN)/uv pip compile pyproject.toml --universal --generate-hashes --no-emit-index-url \
	--python-version 3.11 --custom-compile-command 'make lock' --quiet
lock: ## Pin all dependencies anew, with hashes
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(LOCK) --output-file requirements.lock
	$(LOCK) --extra dev --output-file requirements-dev.lock

catalog: $(DEV_STAMP) ## Bring the texts of pages and sentences into the catalog of translations
	@$(BIN)/python -m tests.catalog

wheel: $(DEV_STAMP) ## Build a wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(MEASURED) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(RUN_STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(DEV_STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@ $(RUN_STAMP)
