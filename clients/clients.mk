# SDKs in other languages. A language whose tools are not installed is skipped with a sentence, not an error.
#   make clients-LANG   build the library and its bots
#   make test-LANG      its unit tests
# Each SDK builds with its language's ordinary tool inside clients/LANG; these targets only look for that tool, and
# lend the repository's Python, whose grpcio-tools package holds the protobuf compiler that typescript and go use.
CLIENT_LANGUAGES := typescript go java rust cpp
PALIO_PYTHON := $(abspath $(BIN)/python)

# $(call unless_missing,TOOLS,LANGUAGE,COMMAND): COMMAND in clients/LANGUAGE where every tool is on the PATH.
define unless_missing
	@for tool in $(1); do command -v $$tool >/dev/null || { echo "skipped $(2): $$tool is not installed"; exit 0; }; done; \
	cd clients/$(2) && PYTHON='$(PALIO_PYTHON)' $(3)
endef

.PHONY: clients test-clients $(addprefix clients-,$(CLIENT_LANGUAGES)) $(addprefix test-,$(CLIENT_LANGUAGES))

clients: $(addprefix clients-,$(CLIENT_LANGUAGES)) ## build the SDK of every language whose tools are installed

test-clients: $(addprefix test-,$(CLIENT_LANGUAGES)) ## test the SDK of every language whose tools are installed

clients-typescript: setup ## build the TypeScript SDK and its bots
	$(call unless_missing,node npm,typescript,npm run --silent setup)

test-typescript: clients-typescript
	$(call unless_missing,node npm,typescript,npm test --silent)

clients-go: setup ## build the Go SDK and its bots
	$(call unless_missing,go make,go,make --no-print-directory build)

test-go: clients-go
	$(call unless_missing,go make,go,make --no-print-directory test)

clients-java: ## build the Java SDK and its bots
	$(call unless_missing,java mvn,java,mvn --quiet --batch-mode -DskipTests package)

test-java:
	$(call unless_missing,java mvn,java,mvn --batch-mode --no-transfer-progress test)

# $(call rust,COMMAND): the same for Rust, whose version in older distributions is too old for tonic.
define rust
	@command -v cargo >/dev/null || { echo "skipped rust: cargo is not installed"; exit 0; }; \
	cargo --version | awk '{ split($$2, part, "."); exit part[1] == 1 && part[2] < 88 }' \
	|| { echo "skipped rust: 1.88 or newer is needed, this is $$(cargo --version)"; exit 0; }; \
	cd clients/rust && $(1)
endef

clients-rust: ## build the Rust SDK and its bots
	$(call rust,cargo build --quiet --release --examples)

test-rust:
	$(call rust,cargo test --quiet)

# $(call cpp,COMMAND): the same for C++, which also needs libraries of the system.
define cpp
	@for tool in cmake g++ pkg-config protoc grpc_cpp_plugin; do \
	command -v $$tool >/dev/null || { echo "skipped cpp: $$tool is not installed"; exit 0; }; done; \
	pkg-config --exists grpc++ protobuf || { echo "skipped cpp: libgrpc++-dev is not installed"; exit 0; }; \
	cd clients/cpp && $(1)
endef

clients-cpp: ## build the C++ SDK and its bots
	$(call cpp,cmake -B build -DPALIO_TESTS=OFF >/dev/null && cmake --build build -j2 -- --no-print-directory)

test-cpp:
	$(call cpp,cmake -B build -DPALIO_TESTS=ON >/dev/null && cmake --build build -j2 -- --no-print-directory \
	&& ctest --test-dir build --output-on-failure)

# The conformance kit against the random bot of every language. CHECK holds further options of palio check.
CHECK ?=
KIT := $(abspath $(BIN)/palio) check $(CHECK) --
.PHONY: conformance conformance-python $(addprefix conformance-,$(CLIENT_LANGUAGES))

conformance: conformance-python $(addprefix conformance-,$(CLIENT_LANGUAGES)) ## try the SDKs' random bots against the conformance kit

conformance-python: setup
	@echo "python:"; $(KIT) $(abspath $(BIN)/palio) bot run random

conformance-typescript: clients-typescript
	@echo "typescript:"
	$(call unless_missing,node npm,typescript,$(KIT) node dist/src/bots/random.js)

conformance-go: clients-go
	@echo "go:"
	$(call unless_missing,go make,go,$(KIT) bin/random)

conformance-java: clients-java setup
	@echo "java:"
	$(call unless_missing,java mvn,java,$(KIT) bin/random)

conformance-rust: clients-rust setup
	@echo "rust:"
	$(call rust,$(KIT) target/release/examples/random)

conformance-cpp: clients-cpp setup
	@echo "cpp:"
	$(call cpp,$(KIT) build/random)

.PHONY: clients-without-sdk
clients: clients-without-sdk

clients-without-sdk: ## get the two packages of the bot without an SDK; pytest plays with it where they are there
	$(call unless_missing,node npm,without-sdk,npm ci --ignore-scripts --loglevel=error >/dev/null)
