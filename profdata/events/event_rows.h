/* event_rows.h -- the blocks of a log one by one: when each began and ended,
 * and the first events among them, and of the program, in the order of time.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/events/event_stacks.h"

/* Or an event of the program, which has birth_ns, birth_thread and stack. */
struct mpdata_event_life {
    uint64_t address;
    uint64_t size; /* or weight */
    uint64_t birth_ns;
    uint64_t end_ns; /* UINT64_MAX: it did not end */
    uint64_t accesses;
    uint32_t stack; /* index into the call stacks */
    uint32_t birth_thread;
    uint32_t end_thread;
    uint32_t end_kind;  /* enum mprof_detail_kind, or 0 */
    uint32_t end_stack; /* index + 1, or 0: unknown */
    uint32_t weight;    /* blocks that a sampled one stands for, or 0 */
    bool is_unseen;     /* accesses were not counted */
    bool is_event;
};

/* The beginning or the end of a block, or an event of the program. */
struct mpdata_event_row {
    struct mpdata_event_life life;
    bool is_end;
};

/* Set the first members. */
struct mpdata_event_rows {
    bool has_address; /* only blocks that contain the address */
    uint64_t address;
    uint64_t from_ns;
    uint64_t to_ns;
    uint32_t max; /* rows */
    /* Does the event count? */
    bool (*keeps)(void *context, const struct mpdata_event_life *life,
                  bool is_end);
    void *context;
    /* Results. */
    struct mpdata_vec rows; /* struct mpdata_event_row, by time */
    uint64_t found;         /* also those beyond the maximum */
    struct mprof_diag rest; /* why reading ended early, or OK */
};

static inline uint64_t mpdata_event_row_ns(const struct mpdata_event_row *row)
{
    return row->is_end ? row->life.end_ns : row->life.birth_ns;
}

/* Reads the call stacks alone. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_event_rows_stacks(struct mpdata_event_stacks *stacks,
                         const uint8_t *data, size_t size,
                         struct mprof_diag *diag);
/* Reads the events. Memory is that of the live blocks (those at the address, if
 * there is one) and `max` rows. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_event_rows_read(struct mpdata_event_rows *list, const uint8_t *data,
                       size_t size, struct mprof_diag *diag);
void mpdata_event_rows_sort(struct mpdata_event_rows *list);

/* Reads a log that grows: appends rows to `list`, in no order and as many as
 * there are, beginnings before their ends are known. Borrows list and stacks.
 * NULL without memory. */
struct mpdata_event_tail *
mpdata_event_rows_tail_new(struct mpdata_event_rows *list,
                           struct mpdata_event_stacks *stacks);
/* As mpdata_event_log_reader_read(). */
MPROF_NODISCARD enum mprof_err
mpdata_event_rows_tail_read(struct mpdata_event_tail *t, const uint8_t *data,
                            size_t size, size_t *used, bool *is_whole,
                            struct mprof_diag *diag);
/* Accepts NULL. */
void mpdata_event_rows_tail_free(struct mpdata_event_tail *t);
void mpdata_event_rows_fini(struct mpdata_event_rows *list);
