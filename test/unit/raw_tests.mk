# Unit tests of libmemprofdata's raw readers, files, binaries and texts.

RAW_UNIT_TESTS := binaries detect diag file modules names raw_read \
    raw_read_llvm section units
$(foreach t,$(RAW_UNIT_TESTS),\
    $(eval UNIT_OBJS_$(t)_test := $(PROFDATA_LIB))\
    $(eval UNIT_LIBS_$(t)_test := $(PROFDATA_LIBS)))
