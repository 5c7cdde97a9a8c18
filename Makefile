# memprof -- a heap profiler for C and C++. `make help` lists the targets.
#
# The build is non-recursive: each component's fragment (<component>/build.mk) adds
# its files and rules to this makefile. All output is in $(O).
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

LLVM_VERSION ?= 22
CC           ?= cc
CXX          ?= c++
PREFIX       ?= /usr/local
DESTDIR      ?=
O            ?= build
-include config.mak

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

LLVM_CONFIG ?= llvm-config-$(LLVM_VERSION)
CLANG       ?= clang-$(LLVM_VERSION)
CLANGXX     ?= clang++-$(LLVM_VERSION)
# Output that depends on the version of LLVM has a separate folder, so that one
# build tree can contain several versions.
L := $(O)/llvm-$(LLVM_VERSION)

VERSION := $(shell sed -n 's/^.define MPROF_VERSION "\(.*\)"/\1/p' shared/version.h)

# As many jobs at once as there are processors, unless -j says how many.
SUBMAKE_FLAGS = --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# Quiet rules; V=1 shows the commands.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

WARN := -Wall -Wextra -Wshadow -Wundef -Wvla -Wcast-qual -Wpointer-arith \
        -Wwrite-strings -Wformat=2
CWARN := $(WARN) -Wstrict-prototypes -Wmissing-prototypes -Wdouble-promotion
# -iquote .: includes are relative to the root ("shared/mib.h").
CPPFLAGS += -iquote . -MMD -MP
CFLAGS   ?= -O2 -g
CSTD     := -std=c11 -D_GNU_SOURCE

# $(call cc,FLAGS): compile $< to $@.
cc = $(Q)mkdir -p $(@D) && $(CC) $(CSTD) $(CPPFLAGS) $(CWARN) $(WERROR) $(CFLAGS) $(1) -c -o $@ $<

ALL :=
OBJS :=

include shared/build.mk
include pass/build.mk
include rt/build.mk
include alloc/build.mk
include vm/build.mk
include profdata/build.mk
include profdata/report/web/build.mk
include docs/build.mk
include test/build.mk
include bench/build.mk

# -- dependencies -----------------------------------------------------------------
# Debian packages: for building, for testing, for test-long.
BUILD_PACKAGES := gcc g++ clang-$(LLVM_VERSION) llvm-$(LLVM_VERSION)-dev \
    libclang-$(LLVM_VERSION)-dev libclang-rt-$(LLVM_VERSION)-dev libzstd-dev \
    libdw-dev libxxhash-dev libmd-dev libjemalloc-dev libmicrohttpd-dev libpcre2-dev libyajl-dev zlib1g-dev
TEST_PACKAGES := llvm-$(LLVM_VERSION) llvm-$(LLVM_VERSION)-tools \
    lld-$(LLVM_VERSION) clang-19 llvm-19 llvm-19-dev libclang-19-dev \
    libclang-rt-19-dev \
    libcmocka-dev chromium-headless-shell clang-format cmake dpkg-dev git golang-go mold \
    golang-github-google-pprof-dev google-perftools groff-base gzip heaptrack \
    libdebuginfod1 libgoogle-perftools-dev libgoogle-perftools4 libjemalloc2 libmimalloc2.0 libmono-profiler \
    openmpi-bin python3-mpi4py liblua5.1-0-dev liblua5.3-dev liblua5.4-dev libluajit-5.1-dev libtcmalloc-minimal4 \
    lua5.1 lua5.3 lua5.4 luajit mono-mcs mono-runtime mono-utils pahole pkgconf python3 slurmctld slurmd systemd tcl valgrind zstd $(if $(shell command -v npm),,nodejs npm)
LONG_PACKAGES := debhelper debootstrap gdb lintian

.PHONY: all deps demo help clean
deps: ## install missing Debian packages (needs root or sudo)
	@.ci/install-deps $(BUILD_PACKAGES) $(TEST_PACKAGES)

all: $(ALL) ## build everything (the default)

# Environment with our commands, plugin and clang with our runtime, as after
# `make install`.
DEMO_ENV = PATH="$(abspath $(L))/bin:$(abspath $(O))/bin:$$PATH" \
    LD_LIBRARY_PATH="$(abspath $(L))$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"

demo: ## profile an example: compile, run, merge, report, use
	@.ci/install-deps $(BUILD_PACKAGES)
	@$(MAKE) $(SUBMAKE_FLAGS) all
	@$(DEMO_ENV) sh examples/orders/demo.sh $(O)/demo

include rt/install/install.mk

help: ## print this list
	@echo 'make [LLVM_VERSION=22] [CC=cc] [O=build] [PREFIX=/usr/local] [DESTDIR=] [V=1] TARGET'
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | sort -u | \
	    while IFS='|' read -r t h; do printf '  %-18s %s\n' "$$t" "$$h"; done

clean: ## remove what was built
	rm -rf $(O)

-include $(OBJS:.o=.d)
