/* system_lib.h -- tells system libraries from other binaries.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "shared/base.h"

/* By the last component of the path and shared/system_libs.inc; true for "". */
bool mpdata_system_lib_is(const char *path);
/* The same for libraries of C++ in that list. */
bool mpdata_system_lib_is_cxx(const char *path);
