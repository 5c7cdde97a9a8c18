# test/npm/ -- programs of npm's that read what we write, in the versions and with
# the checksums of package-lock.json.

NPM_DIR := $(O)/test/npm
TEST_BINARIES += $(NPM_DIR)/done

$(NPM_DIR)/done: test/npm/package.json test/npm/package-lock.json
	$(say) NPM $(NPM_DIR)
	$(Q)mkdir -p $(NPM_DIR)
	$(Q)cp $^ $(NPM_DIR)/
	$(Q)npm ci --prefix $(NPM_DIR) --ignore-scripts --no-audit --no-fund \
	    >$(NPM_DIR)/log 2>&1 || { cat $(NPM_DIR)/log; exit 1; }
	$(Q)touch $@
