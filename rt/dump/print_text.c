/* print_text.c -- print_text=1: the profile as LLVM's runtime prints it. Frames
 * have the function's linkage name, if a symbol table has one, and their offset
 * in the binary. Files, lines and inlined frames need memprofdata.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/libc.h"
#include "rt/base/options.h"
#include "rt/base/log.h"
#include "rt/stack/depot.h"
#include "rt/stack/pc.h"

#define HISTOGRAM_CELLS_PRINTED_MAX 32

/* Appends strings. */
#define PUT(buf, ...) put_list(buf, (const char *const[]){__VA_ARGS__, NULL})
static void put_list(struct mprof_buf *buf, const char *const *strings)
{
    for (; *strings != NULL; strings++)
        mprof_buf_bytes(buf, *strings, mprt_libc_strlen(*strings));
}

/* As LLVM prints addresses: at least 12 digits. */
static void put_address(struct mprof_buf *buf, uint64_t value)
{
    const char *const digits = MPRT_HEX(value);
    const size_t count = mprt_libc_strlen(digits);

    PUT(buf, "0x", &"000000000000"[mprof_min_u64(count, 12)], digits);
}

/* The mean with two digits, truncated as in LLVM. */
static void put_mean(struct mprof_buf *buf, uint64_t total, uint64_t count)
{
    const uint64_t hundredths = total % count * 100 / count;

    PUT(buf, MPRT_DEC(total / count), hundredths < 10 ? ".0" : ".",
        MPRT_DEC(hundredths));
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
    PUT(buf, separator, MPRT_DEC(triple->min), separator,
        MPRT_DEC(triple->max));
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

    PUT(buf, "MIB:", MPRT_DEC(id), "/", MPRT_DEC(mib->AllocCount));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(triples); i++) {
        PUT(buf, "/");
        put_triple(buf, &triples[i], mib->AllocCount, "/");
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(counts); i++) {
        PUT(buf, "/", MPRT_DEC(counts[i]));
    }
    PUT(buf, "\n");
}

static void put_histogram(struct mprof_buf *buf,
                          const struct mprt_context *context)
{
    struct mprt_cells_reader reader;
    const uint64_t cells = mprt_context_llvm_cells(context, &reader);

    PUT(buf, "AccessCountHistogram[", MPRT_DEC(cells), "]: ");
    for (uint64_t i = 0; i < mprof_min_u64(cells, HISTOGRAM_CELLS_PRINTED_MAX);
         i++) {
        PUT(buf, MPRT_DEC(mprt_cells_get(&reader, i)), " ");
    }
    PUT(buf, "\n");
}

static void put_line(struct mprof_buf *buf, const char *name,
                     const struct triple *triple, uint64_t count)
{
    PUT(buf, name);
    put_triple(buf, triple, count, " / ");
    PUT(buf, "\n");
}

static void put_long(struct mprof_buf *buf, uint32_t id,
                     const struct mprof_mib *mib,
                     const struct mprt_context *context)
{
    PUT(buf, "Memory allocation stack id = ", MPRT_DEC(id), "\n\talloc_count ",
        MPRT_DEC(mib->AllocCount));
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
    PUT(buf, "\tnum migrated: ", MPRT_DEC(mib->NumMigratedCpu),
        ", num lifetime overlaps: ", MPRT_DEC(mib->NumLifetimeOverlaps),
        ", num same alloc cpu: ", MPRT_DEC(mib->NumSameAllocCpu),
        ", num same dealloc_cpu: ", MPRT_DEC(mib->NumSameDeallocCpu), "\n");
    put_histogram(buf, context);
}

/* -- call stacks ----------------------------------------------------------- */

static void put_build_id(struct mprof_buf *buf,
                         const struct mprt_module *module)
{
    if (module->build_id_bytes == 0)
        return;
    PUT(buf, " (BuildId: ");
    for (uint32_t i = 0; i < module->build_id_bytes; i++) {
        mprof_buf_bytes(buf, &"0123456789abcdef"[module->build_id[i] >> 4], 1);
        mprof_buf_bytes(buf, &"0123456789abcdef"[module->build_id[i] & 15], 1);
    }
    PUT(buf, ")");
}

static void put_place(struct mprof_buf *buf, uintptr_t pc,
                      const struct mprt_module *module)
{
    PUT(buf, "(", module->path[0] != '\0' ? module->path : "[vdso]", "+");
    PUT(buf, "0x", MPRT_HEX(mprt_pc_address(pc) - module->bias));
    PUT(buf, ")");
    put_build_id(buf, module);
}

static void put_frame(struct mprof_buf *buf, size_t n, uintptr_t pc,
                      struct mprt_symbols *symbols)
{
    const uint32_t i = mprt_modules_find(symbols->modules, pc);

    PUT(buf, "    #", MPRT_DEC(n), " ");
    put_address(buf, mprt_pc_address(pc));
    if (i < symbols->modules->count) {
        const char *const name =
            mprt_symbols_find(symbols, i, mprt_pc_address(pc));

        PUT(buf, name != NULL ? " in " : " ", name != NULL ? name : "", " ");
        put_place(buf, pc, &symbols->modules->modules[i]);
    }
    PUT(buf, "\n");
}

static void put_stack(struct mprof_buf *buf, uint32_t id,
                      struct mprt_symbols *symbols)
{
    struct mprt_stack stack;

    mprt_depot_get(id, &stack);
    PUT(buf, "Stack for id ", MPRT_DEC(id), ":\n");
    for (size_t i = 0; i < stack.count; i++)
        put_frame(buf, i, stack.pcs[i], symbols);
    PUT(buf, "\n");
}

void mprt_print_text_write(struct mprof_buf *buf, const struct mprt_dump *dump)
{
    const struct mprt_snapshot *const snapshot = dump->snapshot;
    struct mprt_symbols symbols;

    if (!mprt_options.print_terse)
        PUT(buf, "Recorded MIBs (incl. live on exit):\n");
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
    PUT(buf, "\n");
    mprt_symbols_free(&symbols);
    mprt_modules_free(&modules);
}

static void put_module_map(struct mprof_buf *buf,
                           const struct mprt_module_list *modules)
{
    PUT(buf, "Process memory map follows:\n");
    for (uint32_t i = 0; i < modules->mapped_count; i++) {
        const struct mprt_module *const module = &modules->modules[i];

        for (uint32_t s = 0; s < module->segment_count; s++) {
            PUT(buf, "\t");
            put_address(buf, module->segments[s].start);
            PUT(buf, "-");
            put_address(buf, module->segments[s].end);
            PUT(buf, "\t", module->path[0] != '\0' ? module->path : "[vdso]",
                "\n");
        }
    }
    PUT(buf, "End of process memory map.\n");
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
