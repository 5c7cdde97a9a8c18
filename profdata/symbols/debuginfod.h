/* debuginfod.h -- downloads files from debuginfod servers with elfutils'
 * library. The library is loaded at the first request if DEBUGINFOD_URLS is
 * set.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_DEBUGINFOD_H
#define MPDATA_DEBUGINFOD_H

#include "shared/base.h"

/* Returns the path of the debug file with a build id, or of the binary itself
 * (is_binary), in the library's cache: malloc'd, or NULL. *client starts as
 * NULL and is freed with mpdata_debuginfod_fini(). */
char *mpdata_debuginfod_find(void **client, const char *build_id, size_t size,
                             bool is_binary);
void mpdata_debuginfod_fini(void **client);

#endif
