/* input_options.h -- the inputs of a command together with its output.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_INPUT_OPTIONS_H
#define MPDATA_INPUT_OPTIONS_H

#include "profdata/cmd/cmd.h"
#include "profdata/load/inputs.h"

/* When all inputs are there: leaves out what is there twice, and the output
 * where it was found in a directory. 0, or an exit status after a message. */
int input_options_settle(struct mpdata_inputs *inputs, const char *output);

/* The same of a command whose output is no profile: an input that was named is
 * not to be lost to it. */
int input_options_settle_text(struct mpdata_inputs *inputs,
                              const struct cmd_command *command,
                              const char *output);

/* Says what that left out. */
void input_options_say(const struct mpdata_inputs *inputs, const char *output);

#endif
