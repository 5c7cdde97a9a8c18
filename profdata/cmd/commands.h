/* commands.h -- the commands of memprofdata.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/cmd/cmd.h"

/* X(name) stands for struct cmd_command cmd_NAME in cmd_NAME.c, in the order of
 * --help. */
#define COMMANDS(X) \
    X(merge)        \
    X(show)         \
    X(report)       \
    X(diff)         \
    X(explain)      \
    X(advise)       \
    X(fields)       \
    X(whatif)       \
    X(events)       \
    X(objects)      \
    X(replay)       \
    X(used)         \
    X(check_budget) \
    X(check) X(export) X(control) X(live) X(serve) X(help) X(version)

#define X(name) extern const struct cmd_command cmd_##name;
COMMANDS(X)
#undef X

/* All commands, NULL at the end. */
extern const struct cmd_command *const commands[];
