# Unit tests of libmemprofdata's raw readers, files, binaries and texts.

RAW_UNIT_TESTS := ahead binaries debugfile detect diag elf_symbols file inputs load \
    modules names output raw_read rust_names swift_names \
    run_totals symcache_trim symcache raw_read_llvm section symbolize units unpack
$(foreach t,$(RAW_UNIT_TESTS),\
    $(eval UNIT_OBJS_$(t)_test := $(PROFDATA_LIB))\
    $(eval UNIT_LIBS_$(t)_test := $(PROFDATA_LIBS)))

# Its own debug information is what LLVM's reader is asked for.
UNIT_LIBS_symbolize_test += -Wl,--compress-debug-sections=zlib
