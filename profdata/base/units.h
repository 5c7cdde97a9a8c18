/* units.h -- numbers for people. Each function writes to out[0..size) and
 * returns it; MPDATA_UNIT_BYTES is enough room.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_UNITS_H
#define MPDATA_UNITS_H

#include "shared/base.h"

#define MPDATA_UNIT_BYTES 48

/* "17 B", "97.7 KiB", "1.50 GiB": three significant digits. */
const char *mpdata_units_bytes(uint64_t bytes, char *out, size_t size);

/* "850 ns", "1.20 ms", "3.4 s", "5 min 20 s", "2 h 5 min". */
const char *mpdata_units_ns(uint64_t ns, char *out, size_t size);

/* "1,234,567". */
const char *mpdata_units_count(uint64_t count, char *out, size_t size);

/* The plural's ending for `count` things: "" or "s". */
const char *mpdata_units_plural(uint64_t count);

/* "65.0 %" of a whole; "" if that is 0; "<0.1 %" for less. */
const char *mpdata_units_share(uint64_t part, uint64_t whole, char *out,
                               size_t size);

/* `count` per thing: "55.2", "0.12", "1,234"; "<0.01" if count is not 0. */
const char *mpdata_units_rate(uint64_t count, uint64_t things, char *out,
                              size_t size);

/* Accesses per block: "55.2 accesses per block", "1 access per 23 blocks",
 * "never accessed"; for one block "12 accesses". */
const char *mpdata_units_per_block(uint64_t accesses, uint64_t blocks,
                                   char *out, size_t size);

/* Accesses per 8 bytes, the size that one access may reach: "3.2 per 8 bytes",
 * "1 per 230 bytes". */
const char *mpdata_units_per_8_bytes(uint64_t accesses, uint64_t bytes,
                                     char *out, size_t size);

#endif
