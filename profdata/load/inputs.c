/* inputs.c -- expands the words of a command line to input files.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/inputs.h"
#include "profdata/base/diag.h"
#include "profdata/base/file.h"
#include "profdata/base/lines.h"
#include "profdata/base/set.h"
#include "shared/abi.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Largest depth of nested directories. */
#define DEPTH_MAX 64

/* State of the walk through a directory and the directories below it. */
struct walk {
    struct mpdata_inputs *inputs;
    uint64_t weight;
    struct mpdata_set seen; /* struct file_id: directories that were read */
};

struct file_id {
    uint64_t device;
    uint64_t inode;
};

static struct mpdata_input *row_of(const struct mpdata_inputs *inputs,
                                   uint32_t row)
{
    return (struct mpdata_input *)inputs->files.data + row;
}

void mpdata_inputs_init(struct mpdata_inputs *inputs)
{
    *inputs = (struct mpdata_inputs){
        .files = {.elem_bytes = sizeof(struct mpdata_input)}};
}

void mpdata_inputs_fini(struct mpdata_inputs *inputs)
{
    for (uint32_t i = 0; i < inputs->files.count; i++)
        free(row_of(inputs, i)->path);
    mpdata_vec_fini(&inputs->files);
    free(inputs->failed_path);
    inputs->failed_path = NULL;
    inputs->count = 0;
}

const struct mpdata_input *mpdata_inputs_get(const struct mpdata_inputs *inputs,
                                             uint32_t row)
{
    return row_of(inputs, row);
}

/* Copies the path for the message, which outlives it. */
static enum mprof_err fail_path(struct mpdata_inputs *inputs, const char *path,
                                int error, struct mprof_diag *diag)
{
    const enum mprof_err err = error == ENOMEM ? MPROF_E_NOMEM : MPROF_E_IO;

    mpdata_diag_text(diag, err, "%s", error == ENOMEM ? "" : strerror(error));
    free(inputs->failed_path);
    inputs->failed_path = strdup(path);
    if (diag != NULL)
        diag->file = inputs->failed_path;
    return err;
}

/* Adds *input with a copy of the path. */
static enum mprof_err add_input(struct mpdata_inputs *inputs, const char *path,
                                const struct mpdata_input *input,
                                struct mprof_diag *diag)
{
    char *const copy = strdup(path);
    struct mpdata_input *const row =
        copy != NULL ? mpdata_vec_push(&inputs->files) : NULL;

    if (row == NULL) {
        free(copy);
        return fail_path(inputs, path, ENOMEM, diag);
    }
    *row = *input;
    row->path = copy;
    inputs->count++;
    return MPROF_E_OK;
}

/* Adds a file; st is NULL if the file was not examined with stat(). */
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

/* Adds an input that fails later: a directory that cannot be read, or a pattern
 * that matches no file. */
static enum mprof_err add_unreadable(struct mpdata_inputs *inputs,
                                     const char *path, int error,
                                     struct mprof_diag *diag)
{
    const struct mpdata_input input = {.weight = 1, .error = error};

    if (error == ENOMEM)
        return fail_path(inputs, path, error, diag);
    return add_input(inputs, path, &input, diag);
}

/* Skips names that start with a dot: profiles that are still being written have
 * them. */
static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum mprof_err add_below(struct walk *walk, const char *path,
                                const struct stat *st, int depth,
                                struct mprof_diag *diag);

static enum mprof_err add_entry(struct walk *walk, const char *above,
                                const char *name, int depth,
                                struct mprof_diag *diag)
{
    char *path = NULL;
    struct stat st;
    enum mprof_err err = MPROF_E_OK;

    if (asprintf(&path, "%s/%s", above, name) < 0)
        return fail_path(walk->inputs, above, ENOMEM, diag);
    /* Skip an entry that vanished meanwhile and a link to nothing. */
    if (stat(path, &st) == 0) {
        if (S_ISREG(st.st_mode))
            err = add_file(walk->inputs, path, walk->weight,
                           walk->inputs->directories, &st, diag);
        else if (S_ISDIR(st.st_mode))
            err = add_below(walk, path, &st, depth + 1, diag);
    }
    free(path);
    return err;
}

