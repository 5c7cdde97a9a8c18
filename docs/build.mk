# docs/ -- tables in the documents, and man pages (docs/man/*.in). The tool and
# docgen print the lists of options and the tables, from the definitions in shared/.

$(O)/docgen: docs/docgen.c rt/start/lifecycle.inc \
    $(wildcard profdata/judge/*.h shared/*.inc shared/*.h)
	$(say) CC $@
	$(Q)mkdir -p $(@D) && $(CC) $(CSTD) -iquote . $(CWARN) $(CFLAGS) -o $@ $<

.PHONY: docs
docs: $(O)/docgen ## write the generated tables into docs/
	@python3 test/lint/docs.py $(O)/docgen --fix

# One man page for each command, which the tool prints.
MAN_COMMANDS := $(subst _,-,$(filter-out name,$(shell \
    sed -n 's/ X(\([a-z_]*\))/\n\1\n/gp' profdata/cmd/commands.h | grep -x '[a-z_]*')))
MAN_PAGES := $(patsubst docs/man/%.in,$(O)/man/%,$(wildcard docs/man/*.in)) \
    $(MAN_COMMANDS:%=$(O)/man/memprofdata-%.1)
ALL += $(MAN_PAGES)

$(O)/man/commands.roff: $(PROFDATA_BIN)
	$(Q)mkdir -p $(@D) && $< help --roff > $@

$(O)/man/memprofdata-%.1: $(PROFDATA_BIN)
	$(say) MAN $@
	$(Q)mkdir -p $(@D) && $< help --roff $* > $@

$(O)/man/options.roff: $(O)/docgen
	$(Q)mkdir -p $(@D) && $< roff-options > $@

$(O)/man/pass-options.roff: $(O)/docgen
	$(Q)mkdir -p $(@D) && $< roff-pass-options > $@

$(O)/man/%: docs/man/%.in $(O)/man/commands.roff $(O)/man/options.roff \
    $(O)/man/pass-options.roff shared/version.h
	$(say) MAN $@
	$(Q)sed -e 's/@VERSION@/$(VERSION)/' \
	    -e '/^@COMMANDS@$$/{r $(O)/man/commands.roff' -e 'd}' \
	    -e '/^@OPTIONS@$$/{r $(O)/man/options.roff' -e 'd}' \
	    -e '/^@PASS_OPTIONS@$$/{r $(O)/man/pass-options.roff' -e 'd}' $< > $@
