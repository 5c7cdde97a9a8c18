# Tests. `make test` runs all of them with lit. test/unit has cmocka programs, which
# lit runs, too (test/unit/lit.local.cfg).

TEST_BINARIES :=
-include test/unit/build.mk
-include test/fuzz/build.mk
include test/npm/build.mk
TEST_BINARIES += $(REPORT_WEB_DIR)/done
include test/world/build.mk

LIT         ?= $(or $(shell command -v lit-$(LLVM_VERSION)),lit-22)
# A test waits for files a third of its time.
LIT_JOBS    ?= $(shell expr $$(nproc) '*' 3 / 2)
# Lit starts with the tests that took longest the last time, or by test/.lit_test_times.txt
# (seconds of CPU) on a new machine: a slow test that starts last leaves a processor idle.
LIT_FLAGS   ?= -sv --time-tests
LINT_FAILED ?= 0
CHECK_DIRS  := test/unit test/pass test/rt test/profdata

# Duration of test/rt/soak.c.
SOAK_SECONDS ?= 1200

# LLVM versions with which `make test` also tests the parts that depend on LLVM.
OTHER_LLVM_VERSIONS ?= $(filter-out $(LLVM_VERSION),19)
# The runtime is the same object for all versions (rt/build.mk): of its tests, those of
# what compiled code does, and those that compare with LLVM's runtime.
OTHER_RT    := access addresses chk_ copies counts context_values continuous_stacks cxx. \
    dlopen. frame_register handler_jumps histogram_ interface_ jump memprof_header \
    may_return_null options_raw_format own_frames realloc_large str_ tail_calls \
    text_symbols text_terse uncounted unseen wrappers
