/* units.h -- numbers for people. A text that a function returns may be used in
 * the same expression: printf("%s", mpdata_units_ns(ns).text).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* Room for a number and a few words. */
#define MPDATA_UNIT_BYTES 64

struct mpdata_number {
    char text[MPDATA_UNIT_BYTES];
};

/* Formats like snprintf(); truncates what does not fit. */
struct mpdata_number mpdata_units_format(const char *format, ...)
    MPROF_PRINTF(1, 2);

/* "17 B", "97.7 KiB", "1.50 GiB": three significant digits. */
struct mpdata_number mpdata_units_bytes(uint64_t bytes);

/* "850 ns", "1.20 ms", "3.4 s", "5 min 20 s", "2 h 5 min". */
struct mpdata_number mpdata_units_ns(uint64_t ns);

/* "1,234,567". */
struct mpdata_number mpdata_units_count(uint64_t count);

/* "1 block", "1,234 blocks" for the thing "block". */
struct mpdata_number mpdata_units_things(uint64_t count, const char *thing);

/* "block", "blocks"; "binary", "binaries". */
struct mpdata_number mpdata_units_plural(const char *thing, uint64_t count);

/* "65.0 %" of a whole; "" if that is 0; "<0.1 %" for less. */
struct mpdata_number mpdata_units_share(uint64_t part, uint64_t whole);

/* `count` per thing: "55.2", "0.12", "1,234"; "<0.01" if count is not 0. */
struct mpdata_number mpdata_units_rate(uint64_t count, uint64_t things);

/* Accesses per block: "55.2 accesses per block", "1 access per 23 blocks",
 * "never accessed"; for one block "12 accesses". */
struct mpdata_number mpdata_units_per_block(uint64_t accesses, uint64_t blocks);

/* Accesses per 8 bytes, the size that one access may reach: "3.2 per 8 bytes",
 * "1 per 230 bytes". */
struct mpdata_number mpdata_units_per_8_bytes(uint64_t accesses,
                                              uint64_t bytes);
