/* behind.c -- the allocator that our malloc replaces ("behind" ours).
 *
 * Libraries and programs can call that allocator in ways that we do not
 * intercept: __libc_malloc() called by another binary, dlsym(), RTLD_DEEPBIND,
 * functions of its own (mallocx()). The program may then pass such a block to
 * our free or realloc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/behind.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/heap/heap.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/stack/linkmap.h"

bool mprt_behind_serves;
bool mprt_behind_is_glibc;

/* -- Recognize its blocks -------------------------------------------------- */

/* A glibc chunk: the word before the block has the chunk's size and these
 * bits. */
#define CHUNK_IN_USE_BEFORE ((size_t)1)
#define CHUNK_IS_MAPPED ((size_t)2)
#define CHUNK_BITS ((size_t)7)
#define CHUNK_HEADER (2 * sizeof(size_t))
#define CHUNK_BYTES_MIN ((size_t)32)
#define CHUNK_BYTES_MAX ((size_t)1 << 46)

static bool read_word(uintptr_t at, size_t *word)
{
    if (!mprt_os_is_readable(at))
        return false;
    *word = *(const volatile size_t *)at;
    return true;
}

/* Whether p looks like a block of glibc. glibc's free ends the program if it
 * gets any other pointer. */
static bool is_chunk(uintptr_t p)
{
    size_t head;
    size_t next;

    if (p % CHUNK_HEADER != 0 || p <= CHUNK_HEADER ||
        !read_word(p - sizeof(head), &head))
        return false;
    const size_t bytes = head & ~CHUNK_BITS;
    const uintptr_t chunk = p - CHUNK_HEADER;
    if (bytes < CHUNK_BYTES_MIN || bytes > CHUNK_BYTES_MAX ||
        bytes % CHUNK_HEADER != 0)
        return false;
    if ((head & CHUNK_IS_MAPPED) != 0) {
        const size_t before = *(const volatile size_t *)chunk;
        const size_t page = mprt_os_page_bytes();
        return (chunk - before) % page == 0 && (bytes + before) % page == 0;
    }
    return read_word(chunk + bytes + sizeof(next), &next) &&
           (next & CHUNK_IN_USE_BEFORE) != 0;
}

static bool may_be_its(const void *p)
{
    return !mprt_heap_contains(p) && mprt_real.free != NULL &&
           (!mprt_behind_is_glibc || is_chunk((uintptr_t)p));
}

/* -- Operations on its blocks ---------------------------------------------- */

static bool free_its(void *p)
{
    if (!may_be_its(p))
        return false;
    mprt_real.free(p);
    return true;
}

bool mprt_behind_resize(void *p, size_t size, void **q)
{
    if (!may_be_its(p) || mprt_real.realloc == NULL)
        return false;
    *q = mprt_real.realloc(p, size);
    return true;
}

bool mprt_behind_size(void *p, size_t *size)
{
    if (!may_be_its(p) || mprt_real.malloc_usable_size == NULL)
        return false;
    *size = mprt_real.malloc_usable_size(p);
    return true;
}

/* -- Serving the program instead of our malloc ----------------------------- */

void mprt_behind_begin_serving(const char *why)
{
    if (mprt_real.malloc == NULL || mprt_real.calloc == NULL ||
        mprt_real.memalign == NULL || mprt_real.free == NULL)
        return;
    mprt_log("nothing is recorded: ", why, NULL);
    mprt_state_set_recording(false);
    mprt_options.dump_at_exit = false;
    mprt_behind_serves = true;
    /* From here on every allocation takes the slow path. */
    atomic_store(&mprt_state_ready, false);
}

void *mprt_behind_new(size_t size, size_t align, bool zero)
{
    if (zero)
        return mprt_real.calloc(1, size);
    return align <= MPRT_HEAP_ALIGN / 2 ? mprt_real.malloc(size)
                                        : mprt_real.memalign(align, size);
}

/* -- Functions that take blocks of any malloc ------------------------------ */

/* What the dynamic section of a binary says. */
struct section {
    uintptr_t symbols;
    uintptr_t strings;
    struct {
        uintptr_t start;
        size_t bytes;
    } relocations[2];
};

static struct section read_dynamic(const ElfW(Dyn) * dynamic)
{
    struct section section = {0};

    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const uintptr_t value = dynamic->d_un.d_ptr;
        if (dynamic->d_tag == DT_SYMTAB)
            section.symbols = value;
        else if (dynamic->d_tag == DT_STRTAB)
            section.strings = value;
        else if (dynamic->d_tag == DT_JMPREL)
            section.relocations[0].start = value;
        else if (dynamic->d_tag == DT_PLTRELSZ)
            section.relocations[0].bytes = value;
        else if (dynamic->d_tag == DT_RELA)
            section.relocations[1].start = value;
        else if (dynamic->d_tag == DT_RELASZ)
            section.relocations[1].bytes = value;
    }
    return section;
}

/* Whether `name` is one of jemalloc's functions that free or resize a block
 * that malloc returned. */
static bool takes_blocks(const char *name)
{
    static const char *const names[] = {"dallocx", "sdallocx", "rallocx",
                                        "xallocx", "sallocx"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        if (mprt_libc_strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool refers_to_one(const struct section *s, unsigned i)
{
    const ElfW(Sym) *const symbols = (const ElfW(Sym) *)s->symbols;
    const ElfW(Rela) *const rela = (const ElfW(Rela) *)s->relocations[i].start;
    const size_t count = s->relocations[i].bytes / sizeof(*rela);

    for (size_t r = 0; rela != NULL && r < count; r++) {
        const ElfW(Sym) *const symbol = &symbols[ELF64_R_SYM(rela[r].r_info)];
        if (symbol != symbols &&
            takes_blocks((const char *)s->strings + symbol->st_name))
            return true;
    }
    return false;
}

/* dl_iterate_phdr() reports the program first, so this stops the iteration. */
static int visit_program(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const struct section s = read_dynamic(
            (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
        *(bool *)context = s.symbols != 0 && s.strings != 0 &&
                           (refers_to_one(&s, 0) || refers_to_one(&s, 1));
    }
    return 1;
}

void mprt_behind_init(void)
{
    void *const of_libc = mprt_real_form.find("__libc_free");
    bool is_shared = false;

    mprt_behind_is_glibc = of_libc != NULL && (void *)mprt_real.free == of_libc;
    mprt_block_free_other = free_its;
    /* Look up dallocx only if the program uses such a function: a failing
     * look-up allocates. */
    mprt_linkmap_iterate(visit_program, &is_shared);
    if (is_shared && mprt_real_form.find_first("dallocx") != NULL)
        mprt_behind_begin_serving(
            "the program calls jemalloc's dallocx() or a similar function, "
            "which takes blocks of malloc");
}
