/* inputs.c -- which files are meant.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/inputs.h"
#include "profdata/diag.h"
#include "profdata/file.h"
#include "shared/abi.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Directories below each other. */
#define DEPTH_MAX 64

/* A directory that is being listed. */
struct below {
    const struct below *above;
    uint64_t device;
    uint64_t inode;
    uint64_t weight;
    int depth;
};

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
    const enum mprof_err err = error == ENOMEM ? MPROF_E_NOMEM : MPROF_E_IO;

    mpdata_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET, "%s",
                error == ENOMEM ? "" : strerror(error));
    free(inputs->failed_path);
    inputs->failed_path = strdup(path);
    if (diag != NULL)
        diag->file = inputs->failed_path;
    return err;
}

/* Adds *input with a copy of its path. */
static enum mprof_err add_input(struct mpdata_inputs *inputs, const char *path,
                                const struct mpdata_input *input,
                                struct mprof_diag *diag)
{
    char *copy = strdup(path);
    struct mpdata_input *file =
        copy != NULL ? mpdata_vec_push(&inputs->files) : NULL;

    if (file == NULL) {
        free(copy);
        return fail_path(inputs, path, ENOMEM, diag);
    }
    *file = *input;
    file->path = copy;
    return MPROF_E_OK;
}

/* A file that stat() may know; st is NULL where it does not. */
static enum mprof_err add_file(struct mpdata_inputs *inputs, const char *path,
                               uint64_t weight, uint32_t found_in,
                               const struct stat *st, struct mprof_diag *diag)
{
    const struct mpdata_input input = {.weight = weight,
                                       .found_in = found_in,
                                       .device = st != NULL ? st->st_dev : 0,
                                       .inode = st != NULL ? st->st_ino : 0};

    return add_input(inputs, path, &input, diag);
}

/* A directory that cannot be read, or a pattern that nothing fits, is an input
 * that cannot be read. */
static enum mprof_err add_unreadable(struct mpdata_inputs *inputs,
                                     const char *path, int error,
                                     struct mprof_diag *diag)
{
    const struct mpdata_input input = {.weight = 1, .error = error};

    if (error == ENOMEM)
        return fail_path(inputs, path, error, diag);
    return add_input(inputs, path, &input, diag);
}

/* Profiles that are being written have names with a dot in front. */
static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* A link to a directory above adds nothing. */
static bool is_above(const struct below *directory, const struct stat *st)
{
    for (; directory != NULL; directory = directory->above) {
        if (directory->device == st->st_dev && directory->inode == st->st_ino)
            return true;
    }
    return false;
}

static enum mprof_err add_below(struct mpdata_inputs *inputs, const char *path,
                                const struct below *directory,
                                struct mprof_diag *diag);

static enum mprof_err add_entry(struct mpdata_inputs *inputs, const char *above,
                                const char *name, const struct below *directory,
                                struct mprof_diag *diag)
{
    char *path = NULL;
    struct stat st;
    enum mprof_err err = MPROF_E_OK;

    if (asprintf(&path, "%s/%s", above, name) < 0)
        return fail_path(inputs, above, ENOMEM, diag);
    /* What is gone by now, or a link to nothing, is not there. */
    if (stat(path, &st) == 0) {
        const struct below below = {.above = directory,
                                    .device = st.st_dev,
                                    .inode = st.st_ino,
                                    .weight = directory->weight,
                                    .depth = directory->depth + 1};

        if (S_ISREG(st.st_mode))
            err = add_file(inputs, path, directory->weight, inputs->directories,
                           &st, diag);
        else if (S_ISDIR(st.st_mode) && !is_above(directory, &st))
            err = add_below(inputs, path, &below, diag);
    }
    free(path);
    return err;
}

static enum mprof_err add_below(struct mpdata_inputs *inputs, const char *path,
                                const struct below *directory,
                                struct mprof_diag *diag)
{
    struct dirent **entries = NULL;
    enum mprof_err err = MPROF_E_OK;
    int count;

    if (directory->depth > DEPTH_MAX)
        return add_unreadable(inputs, path, ELOOP, diag);
    count = scandir(path, &entries, is_shown, compare_names);
    if (count < 0)
        return add_unreadable(inputs, path, errno, diag);
    for (int i = 0; i < count; i++) {
        if (err == MPROF_E_OK)
            err = add_entry(inputs, path, entries[i]->d_name, directory, diag);
        free(entries[i]);
    }
    free(entries);
    return err;
}

/* One that the shell left as it was: mostly "*.raw" where LLVM's runtime was
 * linked. */
static bool is_pattern(const char *path)
{
    return strchr(path, '*') != NULL;
}

