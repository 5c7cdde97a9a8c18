/* outfile.h -- writes a profile: a file that appears complete, or an open
 * descriptor. Under the dump lock, inside the guard.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/outname.h"

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
void mprt_outfile_after_fork(bool is_child, bool is_outermost);
