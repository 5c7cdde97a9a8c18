/* unwind.h -- what others need of unwind.c beyond rt.h.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_UNWIND_H
#define MPRT_UNWIND_H

/* Forgets what is known of return addresses: modules were unloaded, and others
 * may take their place. */
void mprt_unwind_forget(void);

#endif
