/* yaml_scalar.h -- names as scalars of YAML, so that a reader of YAML gets the
 * same name.
 *
 * Of bytes that are no UTF-8 YAML has no way to write; they are written as the
 * character of their number (Latin-1), and so read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_YAML_SCALAR_H
#define MPDATA_YAML_SCALAR_H

#include "profdata/base/sink.h"
#include "profdata/base/str.h"

/* As LLVM's YAML library writes it: in quotes where that thinks they may be
 * needed. bytes[size] is 0. */
void mpdata_yaml_scalar_llvm(struct mpdata_sink *out,
                             const struct mpdata_str *name);

/* In quotes only where a reader would get something else without. */
void mpdata_yaml_scalar_bare(struct mpdata_sink *out, const char *bytes,
                             size_t size);

#endif
