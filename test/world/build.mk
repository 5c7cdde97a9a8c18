# Real programs for tests, from Debian's source packages; kept under $(O)/world.

WORLD := $(O)/world

# SQLite's sources as one file, as its own makefile makes it.
$(WORLD)/sqlite3/bld/sqlite3.c: test/world/fetch
	$(say) WORLD sqlite3
	$(Q)sh test/world/fetch $(WORLD) sqlite3
	$(Q)mkdir -p $(@D) && cd $(@D) && { ../configure --disable-tcl && \
	    make sqlite3.c; } >configure.out 2>&1
	$(Q)touch $@

$(WORLD)/lua5.4/src/lua.c: test/world/fetch
	$(say) WORLD lua5.4
	$(Q)sh test/world/fetch $(WORLD) lua5.4
	@# Debian's build writes this header.
	$(Q)echo '#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"' \
	    > $(@D)/lua5.4-deb-multiarch.h
	$(Q)touch $@

$(WORLD)/mujs/one.c: test/world/fetch
	$(say) WORLD mujs
	$(Q)sh test/world/fetch $(WORLD) mujs
	$(Q)touch $@

.PHONY: world
world: $(WORLD)/mujs/one.c $(WORLD)/sqlite3/bld/sqlite3.c $(WORLD)/lua5.4/src/lua.c
