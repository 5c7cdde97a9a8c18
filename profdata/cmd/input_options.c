/* input_options.c -- the inputs of a command together with its output.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/input_options.h"
#include "profdata/base/file.h"

#include <inttypes.h>

static bool is_file(const char *output)
{
    return output != NULL && !mpdata_file_is_standard(output);
}

int input_options_settle(struct mpdata_inputs *inputs, const char *output)
{
    return mpdata_inputs_dedupe(inputs, is_file(output) ? output : NULL) ==
                   MPROF_E_OK
               ? 0
               : cmd_no_memory();
}

int input_options_settle_text(struct mpdata_inputs *inputs,
                              const struct cmd_command *command,
                              const char *output)
{
    if (is_file(output) && mpdata_inputs_is_named(inputs, output))
        return cmd_usage(command, "%s is an input and the output", output);
    return input_options_settle(inputs, output);
}

void input_options_say(const struct mpdata_inputs *inputs, const char *output)
{
    if (inputs->own_output != 0)
        cmd_say("%s is in a directory of inputs and is the output, so it was "
                "left out; to add to it, name it as an input too",
                output);
    if (inputs->again != 0)
        cmd_say(
            "files that were named or found twice, and count as one: %" PRIu32,
            inputs->again);
}
