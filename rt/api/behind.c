/* behind.c -- the allocator that our malloc replaces ("behind" ours).
 *
 * Libraries and programs can call that allocator in ways that we do not
 * intercept: __libc_malloc() called by another binary, dlsym(), RTLD_DEEPBIND,
 * functions of its own (mallocx()). The program may then pass such a block to
 * our free or realloc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/behind.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"
#include "rt/heap/heap.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/stack/linkmap.h"
#include "rt/stack/references.h"

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

static bool is_complete(void)
{
    return mprt_real.malloc != NULL && mprt_real.calloc != NULL &&
           mprt_real.realloc != NULL && mprt_real.memalign != NULL &&
           mprt_real.free != NULL && mprt_real.malloc_usable_size != NULL;
}

void mprt_behind_begin_serving(const char *why)
{
    if (!is_complete())
        return;
    MPRT_LOG("nothing is recorded: ", why);
    mprt_state_set_recording(false);
    mprt_options.dump_at_exit = false;
    mprt_behind_serves = true;
    /* From here on every allocation takes the slow path. */
    mprt_state_set(MPRT_STATE_NOT_READY);
}

/* -- Functions that take blocks of any malloc ------------------------------ */

/* Whether the program refers to functions of jemalloc that free or resize a
 * block that malloc returned. dl_iterate_phdr() reports the program first, so
 * this stops the iteration. */
static int visit_program(struct dl_phdr_info *info, size_t size, void *context)
{
    static const struct mprt_reference names[] = {{"dallocx", 1},
                                                  {"sdallocx", 1},
                                                  {"rallocx", 1},
                                                  {"xallocx", 1},
                                                  {"sallocx", 1}};

    (void)size;
    *(bool *)context =
        mprt_references_find(info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum,
                             names, MPROF_ARRAY_LEN(names)) != 0;
    return 1;
}

void mprt_behind_init(void)
{
    void *const of_libc = mprt_real_form.find("__libc_free");
    bool is_shared = false;

    mprt_behind_is_glibc = of_libc != NULL && (void *)mprt_real.free == of_libc;
    mprt_block_free_other = free_its;
    /* A search for leaks must know all blocks. */
    if (is_complete() && !mprt_options.leaks)
        mprt_sample_allow_outside();
    /* Look up dallocx only if the program uses such a function: a failing
     * look-up allocates. */
    mprt_linkmap_iterate(visit_program, &is_shared);
    if (is_shared && mprt_real_form.find_first("dallocx") != NULL)
        mprt_behind_begin_serving(
            "the program calls jemalloc's dallocx() or a similar function, "
            "which takes blocks of malloc");
}
