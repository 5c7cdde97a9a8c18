/* inputs.h -- expands the words of a command line to input files: plain files,
 * lists of files, directories.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/vec.h"
#include "shared/err.h"

struct mpdata_input {
    char *path;        /* owned by the inputs */
    uint64_t weight;   /* weight in the merge; at least 1 */
    uint32_t found_in; /* number of the directory + 1; 0: named itself */
    int error;         /* errno of a directory that cannot be read, or 0 */
    uint64_t device;   /* 0: device and inode are unknown */
    uint64_t inode;
};

/* Initialize with mpdata_inputs_init(). */
struct mpdata_inputs {
    struct mpdata_vec files; /* struct mpdata_input */
    uint32_t count;          /* number of files */
    uint32_t directories;
    uint32_t again;      /* duplicates removed by mpdata_inputs_dedupe() */
    uint32_t own_output; /* files removed because they are the output */
    char *failed_path;   /* owned; diag->file points to it */
    bool has_standard;   /* standard input was named */
};

void mpdata_inputs_init(struct mpdata_inputs *inputs);
void mpdata_inputs_fini(struct mpdata_inputs *inputs);

/* Adds the files that a word stands for:
 *
 * - "@FILE": the files that FILE lists;
 * - a directory: all plain files in it and below it, by name. Names that start
 *   with a dot are skipped, because unfinished profiles have such names. A
 *   directory that is reached by several links is read once;
 * - anything else: the file of that name. */
MPROF_NODISCARD enum mprof_err mpdata_inputs_add(struct mpdata_inputs *inputs,
                                                 const char *word,
                                                 uint64_t weight,
                                                 struct mprof_diag *diag);

/* Adds the files and directories that the file at `path` ("-": standard input)
 * lists, one a line, each optionally after "WEIGHT,". Skips empty lines and
 * lines that start with '#'. Error: VALUE if the list is not text. */
MPROF_NODISCARD enum mprof_err
mpdata_inputs_add_list(struct mpdata_inputs *inputs, const char *path,
                       struct mprof_diag *diag);

/* Was the file at `path` named as an input, rather than found in a directory?
 * Call it before mpdata_inputs_dedupe(). */
bool mpdata_inputs_is_named(const struct mpdata_inputs *inputs,
                            const char *path);

/* Removes duplicates; call it after all inputs were added. A file that was
 * found in a directory and also named is kept only as named. A file that was
 * found several times is kept once, with its largest weight. A file that was
 * named several times counts several times. Removes the file at `output` (may
 * be NULL) if it was found in a directory. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_inputs_dedupe(struct mpdata_inputs *inputs, const char *output);

/* Does the error only mean that a file found in a directory is not a profile?
 */
bool mpdata_inputs_is_other(const struct mpdata_input *input,
                            const struct mprof_diag *diag);

/* Returns input number `row` < inputs->count, after all inputs were added.
 * Thread-safe. */
const struct mpdata_input *mpdata_inputs_get(const struct mpdata_inputs *inputs,
                                             uint32_t row);

/* Returns the error of an input that could not be found or listed, else OK. */
enum mprof_err mpdata_inputs_error(const struct mpdata_input *input,
                                   struct mprof_diag *diag);

/* Parses "WEIGHT,FILE". Returns FILE, or NULL if `text` has another form. */
const char *mpdata_inputs_weighted(const char *text, uint64_t *weight);
