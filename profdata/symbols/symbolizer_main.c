/* symbolizer_main.c -- LLVM's reader of debug information as a process of its
 * own: what it does with damaged or hostile files, ending with a signal,
 * computing for ever or asking for all memory, ends this process, and costs its
 * parent the lines of one file (docs/decisions/0019-reader-process.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/heapbuf.h"
#include "profdata/symbols/symbolizer_bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Seconds of CPU time: some for all, one more for each MiB of the file and each
 * hundred questions. LLVM reads 30 MiB of compressed debug information, or
 * 5,000 addresses, in a second. */
#define SECONDS 10u
#define SECONDS_FILE_BYTES (1u << 20)
#define SECONDS_QUESTIONS 100u
/* Who waits (for a network's file system) takes no CPU time: so many times as
 * long in all. */
#define WAITS 10u
#define NAMES_MEMORY_BYTES (UINT64_C(256) << 20)

struct state {
    const struct mpdata_bridge *bridge;
    void *reader; /* of the file, or NULL */
    uint64_t last_unit;
    uint64_t seconds;
    uint64_t questions;
    struct mprof_buf answer;
};

/* -- what it may take ------------------------------------------------------ */

static void lower(int resource, uint64_t value)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= value)
        return;
    limit.rlim_cur = value;
    (void)setrlimit(resource, &limit);
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* The file is mapped; beside that, half of the memory there is. Names alone
 * need little, though one of a hundred letters can stand for gigabytes. */
static void limit_memory(const char *path)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);

    lower(RLIMIT_CORE, 0);
    if (path == NULL)
        lower(RLIMIT_AS, NAMES_MEMORY_BYTES);
    else if (pages > 0 && page_bytes > 0)
        lower(RLIMIT_AS,
              file_bytes(path) + (uint64_t)pages * (uint64_t)page_bytes / 2);
}

/* The limit grows with the questions, so it is a new one each time. The hard
 * limit stays: that is the user's. */
