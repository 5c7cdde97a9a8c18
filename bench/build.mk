# Benchmarks: `make bench` measures programs natively, with LLVM's MemProf and with
# ours, and writes bench/results.md; `make bench-short` compares instruction counts
# with bench/budget.json (bench/README.md). BENCH_FLAGS is passed to bench/run.py.
# `make bench-types` writes bench/types.md (docs/symbols.md).
# `make bench-use` writes bench/results-use.md (docs/using-profiles.md).

BENCH       := $(O)/bench
BENCH_SRC   := $(BENCH)/src
BENCH_FLAGS ?=
# Packages for benchmarks, in addition to those for building and testing.
BENCH_PACKAGES := python3 binutils

BENCH_TOOLS := $(BENCH)/tools/launch $(BENCH)/tools/steps
$(BENCH)/tools/%: bench/%.c
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(CWARN) $(WERROR) -O2 -o $@ $<

# Programs from Debian's source packages, in addition to those of the tests
# (test/world). They are prepared so that run.py can compile them without their build
# systems.
$(BENCH_SRC)/zstd/lib/zstd.h: test/world/fetch
	$(say) WORLD zstd
	$(Q)sh test/world/fetch $(BENCH_SRC) zstd
	$(Q)touch $@

# Generated files, as jq's makefile generates them.
$(BENCH_SRC)/jq/src/version.h: test/world/fetch
	$(say) WORLD jq
	$(Q)sh test/world/fetch $(BENCH_SRC) jq
	$(Q)cd $(@D) && sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' \
	    -e 's/$$/\\n"/' builtin.jq >builtin.inc
	$(Q)echo '#define JQ_VERSION "bench"' >$@

# db_bench includes a header of googletest; these declarations are all it uses.
$(BENCH_SRC)/leveldb/stub/gtest/gtest.h: test/world/fetch
	$(say) WORLD leveldb
	$(Q)sh test/world/fetch $(BENCH_SRC) leveldb
	$(Q)mkdir -p $(@D) $(BENCH_SRC)/leveldb/stub/gmock
	$(Q)touch $(BENCH_SRC)/leveldb/stub/gmock/gmock.h
	$(Q){ echo 'namespace testing { struct UnitTest { static UnitTest *GetInstance();'; \
	    echo 'int random_seed() const; }; }'; \
	    echo '#define MATCHER(n, text) template <class T> bool n(const T &arg)'; } >$@

# Programs that need no preparation.
BENCH_PLAIN := mujs duktape minisat2 libjsoncpp yaml-cpp
$(BENCH_PLAIN:%=$(BENCH_SRC)/%/.unpacked): $(BENCH_SRC)/%/.unpacked: test/world/fetch
	$(say) WORLD $*
	$(Q)sh test/world/fetch $(BENCH_SRC) $*

# Programs that need ./configure, and sources that their makefiles generate.
BENCH_CONFIGURED  := gawk bc libxml2 jimtcl
BENCH_CONFIGURE_gawk    := --disable-nls --disable-mpfr --disable-extensions \
    --without-readline --disable-pma
BENCH_CONFIGURE_bc      := --without-readline --without-libedit
BENCH_CONFIGURE_libxml2 := --without-python --without-lzma --without-zlib \
    --without-icu --without-threads --without-iconv
BENCH_CONFIGURE_jimtcl  := --disable-docs
BENCH_MAKE_bc     := echo '{0}' >bc/libmath.h
# Without our MAKEFLAGS, because jimtcl's makefile needs make's built-in rules.
BENCH_MAKE_jimtcl := env -u MAKEFLAGS $(MAKE) jimsh
$(BENCH_CONFIGURED:%=$(BENCH_SRC)/%/.configured): $(BENCH_SRC)/%/.configured: \
    test/world/fetch
	$(say) WORLD $*
	$(Q)sh test/world/fetch $(BENCH_SRC) $*
	$(Q)cd $(@D) && { ./configure $(BENCH_CONFIGURE_$*) && \
	    $(or $(BENCH_MAKE_$*),:); } >configure.out 2>&1 && touch .configured

BENCH_WORLD := $(WORLD)/sqlite3/bld/sqlite3.c $(WORLD)/lua5.4/src/lua.c \
    $(BENCH_SRC)/zstd/lib/zstd.h $(BENCH_SRC)/jq/src/version.h \
    $(BENCH_SRC)/leveldb/stub/gtest/gtest.h \
    $(BENCH_PLAIN:%=$(BENCH_SRC)/%/.unpacked) \
    $(BENCH_CONFIGURED:%=$(BENCH_SRC)/%/.configured)

BENCH_RUN = python3 bench/run.py --build $(O) --llvm-version $(LLVM_VERSION) \
    --clang $(CLANG) --clangxx $(CLANGXX)

.PHONY: bench bench-use bench-short bench-types bench-deps bench-world
bench-deps:
	@.ci/install-deps $(BUILD_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES)

bench-world: $(BENCH_WORLD)

bench: bench-deps ## time native, LLVM's and ours; writes bench/results.md
	@$(MAKE) $(SUBMAKE_FLAGS) all bench-world $(BENCH_TOOLS) $(NPM_DIR)/done
	@$(BENCH_RUN) $(BENCH_FLAGS)

bench-use: bench-deps ## gain of using a profile; writes bench/results-use.md
	@$(MAKE) $(SUBMAKE_FLAGS) all bench-world $(BENCH_TOOLS)
	@python3 bench/use/run.py --build $(O) --llvm-version $(LLVM_VERSION) $(BENCH_FLAGS)

bench-short: bench-deps ## instruction counts against bench/budget.json
	@$(MAKE) $(SUBMAKE_FLAGS) all $(BENCH_TOOLS)
	@$(BENCH_RUN) --short $(BENCH_FLAGS)

bench-types: bench-deps ## share of bytes with a known type; writes bench/types.md
	@$(MAKE) $(SUBMAKE_FLAGS) all bench-world
	@python3 bench/typenames.py --build $(O) --llvm-version $(LLVM_VERSION) \
	    --clang $(CLANG) --clangxx $(CLANGXX) $(BENCH_FLAGS)

# Compares the runtime's unwinder with others (bench/trials.md). The unwinder is
# linked as in the unit tests. Nothing else needs libunwind-dev.
BENCH_UNWIND := $(BENCH)/unwind
BENCH_UNWIND_FLAGS := $(CSTD) $(CWARN) $(WERROR) -O2 -iquote . -isystem $(L)/rt-include

$(BENCH_UNWIND)/libframes.so: bench/unwind/frames.c
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(BENCH_UNWIND_FLAGS) -fomit-frame-pointer -fPIC -shared \
	    -DFRAMES=frames_without -Wl,-soname,$(@F) -o $@ $<

$(BENCH_UNWIND)/walk: bench/unwind/walk.c bench/unwind/frames.c \
    $(BENCH_UNWIND)/libframes.so $(UNIT_RT_CORE)
	$(say) LINK $@
	$(Q)$(CC) $(BENCH_UNWIND_FLAGS) -fno-omit-frame-pointer -DFRAMES=frames_with \
	    -o $@ $(filter %.c %.o %.so,$^) -Wl,-rpath,'$$ORIGIN' -lunwind

.PHONY: bench-unwind
bench-unwind: bench-deps ## the runtime's unwinder, libunwind, libgcc and glibc
	@.ci/install-deps libunwind-dev
	@$(MAKE) --no-print-directory $(BENCH_UNWIND)/walk $(BENCH)/tools/steps
	@python3 bench/unwind/run.py $(BENCH_UNWIND)/walk $(BENCH)/tools/steps $(BENCH_FLAGS)
