/* memory.c -- the runtime's own memory and address space.
 *
 * Tables are carved from one large reservation, the arena. It is larger than
 * all tables: the rest replaces mappings that a limit of the program refuses,
 * so that a profile can be written whatever the program forbids itself.
 *
 * Reservations that are writable from the start are mapped as stacks are
 * (MAP_GROWSDOWN), because the kernel does not count stacks for RLIMIT_DATA. An
 * inaccessible page below each keeps the kernel from growing it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/memory.h"
#include "rt/base/limit.h"
#include "rt/base/log.h"
#include "rt/base/os.h"
#include "rt/base/procfs.h"
#include "shared/abi.h"

#include <sys/mman.h>
#include <sys/resource.h>

/* Tables take 160 GiB, or 672 GiB with last_access=1. No machine has as much
 * memory as the arena. */
#define ARENA_BYTES ((size_t)1 << 40)

static _Atomic uintptr_t arena; /* 0: not reserved yet */
static _Atomic size_t arena_used;
static _Atomic uint64_t mapped_bytes; /* outside of the arena */

static char *reserve_open(uintptr_t hint, size_t bytes)
{
    const size_t guard = mprt_os_page_bytes();

    mprt_limit_reserve(guard + bytes);
    char *const base =
        mprt_os_reserve(hint != 0 ? hint - guard : 0, guard + bytes);

    if (base == NULL)
        return NULL;
    if (!mprt_os_open_as_stack(base + guard, bytes)) {
        mprt_os_unmap(base, guard + bytes);
        return NULL;
    }
    return base + guard;
}

/* Start of the arena, or 0. The first call happens before there are threads. */
static uintptr_t find_arena(void)
{
    uintptr_t base = MPRT_LOAD(arena);

    if (MPROF_LIKELY(base != 0))
        return base;
    base = (uintptr_t)reserve_open(0, ARENA_BYTES);
    if (base != 0) {
        mprt_os_advise((void *)base, ARENA_BYTES, MADV_NOHUGEPAGE);
        mprt_os_advise((void *)base, ARENA_BYTES, MADV_DONTDUMP);
    }
    MPRT_STORE(arena, base);
    return base;
}

static bool is_in_arena(const void *p)
{
    const uintptr_t base = MPRT_LOAD(arena);

    return base != 0 && (uintptr_t)p - base < ARENA_BYTES;
}

void *mprt_memory_reserve(size_t bytes)
{
    const uintptr_t base = find_arena();
    const size_t whole = mprof_round_up(bytes, mprt_os_page_bytes());
    size_t used = MPRT_LOAD(arena_used);

    do {
        if (base == 0 || whole > ARENA_BYTES - used)
            return NULL;
    } while (!MPRT_CAS(arena_used, &used, used + whole));
    return (void *)(base + used);
}

void *mprt_memory_map(size_t bytes)
{
    void *const p = mprt_os_map(bytes);

    if (MPROF_UNLIKELY(p == NULL))
        return mprt_memory_reserve(bytes);
    MPRT_ADD(mapped_bytes, bytes);
    return p;
}

void mprt_memory_unmap(void *addr, size_t bytes)
{
    if (MPROF_UNLIKELY(is_in_arena(addr))) {
        mprt_os_discard(addr, bytes);
        return;
    }
    mprt_os_unmap(addr, bytes);
    atomic_fetch_sub_explicit(&mapped_bytes, bytes, memory_order_relaxed);
}

uint64_t mprt_memory_mapped_bytes(void)
{
    return MPRT_LOAD(mapped_bytes);
}

void *mprt_memory_cut(struct mprt_memory_chunk *chunk, size_t bytes,
                      size_t chunk_bytes)
{
    if (chunk->left < bytes) {
        const size_t whole = mprof_max_u64(bytes, chunk_bytes);
        char *const mapped = mprt_memory_map(whole);
        if (mapped == NULL)
            return NULL;
        *chunk = (struct mprt_memory_chunk){mapped, whole};
    }
    chunk->at += bytes;
    chunk->left -= bytes;
    return chunk->at - bytes;
}

void *mprt_memory_reserve_counters(uintptr_t hint, size_t bytes)
{
    return reserve_open(hint, bytes);
}

/* The new reservation ends at the inaccessible page below the old one. */
bool mprt_memory_extend_counters(uintptr_t start, size_t bytes)
{
    const size_t guard = mprt_os_page_bytes();
    char *const base = (char *)(start - bytes - guard);

    mprt_limit_reserve(bytes);
    char *const got = mprt_os_reserve((uintptr_t)base, bytes);

    if (got == base && mprt_os_open_as_stack(base + guard, bytes))
        return true;
    if (got != NULL)
        mprt_os_unmap(got, bytes);
    return false;
}

/* Of a range that differs in the bits above MPROF_FIELDS_ADDRESS_BITS the
 * counters by 4 bytes are in two pieces. A second range lies beside the first.
 */
static void *reserve_in_one_piece(size_t bytes)
{
    void *const base = mprt_os_reserve(0, bytes);
    const uintptr_t last = (uintptr_t)base + bytes - 1;
    void *other = NULL;

    if (base != NULL &&
        ((uintptr_t)base ^ last) >> MPROF_FIELDS_ADDRESS_BITS != 0)
        other = mprt_os_reserve(0, bytes);
    if (other == NULL)
        return base;
    mprt_os_unmap(base, bytes);
    return other;
}

/* Debuggers that write core files read inaccessible memory, too. */
void *mprt_memory_reserve_closed(size_t bytes)
{
    mprt_limit_reserve(bytes);
    void *const base = reserve_in_one_piece(bytes);
    if (base != NULL)
        mprt_os_advise(base, bytes, MADV_DONTDUMP);
    return base;
}

bool mprt_memory_open(void *addr, size_t bytes)
{
    if (!mprt_limit_use(bytes) || !mprt_os_open(addr, bytes))
        return false;
    mprt_os_advise(addr, bytes, MADV_DODUMP);
    return true;
}

/* -- without address space ------------------------------------------------- */

/* Names the cause and a remedy. */
static void describe_reason(struct mprt_textbuf *t)
{
    const struct mprt_os_limit limit = mprt_limit_get(RLIMIT_AS);
    char overcommit[4];

    mprt_procfs_read_setting(MPRT_PROCFS_OVERCOMMIT, overcommit,
                             sizeof(overcommit));
    if (limit.soft != MPRT_OS_NO_LIMIT) {
        MPRT_TEXT(t, ": virtual memory is limited to ",
                  MPRT_DEC(limit.soft >> 10),
                  " KiB; run `ulimit -v unlimited` first");
    } else if (overcommit[0] == '2') {
        mprt_textbuf_str(t, ": vm.overcommit_memory is 2, so the kernel wants "
                            "memory for all of it; run `sysctl "
                            "vm.overcommit_memory=0` first");
    } else {
        mprt_textbuf_str(t, ": other mappings of the program are in the way");
    }
}

_Noreturn void mprt_memory_give_up(const char *what)
{
    char text[256];
    struct mprt_textbuf reason = {text, sizeof(text), 0};

    describe_reason(&reason);
    MPRT_LOG("cannot reserve address space for ", what, text);
    mprt_os_exit(MPROF_EXIT_NO_SHADOW);
}
