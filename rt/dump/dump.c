/* dump.c -- writes a snapshot in one of the formats.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/dump/print_text.h"
#include "rt/dump/rawwrite.h"
#include "rt/dump/rawwrite_llvm.h"

/* Attempts of the helper to list the binaries while libraries are unloaded. */
#define MODULES_TRIES 100

_Atomic bool mprt_dump_is_at_loader;

struct modules {
    struct mprt_module_list list;
    bool are_listed;
};

static void list_modules(void *argument)
{
    struct modules *const modules = (struct modules *)argument;

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

void mprt_dump_make(struct mprof_buf *buf, enum mprt_outname_kind kind,
                    const struct mprt_snapshot *snapshot,
                    struct mprt_dump_name name, const char *known_leaks)
{
    struct modules modules;
    const struct mprt_dump dump = {.snapshot = snapshot,
                                   .modules = &modules.list,
                                   .name = name,
                                   .known_leaks = known_leaks};

    if (!find_modules(&modules)) {
        buf->failed = true;
        return;
    }
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
