/* shared_libs.h -- finds the libraries that a program is linked with, as the
 * dynamic linker does. LLVM's raw files record build ids without paths, so the
 * libraries have to be found before their build ids can be compared.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/symbols/binaries.h"

/* Adds the libraries that the binaries need, and recursively the libraries that
 * those need. Reads each binary once. Skips libraries that are not found or
 * cannot be read. */
void mpdata_shared_libs_add(struct mpdata_binaries *binaries);
