/* print_text.c -- print_text=1: the profile as LLVM's runtime prints it. Frames
 * have the function's linkage name, if a symbol table has one, and their offset
 * in the binary. Files, lines and inlined frames need memprofdata.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/print_text.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/log.h"
#include "rt/dump/symbols.h"
#include "rt/stack/depot.h"
#include "rt/stack/pc.h"

#define HISTOGRAM_CELLS_PRINTED_MAX 32

static void put(struct mprof_buf *buf, const char *s)
{
    mprof_buf_bytes(buf, s, mprt_libc_strlen(s));
}

static void put_uint(struct mprof_buf *buf, uint64_t value)
{
    char digits[24];
    struct mprt_textbuf t = {.out = digits, .size = sizeof(digits)};

    mprt_textbuf_uint(&t, value);
    mprof_buf_bytes(buf, digits, t.used);
}

static void put_hex(struct mprof_buf *buf, uint64_t value, size_t digits_min)
{
    char digits[24];
    struct mprt_textbuf t = {.out = digits, .size = sizeof(digits)};

    put(buf, "0x");
    mprt_textbuf_hex(&t, value);
    for (size_t n = t.used; n < digits_min; n++)
        put(buf, "0");
    mprof_buf_bytes(buf, digits, t.used);
}

/* As LLVM prints addresses. */
static void put_address(struct mprof_buf *buf, uint64_t value)
{
    put_hex(buf, value, 12);
}

/* The mean with two digits, truncated as in LLVM. */
static void put_mean(struct mprof_buf *buf, uint64_t total, uint64_t count)
{
    const uint64_t hundredths = total % count * 100 / count;

    put_uint(buf, total / count);
    put(buf, hundredths < 10 ? ".0" : ".");
    put_uint(buf, hundredths);
}

struct triple {
    uint64_t total;
    uint64_t min;
    uint64_t max;
};

static void put_triple(struct mprof_buf *buf, const struct triple *triple,
                       uint64_t count, const char *separator)
{
    put_mean(buf, triple->total, count);
    put(buf, separator);
    put_uint(buf, triple->min);
    put(buf, separator);
    put_uint(buf, triple->max);
}

/* -- contexts -------------------------------------------------------------- */

static void put_terse(struct mprof_buf *buf, uint32_t id,
                      const struct mprof_mib *mib)
{
    const struct triple triples[] = {
        {mib->TotalSize, mib->MinSize, mib->MaxSize},
        {mib->TotalAccessCount, mib->MinAccessCount, mib->MaxAccessCount},
        {mib->TotalLifetime, mib->MinLifetime, mib->MaxLifetime},
    };
    const uint64_t counts[] = {mib->NumMigratedCpu, mib->NumLifetimeOverlaps,
                               mib->NumSameAllocCpu, mib->NumSameDeallocCpu};

    put(buf, "MIB:");
    put_uint(buf, id);
    put(buf, "/");
    put_uint(buf, mib->AllocCount);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(triples); i++) {
        put(buf, "/");
        put_triple(buf, &triples[i], mib->AllocCount, "/");
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(counts); i++) {
        put(buf, "/");
        put_uint(buf, counts[i]);
    }
    put(buf, "\n");
}

static void put_histogram(struct mprof_buf *buf,
                          const struct mprt_context *context)
{
    struct mprt_cells_reader reader;
    const uint64_t cells = mprt_context_llvm_cells(context, &reader);

    put(buf, "AccessCountHistogram[");
    put_uint(buf, cells);
    put(buf, "]: ");
    for (uint64_t i = 0; i < mprof_min_u64(cells, HISTOGRAM_CELLS_PRINTED_MAX);
         i++) {
        put_uint(buf, mprt_cells_get(&reader, i));
        put(buf, " ");
    }
    put(buf, "\n");
}

static void put_line(struct mprof_buf *buf, const char *name,
                     const struct triple *triple, uint64_t count)
{
    put(buf, name);
    put_triple(buf, triple, count, " / ");
    put(buf, "\n");
}

static void put_long(struct mprof_buf *buf, uint32_t id,
                     const struct mprof_mib *mib,
                     const struct mprt_context *context)
{
    put(buf, "Memory allocation stack id = ");
    put_uint(buf, id);
    put(buf, "\n\talloc_count ");
    put_uint(buf, mib->AllocCount);
    put_line(buf, ", size (ave/min/max) ",
             &(struct triple){mib->TotalSize, mib->MinSize, mib->MaxSize},
             mib->AllocCount);
    put_line(buf, "\taccess_count (ave/min/max): ",
             &(struct triple){mib->TotalAccessCount, mib->MinAccessCount,
                              mib->MaxAccessCount},
             mib->AllocCount);
    put_line(buf, "\tlifetime (ave/min/max): ",
             &(struct triple){mib->TotalLifetime, mib->MinLifetime,
                              mib->MaxLifetime},
             mib->AllocCount);
    put(buf, "\tnum migrated: ");
    put_uint(buf, mib->NumMigratedCpu);
    put(buf, ", num lifetime overlaps: ");
    put_uint(buf, mib->NumLifetimeOverlaps);
    put(buf, ", num same alloc cpu: ");
    put_uint(buf, mib->NumSameAllocCpu);
    put(buf, ", num same dealloc_cpu: ");
    put_uint(buf, mib->NumSameDeallocCpu);
    put(buf, "\n");
    put_histogram(buf, context);
}

