/* symcache.c -- the files with symbols.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symcache.h"
#include "profdata/base/build_id.h"
#include "profdata/base/file.h"
#include "profdata/base/heapbuf.h"
#include "profdata/symbols/debugfile.h"
#include "profdata/symbols/symcache_decode.h"
#include "profdata/symbols/symcache_encode.h"
#include "profdata/symbols/symcache_splits.h"
#include "profdata/symbols/symcache_trim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *mpdata_symcache_path(const char *build_id, size_t size)
{
    const char *const cache = getenv("XDG_CACHE_HOME");
    const char *const home = getenv("HOME");
    const bool is_cache = cache != NULL && cache[0] == '/';
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    char *path = NULL;

    if (size < 2 || 2 * size >= sizeof(text) ||
        (!is_cache && (home == NULL || home[0] != '/')))
        return NULL;
    mpdata_build_id_text(build_id, size, text);
    if (asprintf(&path, "%s%s/memprof/symbols/%.2s/%s", is_cache ? cache : home,
                 is_cache ? "" : "/.cache", text, text + 2) < 0)
        return NULL;
    return path;
}

/* Makes the directories of a path. */
static void make_directories(const char *path)
{
    char *const copy = strdup(path);

    for (char *p = copy; p != NULL && (p = strchr(p + 1, '/')) != NULL;) {
        *p = '\0';
        (void)!mkdir(copy, 0700);
        *p = '/';
    }
    free(copy);
}

static bool are_splits_same(const struct mpdata_vec *splits)
{
    const struct mpdata_symcache_split *const rows =
        (const struct mpdata_symcache_split *)splits->data;

    for (uint32_t i = 0; i < splits->count; i++) {
        if (mpdata_debugfile_stamp(rows[i].path) != rows[i].stamp)
            return false;
    }
    return true;
}

bool mpdata_symcache_load(const char *path, uint64_t key,
                          struct mpdata_symbols *symbols,
                          struct mpdata_vec *splits)
{
    struct mpdata_file file;
    bool is_good;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK)
        return false;
    is_good = mpdata_symcache_decode(file.data, file.size, key, true, symbols,
                                     splits, NULL) == MPROF_E_OK &&
              are_splits_same(splits);
    mpdata_file_close(&file);
    if (is_good) {
        mpdata_symcache_trim_touch(path);
        return true;
    }
    mpdata_symbols_fini(symbols);
    mpdata_symbols_init(symbols);
    mpdata_symcache_splits_fini(splits);
    splits->elem_bytes = sizeof(struct mpdata_symcache_split);
    return false;
}

void mpdata_symcache_save(const char *path, uint64_t key,
                          const struct mpdata_symbols *symbols,
                          const struct mpdata_vec *splits)
{
    struct mprof_buf out;

    mpdata_heapbuf_init(&out);
    if (mpdata_symcache_encode(symbols, key, splits, &out) == MPROF_E_OK) {
        make_directories(path);
        if (mpdata_file_replace(path, out.data, out.size))
            mpdata_symcache_trim(path, MPDATA_SYMCACHE_FOLDER_BYTES);
    }
    mpdata_heapbuf_fini(&out);
}
