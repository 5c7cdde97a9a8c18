/* unseen.c -- marks the blocks that the kernel accesses in system calls, so
 * that they do not seem never accessed: what the arguments of
 * rt/process/system_calls.inc point to, and what is behind lists of buffers.
 *
 * The blocks are marked before the call: when it returns, an asynchronous call
 * may be complete, and its blocks freed. So lists are not yet checked by the
 * kernel, and are read only if they can be.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os.h"
#include "rt/process/process.h"
#include "rt/real/real.h"
#include "rt/record/block.h"

#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>

/* Longer lists are refused by the kernel, or are not worth the time. */
#define PARTS_MAX 1024u
#define STRINGS_MAX 65536u
#define WORDS_MAX 512u

static const char kinds_of[][MPRT_SYSCALL_ARGUMENTS + 1] = {
#define MPRT_SYSTEM_CALL(name, kinds) [SYS_##name] = kinds,
#include "rt/process/system_calls.inc"
};

static void mark(uintptr_t p)
{
    mprt_block_mark_unseen((const void *)p);
}

static bool is_list(uintptr_t at, size_t bytes)
{
    return mprt_os_are_readable((const void *)at, bytes);
}

static void mark_words(uintptr_t at, size_t bytes)
{
    const uint64_t n = mprof_min_u64(bytes / sizeof(uintptr_t), WORDS_MAX);

    mark(at);
    if (!is_list(at, n * sizeof(uintptr_t)))
        return;
    for (size_t i = 0; i < n; i++)
        mark(((const uintptr_t *)at)[i]);
}

void mprt_unseen_parts(uintptr_t at, size_t count)
{
    const struct iovec *const parts = (const struct iovec *)at;

    mark(at);
    if (count > PARTS_MAX || !is_list(at, count * sizeof(*parts)))
        return;
    for (size_t i = 0; i < count; i++)
        mark((uintptr_t)parts[i].iov_base);
}

void mprt_unseen_message(uintptr_t at)
{
    const struct msghdr *const message = (const struct msghdr *)at;

    mark(at);
    if (!is_list(at, sizeof(*message)))
        return;
    mark((uintptr_t)message->msg_name);
    mark((uintptr_t)message->msg_control);
    mprt_unseen_parts((uintptr_t)message->msg_iov, message->msg_iovlen);
}

static void mark_messages(uintptr_t at, size_t count)
{
    for (size_t i = 0; i < mprof_min_u64(count, PARTS_MAX); i++)
        mprt_unseen_message(at + i * sizeof(struct mmsghdr));
}

void mprt_unseen_strings(uintptr_t at)
{
    const uintptr_t *const strings = (const uintptr_t *)at;
    uintptr_t checked = 0; /* up to this address */

    mark(at);
    for (size_t i = 0; i < STRINGS_MAX; i++) {
        const uintptr_t end = (uintptr_t)&strings[i + 1];

        if (end > checked && !is_list(end - sizeof(*strings), sizeof(*strings)))
            return;
        if (end > checked)
            checked = mprof_round_up(end, mprt_os_page_bytes());
        if (strings[i] == 0)
            return;
        mark(strings[i]);
    }
}

static void mark_request(uintptr_t at)
{
    const struct iocb *const request = (const struct iocb *)at;

    mark(at);
    if (!is_list(at, sizeof(*request)))
        return;
    if (request->aio_lio_opcode == IOCB_CMD_PREADV ||
        request->aio_lio_opcode == IOCB_CMD_PWRITEV)
        mprt_unseen_parts(request->aio_buf, request->aio_nbytes);
    else
        mark(request->aio_buf);
}

static void mark_requests(uintptr_t at, size_t count)
{
    const uintptr_t *const requests = (const uintptr_t *)at;

    mark(at);
    if (count > STRINGS_MAX || !is_list(at, count * sizeof(*requests)))
        return;
    for (size_t i = 0; i < count; i++)
        mark_request(requests[i]);
}

static void mark_registered(uintptr_t at, unsigned operation, size_t count)
{
    const struct io_uring_rsrc_register *const more =
        (const struct io_uring_rsrc_register *)at;

    if (operation == IORING_REGISTER_BUFFERS)
        mprt_unseen_parts(at, count);
    else if (operation == IORING_REGISTER_BUFFERS2 &&
             is_list(at, sizeof(*more)))
        mprt_unseen_parts(more->data, more->nr);
    mark_words(at, sizeof(uintptr_t));
}

/* Arguments beyond the last one are not looked at. */
static void mark_argument(char kind, const unsigned long *a)
{
    switch (kind) {
    case 'p':
        mark(*a);
        break;
    case 'f':
        mark_words(*a, sizeof(uintptr_t));
        break;
    case 'w':
        mark_words(*a, a[1]);
        break;
    case 'v':
        mprt_unseen_parts(*a, a[1]);
        break;
    case 'm':
        mprt_unseen_message(*a);
        break;
    case 'M':
        mark_messages(*a, a[1]);
        break;
    case 's':
        mprt_unseen_strings(*a);
        break;
    case 'i':
        mark_requests(*a, a[-1]);
        break;
    case 'r':
        mark_registered(*a, (unsigned)a[-1], a[1]);
        break;
    default:
        break;
    }
}

void mprt_unseen_call(long number,
                      const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS])
{
    if ((unsigned long)number >= MPROF_ARRAY_LEN(kinds_of))
        return;
    for (size_t i = 0; i < MPRT_SYSCALL_ARGUMENTS; i++)
        mark_argument(kinds_of[number][i], &arguments[i]);
}
