/* shared_libs.c -- finds DT_NEEDED libraries by DT_RPATH, DT_RUNPATH and the
 * usual directories. Does not read /etc/ld.so.conf: a library in a directory
 * listed there has to be given with --profiled-binary.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/symbolize.h"
#include "profdata/base/file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const usual[] = {"/lib/x86_64-linux-gnu",
                                    "/usr/lib/x86_64-linux-gnu",
                                    "/lib64",
                                    "/usr/lib64",
                                    "/lib",
                                    "/usr/lib",
                                    "/usr/local/lib"};

/* Returns a string of the dynamic section, or NULL if the offset is invalid. */
static const char *text_at(const struct mpdata_elf *elf, uint64_t off)
{
    const struct mpdata_elf_bytes *const names = &elf->dynamic_names;

    if (off >= names->size ||
        memchr(names->data + off, 0, names->size - off) == NULL)
        return NULL;
    return (const char *)names->data + off;
}

/* Expands $ORIGIN at the start of a run path's directory. */
static bool expand(char out[PATH_MAX], const char *path, size_t size,
                   const char *origin)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    int n = -1;

    for (size_t i = 0; i < MPROF_ARRAY_LEN(words); i++) {
        const size_t word = strlen(words[i]);

        if (size >= word && memcmp(path, words[i], word) == 0) {
            n = snprintf(out, PATH_MAX, "%s%.*s", origin, (int)(size - word),
                         path + word);
            return n > 0 && n < PATH_MAX;
        }
    }
    n = snprintf(out, PATH_MAX, "%.*s", (int)size, path);
    return n > 0 && n < PATH_MAX;
}

/* Adds directory/name if the file exists. Returns whether it was added. */
static bool try_library(struct mpdata_binaries *binaries, const char *directory,
                        const char *name)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof(path), "%s/%s", directory, name);

    if (n <= 0 || n >= PATH_MAX || access(path, R_OK) != 0)
        return false;
    return mpdata_binaries_find_path(binaries, path) != NULL ||
           mpdata_binaries_add(binaries, path, false, NULL, NULL) == MPROF_E_OK;
}

static bool try_run_path(struct mpdata_binaries *binaries, const char *run_path,
                         const char *origin, const char *name)
{
    while (run_path != NULL && *run_path != '\0') {
        const size_t size = strcspn(run_path, ":");
        char directory[PATH_MAX];

        if (expand(directory, run_path, size, origin) &&
            try_library(binaries, directory, name))
            return true;
        run_path += size + (run_path[size] == ':');
    }
    return false;
}

static void add_library(struct mpdata_binaries *binaries, const char *run_path,
                        const char *origin, const char *name)
{
    if (name[0] == '\0' || try_run_path(binaries, run_path, origin, name))
        return;
    if (strchr(name, '/') != NULL) {
        (void)!try_library(binaries, name[0] == '/' ? "" : ".", name);
        return;
    }
    for (size_t i = 0; i < MPROF_ARRAY_LEN(usual); i++) {
        if (try_library(binaries, usual[i], name))
            return;
    }
}

static void add_libraries(struct mpdata_binaries *binaries,
                          const struct mpdata_elf *elf, const char *origin)
{
    const size_t count = elf->dynamic.size / sizeof(Elf64_Dyn);
    const char *run_path = NULL;

    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++) {
            Elf64_Dyn dyn;

            memcpy(&dyn, elf->dynamic.data + i * sizeof(dyn), sizeof(dyn));
            if (dyn.d_tag == DT_NULL)
                break;
            const char *text = text_at(elf, dyn.d_un.d_val);
            if (pass == 0 && (dyn.d_tag == DT_RUNPATH ||
                              (dyn.d_tag == DT_RPATH && run_path == NULL)))
                run_path = text;
            if (pass == 1 && dyn.d_tag == DT_NEEDED && text != NULL)
                add_library(binaries, run_path, origin, text);
        }
    }
}

static void add_needed_of(struct mpdata_binaries *binaries, const char *path)
{
    char origin[PATH_MAX];
    struct mpdata_file file;
    struct mpdata_elf elf;

    if (realpath(path, origin) == NULL ||
        mpdata_file_open(&file, origin, NULL) != MPROF_E_OK)
        return;
    *strrchr(origin, '/') = '\0';
    if (mpdata_elf_read(&elf, file.data, file.size, NULL) == MPROF_E_OK)
        add_libraries(binaries, &elf, origin);
    mpdata_file_close(&file);
}

void mpdata_shared_libs_add(struct mpdata_binaries *binaries)
{
    while (binaries->needed < binaries->count) {
        char *const path = strdup(binaries->files[binaries->needed++].path);

        if (path != NULL)
            add_needed_of(binaries, path);
        free(path);
    }
}
