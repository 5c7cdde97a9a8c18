/* rawdetails.h -- writes DETAILS of a raw profile: distributions of contexts'
 * blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/rawrows.h"
#include "shared/container.h"

/* Appends the section if a context has distributions. False without memory. */
bool mprt_rawdetails_add(const struct mprt_rawrows *of, struct mprof_buf *out,
                         struct mprof_dir *dir);
