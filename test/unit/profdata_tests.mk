# Unit tests of libmemprofdata's model and indexed files, and of shared/.

PROFDATA_UNIT_TESTS := arena chash container counters cursor err guid histcount \
    index_golden index_llvm_read index_llvm_write index_lookup index_read index_top index_write le \
    llvm_records mib profile prune radix runs section_write set table text tree
$(foreach t,$(PROFDATA_UNIT_TESTS),\
    $(eval UNIT_OBJS_$(t)_test := $(PROFDATA_LIB))\
    $(eval UNIT_LIBS_$(t)_test := $(PROFDATA_LIBS)))

# This one counts what the readers ask malloc for, and lets it fail.
UNIT_LIBS_index_read_test += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
