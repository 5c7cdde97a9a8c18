/* rings.c -- rings of io_uring that the program makes by syscall(): marks the
 * blocks of requests that it submits by io_uring_enter(). The requests are in
 * memory that the program shares with the kernel; we see where it maps them.
 *
 * Whatever is wrong with an address or a number here, the blocks stay unmarked.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os.h"
#include "rt/process/process.h"
#include "rt/record/block.h"

#include <linux/io_uring.h>

#define RINGS_MAX 64u
/* Flags that older headers lack. */
#define OWN_MEMORY (1u << 14)   /* IORING_SETUP_NO_MMAP */
#define NO_ARRAY (1u << 16)     /* IORING_SETUP_NO_SQARRAY */
#define DIRECT_NUMBER (1u << 4) /* IORING_ENTER_REGISTERED_RING */
#define OP_SENDMSG_ZC 48u

/* Rows are never removed: a descriptor that is no ring any more is not entered,
 * and one that is used again replaces its row. */
static struct ring {
    _Atomic uint32_t number; /* descriptor + 1; 0: no ring */
    uint32_t flags;
    uint32_t entries;
    struct io_sqring_offsets at;
    _Atomic uintptr_t queue;
    _Atomic uintptr_t requests;
} rings[RINGS_MAX];

static struct ring *find(uint32_t number)
{
    for (size_t i = 0; i < RINGS_MAX; i++) {
        if (atomic_load(&rings[i].number) == number)
            return &rings[i];
    }
    return NULL;
}

/* A row of another ring is taken if there is no other. */
static struct ring *take(uint32_t number)
{
    struct ring *ring = find(number);

    for (size_t i = 0; ring == NULL && i < RINGS_MAX; i++) {
        uint32_t none = 0;
        if (atomic_compare_exchange_strong(&rings[i].number, &none, number))
            ring = &rings[i];
    }
    return ring != NULL ? ring : &rings[number % RINGS_MAX];
}

void mprt_rings_add(int fd, uintptr_t parameters)
{
    const struct io_uring_params *const p =
        (const struct io_uring_params *)parameters;
    const bool is_own = (p->flags & OWN_MEMORY) != 0;
    struct ring *const ring = take((uint32_t)fd + 1);

    ring->flags = p->flags;
    ring->entries = p->sq_entries;
    ring->at = p->sq_off;
    /* The program gave the addresses in place of what is reserved else. */
    atomic_store(&ring->queue, is_own ? p->cq_off.resv2 : 0);
    atomic_store(&ring->requests, is_own ? p->sq_off.resv2 : 0);
    atomic_store(&ring->number, (uint32_t)fd + 1);
}

void mprt_rings_map(int fd, uint64_t offset, uintptr_t p)
{
    struct ring *const ring = fd >= 0 ? find((uint32_t)fd + 1) : NULL;

    if (ring == NULL)
        return;
    if (offset == IORING_OFF_SQES)
        atomic_store(&ring->requests, p);
    else if (offset == IORING_OFF_SQ_RING)
        atomic_store(&ring->queue, p);
}

static void mark_request(const struct io_uring_sqe *request)
{
    switch (request->opcode) {
    case IORING_OP_READV:
    case IORING_OP_WRITEV:
        mprt_unseen_parts(request->addr, request->len);
        return;
    case IORING_OP_SENDMSG:
    case IORING_OP_RECVMSG:
    case OP_SENDMSG_ZC:
        mprt_unseen_message(request->addr);
        return;
    default:
        mprt_block_mark_unseen((const void *)request->addr);
        mprt_block_mark_unseen((const void *)request->addr2);
    }
}

/* The word of the queue at this offset. */
static uint32_t word(uintptr_t queue, uint32_t offset)
{
    const uintptr_t at = queue + offset;

    return mprt_os_is_readable(at) ? atomic_load((const _Atomic uint32_t *)at)
                                   : 0;
}

static void mark_at(const struct ring *ring, uintptr_t queue, uint32_t i)
{
    const size_t bytes = (ring->flags & IORING_SETUP_SQE128) != 0
                             ? 2 * sizeof(struct io_uring_sqe)
                             : sizeof(struct io_uring_sqe);
    const uint32_t place =
        (ring->flags & NO_ARRAY) != 0
            ? i
            : word(queue, ring->at.array + i * (uint32_t)sizeof(uint32_t));
    const uintptr_t request = atomic_load(&ring->requests) + place * bytes;

    if (place < ring->entries && mprt_os_is_readable(request))
        mark_request((const struct io_uring_sqe *)request);
}

void mprt_rings_enter(int fd, uint32_t flags)
{
    const struct ring *const ring =
        (flags & DIRECT_NUMBER) == 0 ? find((uint32_t)fd + 1) : NULL;
    const uintptr_t queue = ring != NULL ? atomic_load(&ring->queue) : 0;

    if (queue == 0 || atomic_load(&ring->requests) == 0)
        return;
    const uint32_t head = word(queue, ring->at.head);
    const uint32_t n = word(queue, ring->at.tail) - head;
    for (uint32_t i = 0; n <= ring->entries && i < n; i++)
        mark_at(ring, queue, (head + i) & (ring->entries - 1));
}
