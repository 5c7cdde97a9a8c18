# pass/ -- the compiler plugin: $(L)/memprof.so, and $(L)/memprof-clang.so, which
# it loads where clang's front end is. Both resolve LLVM and clang against the
# process that loads them, so nothing is linked here.

LLVM_CXXFLAGS := $(patsubst -I%,-isystem %,$(filter-out -std=%, \
                   $(shell $(LLVM_CONFIG) --cxxflags 2>/dev/null))) -std=c++17
CXXFLAGS ?= -O2 -g

# What calls no LLVM but libmemprofdata.
PASS_PROFILE_C := $(patsubst pass/%,%,$(wildcard pass/profile/*.c))
PASS_PROFILE_OBJ := $(PASS_PROFILE_C:%.c=$(L)/pass/%.o)
PASS_C   := $(filter-out $(PASS_PROFILE_C),$(patsubst pass/%,%,$(wildcard pass/*/*.c)))
PASS_CXX := $(patsubst pass/%,%,$(wildcard pass/bridge/*.cpp)) plugin/plugin.cpp
PASS_SHARED := container.c cursor.c err.c index_llvm.c

PASS_OBJ := $(PASS_C:%.c=$(L)/pass/%.o) $(PASS_CXX:%.cpp=$(L)/pass/%.o) \
            $(PASS_SHARED:%.c=$(L)/pass/shared/%.o)
PASS_CLANG_OBJ := $(L)/pass/plugin/frontend.o $(L)/pass/plugin/frontend_types.o \
            $(L)/pass/use/profile.o \
            $(PASS_SHARED:%.c=$(L)/pass/shared/%.o)

ALL  += $(L)/memprof.so
OBJS += $(PASS_OBJ) $(PASS_PROFILE_OBJ)
# Without clang's headers (libclang-$(LLVM_VERSION)-dev) there is no front-end
# part; the plugin works without it. Clang 22 is the first to load plugins of passes
# early enough; before, -Xclang -load does. That of 16 is another one.
LLVM_INCLUDE := $(shell $(LLVM_CONFIG) --includedir 2>/dev/null)
ifneq ($(wildcard $(LLVM_INCLUDE)/clang/Frontend/FrontendPluginRegistry.h),)
ifeq ($(shell test $(LLVM_VERSION) -ge 19 && echo yes),yes)
ALL  += $(L)/memprof-clang.so
OBJS += $(L)/pass/plugin/frontend.o $(L)/pass/plugin/frontend_types.o
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

# LLVM's symbols are weak: in another LLVM, which has not all of them, host.c says so
# where the dynamic linker would name one of them.
$(L)/pass/plugin.o: $(PASS_OBJ)
	$(Q)ld -r -o $@ $^ && objcopy --weaken $@

# By this name the linker's cache finds it, whatever the file is called. Of
# libmemprofdata that is in it which reads profiles and judges them.
$(L)/memprof.so: $(L)/pass/plugin.o $(PASS_PROFILE_OBJ) $(O)/libmemprofdata.a
	$(say) LINK $@
	$(Q)$(CXX) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--exclude-libs,ALL \
	    -Wl,--gc-sections -o $@ $^ -Wl,--as-needed -lzstd -lz -lmd -lm -ldl

$(L)/memprof-clang.so: $(PASS_CLANG_OBJ)
	$(say) LINK $@
	$(Q)$(CXX) $(LDFLAGS) -shared -o $@ $^