/* Adds a directory's files. Reads each directory once: links can form loops and
 * exponentially many paths. */
static enum mprof_err add_below(struct walk *walk, const char *path,
                                const struct stat *st, int depth,
                                struct mprof_diag *diag)
{
    const struct file_id id = {.device = st->st_dev, .inode = st->st_ino};
    struct dirent **entries;
    enum mprof_err err = MPROF_E_OK;

    if (mpdata_set_find(&walk->seen, &id) != 0)
        return MPROF_E_OK;
    if (depth > DEPTH_MAX)
        return add_unreadable(walk->inputs, path, ELOOP, diag);
    if (mpdata_set_add(&walk->seen, &id, NULL) == 0)
        return fail_path(walk->inputs, path, ENOMEM, diag);
    int count = scandir(path, &entries, is_shown, compare_names);
    if (count < 0)
        return add_unreadable(walk->inputs, path, errno, diag);
    for (int i = 0; i < count; i++) {
        if (err == MPROF_E_OK)
            err = add_entry(walk, path, entries[i]->d_name, depth, diag);
        free(entries[i]);
    }
    free(entries);
    return err;
}

static enum mprof_err add_directory(struct mpdata_inputs *inputs,
                                    const char *path, uint64_t weight,
                                    const struct stat *st,
                                    struct mprof_diag *diag)
{
    struct walk walk = {.inputs = inputs, .weight = weight};

    inputs->directories++;
    mpdata_set_init(&walk.seen, sizeof(struct file_id), sizeof(struct file_id));
    enum mprof_err err = add_below(&walk, path, st, 0, diag);
    mpdata_set_fini(&walk.seen);
    return err;
}

/* Is it a pattern that the shell did not expand because nothing matched? */
static bool is_pattern(const char *path)
{
    return strchr(path, '*') != NULL;
}

/* Marks standard input as used; it can be read only once. */
static enum mprof_err take_standard(struct mpdata_inputs *inputs,
                                    struct mprof_diag *diag)
{
    if (inputs->has_standard)
        return mpdata_diag_text(diag, MPROF_E_USAGE,
                                "standard input is named twice");
    inputs->has_standard = true;
    return MPROF_E_OK;
}

