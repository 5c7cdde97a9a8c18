/* symbolizer_main.c -- libdw and LLVM's reader of debug information as a
 * process of its own: what they do with damaged or hostile files, ending with a
 * signal, computing for ever or asking for all memory, ends this process, and
 * costs its parent the lines of one file
 * (docs/decisions/0010-debug-information.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/heapbuf.h"
#include "profdata/base/vec.h"
#include "profdata/symbols/symbolizer_bridge.h"
#include "profdata/symbols/symbolizer_dwarf.h"
#include "profdata/symbols/symbolizer_table.h"

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
    struct mpdata_symbolizer_file file;
    bool wants_lines;
    const char *dwp;
    void *
        llvm; /* LLVM's reader of the debug information; NULL: not needed yet */
    const uint64_t *addresses; /* of the question */
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

static uint64_t bytes_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static uint64_t file_bytes(const struct state *s)
{
    return bytes_of(s->file.path) + bytes_of(s->file.debug);
}

/* The files are mapped; beside that, half of the memory there is. Names alone
 * need little, though one of a hundred letters can stand for gigabytes. */
static void limit_memory(const struct state *s)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);

    lower(RLIMIT_CORE, 0);
    if (s->file.path == NULL)
        lower(RLIMIT_AS, NAMES_MEMORY_BYTES);
    else if (pages > 0 && page_bytes > 0)
        lower(RLIMIT_AS,
              file_bytes(s) + (uint64_t)pages * (uint64_t)page_bytes / 2);
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

/* The readers open what debug information names: a .dwo file, and a package
 * beside the file. The linker makes this their open(), also for shared
 * libraries: only plain files are opened, and none is waited for. */
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    struct stat st;
    int fd;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        errno = EACCES;
        return -1;
    }
    fd = openat(AT_FDCWD, path,
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

static bool open_llvm(struct state *s)
{
    const char *const debug = s->file.debug;
    char error[256];

    if (s->llvm == NULL)
        s->llvm = s->bridge->open(debug[0] != '\0' ? debug : s->file.path,
                                  s->dwp, error, sizeof(error));
    return s->llvm != NULL;
}

static void put_answer(void *context, size_t index,
                       const struct mpdata_symbol *frames, size_t count,
                       const char *split)
{
    static const struct mpdata_symbol unknown;
    struct state *const s = (struct state *)context;

    mprof_buf_u32(&s->answer, (uint32_t)index);
    put_text(&s->answer, split);
    if (count != 0)
        put_frames(&s->answer, frames, count);
    else if (s->wants_lines && open_llvm(s))
        s->bridge->lookup(s->llvm, s->addresses[index], put_frames, &s->answer);
    else
        put_frames(&s->answer, &unknown, 1);
}

static bool put_names(struct state *s, size_t count)
{
    struct mpdata_symbolizer_name *const names =
        (struct mpdata_symbolizer_name *)mpdata_vec_array(count,
                                                          sizeof(*names));
    bool is_found = names != NULL;

    for (size_t i = 0; is_found && i < count; i++)
        names[i].address = s->addresses[i];
    is_found =
        is_found && mpdata_symbolizer_table_find(s->file.module, names, count);
    for (size_t i = 0; is_found && i < count; i++) {
        put_text(&s->answer, names[i].name);
        put_text(&s->answer, names[i].file);
    }
    free(names);
    return is_found;
}

static bool answer_lookup(struct state *s, const uint64_t *addresses,
                          size_t count)
{
    s->addresses = addresses;
    if (!put_names(s, count))
        return false;
    if (s->wants_lines)
        return mpdata_symbolizer_dwarf_find(&s->file, addresses, count,
                                            put_answer, s);
    for (size_t i = 0; i < count; i++)
        put_answer(s, i, NULL, 0, NULL);
    return true;
}

static bool answer_name(struct state *s, const char *name)
{
    char *const result = s->bridge->demangle(name);

    if (result != NULL)
        mprof_buf_bytes(&s->answer, result, strlen(result));
    free(result);
    return result != NULL;
}

static bool answer(struct state *s, uint32_t kind, const char *bytes,
                   size_t size)
{
    if (kind == MPDATA_REMOTE_DEMANGLE)
        return answer_name(s, bytes);
    return kind == MPDATA_REMOTE_LOOKUP && s->file.module != NULL &&
           answer_lookup(s, (const uint64_t *)(const void *)bytes,
                         size / sizeof(uint64_t));
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

static bool open_file(struct state *s)
{
    static const char error[] = "libdwfl cannot read the ELF file";

    elf_version(EV_CURRENT);
    if (!mpdata_symbolizer_dwarf_open(&s->file))
        mprof_buf_bytes(&s->answer, error, sizeof(error) - 1);
    return send_answer(s) && s->file.module != NULL;
}

static void serve(struct state *s)
{
    static _Alignas(uint64_t) char bytes[MPDATA_REMOTE_BYTES_MAX + 1];
    struct mpdata_remote_question question;

    do {
        (void)alarm(0);
        if (!get_bytes(&question, sizeof(question)) ||
            question.bytes > MPDATA_REMOTE_BYTES_MAX ||
            !get_bytes(bytes, question.bytes))
            return;
        bytes[question.bytes] = '\0';
        limit_time(s, question.bytes / sizeof(uint64_t) + 1);
    } while (answer(s, question.kind, bytes, question.bytes) && send_answer(s));
}

int main(int argc, char **argv)
{
    struct state s = {.bridge = mpdata_symbolizer_llvm_entry(),
                      .seconds = SECONDS};
    const bool has_file = argc == 6;

    if (argc < 2 || strcmp(argv[1], MPDATA_REMOTE_VERSION) != 0)
        return MPDATA_REMOTE_IS_OTHER;
    /* Files that the parent has open are none of ours. */
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
    mpdata_heapbuf_init(&s.answer);
    if (has_file) {
        s.wants_lines = strcmp(argv[2], MPDATA_REMOTE_LINES) == 0;
        s.file.path = argv[3];
        s.file.debug = argv[4];
        s.dwp = argv[5];
        s.seconds += file_bytes(&s) / SECONDS_FILE_BYTES;
    }
    limit_memory(&s);
    limit_time(&s, 1);
    if (!has_file || open_file(&s))
        serve(&s);
    /* What was read is not put away. */
    _exit(0);
}
