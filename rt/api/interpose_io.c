/* interpose_io.c -- input and output: what the kernel or the C library reads
 * from the program's buffers and writes to them. The other functions of this
 * kind that LLVM's runtime interposes (printf, scanf, network databases, ...)
 * are not counted here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/count.h"

/* Counts what was transferred out of the program's buffer, or into it; a
 * negative result is a failure. */
static void count_out(const void *data, ssize_t n)
{
    if (n > 0)
        mprt_count_read(data, (size_t)n);
}

static void count_in(const void *data, ssize_t n)
{
    if (n > 0)
        mprt_count_write(data, (size_t)n);
}

static void count_vector(const struct iovec *vector, int count, ssize_t n,
                         void (*count_part)(const void *data, ssize_t n))
{
    for (int i = 0; i < count && n > 0; i++) {
        const size_t part = mprof_min_u64(vector[i].iov_len, (uint64_t)n);

        count_part(vector[i].iov_base, (ssize_t)part);
        n -= (ssize_t)part;
    }
}

#define TRANSFER(name, count, parameters, arguments)    \
    MPRT_INTERFACE ssize_t name parameters              \
    {                                                   \
        const ssize_t done = MPRT_REAL(name) arguments; \
                                                        \
        count(data, done);                              \
        return done;                                    \
    }

TRANSFER(read, count_in, (int fd, void *data, size_t n), (fd, data, n))
TRANSFER(write, count_out, (int fd, const void *data, size_t n), (fd, data, n))
TRANSFER(pread, count_in, (int fd, void *data, size_t n, off_t at),
         (fd, data, n, at))
TRANSFER(pwrite, count_out, (int fd, const void *data, size_t n, off_t at),
         (fd, data, n, at))
TRANSFER(pread64, count_in, (int fd, void *data, size_t n, off64_t at),
         (fd, data, n, at))
TRANSFER(pwrite64, count_out, (int fd, const void *data, size_t n, off64_t at),
         (fd, data, n, at))
TRANSFER(recv, count_in, (int fd, void *data, size_t n, int flags),
         (fd, data, n, flags))
TRANSFER(getrandom, count_in, (void *data, size_t n, unsigned flags),
         (data, n, flags))

MPRT_INTERFACE ssize_t readv(int fd, const struct iovec *vector, int count)
{
    const ssize_t done = MPRT_REAL(readv)(fd, vector, count);

    count_vector(vector, count, done, count_in);
    return done;
}

MPRT_INTERFACE ssize_t writev(int fd, const struct iovec *vector, int count)
{
    const ssize_t done = MPRT_REAL(writev)(fd, vector, count);

    count_vector(vector, count, done, count_out);
    return done;
}

MPRT_INTERFACE ssize_t recvfrom(int fd, void *restrict data, size_t n,
                                int flags, struct sockaddr *restrict from,
                                socklen_t *restrict from_bytes)
{
    const ssize_t done =
        MPRT_REAL(recvfrom)(fd, data, n, flags, from, from_bytes);

    count_in(data, done);
    return done;
}

MPRT_INTERFACE ssize_t send(int fd, const void *data, size_t n, int flags)
{
    const ssize_t done = MPRT_REAL(send)(fd, data, n, flags);

    if (mprt_options.intercept_send)
        count_out(data, done);
    return done;
}

MPRT_INTERFACE ssize_t sendto(int fd, const void *data, size_t n, int flags,
                              const struct sockaddr *to, socklen_t to_bytes)
{
    const ssize_t done = MPRT_REAL(sendto)(fd, data, n, flags, to, to_bytes);

    if (mprt_options.intercept_send)
        count_out(data, done);
    return done;
}

MPRT_INTERFACE size_t fread(void *restrict data, size_t size, size_t count,
                            FILE *restrict file)
{
    const size_t done = MPRT_REAL(fread)(data, size, count, file);

    mprt_count_write(data, done * size);
    return done;
}

MPRT_INTERFACE size_t fwrite(const void *restrict data, size_t size,
                             size_t count, FILE *restrict file)
{
    const size_t done = MPRT_REAL(fwrite)(data, size, count, file);

    mprt_count_read(data, done * size);
    return done;
}

MPRT_INTERFACE char *fgets(char *restrict line, int size, FILE *restrict file)
{
    char *const done = MPRT_REAL(fgets)(line, size, file);

    if (done != NULL)
        mprt_count_write(line, mprt_real.strlen(line) + 1);
    return done;
}

MPRT_INTERFACE int fputs(const char *restrict s, FILE *restrict file)
{
    mprt_count_read(s, mprt_real.strlen(s) + 1);
    return MPRT_REAL(fputs)(s, file);
}

MPRT_INTERFACE int puts(const char *s)
{
    mprt_count_read(s, mprt_real.strlen(s) + 1);
    return MPRT_REAL(puts)(s);
}

MPRT_INTERFACE ssize_t getline(char **restrict line, size_t *restrict size,
                               FILE *restrict file)
{
    const ssize_t n = MPRT_REAL(getline)(line, size, file);

    if (n > 0)
        mprt_count_write(*line, (size_t)n + 1);
    return n;
}

MPRT_INTERFACE ssize_t getdelim(char **restrict line, size_t *restrict size,
                                int delimiter, FILE *restrict file)
{
    const ssize_t n = MPRT_REAL(getdelim)(line, size, delimiter, file);

    if (n > 0)
        mprt_count_write(*line, (size_t)n + 1);
    return n;
}
