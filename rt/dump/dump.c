/* dump.c -- writes a snapshot in one of the formats.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/record/block.h"
#include "rt/record/resident.h"

/* Attempts of the helper to list the binaries while libraries are unloaded. */
#define MODULES_TRIES 100

_Atomic bool mprt_dump_is_at_loader;

struct modules {
    struct mprt_module_list list;
    bool are_listed;
};

static void list_modules(void *argument)
{
    struct modules *const modules = argument;

    modules->are_listed = mprt_modules_list(&modules->list);
}

/* Lists the binaries. A library may be unloaded while the helper reads its
 * tables. */
static bool find_modules(struct modules *modules)
{
    modules->are_listed = false;
    if (!mprt_identity_is_helper()) {
        atomic_store(&mprt_dump_is_at_loader, true);
        list_modules(modules);
        atomic_store(&mprt_dump_is_at_loader, false);
    }
    for (unsigned i = 0; mprt_identity_is_helper() && i < MODULES_TRIES; i++) {
        if (mprt_fault_try(list_modules, modules))
            break;
    }
    return modules->are_listed;
}

static void write_dump(struct mprof_buf *buf, enum mprt_outname_kind kind,
                       struct mprt_dump dump)
{
    struct modules modules;

    if (!find_modules(&modules)) {
        buf->failed = true;
        return;
    }
    dump.modules = &modules.list;
    switch (kind) {
    case MPRT_OUTNAME_RAW:
        mprt_rawwrite(buf, &dump);
        break;
    case MPRT_OUTNAME_RAW_LLVM:
        mprt_rawwrite_llvm(buf, &dump);
        break;
    case MPRT_OUTNAME_TEXT:
        mprt_print_text_write(buf, &dump);
        break;
    }
    mprt_modules_free(&modules.list);
}

/* Contexts that are newer than the search for leaks have no leaks. */
static void add_leaks(const struct mprt_snapshot *snapshot,
                      const struct mprt_leaks *leaks)
{
    static const struct mprt_mibmap_leaks none;

    for (uint32_t i = 0; i < snapshot->count && leaks->contexts != NULL; i++) {
        const uint32_t id = snapshot->ids[i];
        mprt_mibmap_add_leaks(&snapshot->taken, id,
                              id < leaks->count ? &leaks->contexts[id] : &none);
    }
    const struct mprt_mibmap_held *const held =
        (const struct mprt_mibmap_held *)(const void *)leaks->held.data;
    for (size_t i = 0; i < leaks->held.size / sizeof(*held); i++)
        mprt_mibmap_add_live_detail(&snapshot->taken, held[i].context,
                                    MPROF_DETAIL_HOLDER, held[i].holder,
                                    held[i].blocks, held[i].bytes);
}

bool mprt_dump_make(struct mprof_buf *buf, enum mprt_outname_kind kind,
                    bool takes, const struct mprt_leaks *leaks,
                    struct mprt_dump_name name)
{
    if (kind == MPRT_OUTNAME_RAW) {
        struct mprt_block_stats stats;

        mprt_block_stats(&stats);
        mprt_resident_read_end(stats.live_bytes);
    }
    struct mprt_snapshot *const snapshot =
        mprt_snapshot_make(takes, kind == MPRT_OUTNAME_RAW);
    if (snapshot == NULL)
        return false;
    if (leaks != NULL)
        add_leaks(snapshot, leaks);
    write_dump(
        buf, kind,
        (struct mprt_dump){.snapshot = snapshot,
                           .name = name,
                           .known_leaks = leaks != NULL ? leaks->known : NULL});
    mprt_snapshot_free(snapshot);
    return !buf->failed;
}
