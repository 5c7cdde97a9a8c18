/* binaries.c -- the set of binaries that a session has opened.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/binaries.h"
#include "profdata/base/diag.h"
#include "profdata/base/file.h"
#include "profdata/base/str.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void free_file(struct mpdata_binary_file *file)
{
    free(file->path);
    free(file->build_id);
    free(file->link);
    mpdata_code_fini(&file->code);
    mpdata_debugfile_fini(&file->debug);
}

/* -- lookup by path, build id, inode --------------------------------------- */

static bool equal_path(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_binary_file *const file =
        (const struct mpdata_binary_file *)rows + row;

    return strcmp(file->path, (const char *)key) == 0;
}

static bool equal_build_id(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_binary_file *const file =
        (const struct mpdata_binary_file *)rows + row;
    const struct mpdata_str *const id = key;

    return file->build_id_size == id->size &&
           memcmp(file->build_id, id->bytes, id->size) == 0;
}

static bool equal_inode(const void *rows, uint32_t row, const void *key)
{
    const struct mpdata_binary_file *const file =
        (const struct mpdata_binary_file *)rows + row;
    const struct stat *const st = key;

    return file->device == st->st_dev && file->inode == st->st_ino;
}

static const struct mpdata_binary_file *
file_at(const struct mpdata_binaries *binaries, uint32_t ref)
{
    return ref != 0 ? &binaries->files[ref - 1] : NULL;
}

static const struct mpdata_binary_file *
find_inode(const struct mpdata_binaries *binaries, const struct stat *st)
{
    return file_at(binaries,
                   mpdata_map_find(&binaries->inodes,
                                   mpdata_hash_words(st->st_dev, st->st_ino),
                                   equal_inode, binaries->files, st));
}

static const struct mpdata_binary_file *
find_build_id(const struct mpdata_binaries *binaries,
              const struct mpdata_str *key)
{
    if (key->size == 0)
        return NULL;
    return file_at(binaries,
                   mpdata_map_find(&binaries->build_ids,
                                   mpdata_hash_bytes(key->bytes, key->size),
                                   equal_build_id, binaries->files, key));
}

const struct mpdata_binary_file *
mpdata_binaries_find(const struct mpdata_binaries *binaries,
                     const char *build_id, size_t size)
{
    const struct mpdata_str key = {.bytes = build_id, .size = size};
    const struct mpdata_binary_file *const first =
        find_build_id(binaries, &key);

    if (first == NULL || first->has_debug_info)
        return first;
    for (uint32_t i = 0; i < binaries->count; i++) {
        if (binaries->files[i].has_debug_info &&
            equal_build_id(binaries->files, i, &key))
            return &binaries->files[i];
    }
    return first;
}

static const struct mpdata_binary_file *
find_exact_path(const struct mpdata_binaries *binaries, const char *path)
{
    return file_at(binaries,
                   mpdata_map_find(&binaries->paths,
                                   mpdata_hash_bytes(path, strlen(path)),
                                   equal_path, binaries->files, path));
}

/* Compares inodes too, because a file has many paths (links, ".."). */
const struct mpdata_binary_file *
mpdata_binaries_find_path(const struct mpdata_binaries *binaries,
                          const char *path)
{
    const struct mpdata_binary_file *const file =
        find_exact_path(binaries, path);
    struct stat st;

    if (file != NULL || binaries->count == 0 || stat(path, &st) != 0)
        return file;
    return find_inode(binaries, &st);
}

/* Indexes the last file. Returns false when out of memory; the file must stay
 * then, because some maps may already refer to it. */
