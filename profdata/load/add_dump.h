/* add_dump.h -- adds raw dumps to a profile: converts call stacks of addresses
 * to call stacks of source-level frames.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/load/symbolize.h"

/* Adds the call stacks of a dump to load->content->profile: nodes[i] becomes
 * the node of raw->nodes[i]. Errors: those of mpdata_symbolize_frames(). */
MPROF_NODISCARD enum mprof_err
mpdata_add_dump_nodes(struct mpdata_load_context *load, struct mpdata_raw *raw,
                      const char *file, mpdata_ref *nodes,
                      struct mprof_diag *diag);
/* Adds a dump to load->content->profile. `file` names the input in messages.
 * Errors: those of mpdata_symbolize_frames(). */
MPROF_NODISCARD enum mprof_err mpdata_add_dump(struct mpdata_load_context *load,
                                               struct mpdata_raw *raw,
                                               const char *file,
                                               struct mprof_diag *diag);
