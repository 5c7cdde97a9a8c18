/* outname.h -- the name of a profile's file; see docs/options.md. Under the
 * dump lock, inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/os.h"

enum mprt_outname_kind {
    MPRT_OUTNAME_RAW,      /* a file for each dump */
    MPRT_OUTNAME_RAW_LLVM, /* one file for all dumps of a process */
    MPRT_OUTNAME_TEXT      /* the same */
};

/* The format that the options ask for. */
enum mprt_outname_kind mprt_outname_choose_kind(void);

/* Reads MEMPROF_PROFILE_FILE. Called once, after the options. */
void mprt_outname_init(void);

/* The program's descriptor to write to instead of a file, or -1. */
int mprt_outname_descriptor(void);
/* Stores the name with this number (0: without a number) in path. False if it
 * does not fit; path holds its beginning then. */
bool mprt_outname_make(char path[MPRT_PATH_BYTES], enum mprt_outname_kind kind,
                       uint32_t number);
/* The same for a pattern as MEMPROF_PROFILE_FILE. */
bool mprt_outname_make_as(char path[MPRT_PATH_BYTES], const char *pattern,
                          uint32_t number);
/* Makes a relative name absolute, because the program may change its directory.
 */
void mprt_outname_make_absolute(char path[MPRT_PATH_BYTES]);
/* Makes a name for the unfinished file in the directory of path. */
void mprt_outname_make_temp(char temp[MPRT_PATH_BYTES], const char *path);
/* Stores a pattern in path as MEMPROF_PROFILE_FILE, with the number appended if
 * it is not 0. False if it does not fit. */
bool mprt_outname_expand(char path[MPRT_PATH_BYTES], const char *pattern,
                         uint32_t number);
/* The part of a path after the last slash. */
const char *mprt_outname_base(const char *path);

/* Whether the name comes from log_path. */
bool mprt_outname_is_log_path(void);
/* Changes whenever the program sets another name or descriptor. */
uint32_t mprt_outname_place(void);
