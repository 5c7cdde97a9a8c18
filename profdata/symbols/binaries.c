/* binaries.c -- the set of binaries that a session knows.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/binaries.h"
#include "profdata/base/diag.h"
#include "profdata/base/file.h"

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
    mpdata_debugfile_fini(&file->debug);
}

static bool copy_elf(struct mpdata_binary_file *out, const char *path,
                     const struct mpdata_elf *elf)
{
    *out = (struct mpdata_binary_file){
        .path = strdup(path),
        .build_id = (char *)malloc(elf->build_id.size + 1),
        .build_id_size = elf->build_id.size,
        .load_count = elf->load_count,
        .has_lines = elf->has_lines,
        .has_debug_info = elf->has_debug_info,
        .link = elf->link != NULL ? strdup(elf->link) : NULL,
        .link_crc = elf->link_crc,
        .stamp = mpdata_debugfile_stamp(path)};
    if (out->path == NULL || out->build_id == NULL ||
        (elf->link != NULL && out->link == NULL)) {
        free_file(out);
        return false;
    }
    memcpy(out->build_id, elf->build_id.bytes, elf->build_id.size);
    memcpy(out->loads, elf->loads, sizeof(out->loads));
    return true;
}

enum mprof_err mpdata_binaries_add(struct mpdata_binaries *binaries,
                                   const char *path, bool is_given,
                                   const struct mpdata_binary_file **added,
                                   struct mprof_diag *diag)
{
    struct mpdata_binary_file *files;
    struct mpdata_file file;
    struct mpdata_elf elf;
    enum mprof_err err = mpdata_file_open(&file, path, diag);

    if (err != MPROF_E_OK)
        return err;
    err = mpdata_elf_read(&elf, file.data, file.size, diag);
    if (err != MPROF_E_OK)
        goto out;
    files = (struct mpdata_binary_file *)reallocarray(
        binaries->files, binaries->count + 1, sizeof(*files));
    if (files != NULL)
        binaries->files = files;
    if (files == NULL || !copy_elf(&files[binaries->count], path, &elf)) {
        err = mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
        goto out;
    }
    files[binaries->count].is_given = is_given;
    if (added != NULL)
        *added = &files[binaries->count];
    binaries->count++;
out:
    if (err != MPROF_E_OK && diag != NULL)
        diag->file = path;
    mpdata_file_close(&file);
    return err;
}

static enum mprof_err fail_directory(struct mprof_diag *diag, const char *path)
{
    const int error = errno;

    mpdata_diag_fail(diag, MPROF_E_IO, NULL, MPROF_DIAG_NO_OFFSET, "%s",
                     strerror(error));
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
    int count;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return mpdata_binaries_add(binaries, path, true, NULL, diag);
    count = scandir(path, &entries, NULL, alphasort);
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

/* A build id that was sought in vain, so that it is not for each profile. */
struct missing {
    char build_id[MPDATA_BUILD_ID_TEXT_BYTES];
};

static bool is_missing(const struct mpdata_binaries *binaries, const char *text)
{
    const struct missing *const rows =
        (const struct missing *)binaries->missing.data;

    for (uint32_t i = 0; i < binaries->missing.count; i++) {
        if (strcmp(rows[i].build_id, text) == 0)
            return true;
    }
    return false;
}

static void add_missing(struct mpdata_binaries *binaries, const char *text)
{
    struct missing *row;

    binaries->missing.elem_bytes = sizeof(*row);
    row = (struct missing *)mpdata_vec_push(&binaries->missing);
    if (row != NULL)
        memcpy(row->build_id, text, strlen(text) + 1);
}

/* Adds a file unless it belongs to another build after all. */
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
    char text[MPDATA_BUILD_ID_TEXT_BYTES];
    const struct mpdata_binary_file *file = NULL;
    char *path;

    if (size == 0)
        return NULL;
    (void)mpdata_build_id_text(build_id, size, text);
    if (is_missing(binaries, text))
        return NULL;
    path = mpdata_debugfile_fetch(&binaries->debug, build_id, size);
    if (path != NULL)
        file = add_fetched(binaries, path, build_id, size);
    free(path);
    if (file == NULL)
        add_missing(binaries, text);
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
    mpdata_vec_fini(&binaries->missing);
    mpdata_debugfile_dirs_fini(&binaries->debug);
    *binaries = (struct mpdata_binaries){.files = NULL};
}

const struct mpdata_binary_file *
mpdata_binaries_find(const struct mpdata_binaries *binaries,
                     const char *build_id, size_t size)
{
    for (size_t i = 0; size != 0 && i < binaries->count; i++) {
        if (binaries->files[i].build_id_size == size &&
            memcmp(binaries->files[i].build_id, build_id, size) == 0)
            return &binaries->files[i];
    }
    return NULL;
}

const struct mpdata_binary_file *
mpdata_binaries_find_path(const struct mpdata_binaries *binaries,
                          const char *path)
{
    for (size_t i = 0; i < binaries->count; i++) {
        if (strcmp(binaries->files[i].path, path) == 0)
            return &binaries->files[i];
    }
    return NULL;
}
