# Everything a newcomer needs: `make run` and `make test`. Both set up .venv the first time, and only then.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.run-$(shell cksum < requirements.lock | cut -d ' ' -f 1)
DEV_STAMP := $(VENV)/.dev-$(shell cksum < requirements-dev.lock | cut -d ' ' -f 1)
ARGS ?=

.PHONY: help run test lint format bench engines html screenshots measured load rivals spark fuzz audit lock catalog wheel browser clean

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
	$(BIN)/djlint --lint --quiet templates

format: $(DEV_STAMP) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(DEV_STAMP) ## Measure speed: ratios against references, in one run
	$(BIN)/python -m tests.bench $(ARGS)

engines: $(DEV_STAMP) ## Sweep 2 million offers with each engine: seconds and memory (ARGS="--millions 20 polars")
	$(BIN)/python -m tests.bench.engines $(ARGS)

CHECKER := tests/html/node_modules
html: $(DEV_STAMP) browser ## Check every page's HTML with the Nu checker (needs Java 17 and npm)
	@test -d $(CHECKER) || npm ci --prefix tests/html --ignore-scripts --silent
	$(BIN)/python -m tests.html

screenshots: $(DEV_STAMP) browser ## Take every page in every state, light on a desk and dark on a phone, into screenshots/
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

fuzz: $(DEV_STAMP) ## Ask the API thousands of generated questions, and change valid files at random (FUZZ=30 of each)
	PERDOLLAR_FUZZ_EXAMPLES=$(or $(FUZZ),30) $(BIN)/pytest tests/hostile/test_openapi.py tests/hostile/test_mutations.py $(ARGS)

audit: $(DEV_STAMP) ## Look for known weaknesses of the pinned packages (needs the network)
	$(BIN)/pip-audit --require-hashes --disable-pip -r requirements.lock -r requirements-dev.lock $(ARGS)

MEASURED := .venv-measured
measured: $(DEV_STAMP) ## Time a real PyTorch model and speech recognition (installs torch, pocketsphinx, espeak-ng)
	@test -x $(MEASURED)/bin/python || $(PYTHON) -m venv $(MEASURED)
	@$(MEASURED)/bin/pip install --quiet --disable-pip-version-check torch pocketsphinx
	@command -v espeak-ng > /dev/null || apt-get install --yes --quiet espeak-ng
	PERDOLLAR_MEASURED_PYTHON=$(CURDIR)/$(MEASURED)/bin/python $(BIN)/pytest tests/measured

load: $(DEV_STAMP) ## Hold the server at 80 % of what it takes, for 60 s: errors, memory, latencies (ARGS="--share 0.5")
	$(BIN)/python -m tests.load $(ARGS)

RIVALS := .venv-rivals
RIVALS_STAMP := $(RIVALS)/.rivals-$(shell cksum < requirements-rivals.lock | cut -d ' ' -f 1)
rivals: $(DEV_STAMP) $(RIVALS_STAMP) ## Ask gpuhunt, SkyPilot and PerDollar the same (installs the other two, 450 MB)
	$(BIN)/python -m tests.rivals $(RIVALS)/bin/python

SPARK := .venv-spark
SPARK_STAMP := $(SPARK)/.spark-$(shell cksum < requirements-spark.lock | cut -d ' ' -f 1)
spark: $(SPARK_STAMP) ## Test sweeps on Apache Spark in local mode (needs Java 17; installs pyspark, 900 MB)
	$(SPARK)/bin/python -m pytest tests/spark $(ARGS)

browser: ## Install Chromium for the browser tests where there is none
	@sh tests/browser/install_chromium.sh

# No index address may stand in the lock files.
LOCK = $(BIN)/uv pip compile --universal --generate-hashes --no-emit-index-url \
	--python-version 3.11 --custom-compile-command 'make lock' --quiet
lock: ## Pin all dependencies anew, with hashes
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check uv
	$(LOCK) pyproject.toml --output-file requirements.lock
	$(LOCK) pyproject.toml --extra dev --output-file requirements-dev.lock
	$(LOCK) pyproject.toml --extra spark --extra dev --output-file requirements-spark.lock
	printf 'gpuhunt\nskypilot\n' | $(LOCK) - --output-file requirements-rivals.lock

catalog: $(DEV_STAMP) ## Bring the texts of pages and sentences into the catalog of translations
	@$(BIN)/python -m tests.catalog

wheel: $(DEV_STAMP) ## Build a wheel into dist/
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(MEASURED) $(SPARK) $(RIVALS) $(CHECKER) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

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

$(RIVALS_STAMP):
	@test -x $(RIVALS)/bin/python || $(PYTHON) -m venv $(RIVALS)
	$(RIVALS)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-rivals.lock
	@touch $@

$(SPARK_STAMP): pyproject.toml
	@test -x $(SPARK)/bin/python || $(PYTHON) -m venv $(SPARK)
	$(SPARK)/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-spark.lock
	$(SPARK)/bin/pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@
