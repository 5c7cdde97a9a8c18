/* object.c -- one mapped ELF file: which file holds an address, and what its
 * headers say.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/object.h"
#include "rt/base/libc.h"
#include "rt/base/os.h"
#include "rt/stack/linkmap.h"

#include <elf.h>

/* -- the file of an address ------------------------------------------------ */

/* glibc's struct dl_find_object and function of that name (2.35), under our own
 * names, because older headers lack them. */
struct found_object {
    unsigned long long flags;
    void *map_start;
    void *map_end;
    struct link_map *link_map;
    void *eh_frame_hdr;
    unsigned long long reserved[7];
};
extern int find_object(void *pc,
                       struct found_object *result) __asm__("_dl_find_object")
    __attribute__((weak));

struct search {
    uintptr_t pc;
    struct mprt_object *object;
};

static int visit_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct search *const search = context;
    uintptr_t low = UINTPTR_MAX;
    uintptr_t high = 0;
    uintptr_t hdr = 0;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const phdr = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + phdr->p_vaddr;
        if (phdr->p_type == PT_GNU_EH_FRAME)
            hdr = start;
        if (phdr->p_type != PT_LOAD)
            continue;
        low = start < low ? start : low;
        high = start + phdr->p_memsz > high ? start + phdr->p_memsz : high;
    }
    if (search->pc < low || search->pc >= high)
        return 0;
    *search->object = (struct mprt_object){
        .start = mprof_round_down(low, mprt_os_page_bytes()),
        .end = high,
        .bias = info->dlpi_addr,
        .name = info->dlpi_name,
        .eh_frame_hdr = (const uint8_t *)hdr};
    return 1;
}

/* The main program, by what the kernel says. */
static struct dl_phdr_info main_program;

/* glibc finds one segment of a main program whose segments have a gap of pages
 * between them, and none of a static program before it has read the headers. */
static bool find_in_main(uintptr_t pc, struct mprt_object *object)
{
    struct search search = {pc, object};

    return visit_object(&main_program, sizeof(main_program), &search) != 0;
}

bool mprt_object_find(uintptr_t pc, struct mprt_object *object)
{
    struct search search = {pc, object};
    struct found_object found;

    if (&find_object == NULL) {
        object->end = 0;
        mprt_linkmap_iterate(visit_object, &search);
        return object->end != 0 || find_in_main(pc, object);
    }
    if (find_object((void *)pc, &found) != 0)
        return find_in_main(pc, object);
    *object = (struct mprt_object){.start = (uintptr_t)found.map_start,
                                   .end = (uintptr_t)found.map_end,
                                   .bias = found.link_map->l_addr,
                                   .name = found.link_map->l_name,
                                   .eh_frame_hdr = found.eh_frame_hdr};
    if (MPROF_UNLIKELY(found.link_map->l_name[0] == '\0'))
        (void)find_in_main(pc, object);
    return true;
}

/* -- what its headers say -------------------------------------------------- */

const ElfW(Phdr) *
    mprt_object_headers(const struct mprt_object *object, uint32_t *count)
{
    const ElfW(Ehdr) *const header =
        (const ElfW(Ehdr) *)(const void *)object->start;
    const uintptr_t room = object->end - object->start;

    if (room < sizeof(*header) || !mprt_os_is_readable(object->start) ||
        mprt_libc_memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phentsize != sizeof(ElfW(Phdr)) ||
        header->e_phoff % sizeof(uint64_t) != 0 || header->e_phoff > room ||
        header->e_phnum > (room - header->e_phoff) / sizeof(ElfW(Phdr)) ||
        header->e_phnum == 0)
        return NULL;
    const ElfW(Phdr) *const headers =
        (const ElfW(Phdr) *)(const void *)(object->start + header->e_phoff);
    if (!mprt_os_is_readable(
            mprof_round_down((uintptr_t)&headers[header->e_phnum] - 1, 8)))
        return NULL;
    *count = header->e_phnum;
    return headers;
}

static bool is_code(const ElfW(Phdr) * phdr)
{
    return phdr->p_type == PT_LOAD && (phdr->p_flags & PF_X) != 0;
}

uint32_t mprt_object_count_code(const ElfW(Phdr) * headers, uint32_t count)
{
    uint32_t code = 0;

    for (uint32_t i = 0; i < count; i++)
        code += is_code(&headers[i]);
    return code;
}

static void find_build_id(struct mprt_module *module, const uint8_t *notes,
                          size_t size, uint64_t align)
{
    size_t id_bytes;
    const uint8_t *const id =
        mprof_note_build_id(notes, size, align, &id_bytes);

    if (id == NULL)
        return;
    module->build_id_bytes = (uint32_t)id_bytes;
    mprt_libc_memcpy(module->build_id, id, module->build_id_bytes);
}

void mprt_object_describe(struct mprt_module *module,
                          struct mprt_segment *segments,
                          const ElfW(Phdr) * headers, uint32_t count)
{
    module->segments = segments;
    module->segment_count = 0;
    module->build_id_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ElfW(Phdr) *const phdr = &headers[i];
        const uintptr_t start = module->bias + phdr->p_vaddr;

        if (is_code(phdr))
            segments[module->segment_count++] =
                (struct mprt_segment){.start = start,
                                      .end = start + phdr->p_memsz,
                                      .file_off = phdr->p_offset};
        else if (phdr->p_type == PT_NOTE && module->build_id_bytes == 0)
            find_build_id(module, (const uint8_t *)start, phdr->p_memsz,
                          phdr->p_align);
    }
}

