# SPDX-License-Identifier: Apache-2.0
# What one does with cookiesync. `make help` lists it; the work itself is in scripts/.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

HOST ?= 127.0.0.1
PORT ?= 8080
DATA ?= ./data
SOAK_MINUTES ?= 30

# What `make test` is given besides; for `scripts/check` a warning is an error.
SWIFT_TEST_FLAGS ?=

# An import that Package.swift does not declare is an error in every build.
BUILD := swift build --explicit-target-dependency-import-check error

.PHONY: access help build run test test-postgres check soak lint format smoke demo browser bench bench-fleet hotpath schemathesis stress fuzz mutants docker verify deploy release clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the optimised binary, .build/release/cookiesync
	scripts/setup build
	$(BUILD) -c release --product cookiesync

run: build ## build and serve on 127.0.0.1:8080 with the data in ./data, encrypted if they are new
	[ -e $(DATA) ] || .build/release/cookiesync create-key --data-dir $(DATA) --key-file $(DATA)/key
	exec .build/release/cookiesync serve --host $(HOST) --port $(PORT) --data-dir $(DATA) \
		$$([ ! -e $(DATA)/key ] || echo --key-file $(DATA)/key)

test: ## run every test
	scripts/setup build test
	scripts/test --explicit-target-dependency-import-check error $(SWIFT_TEST_FLAGS)

test-postgres: ## run the tests of the storage on PostgreSQL, on a private server
	scripts/setup build test
	swift test --explicit-target-dependency-import-check error $(SWIFT_TEST_FLAGS) \
		--filter '^(StorageContractTests|PostgresJarStorageTests)\.'

check: ## everything CI checks: lint, warnings as errors, tests, ThreadSanitizer, smoke
	scripts/check

soak: build ## every test in its long form, fuzzing, and SOAK_MINUTES (30) of mixed load; about two hours and a half
	scripts/setup build test stress
	scripts/soak
	Tests/Stress/mixed_load .build/release/cookiesync --minutes $(SOAK_MINUTES)

lint: ## formatting, shell scripts, layout, openapi.yaml
	scripts/setup lint
	scripts/lint

format: ## format the Swift sources in place
	swift format -i -p -r Package.swift Sources Tests Fuzz

smoke: build ## walk the main job with curl, and run what the documents show
	scripts/setup test
	Tests/Smoke/smoke .build/release/cookiesync
	Tests/Smoke/terminal .build/release/cookiesync
	Tests/Smoke/documents .build/release/cookiesync

browser: build ## hold the scripts for web views against headless Chromium
	scripts/setup test
	CS_TEST_BINARY=.build/release/cookiesync Tests/Browser/webview.py

demo: build ## five ways to lose a login, each with plain copying and with the service
	Tests/Demo/demo .build/release/cookiesync

bench: build ## measure cookie-header beside nginx, C, Go and Node, the storage beside Redis and the disk
	scripts/setup bench
	mkdir -p build
	Benchmarks/bench .build/release/cookiesync --json build/bench.json
	Benchmarks/storage .build/release/cookiesync --json build/bench-storage.json
	Benchmarks/fetch .build/release/cookiesync --json build/bench-fetch.json
	Benchmarks/sealing .build/release/cookiesync --json build/bench-sealing.json

bench-fleet: build ## measure nodes on PostgreSQL beside pgbench
	scripts/setup bench test
	mkdir -p build
	Benchmarks/fleet .build/release/cookiesync --json build/bench-fleet.json

hotpath: build ## count instructions, allocations and references per cookie-header, and hold the budget
	scripts/setup hotpath
	Benchmarks/hotpath .build/release/cookiesync --budget Benchmarks/budget.json

stress: build ## attack it and starve it, for about ten minutes
	scripts/setup stress
	Tests/Stress/stress .build/release/cookiesync

access: build ## hold the running service to the rules of access (docs/access-rules.md), in their long form
	Tests/Access/access .build/release/cookiesync

fuzz: ## run each fuzz target for FUZZ_SECONDS (60); see Fuzz/README.md
	scripts/setup build test
	scripts/fuzz

schemathesis: build ## call the service with what schemathesis makes up out of openapi.yaml
	scripts/setup api
	CS_TEST_BINARY=.build/release/cookiesync .venv-api/bin/python Tests/Conformance/schemathesis/run

mutants: ## break the rules of cookies and of access one by one, and see that the tests notice (an hour)
	scripts/setup build test
	scripts/mutants
	scripts/access-mutants

docker: ## build the image cookiesync:latest
	docker build -f docker/Dockerfile -t cookiesync \
		--build-arg VERSION="$$(sed -nE 's/.*current = "(.*)"/\1/p' Sources/cookiesync/Version.swift)" \
		--build-arg REVISION="$$(git rev-parse HEAD)" .

verify: ## build the image and hold it to its promises, with Docker or, as root, without
	docker/verify.sh

deploy: build ## check units, manifests, rules and dashboard against their tools and the running service
	scripts/setup deploy
	docker/check .build/release/cookiesync

release: ## build the static, stripped binary and its archive in build/
	scripts/setup build
	scripts/release

clean: ## remove what was built; the data stay
	rm -rf .build build .venv
