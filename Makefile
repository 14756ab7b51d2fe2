# The commands of this project. `make` or `make help` lists them.
#
# What is built or fetched lives in the user's cache folder, outside the clone, so that a second clone or a
# second run finds it there: compiled Rust, ONNX Runtime, Python environments.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# The set-up steps come in an order, and each of them uses all cores by itself. Only what waits for the network is made
# side by side, where a rule says so.
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif

PARTSIGHT_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/partsight
ifneq ($(word 2,$(PARTSIGHT_CACHE))$(word 2,$(CARGO_TARGET_DIR)),)
$(error PARTSIGHT_CACHE and CARGO_TARGET_DIR must be paths without spaces, which make cannot handle: set them to others)
endif
override CARGO_TARGET_DIR := $(abspath $(or $(CARGO_TARGET_DIR),$(PARTSIGHT_CACHE)/target))
export CARGO_TARGET_DIR
# A test that was compiled in another clone would look for its reviewed answers there.
export INSTA_WORKSPACE_ROOT := $(CURDIR)
VENV := $(PARTSIGHT_CACHE)/venv-python
TORCH_VENV := $(PARTSIGHT_CACHE)/venv-training
PYTHON := $(VENV)/bin/python
TOOLS := $(PARTSIGHT_CACHE)/venv-tools
CLIENTS := $(PARTSIGHT_CACHE)/venv-clients
CARGO_TOOLS := $(PARTSIGHT_CACHE)/cargo-tools
# The tests and the browser journeys share one build.
DEBUG_BIN := $(CARGO_TARGET_DIR)/debug/partsight
# Without a window of its own the same engine needs half the processor time of the whole browser.
CHROMIUM = $$(command -v "$${PARTSIGHT_CHROMIUM:-chromium-headless-shell}" || command -v chromium)
# What `make run` starts: built in half of the time, and without candle unless FEATURES asks for it.
QUICK_BIN := $(CARGO_TARGET_DIR)/quick/partsight
FEATURES ?=

WEB_SOURCES := $(shell find web/src web/public -type f 2>/dev/null) web/index.html $(wildcard web/vite.*.ts) web/tsconfig.json web/package.json
NODE_MODULES := web/node_modules/.installed
WEB_DIST := web/dist/index.html
OIDC_PROVIDER := crates/api/tests/oidc-provider/node_modules/.installed

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

# --- Use ---------------------------------------------------------------------------------------------------

.PHONY: run
run: system-packages ## Build what is missing and start the app on http://localhost:8080
	@$(MAKE) --no-print-directory --jobs=3 SIDE_BY_SIDE=1 onnxruntime crates $(WEB_DIST)
	@echo '-- Building the program (the first time takes some minutes)'
	@cargo build --profile quick --locked -p partsight-cli --no-default-features --features '$(FEATURES)'
	@echo '-- Starting Partsight with its data in ./data. Ctrl-C stops it.'
	@echo '-- Accounts are on the Basic plan (2 scans); PARTSIGHT_PLAN=pro make run gives everybody unlimited scans.'
	@exec '$(QUICK_BIN)' serve --data-dir data

.PHONY: build
build: system-packages onnxruntime $(WEB_DIST) ## Build the program to install: all features, optimised as a whole
	@echo '-- Building the program (the first time takes about half an hour on two cores)'
	@cargo build --release --locked -p partsight-cli

.PHONY: train
train: $(TORCH_VENV)/.installed ## Train the part model from photographs (see training/README.md)
	@echo '-- Training: first on a tiny set of drawings, then on the photographs (minutes on a GPU, many hours on 2 cores)'
	@cd training && OMP_NUM_THREADS=1 '$(TORCH_VENV)/bin/python' -m pytest tests/test_finetune.py
	@cd training && PYTHONPATH=src '$(TORCH_VENV)/bin/python' -m partsight_training.train --config configs/partsight-50.toml

.PHONY: train-detector
train-detector: $(TORCH_VENV)/.installed ## Train the part detector from photographs (see training/README.md)
	@echo '-- Training the part detector: first on squares, then on composed pictures (minutes on a GPU, hours on two cores)'
	@cd training && OMP_NUM_THREADS=1 '$(TORCH_VENV)/bin/python' -m pytest tests/test_detector.py
	@cd training && PYTHONPATH=src '$(TORCH_VENV)/bin/python' -m partsight_training.train_detector

