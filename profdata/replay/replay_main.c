/* replay_main.c -- memprofdata-replay: makes the calls of a job with the
 * allocator that is preloaded. Its own memory is not the allocator's.
 *
 *   memprofdata-replay [LIBRARY] < JOB
 *
 * Without LIBRARY malloc must be the C library's.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/replay/job.h"
#include "shared/abi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define LINE 64u
#define NS_PER_S 1000000000u

struct block {
    char *address;
    uint64_t size : 63;
    uint64_t is_counted : 1;
};

struct replay {
    struct mpdata_replay_job *job;
    struct block *blocks; /* by slot */
    size_t blocks_bytes;
    const uint64_t *at; /* next word */
    uint64_t live_bytes;
    int statm;
    /* Of an allocator that obeys hints, else NULL. */
    void *(*malloc_hint)(size_t size, uint8_t hint);
    void *(*realloc_hint)(void *block, size_t size, uint8_t hint);
};

static void *map(size_t size, int flags, int fd)
{
    void *const address =
        mmap(NULL, size, PROT_READ | PROT_WRITE, flags, fd, 0);

    return address != MAP_FAILED ? address : NULL;
}

/* -- the allocator --------------------------------------------------------- */

static const char *library_of(const char *function)
{
    void *const address = dlsym(RTLD_DEFAULT, function);
    Dl_info info;

    return address != NULL && dladdr(address, &info) != 0 &&
                   info.dli_fname != NULL
               ? info.dli_fname
               : "";
}

static bool is_same_file(const char *left, const char *right)
{
    struct stat a;
    struct stat b;

    return stat(left, &a) == 0 && stat(right, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_allocator(struct mpdata_replay_result *result,
                         const char *wanted)
{
    static const char *const functions[] = {"malloc", "free", "realloc"};
    bool is = true;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(functions) && is; i++) {
        const char *const library = library_of(functions[i]);

        snprintf(result->library, sizeof(result->library), "%s", library);
        is = is_same_file(library, wanted);
    }
    return is;
}

/* -- measuring ------------------------------------------------------------- */

static uint64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* Resident memory that is no file's, without our own blocks. */
static uint64_t resident_bytes(const struct replay *r)
{
    char text[128];
    unsigned long long resident;
    unsigned long long shared;
    const ssize_t n = pread(r->statm, text, sizeof(text) - 1, 0);

    if (n <= 0)
        return 0;
    text[n] = '\0';
    if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2)
        return 0;
    return mprof_sub_sat_u64(
        (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE), r->blocks_bytes);
}

/* A page of counted blocks, with a bit for each cache line. */
struct page {
    uintptr_t number;
    uint64_t lines;
};
_Static_assert(PAGE / LINE == 64, "bits of a page");

static uintptr_t pages_of(const struct block *b)
{
    return b->is_counted && b->size != 0
               ? ((uintptr_t)b->address + b->size - 1) / PAGE -
                     (uintptr_t)b->address / PAGE + 1
               : 0;
}

