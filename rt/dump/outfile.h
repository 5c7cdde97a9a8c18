/* outfile.h -- writes a profile: a file that appears complete, or an open
 * descriptor. Under the dump lock, inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/os.h"

/* outname.c -- the name of a profile's file; see docs/options.md. Under the
 * dump lock, inside the guard. */

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

/* outfile.c */

struct mprt_outfile {
    enum mprt_outname_kind kind;
    int fd;
    bool is_file;    /* else fd is the program's: stdout, stderr, a report fd */
    bool is_opened;  /* the program's file, reopened by the helper */
    bool is_kept;    /* a file that was kept open */
    bool is_extra;   /* beside the one file of continuous=1 */
    bool is_unnamed; /* the unfinished file has no name yet */
    bool is_new;     /* it did not replace our last file */
    const char *pattern;        /* its name; NULL: as the options say */
    char temp[MPRT_PATH_BYTES]; /* unfinished file */
    char path[MPRT_PATH_BYTES]; /* of the finished file */
};

/* Finds a place and checks that it can be written, before anything is taken
 * from the program's records. is_last: the output may replace the content of a
 * file that was kept open. is_extra: the output is a new file, also with
 * continuous=1. pattern: NULL, or a name as in MEMPROF_PROFILE_FILE for a new
 * file; nothing that exists is opened or replaced then. Returns 0, or -1 after
 * a message (no message under AT_SECURE, where nothing is written). */
int mprt_outfile_begin(struct mprt_outfile *output, enum mprt_outname_kind kind,
                       const char *pattern, bool is_last, bool is_extra);
/* Writes data[0..n) and makes the file visible under its name. Returns 0, or -1
 * after a message. Ends the output. */
int mprt_outfile_finish(struct mprt_outfile *output, const void *data,
                        size_t n);
/* Ends the output and leaves nothing behind. */
void mprt_outfile_cancel(struct mprt_outfile *output);
/* The same when the program dies and the thread that writes the output does not
 * continue: only removes an unfinished file. */
void mprt_outfile_abandon(const struct mprt_outfile *output);
/* Why a file could not be written; may use out. */
const char *mprt_outfile_error(int64_t negative_errno, char out[32]);
/* Landlock may forbid files from now on; error messages say so. */
void mprt_outfile_enter_landlock(void);
/* Whether the last file that this process made cannot be found any more. */
bool mprt_outfile_is_out_of_reach(void);
/* Can the finished file be removed and written again? */
bool mprt_outfile_can_replace(struct mprt_outfile *output);
/* Keeps the finished file open for a last dump when its name is out of reach;
 * closes it. False if the last finish made no file. */
bool mprt_outfile_keep_open(const struct mprt_outfile *output);
bool mprt_outfile_is_kept(void);
void mprt_outfile_let_go(void);
/* Undoes the last finish: restores the file's state at the mark. Bytes sent to
 * an open descriptor stay. */
struct mprt_outfile_mark {
    uint64_t own_bytes;
    uint32_t next_number;
};
void mprt_outfile_mark(struct mprt_outfile_mark *mark);
void mprt_outfile_undo(const struct mprt_outfile *output,
                       const struct mprt_outfile_mark *mark);
/* Lets the next dump begin a new file; in a forked child, too. */
void mprt_outfile_reset(void);
void mprt_outfile_in_child(void);
