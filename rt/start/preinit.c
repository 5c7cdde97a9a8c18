/* preinit.c -- starts the runtime before any constructor. Part of the main
 * archive, and an archive of its own for programs that take the runtime from a
 * shared library; running it twice does no harm.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

void __memprof_preinit(void);

__attribute__((section(".preinit_array"),
               used)) static void (*preinit)(void) = __memprof_preinit;
