/* source_file.h -- a source file, found at the path in debug information or,
 * below the current directory, at ever shorter ends of that path.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/file.h"

/* Lines of a file; the caller must ask for them in ascending order. */
struct mpdata_source_file {
    struct mpdata_file file;
    bool is_open;
    bool is_newer; /* than last_ns of mpdata_source_file_open() */
    size_t at;
    uint32_t line; /* number of the line that begins at `at` */
};

/* last_ns: time of the profile, which knows the file's lines as they were then;
 * 0: unknown. An unreadable file has is_open false and no lines. */
struct mpdata_source_file mpdata_source_file_open(const char *path,
                                                  uint64_t last_ns);
void mpdata_source_file_close(struct mpdata_source_file *source);

/* The text of a line without its end; false after the last line. */
bool mpdata_source_file_line(struct mpdata_source_file *source, uint32_t line,
                             const char **text, size_t *size);
