/* symcache_trim.c -- removes cached symbols that nobody used for long. A file's
 * time of change says when it was used: times of access are off on many
 * systems.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache_trim.h"
#include "profdata/base/vec.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cached {
    struct timespec used;
    uint64_t bytes;
    char *name; /* owned */
};

void mpdata_symcache_trim_touch(const char *path)
{
    (void)!utimensat(AT_FDCWD, path, NULL, 0);
}

static int compare_used(const void *left, const void *right)
{
    const struct cached *a = (const struct cached *)left;
    const struct cached *b = (const struct cached *)right;

    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void add_entry(struct mpdata_vec *files, int dir, const char *name)
{
    struct cached *row;
    struct stat st;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(st.st_mode))
        return;
    row = (struct cached *)mpdata_vec_push(files);
    if (row == NULL)
        return;
    *row = (struct cached){.used = st.st_mtim,
                           .bytes = (uint64_t)st.st_size,
                           .name = strdup(name)};
    if (row->name == NULL)
        files->count--;
}

static void remove_oldest(struct mpdata_vec *files, int dir, const char *keep,
                          uint64_t max_bytes)
{
    struct cached *const rows = (struct cached *)files->data;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < files->count; i++)
        bytes += rows[i].bytes;
    if (bytes <= max_bytes)
        return;
    qsort(rows, files->count, sizeof(*rows), compare_used);
    for (uint32_t i = 0; i < files->count && bytes > max_bytes; i++) {
        if (strcmp(rows[i].name, keep) != 0 &&
            unlinkat(dir, rows[i].name, 0) == 0)
            bytes -= rows[i].bytes;
    }
}

void mpdata_symcache_trim(const char *path, uint64_t max_bytes)
{
    struct mpdata_vec files = {.elem_bytes = sizeof(struct cached)};
    const char *const slash = strrchr(path, '/');
    char *const folder =
        slash != NULL ? strndup(path, (size_t)(slash - path)) : NULL;
    DIR *const dir = folder != NULL ? opendir(folder) : NULL;
    const struct dirent *entry;

    while (dir != NULL && (entry = readdir(dir)) != NULL)
        add_entry(&files, dirfd(dir), entry->d_name);
    if (dir != NULL) {
        remove_oldest(&files, dirfd(dir), slash + 1, max_bytes);
        closedir(dir);
    }
    for (uint32_t i = 0; i < files.count; i++)
        free(((struct cached *)files.data)[i].name);
    mpdata_vec_fini(&files);
    free(folder);
}