/* A file or a directory. */
static enum mprof_err add_path(struct mpdata_inputs *inputs, const char *path,
                               uint64_t weight, struct mprof_diag *diag)
{
    struct stat st;

    if (mpdata_file_is_standard(path))
        return add_file(inputs, path, weight, 0, NULL, diag);
    if (stat(path, &st) != 0)
        return errno == ENOENT && is_pattern(path)
                   ? add_unreadable(inputs, path, ENOENT, diag)
                   : add_file(inputs, path, weight, 0, NULL, diag);
    if (!S_ISDIR(st.st_mode))
        return add_file(inputs, path, weight, 0, &st, diag);
    inputs->directories++;
    return add_below(inputs, path,
                     &(struct below){.device = st.st_dev,
                                     .inode = st.st_ino,
                                     .weight = weight},
                     diag);
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

static bool is_binary(const uint8_t *data, size_t size)
{
    return memchr(data, '\0', size) != NULL;
}

/* A profile given as a list, most often. */
static enum mprof_err fail_list(struct mpdata_inputs *inputs,
                                const struct mpdata_file *file,
                                const char *path, struct mprof_diag *diag)
{
    const uint8_t *zero = memchr(file->data, '\0', file->size);

    mpdata_fail(diag, MPROF_E_VALUE, "list of inputs",
                (uint64_t)(zero - file->data),
                "it is no text, with one file's name a line");
    free(inputs->failed_path);
    inputs->failed_path = strdup(path);
    if (diag != NULL)
        diag->file = inputs->failed_path;
    return MPROF_E_VALUE;
}

enum mprof_err mpdata_inputs_add_list(struct mpdata_inputs *inputs,
                                      const char *path, struct mprof_diag *diag)
{
    struct mpdata_file file;
    enum mprof_err err = mpdata_file_open_input(&file, path, is_binary, diag);
    size_t at = 0;

    if (err != MPROF_E_OK)
        return err;
    if (is_binary(file.data, file.size))
        err = fail_list(inputs, &file, path, diag);
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

bool mpdata_inputs_is_other(const struct mpdata_input *input,
                            const struct mprof_diag *diag)
{
    return input->found_in != 0 && diag->section == NULL &&
           (diag->err == MPROF_E_MAGIC || diag->err == MPROF_E_EMPTY);
}

static const char *error_text(const struct mpdata_input *input)
{
    return input->error == ENOENT && is_pattern(input->path)
               ? "no file fits; those of LLVM's runtime are "
                 "called " MPROF_PROFILE_BASENAME ".PID"
               : strerror(input->error);
}

enum mprof_err mpdata_inputs_error(const struct mpdata_input *input,
                                   struct mprof_diag *diag)
{
    if (input->error == 0)
        return MPROF_E_OK;
    mpdata_fail(diag, MPROF_E_IO, NULL, MPROF_DIAG_NO_OFFSET, "%s",
                error_text(input));
    if (diag != NULL)
        diag->file = input->path;
    return MPROF_E_IO;
}

/* -- the same file twice ----------------------------------------------------- */

static bool is_same_file(const struct mpdata_input *a,
                         const struct mpdata_input *b)
{
    return a->device == b->device && a->inode == b->inode;
}

/* By file; what was named by itself first, then the largest weight. */
static int compare_files(const void *a, const void *b)
{
    const struct mpdata_input *const x = *(struct mpdata_input *const *)a;
    const struct mpdata_input *const y = *(struct mpdata_input *const *)b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->inode != y->inode)
        return x->inode < y->inode ? -1 : 1;
    if ((x->found_in != 0) != (y->found_in != 0))
        return x->found_in != 0 ? 1 : -1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return 0;
}

static void drop(struct mpdata_input *file, uint32_t *count)
{
    free(file->path);
    file->path = NULL;
    (*count)++;
}

/* Frees the paths of those that are to go. */
static void drop_same(struct mpdata_inputs *inputs, struct mpdata_input **order,
                      const struct stat *output)
{
    const struct mpdata_input *first = NULL;

    for (uint32_t i = 0; i < inputs->files.count; i++) {
        struct mpdata_input *const file = order[i];
        const bool is_again = first != NULL && is_same_file(first, file);

        if (!is_again)
            first = file;
        if (file->found_in == 0)
            continue;
        if (output != NULL && file->device == output->st_dev &&
            file->inode == output->st_ino)
            drop(file, &inputs->own_output);
        else if (is_again)
            drop(file, &inputs->again);
    }
}

enum mprof_err mpdata_inputs_settle(struct mpdata_inputs *inputs,
                                    const char *output)
{
    struct mpdata_input *const files = inputs->files.data;
    struct mpdata_input **order;
    struct stat st;
    const bool has_output = output != NULL && stat(output, &st) == 0;
    uint32_t kept = 0;

    if (inputs->directories == 0)
        return MPROF_E_OK;
    order =
        mpdata_vec_array(inputs->files.count, sizeof(struct mpdata_input *));
    if (order == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < inputs->files.count; i++)
        order[i] = &files[i];
    qsort(order, inputs->files.count, sizeof(struct mpdata_input *),
          compare_files);
    drop_same(inputs, order, has_output ? &st : NULL);
    for (uint32_t i = 0; i < inputs->files.count; i++) {
        if (files[i].path != NULL)
            files[kept++] = files[i];
    }
    inputs->files.count = kept;
    free(order);
    return MPROF_E_OK;
}
