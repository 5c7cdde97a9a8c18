# bin/memprof-clang and bin/memprof-clang++: links to the wrappers of the LLVM
# version that was built last; each version's own bear its number.

WRAPPERS := $(O)/bin/memprof-clang-$(LLVM_VERSION) \
    $(O)/bin/memprof-clang++-$(LLVM_VERSION)
ALL += $(WRAPPERS)

$(WRAPPERS): rt/memprof-clang.in rt/wrappers.mk
	$(say) GEN $@
	$(Q)mkdir -p $(@D) && sed -e 's|@LLVM_VERSION@|$(LLVM_VERSION)|' \
	    -e 's|@CLANGXX@|$(CLANGXX)|' -e 's|@CLANG@|$(CLANG)|' $< > $@ && \
	    chmod 755 $@ && ln -sfn $(@F) $(@:%-$(LLVM_VERSION)=%)
