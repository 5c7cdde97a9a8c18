/* version.h -- the project's version. The Makefile reads it from here.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_VERSION_H
#define MPROF_VERSION_H

#define MPROF_VERSION "0.1.0"

#endif
