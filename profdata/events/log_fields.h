/* log_fields.h -- reads the fields of the block format: BYTE, INTEGER, STRING
 * (shared/log_format.h).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LOG_FIELDS_H
#define MPDATA_LOG_FIELDS_H

#include "profdata/base/str.h"
#include "shared/cursor.h"

uint8_t mpdata_log_fields_byte(struct mprof_cursor *c);
/* Fails (TRUNCATED, VALUE) if the number does not end, or does not fit 64 bits.
 */
uint64_t mpdata_log_fields_integer(struct mprof_cursor *c);
/* The same for a number of at most 32 bits. */
uint32_t mpdata_log_fields_small(struct mprof_cursor *c);
/* Up to a NUL; fails (TRUNCATED) without one. */
struct mpdata_str mpdata_log_fields_string(struct mprof_cursor *c);

#endif