OTHER_DIRS  := test/pass $(sort $(foreach r,$(OTHER_RT),$(wildcard test/rt/*$(r)*))) \
    test/link test/joints \
    test/profdata/show-types.test test/profdata/show-library-types.test
OTHER_NOT   := differential|sqlite3|lua|soak
# What linkers and the runtime do to object files is the same for all versions.
ifeq ($(findstring long=1,$(LIT_PARAMS)),)
OTHER_NOT   := $(OTHER_NOT)|basic-O0|link/(gcc|ifunc|instrumented-linkers|leaks|linkers|many-libraries|mold|no-undefined|operators|other-malloc|own-mem|own-names|plain-objects|sandbox|static-counts)
endif

# $(call run_lit,LLVM VERSION,ARGUMENTS)
lit_results = $(O)/test/results-$(1).json
run_lit = { $(LIT) $(LIT_FLAGS) -j $(LIT_JOBS) \
    -o $(lit_results) --param root=$(CURDIR) --param build=$(abspath $(O)) \
    --param llvm_version=$(1) $(LIT_PARAMS) $(2) || true; }
# $(call lit,ARGUMENTS,OTHER LLVM VERSIONS)
lit = @mkdir -p $(O)/test && \
    rm -f $(foreach v,$(LLVM_VERSION) $(2),$(call lit_results,$(v))) && \
    $(call run_lit,$(LLVM_VERSION),$(1)) && \
    $(foreach v,$(2),$(call run_lit,$(v),$(OTHER_DIRS) --filter-out='$(OTHER_NOT)') &&) \
    python3 test/summary.py $(LINT_FAILED) \
        $(foreach v,$(LLVM_VERSION) $(2),$(call lit_results,$(v)))

.PHONY: test test-long check run-test run-check test-binaries others
test: deps ## build and run all tests; ends with "N passed, N failed"
	@$(MAKE) $(SUBMAKE_FLAGS) all test-binaries
	@$(MAKE) $(SUBMAKE_FLAGS) others
	@$(MAKE) $(SUBMAKE_FLAGS) run-test

# Debug information takes a third of the time to compile with LLVM's headers.
others:
	@for v in $(OTHER_LLVM_VERSIONS); do \
	    $(MAKE) $(SUBMAKE_FLAGS) LLVM_VERSION=$$v CXXFLAGS='$(filter-out -g%,$(CXXFLAGS))' all || exit; done

check: deps ## build and run the fast tests only
	@$(MAKE) $(SUBMAKE_FLAGS) all test-binaries
	@$(MAKE) --no-print-directory run-check

# Includes tests that take minutes: other LLVMs, other people's packages, a new root.
test-long: deps ## build and run all tests, with those that take long
	@.ci/install-deps $(LONG_PACKAGES)
	@$(MAKE) --no-print-directory test LIT_PARAMS='--param long=1 \
	    --param soak_seconds=$(SOAK_SECONDS)'

test-binaries: $(TEST_BINARIES)

# Sources that unit tests include; their objects are not in $(OBJS).
-include $(wildcard $(O)/test/unit/*.d $(O)/test/unit/*/*.d $(O)/test/unit/obj/*/*.d $(O)/test/unit/obj/*/*/*.d)

run-test: world
	$(call lit,test,$(OTHER_LLVM_VERSIONS))

run-check:
	$(call lit,$(wildcard $(CHECK_DIRS)))

# -- lint ------------------------------------------------------------------------

# Excludes tests that are scripts of RUN lines.
FORMATTED = $(shell git ls-files '*.c' '*.h' '*.cpp' | \
    grep -v '^test/' ; git ls-files 'test/unit/*.[ch]' 'test/fuzz/*.[ch]')

.PHONY: lint lint-text lint-symbols lint-gcc lint-clang lint-format fmt
lint: lint-text lint-symbols lint-format lint-gcc lint-clang ## includes, literals, format, warnings, symbols

lint-symbols: $(ALL)
	@python3 test/lint/symbols.py shared=$(O)/obj/profdata-shared rt=$(RT_DIR) \
	    pass=$(L)/pass alloc=$(ALLOC_DIR) \
	    profdata=$(PROFDATA_DIR) profdata=$(L)/obj/profdata

lint-text: $(O)/docgen
	@python3 test/lint/includes.py
	@python3 test/lint/literals.py
	@python3 test/lint/sizes.py
	@python3 test/lint/docs.py $(O)/docgen
	@! grep -rnE '(RUN|DEFINE):.*\| *(not +)?grep -[a-zA-Z]*q' test || \
	    { echo 'grep -q ends early and its writer fails then: use grep -c'; exit 1; }

lint-format:
	@clang-format --dry-run -Werror $(FORMATTED) && echo 'format: clean'

# All sources with warnings as errors, once per compiler; the runtime object's imports
# and exports are checked with it ($(RT_CHECKS)). With WERROR=-Werror (.ci/run) gcc's is
# the build that is used, and clang's of memprofdata the one for the thread sanitizer.
lint_make = +@$(MAKE) --no-print-directory WERROR=-Werror O=$(1) $(2) >/dev/null

ifeq ($(filter cc gcc,$(CC)) $(WERROR),$(CC) -Werror)
lint-gcc: $(ALL) $(RT_CHECKS)
else
lint-gcc:
	$(call lint_make,$(O)/lint-gcc,CC=gcc CXX=g++ lint-objects)
endif
	@echo 'warnings with gcc: none'

lint-clang:
	$(call lint_make,$(if $(WERROR),$(O),$(O)/lint-clang),tsan-objects)
	$(call lint_make,$(O)/lint-clang,CC=$(CLANG) CXX=$(CLANGXX) lint-others)
	@echo 'warnings with clang: none'

.PHONY: lint-objects lint-others
lint-objects: $(ALL) $(RT_CHECKS)
# What is not in memprofdata.
lint-others: $(filter-out $(PROFDATA_LIB_OBJS) $(PROFDATA_CMD_OBJS) $(O)/test/%,$(OBJS)) \
    $(RT_CHECKS)

fmt: ## run clang-format over the sources
	@clang-format -i $(FORMATTED)
