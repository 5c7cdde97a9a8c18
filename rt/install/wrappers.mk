# bin/memprof-clang-22 and so on, one for each LLVM version of the build tree;
# bin/memprof-clang and bin/memprof-clang++ are links to those that came first.

WRAPPERS := $(O)/bin/memprof-clang-$(LLVM_VERSION) \
    $(O)/bin/memprof-clang++-$(LLVM_VERSION)
ALL += $(WRAPPERS)

# MPROF_SYM_MODE_CTOR, by which an object is known as one of the profiler's.
MODE_CTOR = $(shell sed -n 's/.*"\(memprof\.mode_ctor\.[^"]*\)".*/\1/p' shared/abi.h)
HINTS = $(shell sed -n 's/.*MPROF_MODULE_FLAG_HINTS "\(.*\)"$$/\1/p' shared/abi.h)
OTHER_SANITIZERS = $(shell sed -n 's/^MPROF_OTHER_SANITIZER.\([a-z]*\),.*/\1/p' shared/other_sanitizers.inc)
OWN_POOL = $(shell sed -n 's/.*MPROF_SYM_OWN_POOL "\(.*\)"$$/\1/p' shared/abi.h)
CALLS = $(shell sed -n 's/.*MPROF_SYM_CALLS "\(.*\)"$$/\1/p' shared/abi.h)

$(WRAPPERS): rt/install/memprof-clang.in rt/install/wrappers.mk shared/abi.h shared/other_sanitizers.inc
	$(say) GEN $@
	$(Q)mkdir -p $(@D) && sed -e 's|@LLVM_VERSION@|$(LLVM_VERSION)|' \
	    -e 's|@MODE_CTOR@|$(MODE_CTOR)|' -e 's|@HINTS@|$(HINTS)|' -e 's|@CALLS@|$(CALLS)|' -e 's|@OWN_POOL@|$(OWN_POOL)|' -e 's|@VERSION@|$(VERSION)|' -e 's|@OTHER_SANITIZERS@|$(OTHER_SANITIZERS)|' \
	    -e 's|@CLANGXX@|$(CLANGXX)|' -e 's|@CLANG@|$(CLANG)|' $< > $@ && \
	    chmod 755 $@ && \
	    { [ -e $(@:%-$(LLVM_VERSION)=%) ] || \
	      ln -sfn $(@F) $(@:%-$(LLVM_VERSION)=%); }

# <memprof.h> beside them, as after `make install`.
ALL += $(O)/include
$(O)/include:
	$(Q)mkdir -p $(@D) && ln -sfn $(abspath inc) $@

# A directory for the front of PATH, in which `clang` is the wrapper: commands
# that name clang then link our runtime as they stand.
MASQUERADE := $(L)/bin/clang $(L)/bin/clang++
ALL += $(MASQUERADE)

$(L)/bin/clang: $(O)/bin/memprof-clang-$(LLVM_VERSION)
$(L)/bin/clang++: $(O)/bin/memprof-clang++-$(LLVM_VERSION)
$(MASQUERADE):
	$(Q)mkdir -p $(@D) && ln -sfn ../../bin/$(<F) $@
