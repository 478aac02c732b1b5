# Everything a newcomer, a developer and CI need. `make help` lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
GENERATED := proto/gen/.generated
PROTOS := $(shell find proto/palio -name '*.proto' 2>/dev/null)
EXTRAS ?= dev,uvloop,postgres,ratings,metrics,otel
WORKERS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup proto demo test test-fast lint breaking types fuzz conformance-doc soak bench compile uncompile clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(GENERATED) ## make .venv with everything in it

$(GENERATED): $(STAMP) $(PROTOS) hatch_build.py
	@$(BIN)/python hatch_build.py
	@touch $@

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Palio needs Python 3.11 or newer; set PYTHON=… to one"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "python3 -m venv failed: install your system's python3-venv package"; exit 1; }
	@echo "installing into $(VENV) (the first time takes a minute)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt hatchling grpcio-tools mypy-protobuf editables
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@

proto: $(STAMP) ## generate the protobuf code again
	$(BIN)/python hatch_build.py

demo: setup ## a round robin of bots over gRPC, with standings and a report
	$(BIN)/palio demo

test: setup clients ## all tests, those of the SDKs included
	$(BIN)/python -m pytest -n $(WORKERS)
	@$(MAKE) --no-print-directory test-clients

test-fast: setup ## the tests that take no more than a few seconds each
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

lint: setup ## ruff, import contract, buf
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/buf lint

breaking: setup ## whether the protos still serve the clients of the last release
	@tag=$$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || { echo "skipped: there is no release tag yet to compare the protos with"; exit 0; }; \
	old=$$(mktemp -d) && trap 'rm -rf "$$old"' EXIT && git archive "$$tag" buf.yaml proto | tar -x -C "$$old" && \
	$(BIN)/buf breaking --against "$$old" && echo "the protos still serve the clients of $$tag"

types: setup ## mypy, strict
	$(BIN)/mypy

fuzz: setup ## a million random decisions per game and variant, all invariants checked
	$(BIN)/python -m tests.fuzz

conformance-doc: setup ## bring the list of obligations in docs/conformance.md up to date
	@sed -i '/^## The obligations/q' docs/conformance.md && { echo; $(BIN)/palio check --list; } >> docs/conformance.md

soak: setup ## ten thousand matches on one server; fails if its memory grows
	$(BIN)/python -m tests.soak

bench: setup ## the benchmarks, as ratios
	$(BIN)/palio bench

compile: setup ## rules and server compiled by mypyc into .venv: twice as fast (needs a C compiler)
	@$(BIN)/python hatch_build.py compile

uncompile: ## plain Python again
	@$(BIN)/python hatch_build.py uncompile

clean: ## remove what was built or generated
	rm -rf $(VENV) proto/gen dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis palio-demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

include clients/clients.mk
