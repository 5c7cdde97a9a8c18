/* units.c -- numbers for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Below this rate the inverse is printed: blocks or bytes per access. */
#define RATE_MIN 0.095

/* Three significant digits; no fraction from 100 on, nor for a whole number. */
static void print_number(double value, const char *unit, char *out, size_t size)
{
    const bool is_whole = value == (double)(uint64_t)value;
    const int digits = is_whole || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1;

    snprintf(out, size, "%.*f %s", digits, value, unit);
}

const char *mpdata_units_bytes(uint64_t bytes, char *out, size_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024) {
        snprintf(out, size, "%" PRIu64 " B", bytes);
        return out;
    }
    while (value >= 1023.5 && unit + 1 < MPROF_ARRAY_LEN(units)) {
        value /= 1024;
        unit++;
    }
    print_number(value, units[unit], out, size);
    return out;
}

const char *mpdata_units_ns(uint64_t ns, char *out, size_t size)
{
    const uint64_t s = ns / 1000000000;

    if (ns < 1000)
        snprintf(out, size, "%" PRIu64 " ns", ns);
    else if (ns < 999500)
        print_number((double)ns / 1e3, "us", out, size);
    else if (ns < 999500000)
        print_number((double)ns / 1e6, "ms", out, size);
    else if (s < 100)
        print_number((double)ns / 1e9, "s", out, size);
    else if (s < 3600)
        snprintf(out, size, "%" PRIu64 " min %" PRIu64 " s", s / 60, s % 60);
    else if (s < 48 * 3600)
        snprintf(out, size, "%" PRIu64 " h %" PRIu64 " min", s / 3600,
                 s / 60 % 60);
    else
        snprintf(out, size, "%" PRIu64 " days %" PRIu64 " h", s / 86400,
                 s / 3600 % 24);
    return out;
}

const char *mpdata_units_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *mpdata_units_count(uint64_t count, char *out, size_t size)
{
    char digits[24];
    const int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    size_t at = 0;

    for (int i = 0; i < n && at + 2 < size; i++) {
        if (i != 0 && (n - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *mpdata_units_share(uint64_t part, uint64_t whole, char *out,
                               size_t size)
{
    const double percent =
        whole != 0 ? 100.0 * (double)part / (double)whole : 0;

    if (whole == 0)
        out[0] = '\0';
    else if (part != 0 && percent < 0.1)
        snprintf(out, size, "<0.1 %%");
    else
        snprintf(out, size, "%.1f %%", percent);
    return out;
}

static uint64_t round_number(double number)
{
    return number < 18e18 ? (uint64_t)(number + 0.5) : UINT64_MAX;
}

/* Prints a rate: "55.2", "0.12", "1,234". */
static void print_rate(double rate, char *out, size_t size)
{
    const uint64_t whole = round_number(rate);

    if (rate >= 99.5 || rate == (double)whole)
        mpdata_units_count(whole, out, size);
    else
        snprintf(out, size, "%.*f", rate < 0.95 ? 2 : 1, rate);
}

const char *mpdata_units_rate(uint64_t count, uint64_t things, char *out,
                              size_t size)
{
    const double rate = (double)count / (double)mprof_max_u64(things, 1);

    if (count != 0 && rate < 0.005)
        snprintf(out, size, "<0.01");
    else
        print_rate(rate, out, size);
    return out;
}

const char *mpdata_units_per_block(uint64_t accesses, uint64_t blocks,
                                   char *out, size_t size)
{
    const double rate = (double)accesses / (double)mprof_max_u64(blocks, 1);
    char number[MPDATA_UNIT_BYTES];

    if (accesses == 0) {
        snprintf(out, size, "never accessed");
    } else if (rate < RATE_MIN) {
        snprintf(
            out, size, "1 access per %s blocks",
            mpdata_units_count(round_number(1 / rate), number, sizeof(number)));
    } else {
        print_rate(rate, number, sizeof(number));
        snprintf(out, size, "%s access%s%s", number,
                 strcmp(number, "1") == 0 ? "" : "es",
                 blocks > 1 ? " per block" : "");
    }
    return out;
}

const char *mpdata_units_per_8_bytes(uint64_t accesses, uint64_t bytes,
                                     char *out, size_t size)
{
    const double rate =
        8 * ((double)accesses / (double)mprof_max_u64(bytes, 1));
    char number[MPDATA_UNIT_BYTES];

    if (accesses != 0 && rate < RATE_MIN) {
        snprintf(
            out, size, "1 per %s bytes",
            mpdata_units_count(round_number(8 / rate), number, sizeof(number)));
    } else {
        print_rate(rate, number, sizeof(number));
        snprintf(out, size, "%s per 8 bytes", number);
    }
    return out;
}
