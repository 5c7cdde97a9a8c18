# test/unit/ -- <name>_test.c becomes $(O)/test/unit/<name>_test, a cmocka
# program of that file, the objects in UNIT_OBJS_<name>_test and the libraries in
# UNIT_LIBS_<name>_test, which the fragments test/unit/*_tests.mk set.

UNIT_DIR := $(O)/test/unit
include $(wildcard test/unit/*_tests.mk)

UNIT_TESTS := $(patsubst test/unit/%.c,$(UNIT_DIR)/%,$(wildcard test/unit/*_test.c))
TEST_BINARIES += $(UNIT_TESTS)
OBJS += $(UNIT_TESTS:%=%.o)

# The runtime's sources, compiled as an ordinary program.
$(UNIT_DIR)/rt/%.o: rt/%.c | $(L)/rt-include/sanitizer
	$(say) CC $@
	$(call cc,-isystem $(L)/rt-include -DMPRT_TOOL_TEXT='"memprof test"')

$(UNIT_DIR)/shared/%.o: shared/%.c
	$(say) CC $@
	$(call cc,)

$(UNIT_DIR)/%_test.o: test/unit/%_test.c | $(L)/rt-include/sanitizer
	$(say) CC $@
	$(call cc,-isystem $(L)/rt-include)

.SECONDEXPANSION:
$(UNIT_TESTS): %: %.o $$(UNIT_OBJS_$$(notdir $$@))
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.a,$^) \
	    $(filter %.a,$^) -lcmocka $(UNIT_LIBS_$(notdir $@))
