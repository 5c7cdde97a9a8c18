# alloc/ -- libmemprof_alloc, an allocator that obeys the hints which a profile leaves
# in a program: jemalloc's arenas for cold, hot and ordinary blocks, under the ordinary
# names and those of inc/memprof_hints.h. An archive, and a shared library that may be
# preloaded. Nothing in it depends on LLVM's version.
#
# jemalloc's objects are included completely, with local names, so that a program may
# have another jemalloc of its own.

ALLOC_DIR      := $(O)/obj/alloc
ALLOC_SRC      := $(wildcard alloc/*.c)
ALLOC_OBJ      := $(ALLOC_SRC:alloc/%.c=$(ALLOC_DIR)/%.o)
ALLOC_JEMALLOC ?= $(shell $(CC) -print-file-name=libjemalloc_pic.a 2>/dev/null)
ALLOC_LIB      := $(O)/libmemprof_alloc.a
ALLOC_SONAME   := libmemprof_alloc.so.0
ALLOC_SO       := $(O)/$(ALLOC_SONAME)
ALLOC_LINK     := $(O)/libmemprof_alloc.so

ALL  += $(ALLOC_LIB) $(ALLOC_LIB).syms $(ALLOC_LINK) $(ALLOC_SO)
OBJS += $(ALLOC_OBJ)

# No builtins: code that looks like calloc must not become a call of it. Exceptions
# pass through the operators. jemalloc's header declares je_malloc.
ALLOC_CFLAGS := -DJEMALLOC_NO_RENAME -fPIC -fvisibility=hidden -fno-builtin -fexceptions \
    -fno-lto -fno-sanitize=all

$(ALLOC_DIR)/%.o: alloc/%.c alloc/build.mk
	$(say) CC $<
	$(call cc,$(ALLOC_CFLAGS))

# The functions that <jemalloc/jemalloc.h> declares, as je_malloc and so on; mmap() as
# that of alloc/blocks.c.
$(ALLOC_DIR)/jemalloc.names: $(ALLOC_JEMALLOC) alloc/build.mk
	$(Q)mkdir -p $(@D) && nm -g --defined-only $< 2>/dev/null | \
	    awk 'NF == 3 && $$3 !~ /^(je_|_Z|DW\.)/ {print $$3, "je_" $$3} \
	        END {print "mmap mpalloc_blocks_map"}' | sort -u > $@

# jemalloc_cpp has jemalloc's operators; ours replace them.
$(ALLOC_DIR)/jemalloc.o: $(ALLOC_JEMALLOC) $(ALLOC_DIR)/jemalloc.names
	$(say) LD $@
	$(Q)rm -rf $(ALLOC_DIR)/jemalloc && mkdir -p $(ALLOC_DIR)/jemalloc && \
	    cd $(ALLOC_DIR)/jemalloc && $(AR) x $< && rm -f jemalloc_cpp*.o
	$(Q)ld -r -o $@ $(ALLOC_DIR)/jemalloc/*.o
	$(Q)objcopy --redefine-syms=$(ALLOC_DIR)/jemalloc.names $@

$(ALLOC_DIR)/memprof_alloc.o: $(ALLOC_OBJ) $(ALLOC_DIR)/jemalloc.o alloc/exports.txt
	$(say) LD $@
	$(Q)ld -r -o $@ $(filter %.o,$^)
	$(Q)objcopy --wildcard --keep-global-symbols=alloc/exports.txt $@

$(ALLOC_LIB): $(ALLOC_DIR)/memprof_alloc.o
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcD $@ $<

# The symbols that a program exports to the libraries that it loads.
$(ALLOC_LIB).syms: alloc/exports.txt
	$(Q)mkdir -p $(@D) && { echo '{'; sed 's/.*/  &;/' $<; echo '};'; } > $@

$(ALLOC_SO): $(ALLOC_DIR)/memprof_alloc.o alloc/exports.txt
	$(say) LINK $@
	$(Q){ echo '{ global:'; sed 's/.*/  &;/' alloc/exports.txt; echo 'local: *; };'; } \
	    > $(ALLOC_DIR)/exports.ver
	$(Q)rm -f $@ && $(CC) -shared -o $@ $< -Wl,-soname,$(@F) \
	    -Wl,--version-script=$(ALLOC_DIR)/exports.ver -Wl,-z,now -Wl,-z,nodelete \
	    $(LDFLAGS) -lm -lpthread

$(ALLOC_LINK): $(ALLOC_SO)
	$(Q)ln -sfn $(<F) $@
