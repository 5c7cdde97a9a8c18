# Fuzz targets: test/fuzz/fuzz_NAME.c becomes $(O)/test/fuzz/fuzz_NAME, with
# libFuzzer and the address and undefined behaviour sanitizers.
#
#   make fuzz [T=NAME] [TIME=SECONDS] [RUNS=NUMBER]
#
# runs one or all of them on what lies in $(O)/test/fuzz/corpus/NAME, which it
# keeps, and test/fuzz/seeds/NAME. A file that crashed one is added to the seeds.
# And test/fuzz/commands.c (T=commands): whole commands on a million of damaged files.
# `make test` runs each target on its seeds once, some thousands of the million, and
# test/fuzz/hostile.c, which damages small files in every place.

T    ?=
TIME ?= 60
RUNS ?= 1000000

FUZZ_DIR   := $(O)/test/fuzz
FUZZ_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all -g -O1
FUZZ_NAMES := $(patsubst test/fuzz/fuzz_%.c,%,$(wildcard test/fuzz/fuzz_*.c))
FUZZ_OBJS  := $(PROFDATA_LIB_SRC:%.c=$(FUZZ_DIR)/obj/%.o) \
    $(SHARED_SRC:%.c=$(FUZZ_DIR)/obj/%.o)
FUZZ_RT    := $(FUZZ_DIR)/obj/rt/base/libc.o $(FUZZ_DIR)/obj/rt/base/textbuf.o
OBJS += $(FUZZ_OBJS) $(FUZZ_RT)

# $(call fuzz_cc,FLAGS)
fuzz_cc = $(Q)mkdir -p $(@D) && $(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_FLAGS) \
    -fsanitize=fuzzer-no-link $(1) -c -o $@ $<

$(FUZZ_DIR)/obj/%.o: %.c
	$(say) CC $@
	$(call fuzz_cc,)

$(FUZZ_DIR)/obj/rt/%.o: rt/%.c | $(L)/rt-include/sanitizer
	$(say) CC $@
	$(call fuzz_cc,-isystem $(L)/rt-include -DMPRT_TOOL_TEXT='"memprof test"')

# The library's readers are all targets' but one's.
FUZZ_LINK_options := $(FUZZ_RT)
FUZZ_BINS := $(FUZZ_NAMES:%=$(FUZZ_DIR)/fuzz_%)

.SECONDEXPANSION:
$(FUZZ_BINS): $(FUZZ_DIR)/fuzz_%: test/fuzz/fuzz_%.c \
    $$(or $$(FUZZ_LINK_$$*),$$(FUZZ_OBJS)) | $(L)/rt-include/sanitizer
	$(say) LINK $@
	$(Q)$(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer \
	    -isystem $(L)/rt-include -o $@ $(filter %.c %.o,$^) $(PROFDATA_LIBS)

$(FUZZ_DIR)/hostile: test/fuzz/hostile.c $(FUZZ_OBJS)
	$(say) LINK $@
	$(Q)$(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link \
	    -o $@ $^ $(PROFDATA_LIBS)

FUZZ_CMD_OBJS := $(patsubst %.c,$(FUZZ_DIR)/obj/%.o, \
    $(filter-out %/main.c,$(PROFDATA_CMD_SRC)) test/fuzz/damage.c)
OBJS += $(FUZZ_CMD_OBJS)

$(FUZZ_DIR)/commands: test/fuzz/commands.c $(FUZZ_CMD_OBJS) $(FUZZ_OBJS)
	$(say) LINK $@
	$(Q)$(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link \
	    -o $@ $^ $(PROFDATA_LIBS)

# Not under a sanitizer: it has an allocator of its own.
$(FUZZ_DIR)/oom: test/fuzz/oom.c $(PROFDATA_CMD_OBJS) $(PROFDATA_LIB)
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(CPPFLAGS) $(CWARN) $(CFLAGS) -o $@ \
	    $(filter-out %/main.o,$^) $(PROFDATA_LIBS) -lpthread

# The whole command under the thread sanitizer.
TSAN_DIR   := $(O)/test/tsan
TSAN_FLAGS := -fsanitize=thread -g -O1
TSAN_OBJS  := $(PROFDATA_LIB_SRC:%.c=$(TSAN_DIR)/obj/%.o) \
    $(PROFDATA_CMD_SRC:%.c=$(TSAN_DIR)/obj/%.o) $(SHARED_SRC:%.c=$(TSAN_DIR)/obj/%.o)
OBJS += $(TSAN_OBJS)

$(TSAN_DIR)/obj/%.o: %.c
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(CLANG) $(CSTD) $(CPPFLAGS) $(CWARN) $(WERROR) $(TSAN_FLAGS) -c -o $@ $<

# For lint: these are all sources of the command, compiled by clang.
.PHONY: tsan-objects
tsan-objects: $(TSAN_OBJS)

$(TSAN_DIR)/bin/memprofdata: $(TSAN_OBJS)
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CLANG) $(TSAN_FLAGS) -o $@ $^ $(PROFDATA_LIBS)

.PHONY: tsan
tsan: $(TSAN_DIR)/bin/memprofdata ## build memprofdata with the thread sanitizer

TEST_BINARIES += $(FUZZ_BINS) $(FUZZ_DIR)/commands $(FUZZ_DIR)/hostile $(FUZZ_DIR)/oom \
    $(TSAN_DIR)/bin/memprofdata

.PHONY: fuzz fuzz-commands $(FUZZ_NAMES:%=fuzz-%)
fuzz: $(or $(T:%=fuzz-%),$(FUZZ_NAMES:%=fuzz-%) fuzz-commands) ## run fuzz target T, or all, for TIME seconds each, and commands

# What a run needs is in the seeds, so the same number gives the same million.
fuzz-commands: $(FUZZ_DIR)/commands
	@rm -rf $(FUZZ_DIR)/work && mkdir -p $(FUZZ_DIR)/work
	sh test/fuzz/commands.sh $(FUZZ_DIR) test $(FUZZ_DIR)/work -runs $(RUNS) \
	    -jobs $(shell nproc)

$(FUZZ_NAMES:%=fuzz-%): fuzz-%: $(FUZZ_DIR)/fuzz_%
	@mkdir -p $(FUZZ_DIR)/corpus/$*
	$< -max_total_time=$(TIME) -rss_limit_mb=4096 -timeout=10 \
	    -artifact_prefix=$(FUZZ_DIR)/ -print_final_stats=1 \
	    $(FUZZ_DIR)/corpus/$* $(wildcard test/fuzz/seeds/$*)
