/* hints_file.h -- lists of hints, for commands.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_HINTS_FILE_H
#define MPDATA_HINTS_FILE_H

#include "profdata/judge/hint_list.h"

/* Reads the file: 0, or an exit status after a message. Fini is due either way.
 */
int hints_file_read(const char *path, struct mpdata_hint_list *list);

/* Says which lines fitted no call stack. */
void hints_file_say_unused(const char *path,
                           const struct mpdata_hint_list *list);

#endif
