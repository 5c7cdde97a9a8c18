/* gzip.h -- a sink that compresses its bytes and passes them on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/sink.h"

struct mpdata_gzip; /* gzip.c */

/* Borrows `out`. The same bytes in the same pieces give the same output: it has
 * no time and no name. NULL when out of memory. */
struct mpdata_gzip *mpdata_gzip_new(struct mpdata_sink *out);
struct mpdata_sink mpdata_gzip_sink(struct mpdata_gzip *gzip);
/* Writes the rest and frees *gzip; accepts NULL. Errors show in `out`. */
void mpdata_gzip_finish(struct mpdata_gzip *gzip);
