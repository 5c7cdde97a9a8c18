/* bridge.h -- finds memprofdata-symbolizer and our other programs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BRIDGE_H
#define MPDATA_BRIDGE_H

#include "profdata/symbols/symbolizer.h"

#include <limits.h>

/* Finds a program of this version that memprofdata starts. */
bool mpdata_bridge_find(const char *name, char out[PATH_MAX]);

/* Returns a hash of the bridge's file and this program's file, without starting
 * the bridge: a different build may give different answers. */
uint64_t mpdata_bridge_identity(struct mpdata_symbolizer *symbolizer);

#endif
