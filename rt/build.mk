# rt/ -- the runtime, as the three archives that clang's driver asks for, in a
# resource directory of our own that links to clang's for everything else:
# -resource-dir=$(L)/resource then links our runtime.
#
# The runtime is one relocatable object in which only the symbols of
# shared/interface.inc are global, so that what it holds (zstd) cannot clash with
# the program's own. Calls to malloc and mem* inside go to the runtime's own
# (rt/redirect.txt): it never calls what it interposes.
#
# The same object in two more forms: a shared library (-shared-libsan, LD_PRELOAD),
# and, in resource/static, the archive for programs without a dynamic linker.

# The same for all versions of LLVM: of its headers, only declarations are used.
RT_DIR      := $(O)/obj/rt
RT_RESOURCE := $(L)/resource
RT_LIB      := $(RT_RESOURCE)/lib/linux
RT_ZSTD     ?= $(shell $(CC) -print-file-name=libzstd.a 2>/dev/null)

# cxx.o and preinit.o are archives of their own; the files that define what the
# others are redirected to, and the interposers, are not redirected.
RT_CXX_SRC    := rt/api/interpose_cxx.c
RT_FORM_SRC   := rt/start/preinit.c rt/start/first.c rt/start/dso.c rt/real/real_dlsym.c \
                 rt/real/real_dso.c rt/real/real_wrap.c rt/api/wrap_counted.c \
                 rt/api/interpose_dl.c
