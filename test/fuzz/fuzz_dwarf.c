/* fuzz_dwarf.c -- libFuzzer target: debug information of an ELF file, asked for
 * addresses all over its code. What is answered must be readable, and all of
 * a unit be answered or none.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESSES 256u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t text_size(const char *text)
{
    return text != NULL ? strlen(text) : 0;
}

static void take(void *context, const struct mpdata_wanted *wanted,
                 const struct mpdata_symbol *symbols, size_t count)
{
    size_t *const sum = (size_t *)context;

    if (count == 0 || wanted->unit == MPDATA_DWARF_LEFT)
        __builtin_trap();
    for (size_t i = 0; i < count; i++)
        *sum += text_size(symbols[i].function) + text_size(symbols[i].file) +
                text_size(symbols[i].start_file);
    ++*sum;
}

/* In order, evenly over the code that comes first. */
static size_t list_addresses(const struct mpdata_elf *elf,
                             struct mpdata_wanted *wanted)
{
    const struct mpdata_elf_load *const load = &elf->loads[0];
    size_t count = 0;

    if (elf->load_count == 0 || load->address + load->bytes < load->address)
        return 0;
    for (; count < ADDRESSES && count < load->bytes; count++)
        wanted[count] = (struct mpdata_wanted){
            .address = load->address + (load->bytes > ADDRESSES
                                            ? load->bytes / ADDRESSES * count
                                            : count)};
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mpdata_wanted wanted[ADDRESSES];
    struct mpdata_dwarf dwarf;
    struct mpdata_elf elf;
    size_t sum = 0;
    size_t count;

    if (mpdata_elf_read(&elf, data, size, NULL) != MPROF_E_OK)
        return 0;
    count = list_addresses(&elf, wanted);
    if (mpdata_dwarf_open(&dwarf, &elf.debug) &&
        mpdata_dwarf_assign(&dwarf, wanted, count)) {
        qsort(wanted, count, sizeof(*wanted), mpdata_dwarf_by_unit);
        for (size_t i = 0, end; i < count; i = end) {
            size_t before = sum;

            for (end = i + 1;
                 end < count && wanted[end].unit == wanted[i].unit;)
                end++;
            if (mpdata_dwarf_unit_find(&dwarf, wanted + i, end - i, take,
                                       &sum) != (sum >= before + (end - i)))
                __builtin_trap();
        }
    }
    mpdata_dwarf_fini(&dwarf);
    return 0;
}
