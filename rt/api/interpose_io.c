/* interpose_io.c -- input and output: what the kernel or the C library reads
 * from the program's buffers and writes to them. The other functions of this
 * kind that LLVM's runtime interposes (printf, scanf, network databases, ...)
 * are not counted here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

/* Counts what was transferred; a negative result is a failure. */
static void count_transfer(const void *data, ssize_t n)
{
    if (n > 0)
        mprt_count(data, (size_t)n);
}

static void count_vector(const struct iovec *vector, int count, ssize_t n)
{
    for (int i = 0; i < count && n > 0; i++) {
        const size_t part = mprof_min_u64(vector[i].iov_len, (uint64_t)n);

        mprt_count(vector[i].iov_base, part);
        n -= (ssize_t)part;
    }
}

#define TRANSFER(name, parameters, arguments)           \
    MPRT_INTERFACE ssize_t name parameters              \
    {                                                   \
        const ssize_t done = MPRT_REAL(name) arguments; \
                                                        \
        count_transfer(data, done);                     \
        return done;                                    \
    }

TRANSFER(read, (int fd, void *data, size_t n), (fd, data, n))
TRANSFER(write, (int fd, const void *data, size_t n), (fd, data, n))
TRANSFER(pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at))
TRANSFER(pwrite, (int fd, const void *data, size_t n, off_t at),
         (fd, data, n, at))
TRANSFER(pread64, (int fd, void *data, size_t n, off64_t at), (fd, data, n, at))
TRANSFER(pwrite64, (int fd, const void *data, size_t n, off64_t at),
         (fd, data, n, at))
TRANSFER(recv, (int fd, void *data, size_t n, int flags), (fd, data, n, flags))
TRANSFER(getrandom, (void *data, size_t n, unsigned flags), (data, n, flags))

MPRT_INTERFACE ssize_t readv(int fd, const struct iovec *vector, int count)
{
    const ssize_t done = MPRT_REAL(readv)(fd, vector, count);

    count_vector(vector, count, done);
    return done;
}

MPRT_INTERFACE ssize_t writev(int fd, const struct iovec *vector, int count)
{
    const ssize_t done = MPRT_REAL(writev)(fd, vector, count);

    count_vector(vector, count, done);
    return done;
}

MPRT_INTERFACE ssize_t recvfrom(int fd, void *restrict data, size_t n,
                                int flags, struct sockaddr *restrict from,
                                socklen_t *restrict from_bytes)
{
    const ssize_t done =
        MPRT_REAL(recvfrom)(fd, data, n, flags, from, from_bytes);

    count_transfer(data, done);
    return done;
}

MPRT_INTERFACE ssize_t send(int fd, const void *data, size_t n, int flags)
{
    const ssize_t done = MPRT_REAL(send)(fd, data, n, flags);

    if (mprt_options.intercept_send)
        count_transfer(data, done);
    return done;
}

MPRT_INTERFACE ssize_t sendto(int fd, const void *data, size_t n, int flags,
                              const struct sockaddr *to, socklen_t to_bytes)
{
    const ssize_t done = MPRT_REAL(sendto)(fd, data, n, flags, to, to_bytes);

    if (mprt_options.intercept_send)
        count_transfer(data, done);
    return done;
}

MPRT_INTERFACE size_t fread(void *restrict data, size_t size, size_t count,
                            FILE *restrict file)
{
    const size_t done = MPRT_REAL(fread)(data, size, count, file);

    mprt_count(data, done * size);
    return done;
}

MPRT_INTERFACE size_t fwrite(const void *restrict data, size_t size,
                             size_t count, FILE *restrict file)
{
    const size_t done = MPRT_REAL(fwrite)(data, size, count, file);

    mprt_count(data, done * size);
    return done;
}

MPRT_INTERFACE char *fgets(char *restrict line, int size, FILE *restrict file)
{
    char *const done = MPRT_REAL(fgets)(line, size, file);

    if (done != NULL)
        mprt_count(line, mprt_real.strlen(line) + 1);
    return done;
}

MPRT_INTERFACE int fputs(const char *restrict s, FILE *restrict file)
{
    mprt_count(s, mprt_real.strlen(s) + 1);
    return MPRT_REAL(fputs)(s, file);
}

MPRT_INTERFACE int puts(const char *s)
{
    mprt_count(s, mprt_real.strlen(s) + 1);
    return MPRT_REAL(puts)(s);
}

MPRT_INTERFACE ssize_t getline(char **restrict line, size_t *restrict size,
                               FILE *restrict file)
{
    const ssize_t n = MPRT_REAL(getline)(line, size, file);

    if (n > 0)
        mprt_count(*line, (size_t)n + 1);
    return n;
}

MPRT_INTERFACE ssize_t getdelim(char **restrict line, size_t *restrict size,
                                int delimiter, FILE *restrict file)
{
    const ssize_t n = MPRT_REAL(getdelim)(line, size, delimiter, file);

    if (n > 0)
        mprt_count(*line, (size_t)n + 1);
    return n;
}