RT_SRC        := $(filter-out $(RT_CXX_SRC) $(RT_FORM_SRC),$(wildcard rt/*/*.c))
RT_DIRECT_SRC := $(filter rt/base/libc.c rt/base/internal_alloc.c rt/api/interpose_%,$(RT_SRC))
RT_CORE_OBJ   := $(patsubst rt/%.c,$(RT_DIR)/%.o, \
                   $(filter-out $(RT_DIRECT_SRC),$(RT_SRC))) \
                 $(SHARED_SRC:shared/%.c=$(RT_DIR)/shared/%.o)
RT_DIRECT_OBJ := $(RT_DIRECT_SRC:rt/%.c=$(RT_DIR)/%.o)
RT_OBJ        := $(RT_CORE_OBJ) $(RT_DIRECT_OBJ) $(RT_DIR)/api/interpose_cxx.o \
                 $(RT_FORM_SRC:rt/%.c=$(RT_DIR)/%.o)

# Lines are enough to debug the runtime; every program that is linked with it holds them.
RT_DEBUG  := $(if $(filter-out -g0,$(filter -g%,$(CFLAGS))),-g1)

# Frame pointers and no sibling calls: a stack starts at the caller of the
# interface function's frame. No builtins: what looks like memcpy must not become
# a call to the interposed one; no inline definitions of what we define.
RT_CFLAGS := $(RT_DEBUG) -D__NO_INLINE__=1 -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-builtin \
    -fno-stack-protector -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer \
    -fno-optimize-sibling-calls -fno-exceptions -fasynchronous-unwind-tables \
    -fno-lto -fno-function-sections -fno-strict-aliasing -fno-sanitize=all -U_FORTIFY_SOURCE \
    -isystem $(L)/rt-include

# Coroutines of the program's own may call functions of ours on a stack that is aligned to
# 8 bytes only: files that call libc align it anew, the others use no instruction that
# needs 16.
RT_ALIGNING := api/format api/interpose_format base/% dump/% heap/shadow_sum leaks/% \
    real/real_d% stack/object stack/module_history
RT_GENERAL  := stack/% heap/heap% heap/shadow_map heap/spans record/block% record/ended \
    record/log2_counts record/mapping record/mibmap record/pool record/stack_memory \
    record/trail events/log_blocks api/alloc_failure api/interpose_heap api/interpose_malloc \
    process/interpose_sandbox process/signal% process/rights process/rings process/unseen note
# With -mstackrealign gcc leaves out functions that only call others; clang does not.
RT_REALIGN := $(shell $(CC) -mincoming-stack-boundary=3 -fsyntax-only -xc /dev/null \
    2>/dev/null && echo -mincoming-stack-boundary=3 || echo -mstackrealign)
rt_stack_flags = $(if $(filter $(RT_ALIGNING),$(1)),$(RT_REALIGN), \
    $(if $(filter $(RT_GENERAL),$(1)),-mgeneral-regs-only)) \
    $(if $(filter process/signals,$(1)),-foptimize-sibling-calls)

RT_STATIC     := $(RT_RESOURCE)/static
RT_STATIC_LIB := $(RT_STATIC)/lib/linux

# What both resource directories share of ours.
RT_LINKED := libclang_rt.memprof-x86_64.a.syms libclang_rt.memprof_cxx-x86_64.a \
    libclang_rt.memprof_cxx-x86_64.a.syms libclang_rt.memprof-preinit-x86_64.a

RT_ARCHIVES := $(RT_LIB)/libclang_rt.memprof-x86_64.a \
    $(RT_LIB)/libclang_rt.memprof-x86_64.so \
    $(RT_STATIC_LIB)/libclang_rt.memprof-x86_64.a $(RT_STATIC)/wrap.flags \
    $(RT_STATIC)/libc_code.ld \
    $(RT_LIB)/libclang_rt.memprof_cxx-x86_64.a \
    $(RT_LIB)/libclang_rt.memprof-preinit-x86_64.a
ALL  += $(RT_ARCHIVES) $(RT_DIR)/imports.ok $(RT_DIR)/wrapped.ok
OBJS += $(RT_OBJ)

RT_INTERFACE := shared/interface.inc shared/libc_calls.inc shared/io_calls.inc

# The rows as rows of interface.inc.
RT_INTERFACE_ROWS = sed -n \
    -e 's/^MPROF_LIBC_CHK_[0-9](\([^,]*\),.*/MPROF_INTERFACE(\1, rt, libc)\nMPROF_INTERFACE(__\1_chk, rt, libc)/p;t' \
    -e 's/^MPROF_\(LIBC_[A-Z0-9]*\|IO_CALL\)(\([^,)]*\).*/MPROF_INTERFACE(\2, rt, libc)/p;t' \
    -e '/^MPROF_INTERFACE(/p' $(RT_INTERFACE)

# Names of the interface: $(call rt_names,ARCHIVE,KINDS)
rt_names = $(RT_INTERFACE_ROWS) | \
    sed -n 's/^MPROF_INTERFACE(\([^,]*\), $(1), \($(2)\)).*/\1/p' | sort
RT_LIBC_KINDS := libc\|late\|own

# All of the runtime's code lies in a section of this name, so that the linker says
# where it begins and ends in a program (rt/stack/unwind.c).
RT_OWN_CODE := $(foreach s,.text .text.hot .text.unlikely .text.startup .text.exit, \
    --rename-section $(s)=mprt_text)

RT_SYMS_KINDS := abi\|api\|$(RT_LIBC_KINDS)\|hook\|cxx

# compiler-rt's public headers, and no other of clang's.
$(L)/rt-include/sanitizer:
	$(Q)mkdir -p $(@D) && ln -sfn $$($(CLANG) -print-resource-dir)/include/sanitizer $@

$(RT_DIR)/%.o: rt/%.c rt/build.mk | $(L)/rt-include/sanitizer
	$(say) CC $<
	$(call cc,$(RT_CFLAGS) $(call rt_stack_flags,$*))

$(RT_DIR)/shared/%.o: shared/%.c rt/build.mk
	$(say) CC $<
	$(call cc,$(RT_CFLAGS) $(call rt_stack_flags,$*))

$(RT_DIR)/interface-%.txt: $(RT_INTERFACE) rt/build.mk
	$(Q)mkdir -p $(@D) && $(call rt_names,$*,[a-z]*) > $@

$(RT_DIR)/core.o: $(RT_CORE_OBJ) $(RT_ZSTD) rt/redirect.txt
	$(say) LD $@
	$(Q)ld -r -o $@ $(RT_CORE_OBJ) $(RT_ZSTD)
	$(Q)objcopy --redefine-syms=rt/redirect.txt $@

# A program's own definitions stand: ISO C leaves most of libc's names to it. UBSan's
# runtime has __sanitizer_* too.
RT_WEAK := --wildcard --weaken-symbol='__sanitizer_*' --weaken-symbol='__lsan_*' \
    --weaken-symbols=$(RT_DIR)/interface-weak.txt
$(RT_DIR)/interface-weak.txt: $(RT_INTERFACE) rt/build.mk
	$(Q)mkdir -p $(@D) && $(call rt_names,rt,$(RT_LIBC_KINDS)) > $@

$(RT_DIR)/memprof.o: $(RT_DIR)/core.o $(RT_DIRECT_OBJ) $(RT_DIR)/real/real_dlsym.o \
    $(RT_DIR)/api/interpose_dl.o $(RT_DIR)/start/preinit.o $(RT_DIR)/interface-rt.txt $(RT_DIR)/interface-weak.txt
	$(say) LD $@
	$(Q)ld -r -o $@ $(filter %.o,$^)
	$(Q)objcopy --keep-global-symbols=$(RT_DIR)/interface-rt.txt $(RT_WEAK) \
	    $(RT_OWN_CODE) $@

# Weak imports of the C++ library are the only ones that the operators may have
# besides the main object's.
$(RT_DIR)/memprof_cxx.o: $(RT_DIR)/api/interpose_cxx.o $(RT_DIR)/interface-cxx.txt
	$(Q)objcopy --keep-global-symbols=$(RT_DIR)/interface-cxx.txt $(RT_OWN_CODE) $< $@

$(RT_DIR)/preinit-alone.o: $(RT_DIR)/start/preinit.o
	$(Q)cp $< $@

# The shared library holds the operators too.
RT_SHARED_OBJ := $(RT_DIR)/core.o $(RT_DIRECT_OBJ) $(RT_DIR)/real/real_dso.o \
                 $(RT_DIR)/start/dso.o $(RT_DIR)/api/interpose_cxx.o \
                 $(RT_DIR)/api/interpose_dl.o
$(RT_DIR)/exports.ver: $(RT_INTERFACE) rt/build.mk
	$(Q)mkdir -p $(@D) && { echo '{ global:'; { $(call rt_names,rt,$(RT_SYMS_KINDS)); \
	    $(call rt_names,cxx,$(RT_SYMS_KINDS)); } | sed 's/.*/  &;/'; \
	    echo 'local: *; };'; } > $@
$(RT_DIR)/memprof_shared.o: $(RT_SHARED_OBJ)
	$(say) LD $@
	$(Q)ld -r -o $@ $^ && objcopy $(RT_OWN_CODE) $@
$(RT_LIB)/libclang_rt.memprof-x86_64.so: $(RT_DIR)/memprof_shared.o $(RT_DIR)/exports.ver \
    | $(RT_RESOURCE)/.links
	$(say) LINK $@
	$(Q)rm -f $@ && $(CC) -shared -o $@ $< -Wl,-soname,$(@F) \
	    -Wl,--version-script=$(RT_DIR)/exports.ver -Wl,-z,now -Wl,-z,nodelete \
	    $(LDFLAGS)

# -- programs without a dynamic linker -------------------------------------------

# Allocation is replaced as libc allows it; everything else that is interposed is
# wrapped by the linker, but _Fork and _setjmp, which libc.a's fork() and start call too,
# the look-up of modules, what linkers warn of, and what the libc.a at hand may lack.
# libc.a's _dl_find_object() allocates before it can be called.
RT_MALLOC := $(RT_DIR)/api/interpose_malloc.o $(RT_DIR)/api/interpose_heap.o
RT_DYNAMIC_ONLY := _Fork setjmp _setjmp __sigsetjmp dlopen dlmopen dlsym \
    pthread_attr_setstackaddr getaddrinfo getgrouplist getpw \
    getwd __getwd_chk mktemp tmpnam tmpnam_r arc4random_buf epoll_pwait2 \
    get\(alias\|gr\|host\|net\|proto\|pw\|rpc\|serv\|sg\|sp\)[a-z0-9]*_r
$(RT_DIR)/wrapped.txt: $(RT_INTERFACE) $(RT_MALLOC) rt/build.mk
	$(Q)nm -g --defined-only $(RT_MALLOC) | awk '{print $$3}' > $@.not
	$(Q)$(call rt_names,rt,$(RT_LIBC_KINDS)) | grep -v '^__isoc23_' | grep -vx $(RT_DYNAMIC_ONLY:%=-e '%') | grep -vxFf $@.not > $@

# The pass reports calls of the rest (_Fork accesses nothing).
$(RT_DIR)/wrapped.ok: $(RT_DIR)/wrapped.txt pass/collect/libc_dynamic.inc pass/collect/libc_uncounted.inc
	$(Q)grep -ho 'X([^)]*)' $(filter %.inc,$^) | sed 's/X(//; s/)//' | sort - $< $<.not > $@.named
	$(Q)$(call rt_names,rt,$(RT_LIBC_KINDS)) | grep -vx _Fork | comm -23 - $@.named > $@.bad
	$(Q)! [ -s $@.bad ] || { echo 'rt: missing in pass/collect/libc_dynamic.inc:'; cat $@.bad; exit 1; }
	$(Q)touch $@

# Of these, the ones whose next definition somebody asks for.
$(RT_DIR)/wrapped.inc: $(RT_DIR)/wrapped.txt
	$(Q)$(call rt_names,rt,libc) | grep -xFf $< | sed 's/.*/MPRT_WRAPPED(&)/' > $@

# And the ones that count.
RT_COUNTING := $(foreach f,mem str num wcs io format libc,$(RT_DIR)/api/interpose_$(f).o)
$(RT_DIR)/counted.txt: $(RT_COUNTING) $(RT_DIR)/wrapped.txt
	$(Q)nm -g --defined-only $(RT_COUNTING) | awk '{print $$3}' | \
	    grep -xFf $(RT_DIR)/wrapped.txt > $@
$(RT_DIR)/counted.inc: $(RT_DIR)/counted.txt
	$(Q)sed 's/.*/MPRT_COUNTED(&)/' $< > $@

$(RT_DIR)/real/real_wrap.o: $(RT_DIR)/wrapped.inc
$(RT_DIR)/api/wrap_counted.o: $(RT_DIR)/counted.inc
$(RT_DIR)/real/real_wrap.o $(RT_DIR)/api/wrap_counted.o: CPPFLAGS += -iquote $(RT_DIR)

$(RT_DIR)/memprof_static.o: $(RT_DIR)/core.o $(RT_DIRECT_OBJ) $(RT_DIR)/real/real_wrap.o \
    $(RT_DIR)/api/wrap_counted.o $(RT_DIR)/start/first.o $(RT_DIR)/start/preinit.o \
    $(RT_DIR)/interface-rt.txt \
    $(RT_DIR)/counted.txt
	$(say) LD $@
	$(Q){ sed 's/.*/--defsym=mprt_wrap_&=__wrap_&/' $(RT_DIR)/counted.txt; \
	    grep -vxFf $(RT_DIR)/counted.txt $(RT_DIR)/wrapped.txt | \
	    sed 's/.*/--defsym=mprt_wrap_&=&/'; } > $@.second
	$(Q)ld -r -o $@ @$@.second $(filter %.o,$^)
	$(Q)sed 's/.*/& mprt_counted_&/' $(RT_DIR)/counted.txt > $@.rename
	$(Q)grep -vxFf $(RT_DIR)/counted.txt $(RT_DIR)/wrapped.txt | \
	    sed 's/.*/& __wrap_&/' >> $@.rename
	$(Q)echo '_dl_find_object mprt_no_find_object' >> $@.rename
	$(Q)grep -vx $(RT_DYNAMIC_ONLY:%=-e '%') -e '__isoc23_.*' -f $(RT_DIR)/wrapped.txt $(RT_DIR)/interface-rt.txt > $@.keep
	$(Q)sed 's/.*/__wrap_&\nmprt_wrap_&/' $(RT_DIR)/wrapped.txt >> $@.keep
	$(Q)echo __wrap___libc_start_main >> $@.keep
	$(Q)objcopy --redefine-syms=$@.rename $@
	$(Q)objcopy --keep-global-symbols=$@.keep $(RT_WEAK) $(RT_OWN_CODE) $@

# The wrappers refer to parts of libc.a that the program may not need: what they define
# beside is not in the way of the program's own definitions.
$(RT_STATIC)/wrap.flags: $(RT_DIR)/wrapped.txt rt/build.mk | $(RT_STATIC)/.links
	$(Q){ cat $<; echo __libc_start_main; } | sed 's/^/-Wl,--wrap=/' > $@
	$(Q)echo -Wl,-z,muldefs >> $@

# What calls of a wrapped function lead to (rt/real/libc_code.ld). Each wrapper has a
# second name, as the script defines __wrap_NAME anew.
$(RT_STATIC)/libc_code.ld: rt/real/libc_code.ld $(RT_DIR)/wrapped.txt | $(RT_STATIC)/.links
	$(Q){ cat $<; sed 's/.*/__wrap_& = DEFINED(__real_&) ? __real_& - memprof_libc_begin > memprof_libc_last ? __real_& : mprt_wrap_& : mprt_wrap_&;/' \
	    $(RT_DIR)/wrapped.txt; } > $@

$(RT_STATIC_LIB)/libclang_rt.memprof-x86_64.a: $(RT_DIR)/memprof_static.o \
    | $(RT_STATIC)/.links
	$(call RT_AR,$<)

# Everything else is the other resource directory's.
$(RT_STATIC)/.links: rt/build.mk $(RT_RESOURCE)/.links
	$(say) LINKS $(@D)
	$(Q)mkdir -p $(RT_STATIC_LIB) && cd $(RT_RESOURCE) && \
	for f in * lib/* lib/linux/*; do \
	    case $$f in \
	    static|lib|lib/linux|lib/linux/libclang_rt.memprof-x86_64.a) continue ;; \
	    lib/linux/*) up=../../.. ;; \
	    lib/*) up=../.. ;; \
	    *) up=.. ;; \
	    esac; \
	    ln -sfn $$up/$$f static/$$f; \
	done
	$(Q)for f in $(filter %.a %.syms,$(RT_LINKED)); do \
	    ln -sfn ../../../lib/linux/$$f $(RT_STATIC_LIB)/$$f; done
	$(Q)f=$(RT_STATIC_LIB)/libclang_rt.memprof-x86_64.a.syms && rm -f $$f && \
	    echo '{ __memprof_init; };' > $$f
	$(Q)touch $@

# A thread-local variable that a static program exports is relocated before there is
# thread-local storage, so it is none of these; a program that is linked with libraries
# that use it exports it anyway.
$(RT_LIB)/%.a.syms: $(RT_INTERFACE) rt/build.mk | $(RT_RESOURCE)/.links
	$(Q){ echo '{'; $(call rt_names,$(RT_SYMS_ARCHIVE),$(RT_SYMS_KINDS)) | \
	    grep -v -e __memprof_calls_v1 -e __memprof_checks_v1 | sed 's/.*/  &;/'; echo '};'; } > $@
$(RT_LIB)/libclang_rt.memprof-x86_64.a.syms: RT_SYMS_ARCHIVE := rt
$(RT_LIB)/libclang_rt.memprof_cxx-x86_64.a.syms: RT_SYMS_ARCHIVE := cxx

# An object by the name of the archive that clang links whole: --exclude-libs would hide
# from the C library what comes out of an archive.
RT_AR = $(say) CP $@; rm -f $@ && cp $(1) $@
$(RT_LIB)/libclang_rt.memprof-x86_64.a: $(RT_DIR)/memprof.o \
    $(RT_LIB)/libclang_rt.memprof-x86_64.a.syms
	$(call RT_AR,$<)
$(RT_LIB)/libclang_rt.memprof_cxx-x86_64.a: $(RT_DIR)/memprof_cxx.o \
    $(RT_LIB)/libclang_rt.memprof_cxx-x86_64.a.syms
	$(call RT_AR,$<)
$(RT_LIB)/libclang_rt.memprof-preinit-x86_64.a: $(RT_DIR)/preinit-alone.o \
    | $(RT_RESOURCE)/.links
	$(call RT_AR,$<)

# Everything of clang's own resource directory but the archives that are ours.
$(RT_RESOURCE)/.links: rt/build.mk
	$(say) LINKS $(@D)
	$(Q)mkdir -p $(RT_LIB) && own=$$($(CLANG) -print-resource-dir) && \
	for f in $$own/* $$own/lib/* $$own/lib/linux/*; do \
	    case $${f#$$own/} in \
	    lib|lib/linux|lib/linux/libclang_rt.memprof*) ;; \
	    *) ln -sfn $$f $(RT_RESOURCE)/$${f#$$own/} ;; \
	    esac; \
	done && touch $@

# The runtime imports what rt/allowed-imports.txt names and nothing more, no part of it
# calls what it interposes (but malloc, free and realloc, to see whose they are), and what is
# visible is the interface.
$(RT_DIR)/imports.ok: $(RT_OBJ) $(RT_DIR)/memprof.o $(RT_DIR)/memprof_cxx.o \
    rt/allowed-imports.txt rt/redirect.txt
	$(say) CHECK $@
	$(Q)nm -u $(RT_DIR)/memprof.o | awk '{print $$2}' | sort -u > $@.imports
	$(Q)grep -o '^[A-Za-z_][A-Za-z0-9_]*' rt/allowed-imports.txt | sort -u | \
	    comm -23 $@.imports - > $@.bad
	$(Q)! [ -s $@.bad ] || { echo 'rt: imports not allowed:'; cat $@.bad; exit 1; }
	$(Q)cut -d' ' -f1 rt/redirect.txt | sort > $@.redirected
	$(Q)nm -u $(filter %/libc.o %/internal_alloc.o,$(RT_DIRECT_OBJ)) $(RT_DIR)/core.o | \
	    awk '{print $$2}' | sort -u | comm -12 - $@.redirected > $@.bad
	$(Q)! [ -s $@.bad ] || { echo 'rt: calls what it interposes:'; cat $@.bad; exit 1; }
	$(Q)readelf -rW $(RT_DIR)/memprof.o | awk '$$3 ~ /^R_/ {print $$5}' | sort -u | \
	    comm -12 - $(RT_DIR)/interface-weak.txt | grep -vx -e malloc -e free -e realloc > $@.bad || true
	$(Q)! [ -s $@.bad ] || { echo 'rt: calls what the program may define:'; cat $@.bad; exit 1; }
	$(Q)readelf -sW $(filter-out $(RT_DIR)/shared/%,$(RT_OBJ)) | awk \
	    '($$5 == "GLOBAL" || $$5 == "WEAK") && $$6 == "DEFAULT" && $$7 != "UND" {print $$8}' | \
	    sort -u > $@.visible
	$(Q){ $(call rt_names,rt,[a-z]*); $(call rt_names,cxx,[a-z]*); } | sort > $@.listed
	$(Q)comm -23 $@.visible $@.listed > $@.bad
	$(Q)! [ -s $@.bad ] || { echo 'rt: not in shared/interface.inc:'; cat $@.bad; exit 1; }
	$(Q)nm -g --defined-only $(RT_DIR)/memprof.o $(RT_DIR)/memprof_cxx.o | \
	    awk 'NF == 3 {print $$3}' | sort -u | comm -13 - $@.listed > $@.bad
	$(Q)! [ -s $@.bad ] || { echo 'rt: in shared/interface.inc, but not defined:'; cat $@.bad; exit 1; }
	$(Q)touch $@

include rt/install/wrappers.mk
