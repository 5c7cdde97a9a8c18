/* system_lib.h -- is a file a library of the system?
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SYSTEM_LIB_H
#define MPDATA_SYSTEM_LIB_H

#include "shared/base.h"

/* By the last component of its path and shared/system_libs.inc; "" is. */
bool mpdata_system_lib_is(const char *path);
/* Also of the C++ library. */
bool mpdata_system_lib_is_cxx(const char *path);

#endif
