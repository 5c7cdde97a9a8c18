/* alloc_options.h -- what users may set of libmemprof_alloc: one environment
 * variable, which takes one of these words.
 *
 * MPROF_ALLOC_COLD_PAGES(word, madvise(2)'s number, help)
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPROF_ALLOC_OPTIONS_H
#define MPROF_ALLOC_OPTIONS_H

#define MPROF_ALLOC_COLD_VARIABLE "MEMPROF_ALLOC_COLD_PAGES"

#define MPROF_ALLOC_COLD_PAGES(X)                            \
    X(keep, 0, "nothing is said about them: the default")    \
    X(deactivate, 20,                                        \
      "the kernel takes them first when memory is short "    \
      "(MADV_COLD)")                                         \
    X(pageout, 21,                                           \
      "the kernel writes them to swap at once, where there " \
      "is some (MADV_PAGEOUT)")

#endif
