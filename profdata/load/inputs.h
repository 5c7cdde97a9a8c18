/* inputs.h -- which files are meant: words of a command line, lists of files,
 * directories.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INPUTS_H
#define MPDATA_INPUTS_H

#include "profdata/base/vec.h"
#include "shared/err.h"

struct mpdata_input {
    char *path;        /* owned by the inputs */
    uint64_t weight;   /* how often it counts; at least 1 */
    uint32_t found_in; /* number + 1 of the directory; 0: named itself */
    int error;         /* errno of a directory that cannot be read, or 0 */
    uint64_t device;   /* 0: unknown, as is the inode then */
    uint64_t inode;
};

/* Starts by mpdata_inputs_init(). */
struct mpdata_inputs {
    struct mpdata_vec files; /* struct mpdata_input */
    uint32_t count;          /* of them */
    uint32_t directories;
    uint32_t again;      /* files left out by mpdata_inputs_dedupe() */
    uint32_t own_output; /* the same, because they are the output */
    char *failed_path;   /* owned; what diag->file points to */
    bool has_standard;   /* standard input was named */
};

void mpdata_inputs_init(struct mpdata_inputs *inputs);
void mpdata_inputs_fini(struct mpdata_inputs *inputs);

/* Adds what a word means: "@FILE" what the file lists, a directory all plain
 * files in it and below, by name, but none that starts with a dot (unfinished
 * profiles have such names), and each directory once that links lead to;
 * anything else itself. */
MPROF_NODISCARD enum mprof_err mpdata_inputs_add(struct mpdata_inputs *inputs,
                                                 const char *word,
                                                 uint64_t weight,
                                                 struct mprof_diag *diag);

/* Adds the files and directories that `path` ("-": standard input) lists, one a
 * line, each alone or after "WEIGHT,". Empty lines and such that start with '#'
 * count for nothing. Error: VALUE where it is no text. */
MPROF_NODISCARD enum mprof_err
mpdata_inputs_add_list(struct mpdata_inputs *inputs, const char *path,
                       struct mprof_diag *diag);

/* Is the file at `path` an input that was named, not found in a directory?
 * Before mpdata_inputs_dedupe(). */
bool mpdata_inputs_is_named(const struct mpdata_inputs *inputs,
                            const char *path);

/* When all are added: of a file that was found in a directory and is also named
 * by itself, what was found is left out; a file that was found several times is
 * left once, with the largest weight. What was named counts as often as it was
 * named. The file at `output` (which may be NULL) is left out where it was
 * found. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_inputs_dedupe(struct mpdata_inputs *inputs, const char *output);

/* Was the error that the file is no profile, where in a directory there may be
 * anything? */
bool mpdata_inputs_is_other(const struct mpdata_input *input,
                            const struct mprof_diag *diag);

/* The input in a row, row < inputs->count, when all are added. Any number of
 * threads may ask. */
const struct mpdata_input *mpdata_inputs_get(const struct mpdata_inputs *inputs,
                                             uint32_t row);

/* The error of an input that could not even be looked for; OK for others. */
enum mprof_err mpdata_inputs_error(const struct mpdata_input *input,
                                   struct mprof_diag *diag);

/* Splits "WEIGHT,FILE"; NULL where it is none. */
const char *mpdata_inputs_weighted(const char *text, uint64_t *weight);

#endif
