/* log_reader.h -- the reader of a log (event_log.h), for its parts: event_log.c
 * and log_blocks.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/set.h"
#include "profdata/events/event_log.h"
#include "profdata/events/log_fields.h"

/* Events that are decoded before the first of them is visited: most time would
 * go by waiting for memory otherwise. */
#define MPDATA_LOG_READER_AHEAD 32u
#define MPDATA_LOG_READER_RECENT 1024u

struct mpdata_log_reader {
    struct mprof_cursor c; /* of the block that is read */
    const struct mpdata_log_visitor *visit;
    struct mpdata_set contexts; /* uint32_t, of the call stacks in order */
    uint64_t frames_left;       /* of all call stacks */
    uint32_t marks_left;
    uint32_t samples_left;
    uint64_t sample_ns;  /* of the next one, at least */
    uint64_t tagged_row; /* the last one */
    uint64_t cells_row;
    struct mpdata_cells_builder cells;         /* of a row */
    uint32_t recent[MPDATA_LOG_READER_RECENT]; /* call stacks that were found */
    struct mpdata_log_event ahead[MPDATA_LOG_READER_AHEAD];
    uint32_t decoded; /* events of the block */
    uint32_t visited;
    uint64_t offset; /* of what comes next */
    bool is_sampled;
    bool is_whole;
};

/* The log is damaged unless this is so. Inline, for events. */
static inline bool mpdata_log_reader_expect(struct mpdata_log_reader *r,
                                            bool is_so, enum mprof_err err)
{
    if (!is_so)
        mprof_cursor_fail(&r->c, err);
    return r->c.err == MPROF_E_OK;
}

/* Number of the call stack; 0: the context has none. */
static inline uint32_t mpdata_log_reader_stack(struct mpdata_log_reader *r,
                                               uint32_t context)
{
    const uint32_t *const contexts = r->contexts.rows.data;
    uint32_t *const stack = &r->recent[context % MPDATA_LOG_READER_RECENT];

    if (*stack == 0 || contexts[*stack - 1] != context)
        *stack = mpdata_set_find(&r->contexts, &context);
    return *stack;
}

/* Calls a function of the visitor and passes on its result. */
#define MPDATA_LOG_READER_VISIT(r, function, ...) \
    ((r)->c.err == MPROF_E_OK &&                  \
     ((r)->visit->function == NULL ||             \
      mpdata_log_reader_goes_on(                  \
          (r), (r)->visit->function((r)->visit->context, __VA_ARGS__))))
static inline bool mpdata_log_reader_goes_on(struct mpdata_log_reader *r,
                                             enum mprof_err err)
{
    return mpdata_log_reader_expect(r, err == MPROF_E_OK, err);
}

/* Passes something on to the call stacks, if they are wanted. */
#define MPDATA_LOG_READER_ADD(r, of, ...) \
    ((r)->c.err == MPROF_E_OK &&          \
     ((r)->visit->stacks == NULL ||       \
      mpdata_log_reader_expect((r), of(__VA_ARGS__), MPROF_E_NOMEM)))

/* Reads a block that has no events and no call stacks; log_blocks.c. Skips an
 * unknown one, which is of a later version. */
void mpdata_log_blocks_read(struct mpdata_log_reader *r, uint8_t code);
