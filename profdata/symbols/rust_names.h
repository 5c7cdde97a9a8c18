/* rust_names.h -- Rust's older names, which borrow C++'s mangling.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_RUST_NAMES_H
#define MPDATA_RUST_NAMES_H

#include "shared/base.h"

/* Turns a name that was demangled as C++ ("core..fmt..Write$u20$for::h" and 16
 * hexadecimal digits) into what was written in Rust, in place; false and
 * unchanged if it does not end in such a hash. */
bool mpdata_rust_names_unescape(char *name);

#endif
