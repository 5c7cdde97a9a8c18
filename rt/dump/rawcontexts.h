/* rawcontexts.h -- writes CONTEXTS and TAGGED of a raw profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/rawrows.h"
#include "shared/container.h"
#include "shared/tag_format.h"

/* Appends the section `id`, MPROF_RAW_CONTEXTS or MPROF_RAW_TAGGED. names:
 * STRINGS idx by number of a name; names[0] is not 0 if contexts have threads.
 * False without memory. */
bool mprt_rawcontexts_add(const struct mprt_rawrows *rows,
                          const uint32_t *names, uint32_t id,
                          struct mprof_buf *out, struct mprof_dir *dir);

/* Keeps the fields that the format has for tagged rows (tag_format.h). */
void mprt_rawcontexts_keep_tagged(struct mprof_mib *mib,
                                  enum mprof_tag_kind kind);
