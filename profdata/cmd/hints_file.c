/* hints_file.c -- reads a list of hints, and says what of it was of no use.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/hints_file.h"
#include "profdata/base/file.h"
#include "profdata/cmd/cmd.h"

#include <inttypes.h>

int hints_file_read(const char *path, struct mpdata_hint_list *list)
{
    struct mpdata_file file;
    struct mprof_diag diag;
    enum mprof_err err = mpdata_file_open_input(&file, path, NULL, &diag);

    if (err != MPROF_E_OK)
        return cmd_fail(&diag);
    err = mpdata_hint_list_read(list, (const char *)file.data, file.size);
    mpdata_file_close(&file);
    if (err == MPROF_E_OK)
        return 0;
    if (err == MPROF_E_NOMEM)
        return cmd_no_memory();
    cmd_say("%s:%" PRIu32 ": not \"cold FUNCTION\", \"hot FUNCTION\" or "
            "\"none FUNCTION\"",
            path, list->bad_line);
    return CMD_EXIT_USAGE;
}

void hints_file_say_unused(const char *path,
                           const struct mpdata_hint_list *list)
{
    const struct mpdata_hint_list_row *const rows =
        (const struct mpdata_hint_list_row *)list->rows.data;

    for (uint32_t i = 0; i < list->rows.count; i++) {
        if (rows[i].stacks == 0)
            cmd_say("%s:%" PRIu32 ": decides no call stack of the profile",
                    path, rows[i].line);
    }
}