/* -- call stacks ----------------------------------------------------------- */

static void put_build_id(struct mprof_buf *buf,
                         const struct mprt_module *module)
{
    if (module->build_id_bytes == 0)
        return;
    put(buf, " (BuildId: ");
    for (uint32_t i = 0; i < module->build_id_bytes; i++) {
        mprof_buf_bytes(buf, &"0123456789abcdef"[module->build_id[i] >> 4], 1);
        mprof_buf_bytes(buf, &"0123456789abcdef"[module->build_id[i] & 15], 1);
    }
    put(buf, ")");
}

static void put_place(struct mprof_buf *buf, uintptr_t pc,
                      const struct mprt_module *module)
{
    put(buf, "(");
    put(buf, module->path[0] != '\0' ? module->path : "[vdso]");
    put(buf, "+");
    put_hex(buf, mprt_pc_address(pc) - module->bias, 1);
    put(buf, ")");
    put_build_id(buf, module);
}

static void put_frame(struct mprof_buf *buf, size_t n, uintptr_t pc,
                      struct mprt_symbols *symbols)
{
    const uint32_t i = mprt_modules_find(symbols->modules, pc);

    put(buf, "    #");
    put_uint(buf, n);
    put(buf, " ");
    put_address(buf, mprt_pc_address(pc));
    if (i < symbols->modules->count) {
        const char *const name =
            mprt_symbols_find(symbols, i, mprt_pc_address(pc));

        put(buf, name != NULL ? " in " : " ");
        put(buf, name != NULL ? name : "");
        put(buf, " ");
        put_place(buf, pc, &symbols->modules->modules[i]);
    }
    put(buf, "\n");
}

static void put_stack(struct mprof_buf *buf, uint32_t id,
                      struct mprt_symbols *symbols)
{
    struct mprt_stack stack;

    mprt_depot_get(id, &stack);
    put(buf, "Stack for id ");
    put_uint(buf, id);
    put(buf, ":\n");
    for (size_t i = 0; i < stack.count; i++)
        put_frame(buf, i, stack.pcs[i], symbols);
    put(buf, "\n");
}

void mprt_print_text_write(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    const struct mprt_snapshot *const snapshot = dump->snapshot;
    struct mprt_symbols symbols;

    if (!mprt_options.print_terse)
        put(buf, "Recorded MIBs (incl. live on exit):\n");
    for (uint32_t i = 0; i < snapshot->count; i++) {
        const struct mprt_context *const c = mprt_snapshot_at(snapshot, i);

        if (mprt_depot_is_tagged(snapshot->ids[i]))
            continue;
        if (mprt_options.print_terse)
            put_terse(buf, snapshot->ids[i], &c->entry->mib);
        else
            put_long(buf, snapshot->ids[i], &c->entry->mib, c);
    }
    mprt_symbols_init(&symbols, dump->modules);
    for (uint32_t i = 0; i < snapshot->count; i++) {
        if (!mprt_depot_is_tagged(snapshot->ids[i]))
            put_stack(buf, snapshot->ids[i], &symbols);
    }
    mprt_symbols_free(&symbols);
}

void mprt_print_text_stack(struct mprof_buf *buf, const uintptr_t *pcs,
                           size_t count)
{
    struct mprt_module_list modules;
    struct mprt_symbols symbols;

    if (!mprt_modules_list(&modules))
        return;
    mprt_symbols_init(&symbols, &modules);
    for (size_t i = 0; i < count; i++)
        put_frame(buf, i, pcs[i], &symbols);
    put(buf, "\n");
    mprt_symbols_free(&symbols);
    mprt_modules_free(&modules);
}

static void put_module_map(struct mprof_buf *buf,
                           const struct mprt_module_list *modules)
{
    put(buf, "Process memory map follows:\n");
    for (uint32_t i = 0; i < modules->mapped_count; i++) {
        const struct mprt_module *const module = &modules->modules[i];

        for (uint32_t s = 0; s < module->segment_count; s++) {
            put(buf, "\t");
            put_address(buf, module->segments[s].start);
            put(buf, "-");
            put_address(buf, module->segments[s].end);
            put(buf, "\t");
            put(buf, module->path[0] != '\0' ? module->path : "[vdso]");
            put(buf, "\n");
        }
    }
    put(buf, "End of process memory map.\n");
}

void mprt_print_text_module_map(void)
{
    struct mprt_module_list modules;
    struct mprof_buf buf;

    mprt_mapbuf_init(&buf);
    if (mprt_modules_list(&modules)) {
        put_module_map(&buf, &modules);
        mprt_modules_free(&modules);
    }
    mprt_mapbuf_print(&buf);
}
