/* commands.c -- the table of all commands.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"

#define X(name) &cmd_##name,
const struct cmd_command *const commands[] = {COMMANDS(X) NULL};
#undef X
