# The main targets are `make run` and `make test`. Each installs what it needs with setup.sh.
.PHONY: help setup run test test-all lint audit format bench crash-check screenshot pictures panels strings clean
.DEFAULT_GOAL := help
BIN := .venv/bin
PYTEST := QT_QPA_PLATFORM=offscreen ./run_tests.sh -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

help: ## list all targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

setup: ## create the environment and install the locked packages and system libraries
	@./setup.sh

run: setup ## start the program with ARGS="..."; without a display, run the demo
	@if [ "$$(uname)" = Linux ] && [ -z "$(if $(ARGS),some)$$DISPLAY$$WAYLAND_DISPLAY$$QT_QPA_PLATFORM" ]; then \
		$(BIN)/sandtable demo; \
	else \
		$(BIN)/sandtable $(ARGS); \
	fi

test: lint ## run the checks, then all tests except the slow ones on up to four cores; ARGS="..." go to pytest
	$(PYTEST) -m "not slow" $(ARGS)

test-all: lint ## run the checks, then all tests; ARGS="..." go to pytest
	$(PYTEST) $(ARGS)

lint: setup ## run only the checks
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: ## check the locked packages for known vulnerabilities on PyPI; does not fail without a network
	@./audit.sh || [ $$? = 3 ]

format: setup ## format the source
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: setup ## measure the speed and update docs/performance.md (minutes, on a quiet machine); ARGS=--quick only prints
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m benchmarks.all $(ARGS)

crash-check: setup ## run window tests with random time limits, RUNS=100 times; fail if a run dies by a signal
	$(BIN)/python -m tools.crash_check --runs $(if $(RUNS),$(RUNS),100) $(ARGS)

screenshot: setup ## update the picture in README.md: the window on the simulated table
	$(BIN)/python -m tools.screenshot docs/pictures/window.jpg

pictures: screenshot ## update all pictures in the docs, taken on the simulated table
	$(BIN)/python -m tools.pictures docs/pictures

panels: setup ## save every panel and dialog, light and dark, in FOLDER=...; fail if a text is cut off
	$(BIN)/python -m tools.panel_screenshots $(if $(FOLDER),$(FOLDER),build/panels) --language $(if $(LANGUAGE),$(LANGUAGE),en)

strings: setup ## collect all texts of the program for translation into LANGUAGE=de, and compile the translated ones
	$(BIN)/python -m tools.extract_strings $(LANGUAGE)

clean: ## remove the environment and all generated files
	rm -rf .venv .audit *.egg-info build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
