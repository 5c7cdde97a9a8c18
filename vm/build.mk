# vm/ -- modules for virtual machines, which give call stacks the frames of scripts.
# `make lua` builds the module for each Lua whose headers are installed; users compile
# the two files themselves (docs/scripts.md).

VM_LUAS := lua5.1 lua5.2 lua5.3 lua5.4 luajit
VM_LUA  := $(VM_LUAS:%=$(O)/vm/%/memprof.so)

# Without headers of that Lua nothing is built.
$(VM_LUA): $(O)/vm/%/memprof.so: vm/lua/memprof.c vm/lua/objects.c vm/lua/objects.h \
    inc/memprof_vm.h inc/memprof.h
	$(Q)! pkg-config --exists $* || { mkdir -p $(@D) && \
	    $(CLANG) $(CSTD) $(WARN) $(WERROR) -O2 -g -fPIC -shared -Iinc \
	    $$(pkg-config --cflags $*) -o $@ $(filter %.c,$^); }

.PHONY: lua
lua: $(VM_LUA) ## the module of Lua and LuaJIT, for each that is installed
