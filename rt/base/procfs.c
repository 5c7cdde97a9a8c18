/* procfs.c -- the program in /proc, as its helper sees it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/procfs.h"
#include "rt/base/os.h"
#include "rt/base/textbuf.h"

#include <errno.h>

/* The program's number in /proc, which may be that of another namespace than
 * getpid()'s; 0: it is not there. From "PID (NAME) STATE PARENT ...". */
static uint64_t find_in_proc(void)
{
    const int fd = mprt_os_open_read("/proc/self/stat");
    char stat[128];
    uint64_t parent = 0;

    if (fd < 0)
        return 0;
    const int64_t n = mprt_os_read(fd, stat, sizeof(stat));
    mprt_os_close(fd);
    int64_t at = n;
    while (at > 0 && stat[at - 1] != ')')
        at--;
    if (at == 0)
        return 0;
    for (at += sizeof(" S ") - 1; at < n && stat[at] >= '0' && stat[at] <= '9';
         at++)
        parent = 10 * parent + (uint64_t)(stat[at] - '0');
    return parent;
}

bool mprt_procfs_path(char *path, size_t size, const char *name)
{
    struct mprt_textbuf t = {.out = path, .size = size};
    const uint64_t number = find_in_proc();

    mprt_textbuf_str(&t, "/proc/");
    mprt_textbuf_uint(&t, number);
    mprt_textbuf_str(&t, name);
    return number != 0;
}

int mprt_procfs_open_fd(int fd)
{
    char name[32];
    char path[64];
    struct mprt_textbuf t = {.out = name, .size = sizeof(name)};

    mprt_textbuf_str(&t, "/fd/");
    mprt_textbuf_uint(&t, (uint64_t)fd);
    /* Of a file we would have a position of our own, and the program would
     * write over what we say. */
    return mprt_procfs_path(path, sizeof(path), name)
               ? mprt_os_open_special(path)
               : -EPERM;
}
