/* file.h -- whole files: read-only views of inputs, outputs that appear at once
 * and whole.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FILE_H
#define MPDATA_FILE_H

#include "shared/err.h"

/* All bytes of a file. A file that another process cuts short while it is
 * looked at would be a fault, so only files that nobody writes any more are
 * mapped: profiles are written under a temporary name and renamed. */
struct mpdata_file {
    const uint8_t *data; /* never NULL after success */
    size_t size;
    void *mapped; /* what to unmap, or NULL */
    void *owned;  /* what to free, or NULL */
};

/* Does the path mean standard input, or output? */
bool mpdata_file_is_standard(const char *path);

/* A plain file, as it was when it was opened: what is appended later is not
 * read, nor anything of a file that says to have no bytes, as those of the
 * kernel do. Anything else is refused, and not waited for. Errors: IO, NOMEM;
 * diag->file is set to `path`. On failure nothing is to be closed. */
MPROF_NODISCARD enum mprof_err mpdata_file_open(struct mpdata_file *file,
                                                const char *path,
                                                struct mprof_diag *diag);

/* Says of the first bytes of something that the rest need not be read. */
typedef bool mpdata_file_rejectable_fn(const uint8_t *data, size_t size);

/* So too, but "-" is standard input, and pipes, devices and files of the kernel
 * are read to their end, or as far as it makes sense: only the start where that
 * is rejectable (`is_rejectable` may be NULL), and no more than half of the
 * memory, else IO. */
MPROF_NODISCARD enum mprof_err
mpdata_file_open_input(struct mpdata_file *file, const char *path,
                       mpdata_file_rejectable_fn *is_rejectable,
                       struct mprof_diag *diag);
void mpdata_file_close(struct mpdata_file *file);

/* Gives back the memory of what was looked at so far; what is looked at again
 * is read again. For files of which much is seen once. */
void mpdata_file_forget(const struct mpdata_file *file);

/* Makes `path` hold data[0..size): written beside it under another name, then
 * renamed, so that an old file is either kept or replaced, never damaged. The
 * old file's permissions are kept. "-" is standard output, which must not be a
 * terminal. What is not a plain file (a pipe, /dev/null) is written to as is.
 */
MPROF_NODISCARD enum mprof_err mpdata_file_write(const char *path,
                                                 const void *data, size_t size,
                                                 struct mprof_diag *diag);

/* Does what is written there go on at once: "-", a pipe, a device? */
bool mpdata_file_is_stream(const char *path);

/* Writes more to such a path. *fd is -1 at first, then the pipe or device,
 * which end_stream() closes, if there is one. Errors as of mpdata_file_write().
 */
MPROF_NODISCARD enum mprof_err mpdata_file_send(const char *path, int *fd,
                                                const void *data, size_t size,
                                                struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err mpdata_file_end_stream(const char *path, int *fd,
                                                      struct mprof_diag *diag);

/* As mpdata_file_write() of a file of our own: what is at `path`, also a pipe,
 * is replaced and not opened. False where that fails. */
bool mpdata_file_replace(const char *path, const void *data, size_t size);

#endif
