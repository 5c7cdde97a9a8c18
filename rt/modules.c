/* modules.c -- what is mapped: path, build id, load bias and executable
 * segments of each ELF file, the main program first.
 *
 * Two passes of dl_iterate_phdr(): one counts, one fills memory that was mapped
 * in between; what came to be mapped meanwhile is left out. No lock of ours is
 * held that an allocation could want, because the loader holds its own.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump.h"
#include "shared/raw_format.h"

#include <elf.h>
#include <link.h>

#define NOTE_NAME_GNU "GNU"

struct room {
    uint32_t modules;
    uint32_t segments;
    size_t path_bytes;
};

struct filler {
    struct room room; /* what is left */
    struct mprt_module *modules;
    struct mprt_segment *segments;
    char *paths;
    uint32_t count;
};

static bool is_code(const ElfW(Phdr) * phdr)
{
    return phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) != 0;
}

static uint32_t count_code(const struct dl_phdr_info *info)
{
    uint32_t count = 0;

    for (size_t i = 0; i < info->dlpi_phnum; i++)
        count += is_code(&info->dlpi_phdr[i]);
    return count;
}

/* The path as far as it can be told: of the main program the loader knows none,
 * and one without a leading slash is relative to where it was loaded from. */
static void write_path(struct mprt_text *t, const char *name, bool is_main)
{
    char target[MPRT_PATH_BYTES];
    int64_t n = -1;

    if (is_main)
        n = mprt_sys_readlink("/proc/self/exe", target, sizeof(target));
    else if (name[0] != '/' && name[0] != '\0')
        n = mprt_sys_readlink("/proc/self/cwd", target, sizeof(target));
    if (n > 0)
        mprt_text_strn(t, target, (size_t)n);
    if (is_main)
        return;
    if (n > 0)
        mprt_text_char(t, '/');
    while (n > 0 && name[0] == '.' && name[1] == '/')
        name += 2;
    mprt_text_str(t, name);
}

/* The vdso has a name that is no file's. */
static const char *file_name(const struct dl_phdr_info *info)
{
    const char *const name = info->dlpi_name != NULL ? info->dlpi_name : "";

    for (const char *s = name; *s != '\0'; s++) {
        if (*s == '/')
            return name;
    }
    return "";
}

/* Steps over one note in data[0..size); false at the end. */
static bool next_note(const uint8_t *data, size_t size, size_t align,
                      size_t *pos, const ElfW(Nhdr) * *note)
{
    size_t left;
    size_t bytes;

    if (*pos > size || size - *pos < sizeof(**note))
        return false;
    *note = (const ElfW(Nhdr) *)(const void *)(data + *pos);
    left = size - *pos;
    bytes = sizeof(**note) + mprof_round_up((*note)->n_namesz, align);
    if (bytes > left || (*note)->n_descsz > left - bytes)
        return false;
    *pos += bytes + mprof_round_up((*note)->n_descsz, align);
    return true;
}

static void find_build_id(struct mprt_module *module, const uint8_t *data,
                          size_t size, size_t align)
{
    const ElfW(Nhdr) * note;
    size_t pos = 0;

    while (next_note(data, size, align, &pos, &note)) {
        const char *const name = (const char *)(note + 1);

        if (note->n_type != NT_GNU_BUILD_ID ||
            note->n_namesz != sizeof(NOTE_NAME_GNU) ||
            mprt_memcmp(name, NOTE_NAME_GNU, sizeof(NOTE_NAME_GNU)) != 0)
            continue;
        module->build_id_bytes =
            (uint32_t)mprof_min_u64(note->n_descsz, MPRT_BUILD_ID_BYTES_MAX);
        mprt_memcpy(module->build_id,
                    name + mprof_round_up(note->n_namesz, align),
                    module->build_id_bytes);
        return;
    }
}

static void add_segment(struct filler *filler, struct mprt_module *module,
                        const ElfW(Phdr) * phdr)
{
    struct mprt_segment *const segment = filler->segments++;

    segment->start = module->bias + phdr->p_vaddr;
    segment->end = segment->start + phdr->p_memsz;
    segment->file_off = phdr->p_offset;
    module->segment_count++;
}

static int count_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct room *const room = (struct room *)context;

    (void)size;
    room->modules++;
    room->segments += count_code(info);
    room->path_bytes += MPRT_PATH_BYTES;
    return 0;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct filler *const filler = (struct filler *)context;
    const uint32_t segments = count_code(info);
    struct mprt_text path = {.out = filler->paths, .size = MPRT_PATH_BYTES};
    struct mprt_module *module;

    (void)size;
    if (filler->room.modules == 0 || filler->room.segments < segments)
        return 1;
    filler->room.modules--;
    filler->room.segments -= segments;
    module = &filler->modules[filler->count];
    module->bias = info->dlpi_addr;
    module->flags = filler->count == 0 ? MPROF_RAW_MODULE_FL_MAIN : 0;
    module->segments = filler->segments;
    write_path(&path, file_name(info), filler->count == 0);
    module->path = path.out;
    filler->paths += path.used + 1;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const phdr = &info->dlpi_phdr[i];

        if (is_code(phdr))
            add_segment(filler, module, phdr);
        else if (phdr->p_type == PT_NOTE && module->build_id_bytes == 0)
            find_build_id(module,
                          (const uint8_t *)(module->bias + phdr->p_vaddr),
                          phdr->p_memsz, phdr->p_align == 8 ? 8 : 4);
    }
    filler->count++;
    return 0;
}

/* The helper must not wait for libc's lock, nor let anybody wait for it. In a
 * forked child somebody may hold it who is not there: fork() does not free it.
 */
static void iterate(int (*visit)(struct dl_phdr_info *, size_t, void *),
                    void *context)
{
    if (mprt_helper_is_here() || mprt_process_is_forked())
        mprt_linkmap_iterate(visit, context);
    else
        dl_iterate_phdr(visit, context);
}

bool mprt_modules_list(struct mprt_module_list *list)
{
    struct room room = {.modules = 0};
    struct filler filler;
    uint8_t *map;

    *list = (struct mprt_module_list){.count = 0};
    iterate(count_module, &room);
    list->map_bytes = room.modules * sizeof(struct mprt_module) +
                      room.segments * sizeof(struct mprt_segment) +
                      room.path_bytes;
    map = (uint8_t *)mprt_sys_map(list->map_bytes);
    if (map == NULL)
        return false;
    filler = (struct filler){
        .room = room,
        .modules = (struct mprt_module *)(void *)map,
        .segments =
            (struct mprt_segment *)(void *)(map +
                                            room.modules *
                                                sizeof(struct mprt_module)),
    };
    filler.paths = (char *)(filler.segments + room.segments);
    iterate(add_module, &filler);
    list->modules = filler.modules;
    list->count = filler.count;
    list->map = map;
    return true;
}

void mprt_modules_free(struct mprt_module_list *list)
{
    if (list->map != NULL)
        mprt_sys_unmap(list->map, list->map_bytes);
    *list = (struct mprt_module_list){.count = 0};
}

uint32_t mprt_modules_find(const struct mprt_module_list *modules, uintptr_t pc)
{
    for (uint32_t i = 0; i < modules->count; i++) {
        const struct mprt_module *const module = &modules->modules[i];

        for (uint32_t s = 0; s < module->segment_count; s++) {
            if (pc >= module->segments[s].start && pc < module->segments[s].end)
                return i;
        }
    }
    return modules->count;
}
