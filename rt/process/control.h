/* control.h -- the control socket: clients send lines, the helper executes them
 * and answers. docs/control.md describes the lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/log.h"
#include "shared/buf.h"
#include "shared/control.h"

/* -- in the program -------------------------------------------------------- */

/* Makes the option's path absolute, because the program may change its
 * directory. Called once. */
void mprt_control_init(void);
/* Whether the options ask for a socket. In a forked child, whether it has a
 * path of its own. */
bool mprt_control_is_wanted(void);

/* -- in the helper --------------------------------------------------------- */

/* Makes the socket; if that fails, prints one message. */
void mprt_control_open(void);
/* Closes all connections and removes the socket. Safe in signal handlers. */
void mprt_control_close(void);
bool mprt_control_is_open(void);

/* Serves connections until *word is not `seen`, or ns nanoseconds have passed,
 * or a client has sent a command. Returns whether there is a command, which
 * mprt_control_execute() must execute. blocked: the signals that are blocked
 * meanwhile; a change of *word is noticed when another one arrives, or after a
 * second. */
bool mprt_control_wait(_Atomic uint32_t *word, uint32_t seen, uint64_t ns,
                       uint64_t blocked);
void mprt_control_execute(void);
/* Offers the client a message of mprt_log(). False if no command is being
 * executed. */
bool mprt_control_take_message(const char *line, size_t bytes);

/* -- commands (control_run.c) ---------------------------------------------- */

struct mprt_control_answer {
    struct mprt_textbuf text; /* the line, without its newline */
    struct mprof_buf bytes;   /* what follows the line */
    char message[512];        /* the first message of the command, or "" */
    bool ends;                /* the connection ends with the answer */
};
/* Executes a command, a string without control characters. */
void mprt_control_run(const char *line, struct mprt_control_answer *answer);
