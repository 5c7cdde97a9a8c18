/* pprof_units.c -- units of pprof's values and labels, by pprof's rules: case
 * and a plural "s" do not matter, and K is 1024.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/pprof_format.h"
#include "profdata/import/pprof_rows.h"

#include <string.h>

#define BASE_BYTES "bytes"
#define BASE_NS "ns"
#define BASE_COUNT "" /* all others, which are numbers of things */

static const struct {
    const char *base;
    uint64_t factor;
    const char *words; /* in lower case, without "s", each between blanks */
} units[] = {
    {BASE_BYTES, 1, " b byte "},
    {BASE_BYTES, UINT64_C(1) << 10, " kb kib kbyte kilobyte kibibyte "},
    {BASE_BYTES, UINT64_C(1) << 20, " mb mib mbyte megabyte mebibyte "},
    {BASE_BYTES, UINT64_C(1) << 30, " gb gib gbyte gigabyte gibibyte "},
    {BASE_BYTES, UINT64_C(1) << 40, " tb tib tbyte terabyte tebibyte "},
    {BASE_BYTES, UINT64_C(1) << 50, " pb pib pbyte petabyte pebibyte "},
    {BASE_NS, 1, " ns nsec nanosecond "},
    {BASE_NS, 1000, " us usec \xce\xbc \xc2\xb5 microsecond "},
    {BASE_NS, 1000000, " ms msec millisecond "},
    {BASE_NS, 1000000000, " s sec second "},
    {BASE_NS, UINT64_C(60) * 1000000000, " min minute "},
    {BASE_NS, UINT64_C(3600) * 1000000000, " h hr hour "},
    {BASE_COUNT, 1,
     " count number unit object block alloc allocation sample event access "
     "accesse read write "},
};

static bool is_word(struct mpdata_str unit, const char *word)
{
    for (size_t i = 0; i < unit.size; i++) {
        const char c = unit.bytes[i];

        /* Differs also at the end of `word`. */
        if (c == ' ' || c == '\0' ||
            (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != word[i])
            return false;
    }
    return word[unit.size] == ' ';
}

static bool has_word(const char *words, struct mpdata_str unit)
{
    for (const char *at = words; (at = strchr(at, ' ')) != NULL; at++) {
        if (is_word(unit, at + 1))
            return true;
    }
    return false;
}

uint64_t mpdata_pprof_units_factor(struct mpdata_str unit, const char *base)
{
    const bool is_count =
        strcmp(base, BASE_BYTES) != 0 && strcmp(base, BASE_NS) != 0;

    if (unit.size == 0)
        return 1;
    if (unit.size > 2 && (unit.bytes[unit.size - 1] | 0x20) == 's')
        unit.size--;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(units); i++) {
        if (strcmp(units[i].base, is_count ? BASE_COUNT : base) == 0 &&
            has_word(units[i].words, unit))
            return units[i].factor;
    }
    return 0;
}

uint64_t mpdata_pprof_units_period(uint64_t period, struct mpdata_str unit)
{
    const uint64_t bytes = mprof_mul_sat_u64(
        mpdata_pprof_units_known(period),
        unit.size != 0 ? mpdata_pprof_units_factor(unit, BASE_BYTES) : 0);

    return bytes > 1 ? bytes : 0;
}
