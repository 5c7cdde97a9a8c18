/* interpose_io.c -- input and output: counts what the kernel or the C library
 * reads from and writes to the program's buffers, as listed in
 * shared/io_calls.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

/* n is a function's result: negative if it failed. */
static void count_bytes(const void *data, int64_t n, bool is_write)
{
    if (data != NULL && n > 0)
        mprt_count(data, (size_t)n, is_write);
}

/* Counts an iovec array and the first n bytes of its buffers. The kernel always
 * reads the array itself. */
static void count_vector(const struct iovec *parts, size_t count, int64_t n,
                         bool is_write)
{
    if (n < 0)
        return;
    count_bytes(parts, (int64_t)(count * sizeof(*parts)), false);
    for (size_t i = 0; i < count && n > 0; i++) {
        const size_t part = mprof_min_u64(parts[i].iov_len, (uint64_t)n);

        mprt_count(parts[i].iov_base, part, is_write);
        n -= (int64_t)part;
    }
}

/* Counts a message after the call: for a received message the lengths are those
 * of what was received. */
static void count_message(const struct msghdr *message, int64_t n,
                          bool is_write)
{
    if (n < 0)
        return;
    mprt_count(message, sizeof(*message), is_write);
    count_bytes(message->msg_name, message->msg_namelen, is_write);
    count_bytes(message->msg_control, (int64_t)message->msg_controllen,
                is_write);
    count_vector(message->msg_iov, message->msg_iovlen, n, is_write);
}

/* The kernel stores the transferred bytes of each message in msg_len, for sent
 * messages too. */
static void count_messages(const struct mmsghdr *messages, int count,
                           bool is_write)
{
    for (int i = 0; i < count; i++) {
        count_message(&messages[i].msg_hdr, messages[i].msg_len, is_write);
        mprt_count_write(&messages[i].msg_len, sizeof(messages[i].msg_len));
    }
}

static int64_t wide_string_bytes(const wchar_t *s)
{
    return s != NULL && mprt_count_is_on()
               ? (int64_t)((MPRT_REAL(wcslen)(s) + 1) * sizeof(*s))
               : 0;
}

#define READS(p, n) count_bytes(p, (int64_t)(n), false)
#define WRITES(p, n) count_bytes(p, (int64_t)(n), true)
#define READS_SENT(p, n)                 \
    do {                                 \
        if (mprt_options.intercept_send) \
            READS(p, n);                 \
    } while (0)
#define READS_VECTOR(p, count, n) count_vector(p, (size_t)(count), n, false)
#define WRITES_VECTOR(p, count, n) count_vector(p, (size_t)(count), n, true)
#define READS_MESSAGE(p, n)              \
    do {                                 \
        if (mprt_options.intercept_send) \
            count_message(p, n, false);  \
    } while (0)
#define WRITES_MESSAGE(p, n) count_message(p, n, true)
#define READS_MESSAGES(p, count)             \
    do {                                     \
        if (mprt_options.intercept_send)     \
            count_messages(p, count, false); \
    } while (0)
#define WRITES_MESSAGES(p, count) count_messages(p, count, true)
#define WRITES_ADDRESS(p, n)                          \
    do {                                              \
        if (done >= 0 && (p) != NULL && (n) != NULL)  \
            mprt_count_write_within(p, *(n));         \
        WRITES(done >= 0 ? (n) : NULL, sizeof(*(n))); \
    } while (0)
#define WRITES_LINE(p, n)            \
    do {                             \
        if (done > 0) {              \
            WRITES(p, sizeof(*(p))); \
            WRITES(n, sizeof(*(n))); \
            WRITES(*(p), done + 1);  \
        }                            \
    } while (0)
#define STRING mprt_count_text_bytes
#define WIDE_STRING wide_string_bytes

#define MPROF_IO_CALL MPRT_COUNTING
#include "shared/io_calls.inc"
