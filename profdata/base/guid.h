/* guid.h -- GUIDs of functions, as LLVM computes them for memory profiles.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* GUID of a linkage name: the first 8 bytes, little-endian, of the MD5 of its
 * canonical form (suffixes ".llvm.*" and ".part.*" removed, ".cold" and
 * ".__uniq.*" kept), as LLVM computes it. */
uint64_t mpdata_guid(const char *name, size_t size);