static bool add_keys(struct mpdata_binaries *binaries)
{
    const struct mpdata_binary_file *const file =
        &binaries->files[binaries->count - 1];
    const uint32_t ref = (uint32_t)binaries->count;
    const struct stat st = {.st_dev = file->device, .st_ino = file->inode};
    const struct mpdata_str id = {.bytes = file->build_id,
                                  .size = file->build_id_size};

    return (find_exact_path(binaries, file->path) != NULL ||
            mpdata_map_add(&binaries->paths,
                           mpdata_hash_bytes(file->path, strlen(file->path)),
                           ref)) &&
           (file->build_id_size == 0 || find_build_id(binaries, &id) != NULL ||
            mpdata_map_add(
                &binaries->build_ids,
                mpdata_hash_bytes(file->build_id, file->build_id_size), ref)) &&
           (file->inode == 0 || find_inode(binaries, &st) != NULL ||
            mpdata_map_add(&binaries->inodes,
                           mpdata_hash_words(file->device, file->inode), ref));
}

/* -- additions -------------------------------------------------------------- */

static bool copy_elf(struct mpdata_binary_file *out, const char *path,
                     const struct mpdata_elf *elf)
{
    struct stat st;

    *out = (struct mpdata_binary_file){
        .path = strdup(path),
        .build_id = malloc(elf->build_id.size + 1),
        .build_id_size = elf->build_id.size,
        .load_count = elf->load_count,
        .has_lines = elf->has_lines,
        .has_debug_info = elf->has_debug_info,
        .is_cut = elf->is_cut,
        .link = elf->link != NULL ? strdup(elf->link) : NULL,
        .link_crc = elf->link_crc,
        .stamp = mpdata_debugfile_stamp(path)};
    if (out->path == NULL || out->build_id == NULL ||
        (elf->link != NULL && out->link == NULL) ||
        !mpdata_code_read(&out->code, elf)) {
        free_file(out);
        return false;
    }
    memcpy(out->build_id, elf->build_id.bytes, elf->build_id.size);
    memcpy(out->loads, elf->loads, sizeof(out->loads));
    if (stat(path, &st) == 0) {
        out->device = st.st_dev;
        out->inode = st.st_ino;
    }
    return true;
}

static struct mpdata_binary_file *push_file(struct mpdata_binaries *binaries)
{
    const size_t capacity = 2 * binaries->capacity + 8;
    struct mpdata_binary_file *files;

    if (binaries->count >= MPDATA_VEC_ROWS_MAX)
        return NULL;
    if (binaries->count >= binaries->capacity) {
        files = reallocarray(binaries->files, capacity, sizeof(*files));
        if (files == NULL)
            return NULL;
        binaries->files = files;
        binaries->capacity = capacity;
    }
    return &binaries->files[binaries->count];
}

enum mprof_err mpdata_binaries_add(struct mpdata_binaries *binaries,
                                   const char *path, bool is_given,
                                   const struct mpdata_binary_file **added,
                                   struct mprof_diag *diag)
{
    struct mpdata_file file;
    struct mpdata_elf elf;
    enum mprof_err err = mpdata_file_open(&file, path, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_elf_read(&elf, file.data, file.size, diag);
    if (err != MPROF_E_OK)
        goto out;
    struct mpdata_binary_file *row = push_file(binaries);
    if (row == NULL || !copy_elf(row, path, &elf)) {
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
        goto out;
    }
    row->is_given = is_given;
    binaries->count++;
    if (!add_keys(binaries))
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    else if (added != NULL)
        *added = row;
out:
    if (err != MPROF_E_OK && diag != NULL)
        diag->file = path;
    mpdata_file_close(&file);
    return err;
}

static enum mprof_err fail_directory(struct mprof_diag *diag, const char *path)
{
    const int error = errno;

    mpdata_diag_text(diag, MPROF_E_IO, "%s", strerror(error));
    if (diag != NULL)
        diag->file = path;
    return MPROF_E_IO;
}

enum mprof_err mpdata_binaries_add_given(struct mpdata_binaries *binaries,
                                         const char *path,
                                         struct mprof_diag *diag)
{
    struct dirent **entries = NULL;
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return mpdata_binaries_add(binaries, path, true, NULL, diag);
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        return fail_directory(diag, path);
    for (int i = 0; i < count; i++) {
        char file[PATH_MAX];
        const int n =
            snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);

