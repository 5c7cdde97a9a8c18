/* fuzz_symcache.c -- libFuzzer target: the cache of symbols. A decoded cache
 * must be readable to its last string and accept additions.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t text_size(const char *text)
{
    return text != NULL ? strlen(text) : 0;
}

static size_t read_all(const struct mpdata_symbols *symbols)
{
    const struct mpdata_symbol_location *const places =
        (const struct mpdata_symbol_location *)symbols->locations.data;
    size_t sum = 0;

    for (uint32_t i = 0; i < symbols->locations.count; i++) {
        if (mpdata_symbols_find(symbols, places[i].address) != &places[i])
            __builtin_trap();
        for (uint32_t k = 0; k < places[i].count; k++) {
            const struct mpdata_symbol s =
                mpdata_symbols_frame(symbols, places[i].first + k);

            sum += text_size(s.function) + text_size(s.file) +
                   text_size(s.start_file);
        }
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mpdata_symbol more = {.function = "f", .file = "a.c"};
    struct mpdata_symbols symbols;
    size_t sum = 0;

    mpdata_symbols_init(&symbols);
    if (mpdata_symcache_find(data, size, 0, false, &symbols)) {
        sum = read_all(&symbols);
        if (mpdata_symbols_find(&symbols, 1) == NULL)
            mpdata_symbols_add(&symbols, 1, MPDATA_SYMBOL_DEBUG, &more, 1);
        sum += read_all(&symbols);
    }
    mpdata_symbols_fini(&symbols);
    return sum == SIZE_MAX ? -1 : 0;
}
