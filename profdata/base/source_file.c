/* source_file.c -- finds a source file and reads its lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/source_file.h"

#include <string.h>
#include <sys/stat.h>

#define NS_PER_S 1000000000u

static bool open_at(struct mpdata_source_file *source, const char *path,
                    uint64_t last_ns)
{
    struct mprof_diag diag;
    struct stat st;

    if (path[0] == '\0' ||
        mpdata_file_open(&source->file, path, &diag) != MPROF_E_OK)
        return false;
    source->is_newer = last_ns != 0 && stat(path, &st) == 0 &&
                       st.st_mtim.tv_sec > 0 &&
                       (uint64_t)st.st_mtim.tv_sec > last_ns / NS_PER_S;
    return true;
}

struct mpdata_source_file mpdata_source_file_open(const char *path,
                                                  uint64_t last_ns)
{
    struct mpdata_source_file source = {.line = 1};

    source.is_open = open_at(&source, path, last_ns);
    for (const char *rest = strchr(path, '/'); rest != NULL && !source.is_open;
         rest = strchr(rest + 1, '/'))
        source.is_open = open_at(&source, rest + 1, last_ns);
    return source;
}

bool mpdata_source_file_line(struct mpdata_source_file *s, uint32_t line,
                             const char **text, size_t *size)
{
    const char *const bytes = (const char *)s->file.data;

    while (s->is_open && s->at < s->file.size) {
        const char *const end =
            (const char *)memchr(bytes + s->at, '\n', s->file.size - s->at);
        const size_t length =
            end != NULL ? (size_t)(end - bytes) - s->at : s->file.size - s->at;

        if (s->line == line) {
            *text = bytes + s->at;
            *size = length;
            return true;
        }
        s->at += length + (end != NULL);
        s->line++;
    }
    return false;
}

void mpdata_source_file_close(struct mpdata_source_file *source)
{
    if (source->is_open)
        mpdata_file_close(&source->file);
    source->is_open = false;
}
