/* units.c -- numbers for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Below this rate the inverse is printed: blocks or bytes per access. */
#define RATE_MIN 0.095

struct mpdata_number mpdata_units_format(const char *format, ...)
{
    struct mpdata_number out;
    va_list args;

    va_start(args, format);
    vsnprintf(out.text, sizeof(out.text), format, args);
    va_end(args);
    return out;
}

/* Three significant digits; no fraction from 100 on, nor for a whole number. */
static struct mpdata_number format_number(double value, const char *unit)
{
    const bool is_whole = value == (double)(uint64_t)value;
    const int digits = is_whole || value >= 99.95 ? 0 : value < 9.995 ? 2 : 1;

    return mpdata_units_format("%.*f %s", digits, value, unit);
}

struct mpdata_number mpdata_units_bytes(uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;

    if (bytes < 1024)
        return mpdata_units_format("%" PRIu64 " B", bytes);
    while (value >= 1023.5 && unit + 1 < MPROF_ARRAY_LEN(units)) {
        value /= 1024;
        unit++;
    }
    return format_number(value, units[unit]);
}

struct mpdata_number mpdata_units_ns(uint64_t ns)
{
    const uint64_t s = ns / 1000000000;

    if (ns < 1000)
        return mpdata_units_format("%" PRIu64 " ns", ns);
    if (ns < 999500)
        return format_number((double)ns / 1e3, "us");
    if (ns < 999500000)
        return format_number((double)ns / 1e6, "ms");
    if (s < 100)
        return format_number((double)ns / 1e9, "s");
    if (s < 3600)
        return mpdata_units_format("%" PRIu64 " min %" PRIu64 " s", s / 60,
                                   s % 60);
    if (s < 48 * 3600)
        return mpdata_units_format("%" PRIu64 " h %" PRIu64 " min", s / 3600,
                                   s / 60 % 60);
    return mpdata_units_format("%" PRIu64 " days %" PRIu64 " h", s / 86400,
                               s / 3600 % 24);
}

struct mpdata_number mpdata_units_count(uint64_t count)
{
    struct mpdata_number out;
    char digits[24];
    const int n = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    size_t at = 0;

    for (int i = 0; i < n; i++) {
        if (i != 0 && (n - i) % 3 == 0)
            out.text[at++] = ',';
        out.text[at++] = digits[i];
    }
    out.text[at] = '\0';
    return out;
}

struct mpdata_number mpdata_units_plural(const char *thing, uint64_t count)
{
    const size_t size = strlen(thing);

    if (count == 1)
        return mpdata_units_format("%s", thing);
    if (size != 0 && thing[size - 1] == 'y')
        return mpdata_units_format("%.*sies", (int)size - 1, thing);
    return mpdata_units_format("%ss", thing);
}

struct mpdata_number mpdata_units_things(uint64_t count, const char *thing)
{
    return mpdata_units_format("%s %s", mpdata_units_count(count).text,
                               mpdata_units_plural(thing, count).text);
}

struct mpdata_number mpdata_units_share(uint64_t part, uint64_t whole)
{
    const double percent =
        whole != 0 ? 100.0 * (double)part / (double)whole : 0;

    if (whole == 0)
        return (struct mpdata_number){""};
    if (part != 0 && percent < 0.1)
        return (struct mpdata_number){"<0.1 %"};
    return mpdata_units_format("%.1f %%", percent);
}

static uint64_t round_number(double number)
{
    return number < 18e18 ? (uint64_t)(number + 0.5) : UINT64_MAX;
}

/* Formats a rate: "55.2", "0.12", "1,234". */
static struct mpdata_number format_rate(double rate)
{
    const uint64_t whole = round_number(rate);

    return rate >= 99.5 || rate == (double)whole
               ? mpdata_units_count(whole)
               : mpdata_units_format("%.*f", rate < 0.95 ? 2 : 1, rate);
}

struct mpdata_number mpdata_units_rate(uint64_t count, uint64_t things)
{
    const double rate = (double)count / (double)mprof_max_u64(things, 1);

    return count != 0 && rate < 0.005 ? (struct mpdata_number){"<0.01"}
                                      : format_rate(rate);
}

struct mpdata_number mpdata_units_per_block(uint64_t accesses, uint64_t blocks)
{
    const double rate = (double)accesses / (double)mprof_max_u64(blocks, 1);
    const struct mpdata_number number = format_rate(rate);

    if (accesses == 0)
        return (struct mpdata_number){"never accessed"};
    if (rate < RATE_MIN)
        return mpdata_units_format(
            "1 access per %s blocks",
            mpdata_units_count(round_number(1 / rate)).text);
    return mpdata_units_format("%s access%s%s", number.text,
                               strcmp(number.text, "1") == 0 ? "" : "es",
                               blocks > 1 ? " per block" : "");
}

struct mpdata_number mpdata_units_per_8_bytes(uint64_t accesses, uint64_t bytes)
{
    const double rate =
        8 * ((double)accesses / (double)mprof_max_u64(bytes, 1));

    return accesses != 0 && rate < RATE_MIN
               ? mpdata_units_format(
                     "1 per %s bytes",
                     mpdata_units_count(round_number(8 / rate)).text)
               : mpdata_units_format("%s per 8 bytes", format_rate(rate).text);
}
