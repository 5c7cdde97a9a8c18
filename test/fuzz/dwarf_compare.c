/* dwarf_compare.c -- our reader of debug information against LLVM's, frame for
 * frame:
 *
 *     dwarf_compare BRIDGE STEP FILE...
 *
 * asks both for every STEP-th byte of the code of each file (0: some 100,000
 * addresses in all), and prints how many addresses ours answered. Ends with 1
 * after the first differences.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf.h"
#include "profdata/base/file.h"
#include "profdata/symbols/symbolizer_bridge.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIFFERENCES_MAX 10
#define SAMPLE 100000u

struct state {
    const struct mpdata_bridge *bridge;
    void *reader;
    const struct mpdata_symbol *ours;
    size_t count;
    uint64_t address;
    uint64_t answered;
    uint64_t frames;
    uint64_t differences;
};

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_same_frame(const struct mpdata_symbol *a,
                          const struct mpdata_symbol *b)
{
    return is_same(a->function, b->function) && is_same(a->file, b->file) &&
           is_same(a->start_file, b->start_file) && a->line == b->line &&
           a->column == b->column && a->start_line == b->start_line &&
           a->discriminator == b->discriminator;
}

static void print_frames(const char *who, const struct mpdata_symbol *symbols,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("  %s: %s %s:%u:%u.%u from %s:%u\n", who,
               symbols[i].function != NULL ? symbols[i].function : "-",
               symbols[i].file != NULL ? symbols[i].file : "-", symbols[i].line,
               symbols[i].column, symbols[i].discriminator,
               symbols[i].start_file != NULL ? symbols[i].start_file : "-",
               symbols[i].start_line);
}

/* LLVM's answer comes to be compared with ours. */
static void compare(void *context, const struct mpdata_symbol *symbols,
                    size_t count)
{
    struct state *const s = (struct state *)context;
    bool same = count == s->count;

    for (size_t i = 0; same && i < count; i++)
        same = is_same_frame(&symbols[i], &s->ours[i]);
    s->frames += count;
    if (same || s->differences++ >= DIFFERENCES_MAX)
        return;
    printf("0x%" PRIx64 ":\n", s->address);
    print_frames("LLVM", symbols, count);
    print_frames("ours", s->ours, s->count);
}

static void take(void *context, const struct mpdata_wanted *wanted,
                 const struct mpdata_symbol *symbols, size_t count)
{
    struct state *const s = (struct state *)context;

    s->ours = symbols;
    s->count = count;
    s->address = wanted->address;
    s->answered++;
    s->bridge->lookup(s->reader, wanted->address, compare, s);
}

/* Every step-th address of the code. */
static struct mpdata_wanted *list_addresses(const struct mpdata_elf *elf,
                                            uint64_t step, size_t *count)
{
    struct mpdata_wanted *wanted;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < elf->load_count; i++)
        bytes += elf->loads[i].bytes;
    if (step == 0)
        step = bytes / SAMPLE + 1;
    wanted = (struct mpdata_wanted *)calloc(bytes / step + elf->load_count + 1,
                                            sizeof(*wanted));
    *count = 0;
    for (uint32_t i = 0; wanted != NULL && i < elf->load_count; i++) {
        for (uint64_t at = 0; at < elf->loads[i].bytes; at += step)
            wanted[(*count)++].address = elf->loads[i].address + at;
    }
    return wanted;
}

static void compare_units(struct state *s, struct mpdata_dwarf *dwarf,
                          struct mpdata_wanted *wanted, size_t count)
{
    uint64_t left = 0;

    if (!mpdata_dwarf_assign(dwarf, wanted, count)) {
        printf("address ranges left; ");
        return;
    }
    qsort(wanted, count, sizeof(*wanted), mpdata_dwarf_by_unit);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && wanted[end].unit == wanted[i].unit;)
            end++;
        left += !mpdata_dwarf_unit_find(dwarf, wanted + i, end - i, take, s);
    }
    printf("%" PRIu64 " of %" PRIu32 " units left; ", left, dwarf->units.count);
}

static int compare_file(struct state *s, const char *path, uint64_t step)
{
    struct mpdata_file file;
    struct mpdata_dwarf dwarf = {.sections = NULL};
    struct mpdata_wanted *wanted;
    struct mpdata_elf elf;
    char error[256];
    size_t count;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return 2;
    s->reader = s->bridge->open(path, "", error, sizeof(error));
    if (s->reader == NULL ||
        mpdata_elf_read(&elf, file.data, file.size, NULL) != MPROF_E_OK)
        return 2;
    wanted = list_addresses(&elf, step, &count);
    s->answered = s->frames = 0;
    printf("%s: ", path);
    if (wanted != NULL && mpdata_dwarf_open(&dwarf, &elf.debug))
        compare_units(s, &dwarf, wanted, count);
    else
        printf("file left; ");
    printf("%" PRIu64 " of %zu addresses, %" PRIu64 " frames\n", s->answered,
           count, s->frames);
    mpdata_dwarf_fini(&dwarf);
    s->bridge->close(s->reader);
    mpdata_file_close(&file);
    free(wanted);
    return 0;
}

static const struct mpdata_bridge *load_bridge(const char *path)
{
    mpdata_bridge_entry_fn *entry = NULL;
    void *const library = dlopen(path, RTLD_NOW);
    void *const symbol =
        library != NULL ? dlsym(library, "mpdata_symbolizer_llvm_entry") : NULL;

    memcpy(&entry, &symbol, sizeof(entry));
    return entry != NULL ? entry() : NULL;
}

int main(int argc, char **argv)
{
    struct state s = {.bridge = argc > 3 ? load_bridge(argv[1]) : NULL};

    if (s.bridge == NULL) {
        fprintf(stderr, "usage: dwarf_compare BRIDGE STEP FILE...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        if (compare_file(&s, argv[i], strtoull(argv[2], NULL, 0)) != 0) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
    }
    printf("%" PRIu64 " differences\n", s.differences);
    return s.differences != 0;
}
