/* sources.h -- the source text around the frames of the largest call stacks, as
 * far as the files are there.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SOURCES_H
#define MPDATA_SOURCES_H

#include "profdata/export/json_parts.h"

/* Writes "sources": [{"file", "lines": [[first, "text", ...], ...]}, ...],
 * with "missing": true in place of the lines of a file that could not be read,
 * and "changed": true of one that is newer than the profile's last run. Only
 * files whose names are those of source text are read: a profile from elsewhere
 * must not bring others into a page that is sent on. */
void mpdata_sources_put(struct mpdata_json_parts *parts);

#endif