# --- Set-up ------------------------------------------------------------------------------------------------

.PHONY: system-packages
system-packages:
	@.make/system-packages run

# Beside the web app, which waits for the network as well.
.PHONY: crates
crates:
	@cargo fetch --locked --quiet --target "$$(rustc -vV | sed -n 's/^host: //p')"

.PHONY: onnxruntime
onnxruntime:
	@.make/onnxruntime

$(NODE_MODULES): web/package.json web/package-lock.json
	@echo '-- Installing the web packages'
	@cd web && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(WEB_DIST): $(NODE_MODULES) $(WEB_SOURCES)
	@echo '-- Building the web app'
	@cd web && npm run --silent build
	@touch $@

$(VENV)/.installed: training/requirements.lock
	@.make/system-packages train
	@echo '-- Installing the Python packages for the training code'
	@python3 -m venv '$(VENV)'
	@'$(PYTHON)' -m pip install --quiet --disable-pip-version-check -r training/requirements.lock
	@touch $@

$(TORCH_VENV)/.installed: training/requirements.lock training/requirements-torch.txt
	@.make/system-packages train
	@echo '-- Installing PyTorch for training (several gigabytes)'
	@python3 -m venv '$(TORCH_VENV)'
	@'$(TORCH_VENV)/bin/python' -m pip install --quiet --disable-pip-version-check -r training/requirements.lock -r training/requirements-torch.txt
	@touch $@

$(TOOLS)/.installed: .make/requirements.txt
	@echo '-- Installing the checkers'
	@python3 -m venv '$(TOOLS)'
	@'$(TOOLS)/bin/python' -m pip install --quiet --disable-pip-version-check -r .make/requirements.txt
	@touch $@

$(CLIENTS)/.installed: .make/requirements-clients.txt
	@echo '-- Installing what the clients are checked with'
	@python3 -m venv '$(CLIENTS)'
	@'$(CLIENTS)/bin/python' -m pip install --quiet --disable-pip-version-check -r .make/requirements-clients.txt
	@touch $@

# --- Checks ------------------------------------------------------------------------------------------------

.PHONY: test
# What is shared is made first. Then everything that is tested is compiled at a low priority, and what needs none of it
# takes the cores that a compiler leaves idle. The clients come between, since they wait for answers with a deadline. The
# journeys need the cores for themselves, for they wait for animations and cameras: beside them runs, at a low priority,
# only what knows no deadline.
test: ## Run everything that CI runs
	@.make/system-packages test
	@$(MAKE) --no-print-directory onnxruntime $(WEB_DIST) $(OIDC_PROVIDER) $(TOOLS)/.installed $(CLIENTS)/.installed
	@.make/test-parts '$(MAKE)' \
		'~check-rust ~debug-bin test-rust | test-web test-training check-dependencies sbom' \
		'test-postgres check-clients' \
		'test-browser | ~check-web ~check-training ~check-project'

.PHONY: check-rust
# All three look at the same targets with the same features, so that a dependency is checked once. The program that
# `make run` builds has fewer features. Naming the examples makes cargo choose the features as it does for the tests.
check-rust: $(WEB_DIST)
	@echo '-- Rust: format, lints, documentation'
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	@cargo clippy --workspace --lib --bins --examples --no-default-features --locked --quiet -- -D warnings
	@RUSTDOCFLAGS='-D warnings' cargo doc --workspace --lib --bins --examples --no-deps --locked --quiet

# Built from source once: neither is in Debian. A later `make test` finds them in the cache.
$(CARGO_TOOLS)/bin/cargo-deny-0.20.2:
	@echo '-- Building cargo-deny (once)'
	@CARGO_TARGET_DIR='$(CARGO_TOOLS)/target' cargo install --quiet --locked --no-default-features --root '$(CARGO_TOOLS)' cargo-deny@0.20.2
	@ln -sf cargo-deny $@ && rm -rf '$(CARGO_TOOLS)/target'

$(CARGO_TOOLS)/bin/cargo-machete-0.9.2:
	@echo '-- Building cargo-machete (once)'
	@CARGO_TARGET_DIR='$(CARGO_TOOLS)/target' cargo install --quiet --locked --root '$(CARGO_TOOLS)' cargo-machete@0.9.2
	@ln -sf cargo-machete $@ && rm -rf '$(CARGO_TOOLS)/target'

