# profdata/ -- libmemprofdata, static and shared, the command memprofdata, and the
# bridge to LLVM's symbolizer, a program of its own that memprofdata starts when it needs
# names. Needs zstd, zlib, libmd (MD5), yajl and PCRE2.

PROFDATA_DIR := $(O)/obj/profdata
# The command: everything that prints or knows of options.
PROFDATA_CMD_SRC := $(wildcard profdata/cmd/*.c profdata/view/*.c)
# The program in which LLVM reads.
PROFDATA_BRIDGE_SRC := $(wildcard profdata/symbols/symbolizer_*.c)
# The program that makes the calls of a log again.
PROFDATA_REPLAY_SRC := profdata/replay/replay_main.c
PROFDATA_LIB_SRC := $(filter-out $(PROFDATA_CMD_SRC) $(PROFDATA_BRIDGE_SRC) $(PROFDATA_REPLAY_SRC),\
    $(wildcard profdata/*/*.c))

PROFDATA_CMD_OBJS := $(PROFDATA_CMD_SRC:profdata/%.c=$(PROFDATA_DIR)/%.o)
PROFDATA_LIB_OBJS := $(PROFDATA_LIB_SRC:profdata/%.c=$(PROFDATA_DIR)/%.o) \
    $(SHARED_SRC:shared/%.c=$(O)/obj/profdata-shared/%.o)
PROFDATA_LIBS := -lzstd -lz -lmd -lyajl -lpcre2-8 -lm -ldl -lpthread

PROFDATA_LIB := $(O)/libmemprofdata.a
PROFDATA_BIN := $(O)/bin/memprofdata
PROFDATA_BRIDGE := $(L)/memprofdata-symbolizer
PROFDATA_BRIDGE_OBJ := $(L)/obj/profdata/symbols/symbolizer_llvm.o
PROFDATA_REPLAY := $(L)/memprofdata-replay
PROFDATA_MPI := $(L)/memprofdata-mpi
PROFDATA_REPLAY_OBJ := $(PROFDATA_REPLAY_SRC:profdata/%.c=$(PROFDATA_DIR)/%.o)
PROFDATA_BRIDGE_C_OBJS := $(PROFDATA_BRIDGE_SRC:profdata/%.c=$(PROFDATA_DIR)/%.o)

# One set of objects for both libraries.
PROFDATA_PIC := -fPIC -fno-semantic-interposition

$(PROFDATA_DIR)/%.o: profdata/%.c
	$(say) CC $@
	$(call cc,$(PROFDATA_PIC))

# The page is in it.
$(PROFDATA_DIR)/report/page.o: profdata/report/web/dist/page.html

$(O)/obj/profdata-shared/%.o: shared/%.c
	$(say) CC $@
	$(call cc,$(PROFDATA_PIC))

$(PROFDATA_LIB): $(PROFDATA_LIB_OBJS)
	$(say) AR $@
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) rcs $@ $^

# The number changes when a function goes or changes; what only comes gets a node
# of its own in the map.
PROFDATA_SONAME := libmemprofdata.so.0
PROFDATA_SO     := $(O)/$(PROFDATA_SONAME)
PROFDATA_MAP    := profdata/libmemprofdata.map

$(PROFDATA_SO): $(PROFDATA_LIB_OBJS) $(PROFDATA_MAP)
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) -shared $(CFLAGS) $(LDFLAGS) -o $@ \
	    -Wl,-soname,$(PROFDATA_SONAME) -Wl,--version-script=$(PROFDATA_MAP) \
	    -Wl,-z,defs $(filter %.o,$^) $(PROFDATA_LIBS)
	$(Q)ln -sf $(PROFDATA_SONAME) $(O)/libmemprofdata.so

# What is declared is what is exported, all of it with a version; nothing in the
# library prints or ends the process.
PROFDATA_CHECKS := $(O)/obj/profdata/library.checked
PROFDATA_NEVER  := printf|fprintf|puts|fputs|putchar|perror|exit|_exit|abort

