/* print_text.h -- the profile, call stacks and mappings as text.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/dump/dump.h"

/* Appends one profile to buf. Sets buf->failed without memory. */
void mprt_print_text_write(struct mprof_buf *buf, const struct mprt_dump *dump);
/* Appends "    #N 0xPC in FUNCTION (MODULE+0xOFF) (BuildId: ID)\n" for each
 * recorded address in pcs[0..count), and an empty line. Inside the guard. */
void mprt_print_text_stack(struct mprof_buf *buf, const uintptr_t *pcs,
                           size_t count);
/* Prints the mappings (print_module_map) to stderr. Inside the guard. */
void mprt_print_text_module_map(void);
