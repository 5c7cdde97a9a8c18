# Unit tests of the runtime's options, names and writers.

UNIT_OBJS_rt_rawwrite_test := $(patsubst %,$(UNIT_DIR)/rt/%.o, \
    rawwrite rawtree frameset rawpack rawwrite_llvm mapbuf) $(PROFDATA_LIB)
UNIT_LIBS_rt_rawwrite_test := $(PROFDATA_LIBS)
UNIT_OBJS_rt_options_test := $(patsubst %,$(UNIT_DIR)/rt/%.o,options mini)
