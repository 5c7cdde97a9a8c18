# Fuzz targets: test/fuzz/fuzz_NAME.c becomes $(O)/test/fuzz/fuzz_NAME, with
# libFuzzer and the address and undefined behaviour sanitizers. `make fuzz` runs
# each for FUZZ_SECONDS on what lies in $(O)/test/fuzz/corpus/NAME, which it
# keeps. Not part of `make test`.

FUZZ_SECONDS ?= 60
FUZZ_DIR     := $(O)/test/fuzz
FUZZ_FLAGS   := -fsanitize=address,undefined -fno-sanitize-recover=all -g -O1
FUZZ_NAMES   := $(patsubst test/fuzz/fuzz_%.c,%,$(wildcard test/fuzz/fuzz_*.c))
FUZZ_OBJS    := $(PROFDATA_LIB_SRC:%.c=$(FUZZ_DIR)/obj/%.o) \
    $(SHARED_SRC:%.c=$(FUZZ_DIR)/obj/%.o)
OBJS += $(FUZZ_OBJS)

$(FUZZ_DIR)/obj/%.o: %.c
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_FLAGS) \
	    -fsanitize=fuzzer-no-link -c -o $@ $<

$(FUZZ_DIR)/fuzz_%: test/fuzz/fuzz_%.c $(FUZZ_OBJS)
	$(say) LINK $@
	$(Q)$(CLANG) $(CSTD) $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ \
	    $(PROFDATA_LIBS)

.PHONY: fuzz $(FUZZ_NAMES:%=fuzz-%)
fuzz: $(FUZZ_NAMES:%=fuzz-%) ## run all fuzz targets, FUZZ_SECONDS each

$(FUZZ_NAMES:%=fuzz-%): fuzz-%: $(FUZZ_DIR)/fuzz_%
	@mkdir -p $(FUZZ_DIR)/corpus/$*
	$< -max_total_time=$(FUZZ_SECONDS) -rss_limit_mb=4096 -timeout=10 \
	    -artifact_prefix=$(FUZZ_DIR)/ -print_final_stats=1 \
	    $(FUZZ_DIR)/corpus/$* $(wildcard test/fuzz/seeds/$*)
