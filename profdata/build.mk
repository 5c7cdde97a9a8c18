# profdata/ -- libmemprofdata.a, the command memprofdata, and the bridge to
# LLVM's symbolizer, a shared object of its own that memprofdata loads when it
# needs names. Needs zstd, zlib, libmd (MD5) and libyaml.

PROFDATA_DIR := $(O)/obj/profdata
# The command: everything that prints or knows of options.
PROFDATA_CMD_SRC := $(filter-out profdata/%.cpp,$(wildcard \
    profdata/main.c profdata/cmd.c profdata/cmd_*.c profdata/show_*.c))
PROFDATA_LIB_SRC := $(filter-out $(PROFDATA_CMD_SRC),$(wildcard profdata/*.c))

PROFDATA_CMD_OBJS := $(PROFDATA_CMD_SRC:profdata/%.c=$(PROFDATA_DIR)/%.o)
PROFDATA_LIB_OBJS := $(PROFDATA_LIB_SRC:profdata/%.c=$(PROFDATA_DIR)/%.o) \
    $(SHARED_SRC:shared/%.c=$(O)/obj/profdata-shared/%.o)
PROFDATA_LIBS := -lzstd -lz -lmd -lyaml -ldl

PROFDATA_LIB := $(O)/libmemprofdata.a
PROFDATA_BIN := $(O)/bin/memprofdata
PROFDATA_BRIDGE := $(L)/memprofdata-symbolizer.so
PROFDATA_BRIDGE_OBJ := $(L)/obj/profdata/symbolizer_llvm.o

$(PROFDATA_DIR)/%.o: profdata/%.c
	$(say) CC $@
	$(call cc,)

$(O)/obj/profdata-shared/%.o: shared/%.c
	$(say) CC $@
	$(call cc,)

$(PROFDATA_LIB): $(PROFDATA_LIB_OBJS)
	$(say) AR $@
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $^

$(PROFDATA_BIN): $(PROFDATA_CMD_OBJS) $(PROFDATA_LIB)
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PROFDATA_LIBS)

# LLVM's flags are asked for when the bridge is built, not at each make.
$(PROFDATA_BRIDGE_OBJ): profdata/symbolizer_llvm.cpp
	$(say) CXX $@
	$(Q)mkdir -p $(@D) && $(CXX) -std=c++17 $(CPPFLAGS) \
	    -isystem $$($(LLVM_CONFIG) --includedir) -fno-rtti -fno-exceptions \
	    -fPIC -fvisibility=hidden $(WARN) $(WERROR) $(CXXFLAGS) -c -o $@ $<

$(PROFDATA_BRIDGE): $(PROFDATA_BRIDGE_OBJ)
	$(say) LINK $@
	$(Q)$(CXX) -shared $(CXXFLAGS) $(LDFLAGS) -Wl,-z,defs -o $@ $^ \
	    -L$$($(LLVM_CONFIG) --libdir) $$($(LLVM_CONFIG) --libs)

ALL += $(PROFDATA_LIB) $(PROFDATA_BIN) $(PROFDATA_BRIDGE)
OBJS += $(PROFDATA_CMD_OBJS) $(PROFDATA_LIB_OBJS) $(PROFDATA_BRIDGE_OBJ)
