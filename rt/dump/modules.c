/* modules.c -- the binaries that are or were mapped: path, build id, load bias
 * and executable segments of each ELF file, the main program first.
 *
 * Two passes of dl_iterate_phdr(): the first counts, the second fills memory
 * that is mapped in between. Binaries that are loaded meanwhile are left out.
 * We hold no lock that an allocation may need, because the loader holds its
 * own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/modules.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/stack/instrumented.h"
#include "rt/stack/linkmap.h"
#include "rt/stack/module_history.h"
#include "rt/stack/pc.h"
#include "shared/raw_format.h"

struct room {
    uint32_t modules;
    uint32_t segments;
    size_t path_bytes;
};

struct filler {
    struct room room; /* room that is left */
    struct mprt_module *modules;
    struct mprt_segment *segments;
    char *paths;
    uint32_t count;
};

static int count_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct room *const room = context;

    (void)size;
    room->modules++;
    room->segments += mprt_object_count_code(info->dlpi_phdr, info->dlpi_phnum);
    room->path_bytes += MPRT_PATH_BYTES;
    return 0;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct filler *const filler = context;
    const uint32_t segments =
        mprt_object_count_code(info->dlpi_phdr, info->dlpi_phnum);
    struct mprt_textbuf path = {.out = filler->paths, .size = MPRT_PATH_BYTES};

    (void)size;
    if (filler->room.modules == 0 || filler->room.segments < segments)
        return 1;
    filler->room.modules--;
    filler->room.segments -= segments;
    struct mprt_module *const module = &filler->modules[filler->count];
    module->bias = info->dlpi_addr;
    module->flags = filler->count == 0 ? MPROF_RAW_MODULE_FL_MAIN : 0;
    mprt_object_describe(module, filler->segments, info->dlpi_phdr,
                         info->dlpi_phnum);
    if (filler->count == 0)
        mprt_object_main_path(&path);
    else
        mprt_object_path(&path, info->dlpi_name,
                         segments != 0 ? module->segments[0].start : 0);
    module->path = path.out;
    filler->paths += path.used + 1;
    mprt_instrumented_describe(module, info->dlpi_phdr, info->dlpi_phnum);
    filler->segments += segments;
    filler->count++;
    return 0;
}

/* Adds recorded binaries that are not mapped any more. */
static void add_seen(struct filler *filler, uint32_t *of_seen,
                     uint32_t seen_count)
{
    const uint32_t mapped = filler->count;

    for (uint32_t i = 0; i < seen_count; i++) {
        const struct mprt_seen_module *const seen = mprt_module_history_at(i);
        uint32_t at = 0;

        while (at < mapped &&
               !mprt_module_history_is(seen, &filler->modules[at]))
            at++;
        if (at == mapped) {
            at = filler->count++;
            filler->modules[at] = seen->module;
            filler->modules[at].flags |= MPROF_RAW_MODULE_FL_UNLOADED;
        }
        of_seen[i] = at;
    }
}

bool mprt_modules_list(struct mprt_module_list *list)
{
    const uint32_t seen_count = mprt_module_history_count();
    struct room room = {.modules = 0};
    struct filler filler;
    uint32_t *of_seen;

    *list = (struct mprt_module_list){.count = 0};
    mprt_linkmap_iterate(count_module, &room);
    list->map_bytes = (room.modules + seen_count) * sizeof(struct mprt_module) +
                      room.segments * sizeof(struct mprt_segment) +
                      seen_count * sizeof(*of_seen) + room.path_bytes;
    uint8_t *map = mprt_memory_map(list->map_bytes);
    if (map == NULL)
        return false;
    filler = (struct filler){.room = room,
                             .modules = (struct mprt_module *)(void *)map};
    filler.segments =
        (struct mprt_segment *)(filler.modules + room.modules + seen_count);
    of_seen = (uint32_t *)(filler.segments + room.segments);
    filler.paths = (char *)(of_seen + seen_count);
    mprt_linkmap_iterate(add_module, &filler);
    list->mapped_count = filler.count;
    add_seen(&filler, of_seen, seen_count);
    list->modules = filler.modules;
    list->count = filler.count;
    list->of_seen = of_seen;
    list->seen_count = seen_count;
    list->map = map;
    return true;
}

void mprt_modules_free(struct mprt_module_list *list)
{
    if (list->map != NULL)
        mprt_memory_unmap(list->map, list->map_bytes);
    *list = (struct mprt_module_list){.count = 0};
}

bool mprt_modules_holds(const struct mprt_module *module, uintptr_t address)
{
    for (uint32_t s = 0; s < module->segment_count; s++) {
        if (address >= module->segments[s].start &&
            address < module->segments[s].end)
            return true;
    }
    return false;
}

static uint32_t find_in(const struct mprt_module_list *modules, uint32_t count,
                        uintptr_t address)
{
    for (uint32_t i = 0; i < count; i++) {
        if (mprt_modules_holds(&modules->modules[i], address))
            return i;
    }
    return modules->count;
}

uint32_t mprt_modules_find_mapped(const struct mprt_module_list *modules,
                                  uintptr_t address)
{
    return find_in(modules, modules->mapped_count, address);
}

uint32_t mprt_modules_find(const struct mprt_module_list *modules, uintptr_t pc)
{
    const uintptr_t address = mprt_pc_address(pc);
    const uint64_t tag = mprt_pc_tag(pc);

    if (tag > modules->seen_count)
        return modules->count;
    if (tag != 0) {
        const uint32_t at = modules->of_seen[tag - 1];

        return mprt_modules_holds(&modules->modules[at], address)
                   ? at
                   : modules->count;
    }
    /* Recorded binaries without a tag do not overlap each other, but may
     * overlap what is mapped now. */
    for (uint32_t i = 0; i < modules->seen_count; i++) {
        const uint32_t at = modules->of_seen[i];

        if (mprt_module_history_at(i)->tag == 0 &&
            mprt_modules_holds(&modules->modules[at], address))
            return at;
    }
    return mprt_modules_find_mapped(modules, address);
}
