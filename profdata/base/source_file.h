/* source_file.h -- a file of source text, found where debug information says or
 * by ever shorter ends of that path below the current directory.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SOURCE_FILE_H
#define MPDATA_SOURCE_FILE_H

#include "profdata/base/file.h"

/* Lines of a file, from the first on, each asked for after those before it. */
struct mpdata_source_file {
    struct mpdata_file file;
    bool is_open;
    bool is_newer; /* than the time that was given */
    size_t at;
    uint32_t line; /* that begins at `at` */
};

/* last_ns: when what is known of its lines was found out; 0: not known. Where
 * it cannot be read it is not open, and has no lines. */
struct mpdata_source_file mpdata_source_file_open(const char *path,
                                                  uint64_t last_ns);
void mpdata_source_file_close(struct mpdata_source_file *source);

/* The text of a line, without its end; false behind the last. */
bool mpdata_source_file_line(struct mpdata_source_file *source, uint32_t line,
                             const char **text, size_t *size);

#endif
