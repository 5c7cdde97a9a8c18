/* units.h -- numbers as people read them. Each function writes to out[0..size)
 * and returns it; MPDATA_UNIT_BYTES is room enough.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_UNITS_H
#define MPDATA_UNITS_H

#include "shared/base.h"

#define MPDATA_UNIT_BYTES 48

/* "17 B", "97.7 KiB", "1.50 GiB": three digits that count. */
const char *mpdata_units_bytes(uint64_t bytes, char *out, size_t size);

/* "850 ns", "1.20 ms", "3.4 s", "5 min 20 s", "2 h 5 min". */
const char *mpdata_units_ns(uint64_t ns, char *out, size_t size);

/* "1,234,567". */
const char *mpdata_units_count(uint64_t count, char *out, size_t size);

/* What a word for so many things ends with. */
const char *mpdata_units_plural(uint64_t count);

/* "65.0 %" of a whole; "" where the whole is 0; "<0.1 %" for what is not
 * nothing. */
const char *mpdata_units_share(uint64_t part, uint64_t whole, char *out,
                               size_t size);

/* So many a thing: "55.2", "0.12", "1,234"; "<0.01" for what is not nothing. */
const char *mpdata_units_rate(uint64_t count, uint64_t things, char *out,
                              size_t size);

/* Accesses for blocks: "55.2 accesses per block", "1 access per 23 blocks",
 * "never accessed"; where there is one block "12 accesses". */
const char *mpdata_units_per_block(uint64_t accesses, uint64_t blocks,
                                   char *out, size_t size);

/* For bytes, by the eight that one access may reach: "3.2 per 8 bytes",
 * "1 per 230 bytes". */
const char *mpdata_units_per_8_bytes(uint64_t accesses, uint64_t bytes,
                                     char *out, size_t size);

#endif
