/* bridge.h -- finding memprofdata-symbolizer.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_BRIDGE_H
#define MPDATA_BRIDGE_H

#include "profdata/symbols/symbolizer.h"

/* Differs when the file of the bridge or this program's does, without starting
 * it: what would choose and answer. */
uint64_t mpdata_bridge_identity(struct mpdata_symbolizer *symbolizer);

#endif