/* pages: a hash table of a power of two. */
static void count_block(struct page *pages, size_t mask, const struct block *b)
{
    const uintptr_t first = (uintptr_t)b->address / LINE;
    const uintptr_t last = ((uintptr_t)b->address + b->size - 1) / LINE;
    size_t at;

    for (uintptr_t line = first; line <= last; line++) {
        const uintptr_t number = line / (PAGE / LINE);

        at = (number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & mask;
        while (pages[at].number != number && pages[at].number != 0)
            at = (at + 1) & mask;
        pages[at].number = number;
        pages[at].lines |= UINT64_C(1) << line % (PAGE / LINE);
    }
}

/* False without memory. */
static bool count_pages(const struct replay *r)
{
    struct mpdata_replay_result *const result = &r->job->result;
    uint64_t most = 0;
    size_t count = 1;
    struct page *pages;

    for (uint32_t i = 0; i < r->job->slots; i++)
        most += pages_of(&r->blocks[i]);
    while (count <= 2 * most)
        count *= 2;
    pages = map(count * sizeof(*pages), MAP_PRIVATE | MAP_ANONYMOUS, -1);
    if (pages == NULL) {
        result->failed_bytes = count * sizeof(*pages);
        return false;
    }
    for (uint32_t i = 0; i < r->job->slots; i++) {
        if (pages_of(&r->blocks[i]) != 0)
            count_block(pages, count - 1, &r->blocks[i]);
    }
    for (size_t i = 0; i < count; i++) {
        result->pages += pages[i].number != 0;
        result->lines += (uint64_t)__builtin_popcountll(pages[i].lines);
    }
    munmap(pages, count * sizeof(*pages));
    return true;
}

/* -- calls ----------------------------------------------------------------- */

/* Touches each page of the bytes from `from` on. */
static void touch(const struct block *b, uint64_t from)
{
    for (uint64_t i = from; i < b->size; i += PAGE)
        ((volatile char *)b->address)[i] = 1;
    if (b->size > from)
        ((volatile char *)b->address)[b->size - 1] = 1;
}

static char *new_block(const struct replay *r, uint64_t size, uint8_t hint)
{
    return hint != 0 && r->malloc_hint != NULL ? r->malloc_hint(size, hint)
                                               : malloc(size);
}

static char *resize(const struct replay *r, char *address, uint64_t size,
                    uint8_t hint)
{
    return hint != 0 && r->realloc_hint != NULL
               ? r->realloc_hint(address, size, hint)
               : realloc(address, size);
}

static bool take(struct replay *r, struct block *b, uint64_t size,
                 const struct mpdata_replay_kind *kind, bool is_realloc)
{
    struct mpdata_replay_result *const result = &r->job->result;
    const uint64_t from = is_realloc ? mprof_min_u64(b->size, size) : 0;
    const uint8_t hint = (uint8_t)kind->hint;
    /* realloc() to 0 bytes would be free() for some. */
    char *const address =
        is_realloc ? resize(r, b->address, size != 0 ? size : 1, hint)
                   : new_block(r, size, hint);

    if (address == NULL && size != 0) {
        result->failed_bytes = size;
        return false;
    }
    r->live_bytes += size - (is_realloc ? b->size : 0);
    *b = (struct block){
        .address = address, .size = size, .is_counted = kind->is_counted};
    touch(b, from);
    if (is_realloc)
        result->reallocs++;
    else
        result->allocs++;
    return true;
}

static bool take_of_kind(struct replay *r, struct block *b, uint64_t word)
{
    const uint64_t size = word & ((UINT64_C(1) << MPDATA_REPLAY_SIZE_BITS) - 1);
    const struct mpdata_replay_kind *const kind =
        &r->job->kinds[(word >> MPDATA_REPLAY_SIZE_BITS) % MPDATA_REPLAY_KINDS];
    const bool changes = kind->from != 0 && size % kind->from == 0;

    return take(r, b, changes ? size / kind->from * kind->to : size, kind,
                (word & MPDATA_REPLAY_REALLOC_BIT) != 0);
}

static bool call(struct replay *r)
{
    static const struct mpdata_replay_kind none = {.hint = 0};
    const uint64_t word = *r->at++;
    struct block *const b = &r->blocks[(uint32_t)word];
    const uint64_t what = word >> MPDATA_REPLAY_SLOT_BITS;

    if (what == MPDATA_REPLAY_FREE) {
        free(b->address);
        r->live_bytes -= b->size;
        b->is_counted = 0;
        r->job->result.frees++;
        return true;
    }
    if (what == MPDATA_REPLAY_OF_KIND)
        return take_of_kind(r, b, *r->at++);
    return what <= MPDATA_REPLAY_SIZE_MAX
               ? take(r, b, what - 1, &none, false)
               : take(r, b, *r->at++, &none, what == MPDATA_REPLAY_REALLOC);
}

static bool call_all(struct replay *r)
{
    struct mpdata_replay_result *const result = &r->job->result;
    uint64_t calls = 0;

    for (uint32_t i = 0; i < result->sample_count; i++) {
        struct mpdata_replay_sample *const sample = &result->samples[i];
        const uint64_t start = now();

        while (calls < sample->calls) {
            if (!call(r))
                return false;
            calls++;
        }
        result->ns += now() - start;
        sample->live_bytes = r->live_bytes;
        sample->resident_bytes = resident_bytes(r);
        if (i == r->job->peak_sample && !count_pages(r))
            return false;
    }
    return true;
}

/* -- the process ----------------------------------------------------------- */

static bool open_job(struct replay *r)
{
    struct stat s;

    if (fstat(STDIN_FILENO, &s) != 0 ||
        (uint64_t)s.st_size < sizeof(struct mpdata_replay_job))
        return false;
    r->job = map((size_t)s.st_size, MAP_SHARED | MAP_POPULATE, STDIN_FILENO);
    if (r->job == NULL || r->job->version != MPDATA_REPLAY_VERSION)
        return false;
    r->at = r->job->words;
    r->blocks_bytes =
        ((size_t)r->job->slots * sizeof(struct block) / PAGE + 1) * PAGE;
    r->blocks =
        map(r->blocks_bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1);
    r->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    r->malloc_hint = (void *(*)(size_t, uint8_t))dlsym(
        RTLD_DEFAULT, MPROF_SYM_PREFIX "malloc" MPROF_HINT_SUFFIX);
    r->realloc_hint = (void *(*)(void *, size_t, uint8_t))dlsym(
        RTLD_DEFAULT, MPROF_SYM_PREFIX "realloc" MPROF_HINT_SUFFIX);
    return r->blocks != NULL && r->statm >= 0;
}

int main(int argc, char **argv)
{
    struct replay r = {.job = NULL};
    struct mpdata_replay_result *result;

    if (argc < 1 || argc > 2 || !open_job(&r))
        return 2;
    result = &r.job->result;
    if (!is_allocator(result, argc == 2 ? argv[1]
                                        : library_of("gnu_get_libc_version"))) {
        result->state = MPDATA_REPLAY_OTHER_LIBRARY;
        _exit(0);
    }
    result->start_bytes = resident_bytes(&r);
    result->state = call_all(&r) ? MPDATA_REPLAY_DONE : MPDATA_REPLAY_NO_MEMORY;
    _exit(0); /* without what allocators do at exit */
}
