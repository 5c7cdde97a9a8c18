/* control_find.c -- finds the control socket of a process: its helper, a child,
 * has the socket open, and the kernel lists the paths of sockets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/serve/control.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 64
#define LINE_BYTES 512
#define HELPER "memprof-helper"
/* In /proc/PID/net/unix: of a socket that listens. */
#define LISTENS 0x10000

static bool is_helper_of(const char *pid, uint64_t parent)
{
    char path[PATH_BYTES];
    char line[LINE_BYTES];
    uint64_t its_parent = 0;

    snprintf(path, sizeof(path), "/proc/%.10s/stat", pid);
    FILE *const file = fopen(path, "re");
    if (file == NULL)
        return false;
    const char *const name =
        fgets(line, sizeof(line), file) != NULL ? strchr(line, '(') : NULL;
    fclose(file);
    return name != NULL &&
           sscanf(name, "(" HELPER ") %*c %" SCNu64, &its_parent) == 1 &&
           its_parent == parent;
}

/* Is the socket with this inode among the process's descriptors? */
static bool has_open(const char *pid, uint64_t inode)
{
    char path[PATH_BYTES];
    char wanted[PATH_BYTES];
    char target[PATH_BYTES] = "";
    bool has = false;

    snprintf(wanted, sizeof(wanted), "socket:[%" PRIu64 "]", inode);
    snprintf(path, sizeof(path), "/proc/%.10s/fd", pid);
    DIR *const dir = opendir(path);
    for (struct dirent *entry = dir != NULL ? readdir(dir) : NULL;
         entry != NULL && !has; entry = readdir(dir)) {
        snprintf(path, sizeof(path), "/proc/%.10s/fd/%.10s", pid,
                 entry->d_name);
        const ssize_t n = readlink(path, target, sizeof(target) - 1);
        target[n > 0 ? n : 0] = '\0';
        has = strcmp(target, wanted) == 0;
    }
    if (dir != NULL)
        closedir(dir);
    return has;
}

/* A line "ADDRESS: REFERENCES PROTOCOL FLAGS TYPE STATE INODE PATH". */
static bool take_line(const char *line, const char *pid,
                      char path[MPDATA_CONTROL_PATH_BYTES])
{
    unsigned flags;
    uint64_t inode;
    int at = 0;

    if (sscanf(line, "%*s %*s %*s %x %*s %*s %" SCNu64 " %n", &flags, &inode,
               &at) != 2 ||
        at == 0 || flags != LISTENS || line[at] != '/' || !has_open(pid, inode))
        return false;
    const size_t n = strcspn(line + at, "\n");
    if (n >= MPDATA_CONTROL_PATH_BYTES)
        return false;
    memcpy(path, line + at, n);
    path[n] = '\0';
    return true;
}

static bool find_socket(const char *pid, char path[MPDATA_CONTROL_PATH_BYTES])
{
    char name[PATH_BYTES];
    char line[LINE_BYTES];
    bool is_found = false;

    snprintf(name, sizeof(name), "/proc/%.10s/net/unix", pid);
    FILE *const file = fopen(name, "re");
    while (file != NULL && !is_found && fgets(line, sizeof(line), file) != NULL)
        is_found = take_line(line, pid, path);
    if (file != NULL)
        fclose(file);
    return is_found;
}

bool mpdata_control_find(uint64_t pid, char path[MPDATA_CONTROL_PATH_BYTES])
{
    DIR *const proc = opendir("/proc");
    bool is_found = false;

    for (struct dirent *entry = proc != NULL ? readdir(proc) : NULL;
         entry != NULL && !is_found; entry = readdir(proc))
        is_found = strspn(entry->d_name, "0123456789") != 0 &&
                   is_helper_of(entry->d_name, pid) &&
                   find_socket(entry->d_name, path);
    if (proc != NULL)
        closedir(proc);
    return is_found;
}
