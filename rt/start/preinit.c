/* preinit.c -- starts the runtime before any constructor. It is part of the
 * main archive, and an archive of its own for programs that use the shared
 * runtime. Running it twice is harmless.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

void __memprof_preinit(void);

__attribute__((section(".preinit_array"),
               used)) static void (*preinit)(void) = __memprof_preinit;
