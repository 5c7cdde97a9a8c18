/* event_log.h -- reads the log of a run (shared/log_format.h) in one pass. The
 * functions of a visitor get what the log says, in order. Strings live as long
 * as the file's bytes and end with a NUL.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/str.h"
#include "profdata/raw/raw.h"
#include "shared/log_format.h"

struct mpdata_log_event {
    uint32_t kind;   /* enum mprof_log_event; not CPU and PEAK */
    uint32_t flags;  /* enum mprof_log_flag */
    uint32_t thread; /* number; 0: unknown */
    uint32_t cpu;
    uint32_t context;   /* of ALLOC, MOST and an event of the program */
    uint32_t stack;     /* of the context: number of its stack(), from 1 on; of
                           MOST 0 if there was none */
    uint32_t peak;      /* with PEAK: number of the peak; otherwise 0 */
    uint32_t what;      /* of NOTE, without the context */
    uint32_t end_kind;  /* REALLOC and FREE of enum mprof_detail_kind, or 0 */
    uint32_t end_stack; /* as stack; 0: unknown */
    uint32_t weight; /* of ALLOC: blocks that it stands for; 0: not sampled */
    uint64_t end_size;
    uint64_t ns;
    uint64_t at;              /* address; of MOST bytes, of NOTE the value */
    uint64_t number;          /* size, accesses, blocks */
    uint64_t birth_ns;        /* with ELSEWHERE */
    struct mprof_block_rw rw; /* of LIVE and FREE */
};

struct mpdata_log_loaded {
    struct mpdata_str path;
    struct mpdata_str build_id;
    uint64_t tag;
    uint64_t bias;
    uint64_t ns; /* when it was loaded; 0: at the start, or not of this block */
    uint32_t flags;
};

/* What happened to the process, beside its blocks. */
enum mpdata_log_change_kind {
    MPDATA_LOG_LOADED,
    MPDATA_LOG_UNLOADED,
    MPDATA_LOG_DUMP
};
struct mpdata_log_change {
    enum mpdata_log_change_kind kind;
    bool is_last; /* of DUMP */
    uint64_t ns;
    uint64_t number;        /* of DUMP: number in its epoch */
    struct mpdata_str path; /* of the binary */
};

/* A function of a script. */
struct mpdata_log_function {
    uint32_t number;
    uint64_t line; /* first */
    struct mpdata_str name;
    struct mpdata_str file;
};

/* Events or a pool of the program at a call stack. */
struct mpdata_log_tagged {
    uint32_t stack; /* as of events */
    uint32_t kind;  /* enum mprof_tag_kind */
    bool is_live;   /* of live blocks */
    struct mpdata_str name;
    struct mprof_mib mib;
};

/* The access histogram of a call stack, or places of accesses. */
struct mpdata_log_cells {
    uint32_t stack;
    bool is_live;
    uint64_t size; /* number of cells; 0: places */
    struct mpdata_cells cells;
};

struct mpdata_log_frame {
    uint64_t address;
    uint64_t tag;
};

/* A function returns OK, or an error that ends the reading: no memory, or a
 * limit of the caller's. What the log says has been checked before: all readers
 * of a damaged log stop at the same place. NULL skips what it would get. */
struct mpdata_log_visitor {
    struct mpdata_event_live *live; /* of event(), or NULL: read ahead for it */
    struct mpdata_event_stacks *stacks; /* gets call stacks and binaries */
    enum mprof_err (*event)(void *context, const struct mpdata_log_event *e);
    /* The name of the threads that have a call stack. */
    enum mprof_err (*name)(void *context, uint32_t id, struct mpdata_str name);
    /* The name of the events of the program that have a context. */
    enum mprof_err (*tag)(void *context, uint32_t id, struct mpdata_str name);
    enum mprof_err (*fact)(void *context, uint32_t key, uint64_t number,
                           struct mpdata_str text);
    enum mprof_err (*mark)(void *context, const struct mpdata_mark *mark,
                           struct mpdata_str name);
    enum mprof_err (*change)(void *context,
                             const struct mpdata_log_change *change);
    enum mprof_err (*sample)(void *context, const struct mpdata_sample *sample);
    /* NULL at the beginning; then at most once, as the next, for the blocks, or
     * the live blocks, of a call stack. */
    enum mprof_err (*tagged)(void *context, const struct mpdata_log_tagged *t);
    enum mprof_err (*cells)(void *context, const struct mpdata_log_cells *c);
    void *context;
};

bool mpdata_event_log_is(const uint8_t *data, size_t size);

/* Reads the log, also one of another tool (foreign_log.h) if no call stacks are
 * wanted. *is_whole: it has its last block. A log that is cut between
 * two blocks is no error; otherwise *diag has the damaged block and the offset,
 * and what stands before it has been visited. */
MPROF_NODISCARD enum mprof_err
mpdata_event_log_read(const uint8_t *data, size_t size,
                      const struct mpdata_log_visitor *visitor, bool *is_whole,
                      struct mprof_diag *diag);

/* Reads a log that grows. Borrows the visitor; NULL without memory. */
struct mpdata_log_reader *
mpdata_event_log_reader_new(const struct mpdata_log_visitor *visitor);
/* Reads the whole blocks in what comes next of the log. What stands behind
 * *used is to be given again, longer. *is_whole: the last block was read. */
MPROF_NODISCARD enum mprof_err
mpdata_event_log_reader_read(struct mpdata_log_reader *r, const uint8_t *data,
                             size_t size, size_t *used, bool *is_whole,
                             struct mprof_diag *diag);
/* Accepts NULL. */
void mpdata_event_log_reader_free(struct mpdata_log_reader *r);
