# test/unit/ -- <part>/<name>_test.c tests <part>/*/<name>.c and becomes
# $(O)/test/unit/<part>/<name>_test, a cmocka program of that file, the objects in
# UNIT_OBJS_<part>/<name> and the libraries in UNIT_LIBS_<part>/<name>.

UNIT_DIR   := $(O)/test/unit
UNIT_TESTS := $(patsubst test/unit/%.c,$(UNIT_DIR)/%,$(wildcard test/unit/*/*_test.c))
TEST_BINARIES += $(UNIT_TESTS)
OBJS += $(UNIT_TESTS:%=%.o)

# The tool's and shared/'s tests use the library.
$(foreach t,$(patsubst test/unit/%_test.c,%,$(wildcard test/unit/profdata/*_test.c \
    test/unit/shared/*_test.c)),\
    $(eval UNIT_OBJS_$(t) := $(PROFDATA_LIB))\
    $(eval UNIT_LIBS_$(t) := $(PROFDATA_LIBS)))
# This test counts the readers' requests to malloc, and lets them fail.
UNIT_LIBS_profdata/index_read += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
# This test counts how often the directory is read.
UNIT_LIBS_profdata/load += -Wl,--wrap=mprof_dir_read,--wrap=mprof_checksum
# LLVM's reader reads this test's own debug information.
UNIT_LIBS_profdata/symbolize += -Wl,--compress-debug-sections=zlib

# The runtime's tests use its sources, compiled as an ordinary program; stubs.h
# does what start/ would. Some include the file that they test: those that name its
# static functions.
UNIT_RT_DIR  := $(UNIT_DIR)/obj
unit_rt       = $(patsubst %,$(UNIT_RT_DIR)/rt/%.o,$(1))
UNIT_RT_OS   := $(patsubst %.c,$(UNIT_RT_DIR)/%.o,$(wildcard rt/base/os_*.c))
UNIT_RT_CORE := $(UNIT_RT_OS) $(call unit_rt,base/counter base/identity base/sandbox base/libc base/textbuf base/lock \
    base/log base/procfs base/limit base/memory base/internal_alloc base/state base/lifecycle base/thread base/clock \
    base/overhead base/pages heap/classes heap/runs heap/spans heap/heap heap/heap_query heap/bursts heap/shadow_map heap/shadow_count heap/shadow_sum heap/shadow_visit heap/transfers stack/names stack/depot stack/cfi \
    stack/object stack/linkmap stack/references stack/vm stack/instrumented stack/code_cache stack/module_history \
    base/fault stack/unwind stack/stack_cache stack/call_values record/cells record/log2_counts record/series record/live record/mibmap record/ended record/trail record/hooks record/named record/sample record/block_new record/block_free record/block_resize record/block_query \
    record/mapping record/pool record/links record/snapshot record/spread record/stack_memory record/last_access record/duplicates) \
    $(UNIT_RT_DIR)/shared/mib.o $(UNIT_RT_DIR)/shared/note.o $(UNIT_RT_DIR)/shared/cursor.o \
    $(UNIT_RT_DIR)/shared/err.o
$(foreach t,heap depot shadow clock block cells log2_counts series stack_cache call_values mibmap ended sample,\
    $(eval UNIT_OBJS_rt/$(t) := $(UNIT_RT_CORE)))
UNIT_OBJS_rt/cfi      := $(filter-out %/stack/cfi.o,$(UNIT_RT_CORE))
UNIT_OBJS_rt/pool     := $(filter-out %/record/pool.o,$(UNIT_RT_CORE))
UNIT_OBJS_rt/spread   := $(filter-out %/record/spread.o,$(UNIT_RT_CORE))
UNIT_OBJS_rt/last_access := $(filter-out %/record/last_access.o,$(UNIT_RT_CORE))
UNIT_OBJS_rt/duplicates := $(filter-out %/record/duplicates.o,$(UNIT_RT_CORE))
UNIT_OBJS_rt/trail    := $(filter-out %/record/trail.o,$(UNIT_RT_CORE))
# This test refuses memory for a log.
UNIT_OBJS_rt/event_log := $(UNIT_RT_CORE) $(call unit_rt,base/mapbuf base/sort \
    dump/dumped dump/modules dump/rawcontexts dump/rawpack events/event_log events/log_blocks \
    events/log_contexts events/log_events events/log_sink events/log_stacks record/resident \
    stack/jump) $(patsubst %,$(UNIT_RT_DIR)/shared/%.o,buf container table)
UNIT_LIBS_rt/event_log := -lzstd -Wl,--wrap=mprt_memory_map
# This test lets the thread lose its processor between two readings of the clock.
UNIT_LIBS_rt/clock := -Wl,--wrap=mprt_os_monotonic_ns
UNIT_LIBS_rt/sample := -lm
# This test ends a block while its counters are cleared.
UNIT_LIBS_rt/block := -Wl,--wrap=mprt_shadow_clear
UNIT_OBJS_rt/rawwrite := $(call unit_rt,dump/dumped dump/rawwrite dump/rawtree dump/frameset \
    dump/rawpack dump/rawrows dump/rawcontexts dump/rawhistograms dump/rawdetails dump/rawseries dump/rawwrite_llvm record/cells record/log2_counts base/mapbuf base/sort) $(PROFDATA_LIB)
UNIT_LIBS_rt/rawwrite := $(PROFDATA_LIBS)
UNIT_OBJS_rt/lock     := $(UNIT_RT_OS) $(call unit_rt,base/lock base/libc base/sandbox base/textbuf)
UNIT_OBJS_rt/lifecycle := $(UNIT_OBJS_rt/lock) $(call unit_rt,base/lifecycle)
UNIT_OBJS_rt/libc     := $(call unit_rt,base/libc)
UNIT_OBJS_rt/sandbox  := $(call unit_rt,base/sandbox)
UNIT_OBJS_rt/textbuf  := $(call unit_rt,base/textbuf base/libc)
UNIT_OBJS_rt/options  := $(call unit_rt,base/options base/libc base/textbuf)

$(UNIT_RT_DIR)/rt/%.o: rt/%.c | $(L)/rt-include/sanitizer
	$(say) CC $@
	$(call cc,-isystem $(L)/rt-include -DMPRT_TOOL_TEXT='"memprof test"')

$(UNIT_RT_DIR)/shared/%.o: shared/%.c
	$(say) CC $@
	$(call cc,)

$(UNIT_DIR)/%_test.o: test/unit/%_test.c | $(L)/rt-include/sanitizer
	$(say) CC $@
	$(call cc,-isystem $(L)/rt-include)

unit_key = $(patsubst $(UNIT_DIR)/%_test,%,$(1))
.SECONDEXPANSION:
$(UNIT_TESTS): %: %.o $$(UNIT_OBJS_$$(call unit_key,$$@))
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) \
	    $(filter %.a,$^) -lcmocka $(UNIT_LIBS_$(call unit_key,$@))
