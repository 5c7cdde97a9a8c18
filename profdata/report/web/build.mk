# profdata/report/web/ -- the program inside of pages. dist/page.html is in the
# repository, so that building memprofdata needs no Node; after a change of src/,
# `make report-page` makes it anew (test/report/web.test sees that it is fresh).

REPORT_WEB := profdata/report/web
REPORT_WEB_DIR := $(O)/report-web
REPORT_WEB_PARTS := src test bundle.mjs biome.json tsconfig.json

# Its packages, in the versions and with the checksums of package-lock.json.
$(REPORT_WEB_DIR)/done: $(REPORT_WEB)/package.json $(REPORT_WEB)/package-lock.json
	$(say) NPM $(REPORT_WEB_DIR)
	$(Q)mkdir -p $(REPORT_WEB_DIR)
	$(Q)cp $^ $(REPORT_WEB_DIR)/
	$(Q)npm ci --prefix $(REPORT_WEB_DIR) --ignore-scripts --no-audit --no-fund \
	    >$(REPORT_WEB_DIR)/log 2>&1 || { cat $(REPORT_WEB_DIR)/log; exit 1; }
	$(Q)touch $@

.PHONY: report-page
report-page: $(REPORT_WEB_DIR)/done ## make the page of reports anew, after a change of its sources
	$(say) BUNDLE $(REPORT_WEB)/dist/page.html
	$(Q)cd $(REPORT_WEB_DIR) && rm -rf $(REPORT_WEB_PARTS) && \
	    cp -r $(addprefix $(CURDIR)/$(REPORT_WEB)/,$(REPORT_WEB_PARTS)) . && \
	    node bundle.mjs $(CURDIR)/$(REPORT_WEB)/dist/page.html
