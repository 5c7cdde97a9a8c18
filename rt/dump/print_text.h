/* print_text.h -- the profile and its parts as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_PRINT_TEXT_H
#define MPRT_PRINT_TEXT_H

#include "rt/dump/dump.h"
#include "rt/dump/symbols.h"

/* Appends one whole profile to buf; without memory buf fails. */
void mprt_print_text_write(struct mprof_buf *buf, const struct mprt_dump *dump);
/* Appends "    #N 0xPC in FUNCTION (MODULE+0xOFF) (BuildId: ID)\n". */
void mprt_print_text_frame(struct mprof_buf *buf, size_t n, uintptr_t pc,
                           struct mprt_symbols *symbols);
/* Appends such a line for each of pcs[0..count), which were recorded, and an
 * empty one. Inside the guard. */
void mprt_print_text_stack(struct mprof_buf *buf, const uintptr_t *pcs,
                           size_t count);
/* Prints the list of print_module_map to stderr. Inside the guard. */
void mprt_print_text_module_map(void);

#endif
