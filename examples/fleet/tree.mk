# tree.mk -- merges the profiles of a fleet in two levels, as many hosts at a time as
# make has jobs:
#
#   make -f tree.mk -j8 IN=DIR OUT=fleet.profdata
#
# DIR has a directory for each host, with all profiles of its processes. Called again, it
# merges only the hosts whose directory has changed.

IN          ?= profiles
OUT         ?= fleet.profdata
PARTS       ?= $(OUT).parts
MEMPROFDATA ?= memprofdata

HOSTS := $(notdir $(patsubst %/,%,$(wildcard $(IN)/*/)))

$(OUT): $(HOSTS:%=$(PARTS)/%.profdata)
	$(MEMPROFDATA) merge -j1 $^ -o $@

$(PARTS)/%.profdata: $(IN)/% | $(PARTS)
	$(MEMPROFDATA) merge -j1 --partial $< -o $@

$(PARTS):
	mkdir -p $@
