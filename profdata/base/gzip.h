/* gzip.h -- a sink that compresses what it takes and hands it on.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_GZIP_H
#define MPDATA_GZIP_H

#include "profdata/base/sink.h"

struct mpdata_gzip; /* gzip.c */

/* The sink behind it is borrowed. Equal bytes in equal pieces become equal
 * bytes: no time and no name is in them. NULL without memory. */
struct mpdata_gzip *mpdata_gzip_new(struct mpdata_sink *out);
struct mpdata_sink mpdata_gzip_sink(struct mpdata_gzip *gzip);
/* Writes the rest, and frees it; accepts NULL. Whether all was written, the
 * sink behind it says. */
void mpdata_gzip_finish(struct mpdata_gzip *gzip);

#endif
