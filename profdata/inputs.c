/* inputs.c -- which files are meant.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/inputs.h"
#include "profdata/diag.h"
#include "profdata/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Directories below each other: links may go in circles. */
#define DEPTH_MAX 64

void mpdata_inputs_init(struct mpdata_inputs *inputs)
{
    *inputs = (struct mpdata_inputs){
        .files = {.elem_bytes = sizeof(struct mpdata_input)}};
}

void mpdata_inputs_fini(struct mpdata_inputs *inputs)
{
    struct mpdata_input *files = inputs->files.data;

    for (uint32_t i = 0; i < inputs->files.count; i++)
        free(files[i].path);
    mpdata_vec_fini(&inputs->files);
    free(inputs->failed_path);
}

/* Messages outlive the path that they are about. */
static enum mprof_err fail_path(struct mpdata_inputs *inputs, const char *path,
                                int error, struct mprof_diag *diag)
{
    mpdata_fail(diag, error == ENOMEM ? MPROF_E_NOMEM : MPROF_E_IO, NULL,
                MPROF_DIAG_NO_OFFSET, "%s", strerror(error));
    free(inputs->failed_path);
    inputs->failed_path = strdup(path);
    if (diag != NULL)
        diag->file = inputs->failed_path;
    return error == ENOMEM ? MPROF_E_NOMEM : MPROF_E_IO;
}

static enum mprof_err add_file(struct mpdata_inputs *inputs, const char *path,
                               uint64_t weight, uint32_t found_in,
                               struct mprof_diag *diag)
{
    char *copy = strdup(path);
    struct mpdata_input *file =
        copy != NULL ? mpdata_vec_push(&inputs->files) : NULL;

    if (file == NULL) {
        free(copy);
        return fail_path(inputs, path, ENOMEM, diag);
    }
    *file = (struct mpdata_input){
        .path = copy, .weight = weight, .found_in = found_in};
    return MPROF_E_OK;
}

static int is_shown(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum mprof_err add_below(struct mpdata_inputs *inputs, const char *path,
                                uint64_t weight, int depth,
                                struct mprof_diag *diag);

static enum mprof_err add_entry(struct mpdata_inputs *inputs,
                                const char *directory, const char *name,
                                uint64_t weight, int depth,
                                struct mprof_diag *diag)
{
    char *path = NULL;
    struct stat st;
    enum mprof_err err = MPROF_E_OK;

    if (asprintf(&path, "%s/%s", directory, name) < 0)
        return fail_path(inputs, directory, ENOMEM, diag);
    /* What is gone by now, or a link to nothing, is not there. */
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            err = add_below(inputs, path, weight, depth + 1, diag);
        else if (S_ISREG(st.st_mode))
            err = add_file(inputs, path, weight, inputs->directories, diag);
    }
    free(path);
    return err;
}

static enum mprof_err add_below(struct mpdata_inputs *inputs, const char *path,
                                uint64_t weight, int depth,
                                struct mprof_diag *diag)
{
    struct dirent **entries = NULL;
    enum mprof_err err = MPROF_E_OK;
    int count;

    if (depth > DEPTH_MAX)
        return fail_path(inputs, path, ELOOP, diag);
    count = scandir(path, &entries, is_shown, compare_names);
    if (count < 0)
        return fail_path(inputs, path, errno, diag);
    for (int i = 0; i < count; i++) {
        if (err == MPROF_E_OK)
            err = add_entry(inputs, path, entries[i]->d_name, weight, depth,
                            diag);
        free(entries[i]);
    }
    free(entries);
    return err;
}

/* A file or a directory. */
static enum mprof_err add_path(struct mpdata_inputs *inputs, const char *path,
                               uint64_t weight, struct mprof_diag *diag)
{
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return add_file(inputs, path, weight, 0, diag);
    inputs->directories++;
    return add_below(inputs, path, weight, 0, diag);
}

enum mprof_err mpdata_inputs_add(struct mpdata_inputs *inputs, const char *word,
                                 uint64_t weight, struct mprof_diag *diag)
{
    if (word[0] == '@' && word[1] != '\0')
        return mpdata_inputs_add_list(inputs, word + 1, diag);
    return add_path(inputs, word, weight, diag);
}

const char *mpdata_inputs_weighted(const char *text, uint64_t *weight)
{
    char *end;
    unsigned long long value;

    if (text[0] < '0' || text[0] > '9')
        return NULL;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (errno != 0 || *end != ',' || value == 0 || end[1] == '\0')
        return NULL;
    *weight = value;
    return end + 1;
}

static enum mprof_err add_line(struct mpdata_inputs *inputs, char *line,
                               struct mprof_diag *diag)
{
    uint64_t weight = 1;
    size_t size = strlen(line);
    const char *path;

    while (size != 0 && strchr(" \t\r", line[size - 1]) != NULL)
        line[--size] = '\0';
    line += strspn(line, " \t");
    if (line[0] == '\0' || line[0] == '#')
        return MPROF_E_OK;
    path = mpdata_inputs_weighted(line, &weight);
    return add_path(inputs, path != NULL ? path : line, weight, diag);
}

enum mprof_err mpdata_inputs_add_list(struct mpdata_inputs *inputs,
                                      const char *path, struct mprof_diag *diag)
{
    struct mpdata_file file;
    enum mprof_err err = mpdata_file_open(&file, path, diag);
    size_t at = 0;

    if (err != MPROF_E_OK)
        return err;
    while (at < file.size && err == MPROF_E_OK) {
        const uint8_t *end = memchr(file.data + at, '\n', file.size - at);
        const size_t size =
            end != NULL ? (size_t)(end - file.data) - at : file.size - at;
        char *line = strndup((const char *)file.data + at, size);

        err = line != NULL ? add_line(inputs, line, diag)
                           : fail_path(inputs, path, ENOMEM, diag);
        free(line);
        at += size + 1;
    }
    mpdata_file_close(&file);
    return err;
}
