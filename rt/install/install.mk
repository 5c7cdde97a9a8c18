# Installing. All files find each other relative to themselves, so a tree below
# $(DESTDIR) works in place. What belongs to one LLVM version lies in a folder of
# that version, with the list of all that was installed with it; a name without a
# version is a link to the version installed last, or a file that all have alike.
#
#   $(PREFIX)/bin                        memprofdata, memprof-clang{,++}{,-22}
#   $(PREFIX)/lib/memprof/llvm-22        plugin, runtime, memprof.cfg, manifest
#   $(LIBDIR)                            memprof.so on the linker's path, the
#                                        library, pkg-config and CMake files

LIBDIR      ?= $(PREFIX)/lib
DATADIR     ?= $(PREFIX)/share
ZSHDIR      ?= $(DATADIR)/zsh/site-functions
INSTALL     ?= install

# First below $(STAGE), then to where it shall be: so the manifest is what was
# installed, and a failure halfway leaves what was there before.
STAGE      := $(O)/stage-$(LLVM_VERSION)
STAGE_LLVM  = $(STAGE)$(PREFIX)/lib/memprof/llvm-$(LLVM_VERSION)
MANIFEST    = $(PREFIX)/lib/memprof/llvm-$(LLVM_VERSION)/manifest
# The way from one folder to another: $(call way,FROM,TO)
way = $(shell realpath -m --relative-to='$(1)' '$(2)')

# $(call fill,FROM,TO,PREFIX as seen from there): a template with this build's
# values. A clang before 22 needs more than the plugin (see memprof-clang.in).
ifeq ($(shell test $(LLVM_VERSION) -lt 22 && echo yes),yes)
BEFORE_22 := -Xclang -load -Xclang <CFGDIR>\/memprof.so\n-gline-tables-only \
    -fdebug-info-for-profiling\n-fno-omit-frame-pointer \
    -mno-omit-leaf-frame-pointer
endif
# "$" before a flag: only where something is linked. Clang knows it since 20; before,
# a flag for the linker is a warning in a compile.
LINK_ONLY := $(if $(shell test $(LLVM_VERSION) -ge 20 && echo yes),$$)
fill = sed -e 's|@LLVM_VERSION@|$(LLVM_VERSION)|g' -e 's|@VERSION@|$(VERSION)|g' \
    -e 's|@PREFIX_UP@|$(3)|g' -e 's/@LINK@/$(LINK_ONLY)/' \
    -e '/^@WRAP@$$/{r $(STAGE)/wrap.flags' -e 'd}' -e 's/^@BEFORE_22@$$/$(BEFORE_22)/' -e 's/@LIBS@/$(PROFDATA_LIBS)/' $(1) | \
    cat -s > $(2)