$(CARGO_TOOLS)/bin/cargo-sbom-0.10.0:
	@echo '-- Building cargo-sbom (once)'
	@CARGO_TARGET_DIR='$(CARGO_TOOLS)/target' cargo install --quiet --locked --root '$(CARGO_TOOLS)' cargo-sbom@0.10.0
	@ln -sf cargo-sbom $@ && rm -rf '$(CARGO_TOOLS)/target'

SBOM ?= $(PARTSIGHT_CACHE)/sbom

.PHONY: sbom
sbom: $(CARGO_TOOLS)/bin/cargo-sbom-0.10.0 ## Write the bill of materials: CycloneDX, with licences
	@echo '-- Bill of materials: Rust and the web app'
	@.make/sbom '$(CARGO_TOOLS)/bin/cargo-sbom' '$(SBOM)'

DIST ?= $(PARTSIGHT_CACHE)/dist
# A program that is there already, in place of the one that `make build` makes: to try the packing alone.
DIST_BIN ?=

.PHONY: dist
dist: $(if $(DIST_BIN),onnxruntime,build) $(NODE_MODULES) sbom ## Build a release: tarball and Debian package, with licences, SBOM and checksums
	@echo '-- Release'
	@.make/dist '$(or $(DIST_BIN),$(CARGO_TARGET_DIR)/release/partsight)' '$(SBOM)' '$(DIST)'

.PHONY: check-dependencies
check-dependencies: $(CARGO_TOOLS)/bin/cargo-deny-0.20.2 $(CARGO_TOOLS)/bin/cargo-machete-0.9.2
	@echo '-- Rust: bans, licences, sources and use of the dependencies'
	@'$(CARGO_TOOLS)/bin/cargo-deny' --locked check --hide-inclusion-graph bans licenses sources
	@'$(CARGO_TOOLS)/bin/cargo-machete' crates benches
	@echo '-- Dependencies: known faults'
	@.make/check-advisories '$(CARGO_TOOLS)/bin/cargo-deny'

# The sign-in provider that the API tests sign in with.
$(OIDC_PROVIDER): crates/api/tests/oidc-provider/package.json crates/api/tests/oidc-provider/package-lock.json
	@echo '-- Installing the sign-in provider for the tests'
	@cd crates/api/tests/oidc-provider && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# The library would look for its makers' server in tests of our crates; the program forbids it by itself.
test-rust test-postgres: export ORT_DISABLE_TELEMETRY := 1
test-rust test-postgres: export PARTSIGHT_LOCALSTRIPE := $(TOOLS)/bin/localstripe
# A test of the API mostly waits, for its server, a database or a password's hash: on two cores the 548 of them took
# 153 s two at a time, 94 s four at a time and 80 s eight at a time.
test-rust test-postgres: export RUST_TEST_THREADS ?= $(shell expr 4 '*' $$(nproc))

# What they need is fetched and built before, since they run on a network that ends at this machine.
.PHONY: test-rust
test-rust: onnxruntime $(WEB_DIST) debug-bin $(OIDC_PROVIDER) $(TOOLS)/.installed
	@echo '-- Rust: tests'
	@INSTA_UPDATE=no .make/with-postgres .make/without-network .make/with-qdrant cargo test --workspace --locked --no-fail-fast

.PHONY: test-postgres
test-postgres: onnxruntime $(WEB_DIST) debug-bin $(OIDC_PROVIDER) $(TOOLS)/.installed
	@echo '-- Rust: tests of the API on PostgreSQL'
	@INSTA_UPDATE=no .make/with-postgres .make/without-network .make/api-tests-on-postgres

.PHONY: check-clients
check-clients: onnxruntime debug-bin $(NODE_MODULES) $(CLIENTS)/.installed
	@echo '-- Clients: each does a day'\''s work against a server of its own'
	@.make/without-network '$(CLIENTS)/bin/python' .make/check-clients '$(DEBUG_BIN)'

.PHONY: check-web
check-web: $(NODE_MODULES)
	@echo '-- Web: types, lints, format'
	@cd web && npm run --silent typecheck && npm run --silent lint && npm run --silent format:check

.PHONY: test-web
test-web: $(NODE_MODULES) $(WEB_DIST)
	@echo '-- Web: unit tests, and the size of the first load'
	@cd web && npm run --silent test
	@cd web && npm run --silent size

.PHONY: debug-bin
# With the features that the tests build it with: by itself it would have others, and half of the dependencies would be
# compiled twice.
debug-bin: $(WEB_DIST)
	@cargo test --workspace --locked --quiet --no-run

