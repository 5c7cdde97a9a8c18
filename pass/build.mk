# pass/ -- the compiler plugin: $(L)/memprof.so, and $(L)/memprof-clang.so, which
# memprof.so loads in clang. Both use the LLVM and clang of the process that loads
# them, so they are not linked with LLVM's libraries.

LLVM_CXXFLAGS := $(patsubst -I%,-isystem %,$(filter-out -std=%, \
                   $(shell $(LLVM_CONFIG) --cxxflags 2>/dev/null))) -std=c++17
CXXFLAGS ?= -O2 -g

# Files that use libmemprofdata and not LLVM.
PASS_PROFILE_C := $(patsubst pass/%,%,$(wildcard pass/profile/*.c))
PASS_PROFILE_OBJ := $(PASS_PROFILE_C:%.c=$(L)/pass/%.o)
PASS_C   := $(filter-out $(PASS_PROFILE_C),$(patsubst pass/%,%,$(wildcard pass/*/*.c)))
PASS_CXX := $(patsubst pass/%,%,$(wildcard pass/bridge/*.cpp)) plugin/plugin.cpp
PASS_SHARED := container.c cursor.c err.c index_llvm.c

PASS_OBJ := $(PASS_C:%.c=$(L)/pass/%.o) $(PASS_CXX:%.cpp=$(L)/pass/%.o) \
            $(PASS_SHARED:%.c=$(L)/pass/shared/%.o)
PASS_FRONTEND := $(patsubst %.cpp,$(L)/%.o,$(wildcard pass/plugin/frontend*.cpp))
PASS_CLANG_OBJ := $(PASS_FRONTEND) $(L)/pass/use/profile.o \
            $(PASS_SHARED:%.c=$(L)/pass/shared/%.o)

ALL  += $(L)/memprof.so
OBJS += $(PASS_OBJ) $(PASS_PROFILE_OBJ)
# memprof-clang.so is built if clang's headers (libclang-$(LLVM_VERSION)-dev) are
# installed; the plugin works without it. Clang loads plugins of passes early enough
# since 22; older versions need -Xclang -load. Clang 16 has another interface.
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
ifneq ($(wildcard $(LLVM_INCLUDE)/clang/Frontend/FrontendPluginRegistry.h),)
ifeq ($(shell test $(LLVM_VERSION) -ge 19 && echo yes),yes)
ALL  += $(L)/memprof-clang.so
OBJS += $(PASS_FRONTEND)
endif
endif

PASS_FLAGS := -fPIC -fvisibility=hidden

$(L)/pass/%.o: pass/%.c pass/build.mk
	$(say) CC $<
	$(call cc,$(PASS_FLAGS) -isystem $(LLVM_INCLUDE))

$(L)/pass/shared/%.o: shared/%.c pass/build.mk
	$(say) CC $<
	$(call cc,$(PASS_FLAGS))

$(L)/pass/%.o: pass/%.cpp pass/build.mk
	$(say) CXX $<
	$(Q)mkdir -p $(@D) && $(CXX) $(LLVM_CXXFLAGS) $(CPPFLAGS) $(WARN) \
	    $(WERROR) $(CXXFLAGS) $(PASS_FLAGS) -fno-rtti -fno-exceptions \
	    -c -o $@ $<

# LLVM's symbols are made weak, so that another LLVM, which lacks some of them, can
# load the plugin and host.c can report it. Otherwise the dynamic linker would fail
# with the name of a symbol.
$(L)/pass/plugin.o: $(PASS_OBJ)
	$(Q)ld -r -o $@ $^ && objcopy --weaken $@

# The soname lets the linker's cache find the plugin, whatever the file's name is.
# The parts of libmemprofdata that read profiles and find verdicts are linked in.
$(L)/memprof.so: $(L)/pass/plugin.o $(PASS_PROFILE_OBJ) $(O)/libmemprofdata.a
	$(say) LINK $@
	$(Q)$(CXX) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL \
	    -Wl,--gc-sections -o $@ $^ -Wl,--as-needed -lzstd -lz -lmd -lm -ldl

$(L)/memprof-clang.so: $(PASS_CLANG_OBJ)
	$(say) LINK $@
	$(Q)$(CXX) $(LDFLAGS) -shared -o $@ $^
