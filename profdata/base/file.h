/* file.h -- whole files: read-only views of inputs, atomic writes of outputs.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/err.h"

/* All bytes of a file. If another process truncated a mapped file, reading it
 * would raise SIGBUS. Profiles are written under a temporary name and renamed,
 * so nobody writes to a file that we map. */
struct mpdata_file {
    const uint8_t *data; /* never NULL after success */
    size_t size;         /* may be made smaller */
    void *mapped;        /* address to unmap, or NULL */
    size_t mapped_bytes;
    void *owned; /* memory to free, or NULL */
};

/* Is the path "-", that is, standard input or output? */
bool mpdata_file_is_standard(const char *path);

/* Opens a plain file as it is now: bytes appended later are not read. Files
 * whose size is 0, like those of the kernel, are empty. Anything else is
 * refused without waiting. Errors: IO, NOMEM; diag->file is set to `path`.
 * After failure nothing needs closing. */
MPROF_NODISCARD enum mprof_err mpdata_file_open(struct mpdata_file *file,
                                                const char *path,
                                                struct mprof_diag *diag);

/* Do the first bytes of a file show that the rest need not be read? */
typedef bool mpdata_file_rejectable_fn(const uint8_t *data, size_t size);

/* As mpdata_file_open(), but "-" is standard input, and pipes, devices and
 * files of the kernel are read to their end. Stops after the start if
 * is_rejectable (may be NULL) returns true for it. Fails with IO if the data
 * exceeds half of the memory. */
MPROF_NODISCARD enum mprof_err
mpdata_file_open_input(struct mpdata_file *file, const char *path,
                       mpdata_file_rejectable_fn *is_rejectable,
                       struct mprof_diag *diag);
void mpdata_file_close(struct mpdata_file *file);

/* Releases the memory of the pages read so far; reading them again loads them
 * from the file. For large files that are read once. */
void mpdata_file_forget(const struct mpdata_file *file);

/* Writes data[0..size) to `path`: to a temporary file beside it, which is then
 * renamed, so an old file is kept or replaced, never damaged. The old file's
 * permissions are kept. "-" is standard output, which must not be a terminal.
 * Pipes and devices like /dev/null are written directly. */
MPROF_NODISCARD enum mprof_err mpdata_file_write(const char *path,
                                                 const void *data, size_t size,
                                                 struct mprof_diag *diag);

/* Is `path` written directly: "-", a pipe, a device? */
bool mpdata_file_is_stream(const char *path);

/* Appends data to such a path. *fd starts as -1 and becomes the descriptor of
 * the pipe or device; mpdata_file_end_stream() closes it if it is open. Errors:
 * those of mpdata_file_write(). */
MPROF_NODISCARD enum mprof_err mpdata_file_send(const char *path, int *fd,
                                                const void *data, size_t size,
                                                struct mprof_diag *diag);
MPROF_NODISCARD enum mprof_err mpdata_file_end_stream(const char *path, int *fd,
                                                      struct mprof_diag *diag);

/* As mpdata_file_write(), for files of our own: anything at `path`, even a
 * pipe, is replaced without being opened. False on failure. */
bool mpdata_file_replace(const char *path, const void *data, size_t size);