/* -- its path -------------------------------------------------------------- */

/* The kernel appends this to the path of a deleted file. */
#define DELETED " (deleted)"
/* How a list of mappings has a newline in a path. */
#define NEWLINE "\\012"

/* Path of the main program at the start. */
static char main_path[MPRT_PATH_BYTES];

/* Returns "" for the vdso, whose name is not a path. */
static const char *file_name(const char *name)
{
    for (const char *s = name; s != NULL && *s != '\0'; s++) {
        if (*s == '/')
            return name;
    }
    return "";
}

/* Reads the link into the text itself to save stack, which may be small. */
static bool put_link(struct mprt_textbuf *t, const char *link)
{
    const int64_t n =
        mprt_os_readlink(link, t->out + t->used, t->size - t->used);

    if (n <= 0 || (uint64_t)n >= t->size - t->used)
        return false;
    t->used += (size_t)n;
    t->out[t->used] = '\0';
    return true;
}

/* State of reading a line "START-END PERMISSIONS OFFSET DEVICE INODE
 * PATH". */
struct line {
    uintptr_t numbers[2];
    unsigned word;
};

/* Takes the next character. Returns false at the end of the line whose range
 * holds `address`; t then has its path. */
static bool take_char(struct line *l, char c, uintptr_t address,
                      struct mprt_textbuf *t)
{
    const bool holds =
        l->word >= 2 && l->numbers[0] <= address && address < l->numbers[1];

    if (c == '\n' && holds)
        return false;
    if (c == '\n')
        *l = (struct line){.word = 0};
    else if (holds && (c == '/' || t->used != 0))
        mprt_textbuf_char(t, c);
    else if (l->word < 2 && (c == '-' || c == ' '))
        l->word++;
    else if (l->word < 2)
        l->numbers[l->word] = l->numbers[l->word] << 4 |
                              (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    return true;
}

static void unescape_newlines(struct mprt_textbuf *t)
{
    const size_t n = sizeof(NEWLINE) - 1;
    size_t used = 0;

    for (size_t at = 0; at < t->used; used++) {
        const bool is_newline =
            t->used - at >= n && mprt_libc_memcmp(t->out + at, NEWLINE, n) == 0;

        t->out[used] = is_newline ? '\n' : t->out[at];
        at += is_newline ? n : 1;
    }
    t->used = used;
    t->out[used] = '\0';
}

/* Writes the path of the file that is mapped at `address`. t is empty. */
static bool put_mapping(struct mprt_textbuf *t, uintptr_t address)
{
    const int fd = mprt_os_open_read("/proc/thread-self/maps");
    struct line line = {.word = 0};
    bool goes_on = fd >= 0;
    char data[512];

    while (goes_on) {
        const int64_t n = mprt_os_read(fd, data, sizeof(data));

        goes_on = n > 0;
        for (int64_t i = 0; goes_on && i < n; i++)
            goes_on = take_char(&line, data[i], address, t);
    }
    if (fd >= 0)
        mprt_os_close(fd);
    unescape_newlines(t);
    return t->used != 0;
}

/* Removes " (deleted)" from the path of a deleted file. Returns false if the
 * path does not end with it, or if a file of that name exists. */
static bool unmark_deleted(struct mprt_textbuf *t)
{
    const size_t n = sizeof(DELETED) - 1;

    if (t->used <= n || mprt_libc_memcmp(t->out + t->used - n, DELETED, n) != 0)
        return false;
    const int fd = mprt_os_open_read(t->out);
    if (fd >= 0) {
        mprt_os_close(fd);
        return false;
    }
    t->used -= n;
    t->out[t->used] = '\0';
    return true;
}

/* Writes the path of the main program. Without AT_BASE the kernel started the
 * program without an interpreter: either a static program, or a dynamic linker
 * that was told what to run. Only the mapping tells them apart. */
static bool put_main(struct mprt_textbuf *t)
{
    return mprt_os_auxv(AT_BASE) == 0 ? put_mapping(t, mprt_os_auxv(AT_PHDR))
                                      : put_link(t, "/proc/thread-self/exe");
}

void mprt_object_init(void)
{
    struct mprt_textbuf t = {.out = main_path, .size = sizeof(main_path)};

    mprt_linkmap_find_main(&main_program);
    if (put_main(&t))
        unmark_deleted(&t);
}

void mprt_object_main_path(struct mprt_textbuf *t)
{
    t->out[0] = '\0';
    if (put_main(t) && !unmark_deleted(t))
        return;
    t->used = 0;
    mprt_textbuf_str(t, main_path);
}

void mprt_object_path(struct mprt_textbuf *t, const char *name,
                      uintptr_t address)
{
    t->out[0] = '\0';
    name = file_name(name);
    if (name[0] != '/' && name[0] != '\0' && put_mapping(t, address))
        unmark_deleted(t);
    else
        mprt_textbuf_str(t, name);
}
