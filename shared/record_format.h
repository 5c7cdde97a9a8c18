/* record_format.h -- a length-prefixed record: a profile in a stream with its
 * length before it. docs/fleet.md describes it for those who write one.
 *
 *   offset  size
 *        0     8  magic, the bytes 8d "mprec" 0d 0a
 *        8     8  n, little-endian
 *       16     n  the profile
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

#define MPROF_RECORD_MAGIC UINT64_C(0x0a0d636572706d8d)
#define MPROF_RECORD_SIZE_OFF 8u
#define MPROF_RECORD_HEADER_BYTES 16u
