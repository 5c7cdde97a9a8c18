/* shared_libs.h -- the libraries that a program is linked with, found as the
 * dynamic linker would: files that name no paths need them found by build id.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SHARED_LIBS_H
#define MPDATA_SHARED_LIBS_H

#include "profdata/symbols/binaries.h"

/* Adds the libraries that the binaries need, and those that these need; each
 * binary is looked at once. What is not found or cannot be read is left out. */
void mpdata_shared_libs_add(struct mpdata_binaries *binaries);

#endif