$(PROFDATA_CHECKS): $(PROFDATA_SO) inc/memprofdata.h
	$(say) CHECK $(PROFDATA_SO)
	$(Q)grep -o 'memprofdata_[a-z_]*(' inc/memprofdata.h | tr -d '(' | \
	    grep -v '_fn$$' | sort -u > $@.declared
	$(Q)nm -D --defined-only $(PROFDATA_SO) | \
	    sed -n 's/^.* [^A] \(.*\)@@MEMPROFDATA_.*$$/\1/p' | sort -u > $@.exported
	$(Q)diff $@.declared $@.exported || { echo 'profdata: <: declared in' \
	    'inc/memprofdata.h, >: exported by $(PROFDATA_MAP)'; exit 1; }
	$(Q)nm -D --defined-only $(PROFDATA_SO) | grep -v '@@\| A ' > $@.bad; \
	    ! [ -s $@.bad ] || { echo 'profdata: no version:'; cat $@.bad; exit 1; }
	$(Q)nm -D --undefined-only $(PROFDATA_SO) | \
	    grep -E ' U (__)?($(PROFDATA_NEVER))(_chk)?(@|$$)' > $@.bad; \
	    ! [ -s $@.bad ] || { echo 'profdata: the library calls:'; cat $@.bad; exit 1; }
	$(Q)touch $@

$(PROFDATA_BIN): $(PROFDATA_CMD_OBJS) $(PROFDATA_LIB)
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(PROFDATA_LIBS) -lpthread

$(PROFDATA_REPLAY): $(PROFDATA_REPLAY_OBJ)
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ldl

$(PROFDATA_MPI): profdata/cmd/memprofdata-mpi
	$(say) CP $@
	$(Q)mkdir -p $(@D) && install -m 755 $< $@

# LLVM's flags are asked for when the bridge is built, not at each make.
$(PROFDATA_BRIDGE_OBJ): profdata/symbols/symbolizer_llvm.cpp
	$(say) CXX $@
	$(Q)mkdir -p $(@D) && $(CXX) -std=c++17 $(CPPFLAGS) \
	    -isystem $$($(LLVM_CONFIG) --includedir) -fno-rtti -fno-exceptions \
	    -fPIC -fvisibility=hidden $(WARN) $(WERROR) $(CXXFLAGS) -c -o $@ $<

# With the few parts of LLVM that it uses inside: the whole library takes longer to
# load than most merges take (docs/decisions/0010-debug-information.md).
PROFDATA_BRIDGE_LINK = $(CXX) $(CXXFLAGS) $(LDFLAGS) -static-libstdc++ -static-libgcc \
    -Wl,--gc-sections -o $@ $^ -L$$($(LLVM_CONFIG) --libdir) \
    $$($(LLVM_CONFIG) --link-static --libs debuginfodwarf object demangle support) \
    -ldw -lelf -lz -lzstd -ldl -lm -lpthread

$(PROFDATA_BRIDGE): $(PROFDATA_BRIDGE_C_OBJS) $(PROFDATA_BRIDGE_OBJ) $(PROFDATA_LIB)
	$(say) LINK $@
	$(Q)$(PROFDATA_BRIDGE_LINK) -Wl,--defsym,open=__wrap_open64 \
	    -Wl,--defsym,open64=__wrap_open64

ALL += $(PROFDATA_LIB) $(PROFDATA_SO) $(PROFDATA_CHECKS) $(PROFDATA_BIN) $(PROFDATA_REPLAY) \
    $(PROFDATA_MPI)
# LLVM before 19 keeps from others what the bridge needs: there the plugin and the
# runtime are built, and the tool takes the bridge of another version.
ifeq ($(shell test $(LLVM_VERSION) -ge 19 && echo yes),yes)
ALL += $(PROFDATA_BRIDGE)
endif
OBJS += $(PROFDATA_CMD_OBJS) $(PROFDATA_LIB_OBJS) $(PROFDATA_BRIDGE_OBJ) $(PROFDATA_BRIDGE_C_OBJS) $(PROFDATA_REPLAY_OBJ)