/* Adds a file or a directory. */
static enum mprof_err add_path(struct mpdata_inputs *inputs, const char *path,
                               uint64_t weight, struct mprof_diag *diag)
{
    struct stat st;

    if (mpdata_file_is_standard(path)) {
        const enum mprof_err err = take_standard(inputs, diag);

        return err == MPROF_E_OK ? add_file(inputs, path, weight, 0, NULL, diag)
                                 : err;
    }
    if (stat(path, &st) != 0)
        return errno == ENOENT && is_pattern(path)
                   ? add_unreadable(inputs, path, ENOENT, diag)
                   : add_file(inputs, path, weight, 0, NULL, diag);
    return S_ISDIR(st.st_mode) ? add_directory(inputs, path, weight, &st, diag)
                               : add_file(inputs, path, weight, 0, &st, diag);
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

struct list {
    struct mpdata_inputs *inputs;
    struct mprof_diag *diag;
};

static enum mprof_err add_line(void *context, char *line, uint32_t number)
{
    const struct list *const list = context;
    uint64_t weight = 1;
    const char *const path = mpdata_inputs_weighted(line, &weight);

    (void)number;
    return add_path(list->inputs, path != NULL ? path : line, weight,
                    list->diag);
}

/* Fails because the list has NUL bytes: usually a profile was given as a list.
 */
static enum mprof_err fail_list(struct mpdata_inputs *inputs,
                                const struct mpdata_file *file,
                                const char *path, struct mprof_diag *diag)
{
    const uint8_t *zero = memchr(file->data, '\0', file->size);

    mpdata_diag_fail(diag, MPROF_E_VALUE, "list of inputs",
                     (uint64_t)(zero - file->data),
                     "it is not text with one file name per line");
    free(inputs->failed_path);
    inputs->failed_path = strdup(path);
    if (diag != NULL)
        diag->file = inputs->failed_path;
    return MPROF_E_VALUE;
}

enum mprof_err mpdata_inputs_add_list(struct mpdata_inputs *inputs,
                                      const char *path, struct mprof_diag *diag)
{
    struct list list = {.inputs = inputs, .diag = diag};
    struct mpdata_file file;
    enum mprof_err err = MPROF_E_OK;
    char *copy;
    uint32_t bad_line;

    if (mpdata_file_is_standard(path))
        err = take_standard(inputs, diag);
    if (err == MPROF_E_OK)
        err = mpdata_file_open_input(&file, path, mpdata_lines_is_binary, diag);
    if (err != MPROF_E_OK)
        return err;
    if (mpdata_lines_is_binary(file.data, file.size)) {
        err = fail_list(inputs, &file, path, diag);
    } else {
        err = mpdata_lines_read((const char *)file.data, file.size, add_line,
                                &list, &copy, &bad_line);
        if (copy == NULL)
            err = fail_path(inputs, path, ENOMEM, diag);
        free(copy);
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
               ? "no file matches; files of LLVM's runtime are "
                 "called " MPROF_PROFILE_BASENAME ".PID"
               : strerror(input->error);
}

enum mprof_err mpdata_inputs_error(const struct mpdata_input *input,
                                   struct mprof_diag *diag)
{
    if (input->error == 0)
        return MPROF_E_OK;
    mpdata_diag_text(diag, MPROF_E_IO, "%s", error_text(input));
    if (diag != NULL)
        diag->file = input->path;
    return MPROF_E_IO;
}

/* -- duplicates ------------------------------------------------------------- */

/* Orders by file; named files precede found ones, then larger weights precede
 * smaller ones. */
static int compare_files(const void *a, const void *b, void *context)
{
    const struct mpdata_inputs *const inputs = context;
    const struct mpdata_input *const x = row_of(inputs, *(const uint32_t *)a);
    const struct mpdata_input *const y = row_of(inputs, *(const uint32_t *)b);

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

bool mpdata_inputs_is_named(const struct mpdata_inputs *inputs,
                            const char *path)
{
    struct stat st;
    bool found = false;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    for (uint32_t i = 0; i < inputs->count && !found; i++) {
        const struct mpdata_input *const file = row_of(inputs, i);

        found = file->found_in == 0 && file->device == st.st_dev &&
                file->inode == st.st_ino;
    }
    return found;
}

static void drop(struct mpdata_input *file, uint32_t *count)
{
    free(file->path);
    file->path = NULL;
    (*count)++;
}

/* Sets the path of each file to remove to NULL and counts the file. */
static void drop_same(struct mpdata_inputs *inputs, const uint32_t *order,
                      const struct stat *output)
{
    const struct mpdata_input *first = NULL;

    for (uint32_t i = 0; i < inputs->count; i++) {
        struct mpdata_input *const file = row_of(inputs, order[i]);
        const bool is_again = first != NULL && first->device == file->device &&
                              first->inode == file->inode;

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

enum mprof_err mpdata_inputs_dedupe(struct mpdata_inputs *inputs,
                                    const char *output)
{
    uint32_t *order;
    struct stat st;
    const bool has_output = output != NULL && stat(output, &st) == 0;
    uint32_t kept = 0;

    if (inputs->directories == 0)
        return MPROF_E_OK;
    order = mpdata_vec_array(inputs->count, sizeof(*order));
    if (order == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t i = 0; i < inputs->count; i++)
        order[i] = i;
    qsort_r(order, inputs->count, sizeof(*order), compare_files, inputs);
    drop_same(inputs, order, has_output ? &st : NULL);
    for (uint32_t i = 0; i < inputs->count; i++) {
        if (row_of(inputs, i)->path != NULL)
            *row_of(inputs, kept++) = *row_of(inputs, i);
    }
    inputs->files.count = inputs->count = kept;
    free(order);
    return MPROF_E_OK;
}
