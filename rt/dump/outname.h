/* outname.h -- the name of a profile's file; see docs/options.md. Under the
 * dump lock, inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OUTNAME_H
#define MPRT_OUTNAME_H

#include "rt/base/os.h"

enum mprt_outname_kind {
    MPRT_OUTNAME_RAW,      /* a file of its own for each dump */
    MPRT_OUTNAME_RAW_LLVM, /* dumps of a process follow each other in one file
                            */
    MPRT_OUTNAME_TEXT      /* likewise */
};

/* The format that the options ask for. */
enum mprt_outname_kind mprt_outname_choose_kind(void);

/* Reads MEMPROF_PROFILE_FILE. Called once, when the options are there. */
void mprt_outname_init(void);

/* The descriptor of the program's that is in force instead of a name, or -1. */
int mprt_outname_descriptor(void);
/* The name with this number (0: with none) into path; false where it does not
 * fit: then its beginning. */
bool mprt_outname_make(char path[MPRT_PATH_BYTES], enum mprt_outname_kind kind,
                       uint32_t number);
/* Puts the working directory before a relative name: the program may go
 * elsewhere, and the file is still the same. */
void mprt_outname_make_absolute(char path[MPRT_PATH_BYTES]);
/* A name for the unfinished file, in the directory of path. */
void mprt_outname_make_temp(char temp[MPRT_PATH_BYTES], const char *path);
/* The part of a path behind its last slash. */
const char *mprt_outname_base(const char *path);

/* Whether the name in force is that of log_path. */
bool mprt_outname_is_log_path(void);
/* Changes when the program sets another place. */
uint32_t mprt_outname_place(void);

#endif
