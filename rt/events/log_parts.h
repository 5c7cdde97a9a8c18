/* log_parts.h -- the parts of the log, for event_log.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/mapbuf.h"
#include "rt/record/snapshot.h"
#include "rt/record/trail.h"

/* log_sink.c -- where the log goes: a file, a descriptor, a socket, or a
 * function of the program. */

/* How long a thread waits for a pipe or socket, and for another thread that
 * writes the log. */
#define MPRT_LOG_PATIENCE_MS 10000

struct mprt_log_sink {
    int fd; /* -1: not yet open */
    bool is_stream;
    uint64_t identity;                  /* of its file */
    struct memprof_log_options program; /* writer: NULL without one */
};

/* Takes the option log. Called once. */
void mprt_log_sink_init(void);
/* Opens what the option says. False: *why is the reason. */
bool mprt_log_sink_open(struct mprt_log_sink *sink, const char **why);
/* The same; *out is empty afterwards. A function of the program is called
 * outside the guard. */
bool mprt_log_sink_write(struct mprt_log_sink *sink, struct mprof_buf *out,
                         const char **why);
/* In the helper, for a log that the program opened after the helper's start:
 * opens it again. Returns a descriptor or -errno. */
int mprt_log_sink_reopen(const struct mprt_log_sink *sink);
bool mprt_log_sink_can_reopen(void);
void mprt_log_sink_close(struct mprt_log_sink *sink);
/* Whether a forked child can have a log of its own. */
bool mprt_log_sink_forks(const struct mprt_log_sink *sink);

/* log_blocks.c -- blocks of the log (shared/log_format.h). Under the log's
 * lock, inside the guard. */

/* Append a field. */
void mprt_log_blocks_integer(struct mprof_buf *out, uint64_t n);
void mprt_log_blocks_string(struct mprof_buf *out, const char *text);
/* Begins a block; the result goes to _end(). */
size_t mprt_log_blocks_begin(struct mprof_buf *out, enum mprof_log_block code);
void mprt_log_blocks_end(struct mprof_buf *out, size_t start);

/* The first block, and what is known at the start: binaries, facts. run_id: as
 * in raw profiles. */
void mprt_log_blocks_intro(struct mprof_buf *out, uint64_t run_id);
/* Binaries and marks that are new since the last call; then CLOCK. */
void mprt_log_blocks_news(struct mprof_buf *out);
/* What is known at the end. Takes the loader's lock. */
void mprt_log_blocks_last(struct mprof_buf *out);
/* Makes the next _news() begin anew. */
void mprt_log_blocks_restart(void);

/* log_events.c -- the blocks of events of the log. */

/* Appends the events of a buffer that are not yet written to *out. Under the
 * log's lock, inside the guard. */
void mprt_log_events_write(struct mprt_trail *trail, struct mprof_buf *out);

/* log_stacks.c -- call stacks on their way to the log. */

/* Called once. */
void mprt_log_stacks_init(void);
/* Adds the call stack of a context, unless the log has it. Inside the guard.
 * False if the process that held the lock was killed, so the log must end. */
bool mprt_log_stacks_add(uint32_t context);
/* Moves the block of call stacks, if there is one, to *out, which is empty.
 * False as above. */
bool mprt_log_stacks_take(struct mprof_buf *out);
/* Forgets what was written. is_child: another thread's lock does not count. */
void mprt_log_stacks_restart(bool is_child);

/* log_contexts.c -- what a snapshot has of contexts beside the events of their
 * blocks, as blocks of the log: events and pools of the program, histograms. */

/* Called once. */
void mprt_log_contexts_init(void);
/* Makes the blocks, instead of those of an earlier snapshot, and adds call
 * stacks that they refer to. is_whole: the log began with the run. Otherwise it
 * has less than the snapshot, so there are no blocks unless they are empty. */
void mprt_log_contexts_keep(const struct mprt_snapshot *snapshot,
                            bool is_whole);
/* Moves the blocks to *out, which is empty. */
void mprt_log_contexts_take(struct mprof_buf *out);
/* Forgets the blocks. is_child: another thread's lock does not count. */
void mprt_log_contexts_restart(bool is_child);