        if (n > 0 && n < PATH_MAX && stat(file, &st) == 0 &&
            S_ISREG(st.st_mode))
            (void)!mpdata_binaries_add(binaries, file, true, NULL, NULL);
        free(entries[i]);
    }
    free(entries);
    return MPROF_E_OK;
}

/* A build id that was not found, so that the search is not repeated for each
 * profile. */
struct missing {
    char build_id[MPDATA_BUILD_ID_TEXT_BYTES];
};

static bool is_missing(const struct mpdata_binaries *binaries,
                       const struct missing *key)
{
    return mpdata_set_find(&binaries->missing, key) != 0;
}

static void add_missing(struct mpdata_binaries *binaries,
                        const struct missing *key)
{
    if (binaries->missing.key_bytes == 0)
        mpdata_set_init(&binaries->missing, sizeof(*key), sizeof(*key));
    /* Out of memory: the search is repeated. */
    (void)mpdata_set_add(&binaries->missing, key, NULL);
}

/* Adds the file at `path`; returns NULL if its build id differs. */
static const struct mpdata_binary_file *
add_fetched(struct mpdata_binaries *binaries, const char *path,
            const char *build_id, size_t size)
{
    const struct mpdata_binary_file *file =
        mpdata_binaries_find_path(binaries, path);

    if (file == NULL &&
        mpdata_binaries_add(binaries, path, false, &file, NULL) != MPROF_E_OK)
        return NULL;
    return file->build_id_size == size &&
                   memcmp(file->build_id, build_id, size) == 0
               ? file
               : NULL;
}

const struct mpdata_binary_file *
mpdata_binaries_fetch(struct mpdata_binaries *binaries, const char *build_id,
                      size_t size)
{
    struct missing key = {.build_id = ""};
    const struct mpdata_binary_file *file = NULL;

    if (size == 0)
        return NULL;
    (void)mpdata_build_id_text(build_id, size, key.build_id);
    if (is_missing(binaries, &key))
        return NULL;
    char *path = mpdata_debugfile_fetch(&binaries->debug, build_id, size);
    if (path != NULL)
        file = add_fetched(binaries, path, build_id, size);
    free(path);
    if (file == NULL)
        add_missing(binaries, &key);
    return file;
}

const struct mpdata_debugfile *
mpdata_binaries_debug(struct mpdata_binaries *binaries, size_t index,
                      const struct mpdata_diag_warn *warn)
{
    struct mpdata_binary_file *const file = &binaries->files[index];
    const struct mpdata_debug_query query = {.path = file->path,
                                             .build_id = file->build_id,
                                             .build_id_size =
                                                 file->build_id_size,
                                             .link = file->link,
                                             .link_crc = file->link_crc};

    if (file->is_debug_sought)
        return &file->debug;
    file->is_debug_sought = true;
    if (!file->has_debug_info) {
        mpdata_debugfile_find(&binaries->debug, &query, warn, &file->debug);
    } else {
        file->debug.path = strdup(file->path);
        file->debug.kind =
            file->debug.path != NULL ? MPDATA_DEBUG_OWN : MPDATA_DEBUG_NONE;
        file->debug.dwp =
            mpdata_debugfile_package(&binaries->debug, file->path);
        file->debug.stamp = file->stamp;
    }
    if (file->debug.dwp != NULL)
        file->debug.stamp ^= mpdata_debugfile_stamp(file->debug.dwp) << 1;
    return &file->debug;
}

void mpdata_binaries_fini(struct mpdata_binaries *binaries)
{
    for (size_t i = 0; i < binaries->count; i++)
        free_file(&binaries->files[i]);
    free(binaries->files);
    mpdata_map_fini(&binaries->paths);
    mpdata_map_fini(&binaries->build_ids);
    mpdata_map_fini(&binaries->inodes);
    mpdata_set_fini(&binaries->missing);
    mpdata_debugfile_dirs_fini(&binaries->debug);
    *binaries = (struct mpdata_binaries){.files = NULL};
}
