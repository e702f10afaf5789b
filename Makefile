# Two commands: `make run` and `make test`. Each sets up what it needs; see setup.sh.
.PHONY: help setup run test test-all lint audit format bench crash-check screenshot pictures faces words clean
.DEFAULT_GOAL := help
BIN := .venv/bin
PYTEST := QT_QPA_PLATFORM=offscreen ./run_tests.sh -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --max-worker-restart 0

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile

setup: ## the environment, the locked packages, the system libraries
	@./setup.sh

run: setup ## the program; ARGS="..." are handed to it; without a display it plays the demo
	@if [ "$$(uname)" = Linux ] && [ -z "$(if $(ARGS),some)$$DISPLAY$$WAYLAND_DISPLAY$$QT_QPA_PLATFORM" ]; then \
		$(BIN)/sandtable demo; \
	else \
		$(BIN)/sandtable $(ARGS); \
	fi

test: lint ## the checks, then all tests but the slow ones on up to four cores; ARGS="..." are handed to pytest
	$(PYTEST) -m "not slow" $(ARGS)

test-all: lint ## the checks, then all tests; ARGS="..." are handed to pytest
	$(PYTEST) $(ARGS)

lint: setup ## the checks alone
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: ## asks PyPI whether a locked package has a known vulnerability; without a network it says that it could not
	@./audit.sh || [ $$? = 3 ]

format: setup ## put the source into its standard form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: setup ## how fast it is, into docs/performance.md: minutes on a quiet machine; ARGS=--quick only prints
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m benchmarks.all $(ARGS)

crash-check: setup ## tests of the window with random time limits, RUNS=100 times; fails if a run dies by a signal
	$(BIN)/python -m tools.crash_check --runs $(if $(RUNS),$(RUNS),100) $(ARGS)
	$(BIN)/python -m tools.crash_alarm --runs $(if $(RUNS),$(RUNS),100)

screenshot: setup ## the picture in README.md: the real window on the simulated table
	$(BIN)/python -m tools.screenshot docs/pictures/window.jpg

pictures: screenshot ## all pictures in the docs: the user's guide played on the simulated table
	$(BIN)/python -m tools.pictures docs/pictures

faces: setup ## every panel and dialog, light and dark, for FOLDER=...; fails if any cannot be read whole
	$(BIN)/python -m tools.panel_screenshots $(if $(FOLDER),$(FOLDER),build/faces)

words: setup ## every text of the window, to be translated, for LOCALE=de
	$(BIN)/python -m tools.extract_strings $(LOCALE)

clean: ## remove the environment and everything made
	rm -rf .venv .audit *.egg-info build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
