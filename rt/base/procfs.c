/* procfs.c -- facts about the program and the machine from /proc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/procfs.h"
#include "rt/base/os.h"
#include "rt/base/log.h"

#include <errno.h>

#define STAT_BYTES 512

/* Reads "PID (NAME) STATE PARENT ..." and returns its part "STATE PARENT ...",
 * or "". */
static const char *read_stat(char stat[STAT_BYTES])
{
    const int fd = mprt_os_open_read("/proc/self/stat");
    int64_t at;

    stat[0] = '\0';
    if (fd < 0)
        return stat;
    const int64_t n = mprt_os_read(fd, stat, STAT_BYTES - 1);
    mprt_os_close(fd);
    stat[n > 0 ? n : 0] = '\0';
    for (at = n - 1; at >= 0 && stat[at] != ')'; at--)
        continue;
    return at >= 0 && at + 2 < n ? &stat[at + 2] : "";
}

/* Number in a field of "STATE PARENT ..."; field 0 is the state, which has no
 * number. */
static uint64_t number_in(const char *text, unsigned field)
{
    uint64_t number = 0;

    for (; field != 0 && *text != '\0'; text++)
        field -= *text == ' ';
    for (; *text >= '0' && *text <= '9'; text++)
        number = 10 * number + (uint64_t)(*text - '0');
    return number;
}

bool mprt_procfs_is_last_thread(void)
{
    char stat[STAT_BYTES];
    const char *const text = read_stat(stat);
    const uint64_t threads = number_in(text, 17);

    /* The first thread counts until the process ends. */
    return threads == 1 || (threads == 2 && text[0] == 'Z');
}

static bool raise_end(void *end, uint32_t number)
{
    *(uint32_t *)end = (uint32_t)mprof_max_u64(*(uint32_t *)end, number + 1);
    return true;
}

uint32_t mprt_procfs_descriptors_end(void)
{
    const int dir = mprt_os_open_read("/proc/self/fd");
    uint32_t end = 0;

    if (dir < 0)
        return 0;
    mprt_os_visit_numbers(dir, raise_end, &end);
    mprt_os_close(dir);
    return end;
}

bool mprt_procfs_path(char *path, size_t size, const char *name)
{
    struct mprt_textbuf t = {.out = path, .size = size};
    /* The program is our parent. In /proc its id may be of another namespace
     * than getpid()'s. */
    char stat[STAT_BYTES];
    const uint64_t number = number_in(read_stat(stat), 1);

    MPRT_TEXT(&t, "/proc/", MPRT_DEC(number), name);
    return number != 0;
}

static int open_fd(int fd, int (*open)(const char *path))
{
    char name[32];
    char path[64];
    struct mprt_textbuf t = {.out = name, .size = sizeof(name)};

    MPRT_TEXT(&t, "/fd/", MPRT_DEC((uint64_t)fd));
    return mprt_procfs_path(path, sizeof(path), name) ? open(path) : -EPERM;
}

/* A regular file would have a file position of its own here, and the program
 * would overwrite our output. */
int mprt_procfs_open_fd(int fd)
{
    return open_fd(fd, mprt_os_open_special);
}

int mprt_procfs_append_fd(int fd)
{
    return open_fd(fd, mprt_os_open_append);
}

void mprt_procfs_read_setting(const char *path, char *out, size_t size)
{
    const int fd = mprt_os_open_read(path);
    int64_t n = 0;

    if (fd >= 0) {
        n = mprt_os_read(fd, out, size - 1);
        mprt_os_close(fd);
    }
    n = n > 0 ? n : 0;
    while (n > 0 && out[n - 1] == '\n')
        n--;
    out[n] = '\0';
}
