/* debuginfod.h -- files from debuginfod servers, through elfutils' library. It
 * is loaded when DEBUGINFOD_URLS is set, and not before something is asked for.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DEBUGINFOD_H
#define MPDATA_DEBUGINFOD_H

#include "shared/base.h"

/* The file with the debug information of a build id, or the binary itself: a
 * path in the library's own cache, malloc'd, or NULL. *client starts as NULL
 * and is freed with mpdata_debuginfod_fini(). */
char *mpdata_debuginfod_find(void **client, const char *build_id, size_t size,
                             bool is_binary);
void mpdata_debuginfod_fini(void **client);

#endif
