/* log_list.h -- memprofdata events --list and --follow: single events of a log
 * with their call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/base/file.h"
#include "profdata/cmd/session.h"
#include "profdata/events/event_rows.h"
#include "profdata/events/foreign_log.h"

enum log_list_kind {
    LOG_LIST_ALL,
    LOG_LIST_ALLOC,
    LOG_LIST_FREE,
    LOG_LIST_REALLOC,
    LOG_LIST_EVENT
};

struct log_list {
    bool is_chosen;     /* --list */
    bool is_tail;       /* --tail */
    const char *follow; /* ADDR[@TIME], or NULL */
    uint64_t thread;    /* 0: any */
    enum log_list_kind kind;
    /* While it runs. */
    struct session *session; /* its profile has the call stacks */
    struct mpdata_event_rows list;
    struct mpdata_log_traits traits;
    struct mpdata_event_stacks stacks; /* of a log of ours */
    uint32_t stack_count;
    mpdata_ref *leaves; /* nodes of the profile, by call stack */
    bool *keeps_stack;  /* by call stack */
    struct mpdata_frame_names *names;
    struct mpdata_event_choice choice;
};

/* Opens the session, with the filters of blocks. Return an exit status. */
int log_list_open(struct log_list *l, struct session *session);
int log_list_fail(const struct log_list *l, struct mprof_diag *diag);
/* Names the call stacks, also those that have come since the last call. */
MPROF_NODISCARD enum mprof_err log_list_know_stacks(struct log_list *l,
                                                    struct mprof_diag *diag);
/* Does the event fit the options? */
bool log_list_keeps(void *list, const struct mpdata_event_life *life,
                    bool is_end);
/* Prints a line. False without memory. */
bool log_list_print_row(const struct log_list *l,
                        const struct mpdata_event_row *row, FILE *out);
/* Finds the events in a log, then prints them with _text() or _json(). Return
 * an exit status, and an error. */
int log_list_find(struct log_list *l, struct session *session,
                  const struct mpdata_file *file);
enum mprof_err log_list_text(const struct log_list *l, FILE *out);
enum mprof_err log_list_json(const struct log_list *l,
                             struct mpdata_sink *sink);
void log_list_fini(struct log_list *l);