.PHONY: test-browser
test-browser: onnxruntime debug-bin $(NODE_MODULES) $(WEB_DIST)
	@echo '-- Web: journeys in a real browser against the real server'
	@cd web && PARTSIGHT_CHROMIUM="$(CHROMIUM)" PARTSIGHT_BIN='$(DEBUG_BIN)' npm run --silent e2e

.PHONY: check-training
check-training: $(VENV)/.installed
	@echo '-- Training: format, lints'
	@cd training && '$(VENV)/bin/ruff' format --check --quiet . && '$(VENV)/bin/ruff' check --quiet .

.PHONY: test-training
test-training: $(VENV)/.installed
	@echo '-- Training: tests, and the shipped model against its golden files'
	@cd training && PYTHONPATH=src '$(PYTHON)' -m partsight_training.check_export --model ../models/partsight-50
	@cd training && OPENBLAS_NUM_THREADS=1 '$(PYTHON)' -m pytest

.PHONY: check-project
check-project: debug-bin $(NODE_MODULES) $(TOOLS)/.installed
	@echo '-- Project: documentation, stale generated files, compose and container files, running of parts, spelling'
	@.make/check-docs
	@.make/pack-docs --check
	@.make/check-test-parts
	@.make/check-generated '$(DEBUG_BIN)'
	@'$(TOOLS)/bin/python' .make/check-compose docker-compose.yml
	@'$(TOOLS)/bin/python' .make/check-containers packaging/container docs/settings.md .make/onnxruntime
	@'$(TOOLS)/bin/typos' --config .typos.toml

SCHEMATHESIS := $(PARTSIGHT_CACHE)/venv-schemathesis

$(SCHEMATHESIS)/.installed: .make/requirements-api.txt
	@echo '-- Installing the checker of the API'
	@python3 -m venv '$(SCHEMATHESIS)'
	@'$(SCHEMATHESIS)/bin/python' -m pip install --quiet --disable-pip-version-check -r .make/requirements-api.txt
	@touch $@

.PHONY: check-api
check-api: onnxruntime debug-bin $(SCHEMATHESIS)/.installed ## Look for answers of the API that its document does not know
	@'$(SCHEMATHESIS)/bin/python' .make/check-api '$(DEBUG_BIN)'

# --- Upkeep ------------------------------------------------------------------------------------------------

.PHONY: generate
generate: debug-bin $(NODE_MODULES) ## Write the files that are made from others: the clients' types, docs/settings.md and its sample file
	@.make/check-generated --write '$(DEBUG_BIN)'

FUZZ_SECONDS ?= 600

.PHONY: fuzz
fuzz: ## Fuzz each target with libFuzzer for FUZZ_SECONDS (see benches/fuzz/)
	@PARTSIGHT_CACHE='$(PARTSIGHT_CACHE)' PARTSIGHT_FUZZ_TARGET_DIR='$(PARTSIGHT_CACHE)/fuzz/target' .make/fuzz '$(FUZZ_SECONDS)'

PEERS := $(PARTSIGHT_CACHE)/venv-peers

$(PEERS)/.installed: benches/peers/requirements.txt
	@echo '-- Installing what is compared with'
	@python3 -m venv '$(PEERS)'
	@'$(PEERS)/bin/python' -m pip install --quiet --disable-pip-version-check -r benches/peers/requirements.txt
	@touch $@

.PHONY: bench-index
bench-index: $(PEERS)/.installed ## Measure the vector index beside faiss and hnswlib
	@cargo build --release --locked -p partsight-benches --example vector_search
	@'$(PEERS)/bin/python' benches/peers/vector_index.py '$(CARGO_TARGET_DIR)/release/examples/vector_search'

.PHONY: bench-photo
bench-photo: $(PEERS)/.installed onnxruntime ## Measure the photo path beside Pillow and ONNX Runtime in Python (PHOTO=a JPEG)
	@cargo build --release --locked -p partsight-benches --example photo_path
	@'$(PEERS)/bin/python' benches/peers/photo_path.py '$(CARGO_TARGET_DIR)/release/examples/photo_path' '$(PHOTO)'

.PHONY: format
format: $(NODE_MODULES) $(VENV)/.installed ## Format all code
	@cargo fmt --all
	@cd web && npm run --silent format
	@cd training && '$(VENV)/bin/ruff' format --quiet .