static void limit_time(struct state *s, uint64_t questions)
{
    struct rlimit limit;
    uint64_t seconds;

    s->questions += questions;
    seconds = s->seconds + s->questions / SECONDS_QUESTIONS;
    if (getrlimit(RLIMIT_CPU, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < seconds ? limit.rlim_max : seconds;
        (void)setrlimit(RLIMIT_CPU, &limit);
    }
    alarm((unsigned)(WAITS * seconds));
}

/* LLVM opens what the debug information names, a .dwo file, and a package
 * beside the file. The linker leads its calls here: only plain files are
 * opened, and none is waited for. */
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
    __attribute__((alias("__wrap_open64")));

int __wrap_open64(const char *path, int flags, ...)
{
    struct stat st;
    int fd;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        errno = EACCES;
        return -1;
    }
    fd = __real_open64(path,
                       (flags & ~(O_CREAT | O_TRUNC)) | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

/* -- answers --------------------------------------------------------------- */

static void put_text(struct mprof_buf *out, const char *text)
{
    const size_t size = text != NULL ? strlen(text) + 1 : 0;

    mprof_buf_uint(out, size, sizeof(uint32_t));
    mprof_buf_bytes(out, text, size);
}

static void put_split(void *context, const char *path)
{
    put_text((struct mprof_buf *)context, path);
}

static void put_frames(void *context, const struct mpdata_symbol *symbols,
                       size_t count)
{
    struct mprof_buf *const out = (struct mprof_buf *)context;

    mprof_buf_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        put_text(out, symbols[i].function);
        put_text(out, symbols[i].file);
        put_text(out, symbols[i].start_file);
        mprof_buf_u32(out, symbols[i].line);
        mprof_buf_u32(out, symbols[i].column);
        mprof_buf_u32(out, symbols[i].start_line);
        mprof_buf_u32(out, symbols[i].discriminator);
    }
}

static void answer_lookup(struct state *s, uint64_t address)
{
    const uint64_t unit = s->bridge->unit(s->reader, address);
    const size_t before = s->answer.size;

    if (unit != s->last_unit && unit != MPDATA_BRIDGE_NO_UNIT)
        s->bridge->split(s->reader, address, put_split, &s->answer);
    s->last_unit = unit;
    if (s->answer.size == before)
        put_text(&s->answer, NULL);
    s->bridge->lookup(s->reader, address, put_frames, &s->answer);
}

static void answer_name(struct state *s, const char *name)
{
    char *const result = s->bridge->demangle(name);

    if (result != NULL)
        mprof_buf_bytes(&s->answer, result, strlen(result));
    free(result);
}

static void answer(struct state *s, uint32_t kind, const char *bytes,
                   size_t size)
{
    for (size_t i = 0; s->reader != NULL && i + sizeof(uint64_t) <= size;
         i += sizeof(uint64_t)) {
        uint64_t address;

        memcpy(&address, bytes + i, sizeof(address));
        if (kind == MPDATA_REMOTE_LOOKUP)
            answer_lookup(s, address);
        else if (kind == MPDATA_REMOTE_UNITS)
            mprof_buf_u64(&s->answer, s->bridge->unit(s->reader, address));
    }
    if (kind == MPDATA_REMOTE_DEMANGLE)
        answer_name(s, bytes);
}

/* -- the socket ------------------------------------------------------------ */

static bool get_bytes(void *data, size_t size)
{
    return size == 0 ||
           recv(STDIN_FILENO, data, size, MSG_WAITALL) == (ssize_t)size;
}

static bool put_bytes(const void *data, size_t size)
{
    const char *at = (const char *)data;
    ssize_t n = 0;

    for (; size != 0 && n >= 0; at += n, size -= (size_t)n)
        n = send(STDIN_FILENO, at, size, MSG_NOSIGNAL);
    return size == 0;
}

static bool send_answer(struct state *s)
{
    const uint64_t bytes = s->answer.size;
    const bool is_sent = !s->answer.failed &&
                         put_bytes(&bytes, sizeof(bytes)) &&
                         put_bytes(s->answer.data, s->answer.size);

    s->answer.size = 0;
    return is_sent;
}

static bool open_file(struct state *s, const char *path, const char *dwp)
{
    char error[256] = "";

    s->reader = s->bridge->open(path, dwp, error, sizeof(error));
    if (s->reader == NULL)
        mprof_buf_bytes(&s->answer, error, strlen(error));
    return send_answer(s);
}

static void serve(struct state *s)
{
    static char bytes[MPDATA_REMOTE_BYTES_MAX + 1];
    struct mpdata_remote_question question;

    do {
        (void)alarm(0);
        if (!get_bytes(&question, sizeof(question)) ||
            question.bytes > MPDATA_REMOTE_BYTES_MAX ||
            !get_bytes(bytes, question.bytes))
            return;
        bytes[question.bytes] = '\0';
        limit_time(s, question.bytes / sizeof(uint64_t) + 1);
        answer(s, question.kind, bytes, question.bytes);
    } while (send_answer(s));
}

int main(int argc, char **argv)
{
    struct state s = {.bridge = mpdata_symbolizer_llvm_entry(),
                      .last_unit = MPDATA_BRIDGE_NO_UNIT,
                      .seconds = SECONDS};
    const char *const path = argc == 4 ? argv[2] : NULL;

    if (argc < 2 || strcmp(argv[1], MPDATA_REMOTE_VERSION) != 0)
        return MPDATA_REMOTE_IS_OTHER;
    /* What the program that is our parent has open is none of ours. */
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
    mpdata_heapbuf_init(&s.answer);
    limit_memory(path);
    if (path != NULL)
        s.seconds += file_bytes(path) / SECONDS_FILE_BYTES;
    limit_time(&s, 1);
    if (path == NULL || open_file(&s, path, argv[3]))
        serve(&s);
    /* What was read is not put away. */
    _exit(0);
}
