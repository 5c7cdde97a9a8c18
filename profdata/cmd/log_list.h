/* log_list.h -- memprofdata events --list and --follow: single events of a log
 * with their call stacks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CMD_LOG_LIST_H
#define MPDATA_CMD_LOG_LIST_H

#include "profdata/base/file.h"
#include "profdata/cmd/session.h"
#include "profdata/events/event_rows.h"

enum log_list_kind {
    LOG_LIST_ALL,
    LOG_LIST_ALLOC,
    LOG_LIST_FREE,
    LOG_LIST_REALLOC
};

struct log_list {
    bool is_chosen;     /* --list */
    const char *follow; /* ADDR[@TIME], or NULL */
    uint64_t thread;    /* 0: any */
    enum log_list_kind kind;
    /* While it runs. */
    struct session *session; /* its profile has the call stacks */
    struct mpdata_event_rows list;
    struct mpdata_event_stacks stacks;
    mpdata_ref *leaves; /* nodes of the profile, by call stack */
    bool *keeps_stack;  /* by call stack */
    struct mpdata_frame_names *names;
    struct mpdata_event_choice choice;
};

/* Finds the events in a log, then prints them with _text() or _json(). Return
 * an exit status, and an error. */
int log_list_find(struct log_list *l, struct session *session,
                  const struct mpdata_file *file);
enum mprof_err log_list_text(const struct log_list *l, FILE *out);
enum mprof_err log_list_json(const struct log_list *l,
                             struct mpdata_sink *sink);
void log_list_fini(struct log_list *l);

#endif
