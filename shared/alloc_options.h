/* alloc_options.h -- the one setting of libmemprof_alloc: what it tells the
 * kernel about pages of cold blocks. The value of the environment variable is
 * one of these words.
 *
 * X(word, number of the advice for madvise(2) or 0, help)
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#define MPROF_ALLOC_COLD_VARIABLE "MEMPROF_ALLOC_COLD_PAGES"

#define MPROF_ALLOC_COLD_PAGES(X)                            \
    X(keep, 0, "the kernel is not told anything (default)")  \
    X(deactivate, 20,                                        \
      "the kernel takes them first when memory is short "    \
      "(MADV_COLD)")                                         \
    X(pageout, 21,                                           \
      "the kernel writes them to swap at once, if there is " \
      "swap space (MADV_PAGEOUT)")