# What is installed finds the rest by the way from one of these to another.
.PHONY: whole-paths
whole-paths:
	@$(foreach v,PREFIX LIBDIR DATADIR ZSHDIR,case '$($v)' in (/*) ;; (*) \
	    echo "$v is '$($v)', but must be a whole path: $v=$(CURDIR)/$($v)" >&2; exit 1 ;; esac;)
	@$(foreach v,PREFIX LIBDIR DATADIR ZSHDIR DESTDIR,case '$($v)' in (*[[:space:]]*) \
	    echo "$v is '$($v)', but must have no blank" >&2; exit 1 ;; esac;)

.PHONY: install uninstall stage install-clang-rt uninstall-clang-rt deb
stage: whole-paths all
	$(Q)rm -rf $(STAGE) && mkdir -p $(STAGE)$(PREFIX)/bin $(STAGE)$(PREFIX)/include \
	    $(STAGE_LLVM)/bin $(STAGE)$(LIBDIR)/pkgconfig $(STAGE)$(LIBDIR)/cmake/memprof \
	    $(STAGE)$(DATADIR)/man/man1 $(STAGE)$(DATADIR)/man/man7 \
	    $(STAGE)$(DATADIR)/bash-completion/completions \
	    $(STAGE)$(ZSHDIR)
	$(Q)$(INSTALL) -m 755 $(O)/bin/memprofdata $(WRAPPERS) $(STAGE)$(PREFIX)/bin
	$(Q)ln -s memprof-clang-$(LLVM_VERSION) $(STAGE)$(PREFIX)/bin/memprof-clang
	$(Q)ln -s memprof-clang++-$(LLVM_VERSION) $(STAGE)$(PREFIX)/bin/memprof-clang++
	$(Q)ln -s ../../../../bin/memprof-clang-$(LLVM_VERSION) $(STAGE_LLVM)/bin/clang
	$(Q)ln -s ../../../../bin/memprof-clang++-$(LLVM_VERSION) $(STAGE_LLVM)/bin/clang++
	$(Q)$(INSTALL) -m 644 $(filter $(L)/memprof.so $(L)/memprof-clang.so,$(ALL)) $(STAGE_LLVM)
	$(Q)sed 's/^/$(LINK_ONLY)/' $(RT_STATIC)/wrap.flags > $(STAGE)/wrap.flags
	$(Q)for f in memprof memprof-static memprof-lto memprof-alloc; do \
	    $(call fill,rt/install/$$f.cfg.in,$(STAGE_LLVM)/$$f.cfg); done
	$(Q)rm $(STAGE)/wrap.flags
	$(Q)cp -dR --preserve=mode,timestamps $(RT_RESOURCE) $(STAGE_LLVM)/resource
	$(Q)rm -f $(STAGE_LLVM)/resource/.links $(STAGE_LLVM)/resource/static/.links
	$(Q)$(INSTALL) -m 755 $(PROFDATA_REPLAY) $(PROFDATA_MPI) $(filter $(PROFDATA_BRIDGE),$(ALL)) \
	    $(STAGE)$(PREFIX)/lib/memprof
	$(Q)ln -s $(call way,$(LIBDIR),$(PREFIX)/lib/memprof)/llvm-$(LLVM_VERSION)/memprof.so \
	    $(STAGE)$(LIBDIR)/memprof.so
	$(Q)ln -s memprof.so $(STAGE)$(LIBDIR)/libmemprof-plugin.so
	$(Q)$(INSTALL) -m 644 inc/*.h $(STAGE)$(PREFIX)/include
	$(Q)$(INSTALL) -m 644 $(PROFDATA_LIB) $(PROFDATA_SO) $(STAGE)$(LIBDIR)
	$(Q)ln -s $(PROFDATA_SONAME) $(STAGE)$(LIBDIR)/libmemprofdata.so
	$(Q)$(INSTALL) -m 644 $(ALLOC_LIB) $(ALLOC_LIB).syms $(STAGE)$(PREFIX)/lib/memprof
	$(Q)$(INSTALL) -m 644 $(ALLOC_SO) $(STAGE)$(LIBDIR)
	$(Q)ln -s $(ALLOC_SONAME) $(STAGE)$(LIBDIR)/libmemprof_alloc.so
	$(Q)ln -s $(call way,$(LIBDIR),$(PREFIX)/lib/memprof)/libmemprof_alloc.a $(STAGE)$(LIBDIR)
	$(Q)$(call fill,alloc/memprof-alloc.pc.in,$(STAGE)$(LIBDIR)/pkgconfig/memprof-alloc.pc,$(call way,$(LIBDIR)/pkgconfig,$(PREFIX)))
	$(Q)$(call fill,profdata/memprofdata.pc.in,$(STAGE)$(LIBDIR)/pkgconfig/memprofdata.pc,$(call way,$(LIBDIR)/pkgconfig,$(PREFIX)))
	$(Q)$(call fill,rt/install/memprof.pc.in,$(STAGE)$(LIBDIR)/pkgconfig/memprof-$(LLVM_VERSION).pc,$(call way,$(LIBDIR)/pkgconfig,$(PREFIX)))
	$(Q)ln -s memprof-$(LLVM_VERSION).pc $(STAGE)$(LIBDIR)/pkgconfig/memprof.pc
	$(Q)$(call fill,rt/install/memprof-config.cmake.in,$(STAGE)$(LIBDIR)/cmake/memprof/memprof-config.cmake,$(call way,$(LIBDIR)/cmake/memprof,$(PREFIX)))
	$(Q)$(call fill,rt/install/memprof-config-version.cmake.in,$(STAGE)$(LIBDIR)/cmake/memprof/memprof-config-version.cmake)
	$(Q)$(INSTALL) -m 644 $(filter %.1,$(MAN_PAGES)) $(STAGE)$(DATADIR)/man/man1
	$(Q)for n in clang++ clang-$(LLVM_VERSION) clang++-$(LLVM_VERSION); do \
	    ln -s memprof-clang.1 $(STAGE)$(DATADIR)/man/man1/memprof-$$n.1; done
	$(Q)$(INSTALL) -m 644 $(filter %.7,$(MAN_PAGES)) $(STAGE)$(DATADIR)/man/man7
	$(Q)$(INSTALL) -m 644 profdata/completion/memprofdata.bash \
	    $(STAGE)$(DATADIR)/bash-completion/completions/memprofdata
	$(Q)$(INSTALL) -m 644 profdata/completion/_memprofdata $(STAGE)$(ZSHDIR)
	$(Q)cd $(STAGE) && find . ! -type d | sed 's/^\.//' | LC_ALL=C sort > $(abspath $(STAGE)).manifest && \
	    echo $(MANIFEST) >> $(abspath $(STAGE)).manifest && mv $(abspath $(STAGE)).manifest .$(MANIFEST)

install: stage ## install under $(DESTDIR)$(PREFIX)
	$(Q)mkdir -p $(if $(DESTDIR),$(DESTDIR),/) && \
	    cp -dR --preserve=mode,timestamps --remove-destination $(STAGE)/. $(DESTDIR)/
	@# The linker's cache, for memprof.so below /usr/local/lib.
	$(Q)[ -n '$(DESTDIR)' ] || [ $$(id -u) -ne 0 ] || ldconfig || true
	@echo "installed below $(DESTDIR)$(PREFIX); 'make uninstall' with the same PREFIX removes it"

uninstall: whole-paths ## remove what install put there
	@rt/install/uninstall '$(DESTDIR)' '$(PREFIX)' '$(LLVM_VERSION)'
	$(Q)[ -n '$(DESTDIR)' ] || [ $$(id -u) -ne 0 ] || ldconfig || true

# -- into clang's own resource directory -------------------------------------------
# Then the two flags of the command line suffice. Never over the distribution's
# archives; our own, which the manifest names, are replaced.
CLANG_RESOURCE_DIR ?= $(shell $(CLANG) -print-resource-dir)
CLANG_RT           := $(DESTDIR)$(CLANG_RESOURCE_DIR)/lib/linux
CLANG_RT_MANIFEST  := $(CLANG_RT)/memprof-manifest
# Files; what is a link is clang's own.
RT_INSTALLED        = $(notdir $(shell find $(RT_LIB) -name 'libclang_rt.memprof*' -type f))

install-clang-rt: all ## put the runtime into clang's resource directory, where it has none
	@[ -e $(CLANG_RT_MANIFEST) ] || ! ls $(CLANG_RT)/libclang_rt.memprof* >/dev/null 2>&1 || { \
	    echo "$(CLANG_RT) has a memprof runtime of the distribution, which stays: compile with memprof-clang or --config=memprof.cfg instead, or remove its package (libclang-rt-$(LLVM_VERSION)-dev) first" >&2; exit 1; }
	$(Q)mkdir -p $(CLANG_RT) && cp --remove-destination $(addprefix $(RT_LIB)/,$(RT_INSTALLED)) $(CLANG_RT) && \
	    printf '%s\n' $(RT_INSTALLED) > $(CLANG_RT_MANIFEST)

uninstall-clang-rt: ## remove what install-clang-rt put there
	@[ -e $(CLANG_RT_MANIFEST) ] || { echo "$(CLANG_RT) has no runtime of ours" >&2; exit 1; }
	$(Q)cd $(CLANG_RT) && xargs rm -f < memprof-manifest && rm memprof-manifest

# -- a Debian package ----------------------------------------------------------------
DEB := $(O)/deb
deb: ## build a Debian package of this tree below build/deb
	@.ci/install-deps $(BUILD_PACKAGES) dpkg-dev debhelper
	$(Q)rm -rf $(DEB) && mkdir -p $(DEB)/memprof-$(VERSION) && \
	    git ls-files -z | xargs -0 tar -c --null | tar -x -C $(DEB)/memprof-$(VERSION) && \
	    cp -R .debian $(DEB)/memprof-$(VERSION)/debian
	$(Q)cd $(DEB)/memprof-$(VERSION) && dpkg-buildpackage -b -uc -us
	@ls $(DEB)/*.deb
