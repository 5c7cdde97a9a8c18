/* sources.h -- source text around the frames of the largest call stacks, from
 * files that can be read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SOURCES_H
#define MPDATA_SOURCES_H

#include "profdata/export/json_parts.h"

/* Writes "sources": [{"file", "lines": [[first, "text", ...], ...]}, ...]. A
 * file that could not be read has "missing": true instead of lines; a file that
 * is newer than the profile's last run has "changed": true. Reads only files
 * with names of source files: a profile from elsewhere must not cause other
 * files to be copied into a page that is passed on. */
void mpdata_sources_put(struct mpdata_json_parts *parts);

#endif
