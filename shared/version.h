/* version.h -- the project's version. The Makefile reads it from here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MPROF_VERSION "0.1.0"
