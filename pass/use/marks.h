/* marks.h -- what a matched call is marked with: string attributes of ours.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/use/match.h"

/* Marks the call with the pool that most of its bytes belong to, if any, and
 * chooses a pool to clone for: of the call stacks left, that with the most live
 * bytes of the others, if it pays. */
void mpass_marks_pool(struct mpass_match *match,
                      const struct mpass_stacks *stacks);
/* Attaches the reason of the outcome, that of the largest call stack that
 * decided it, and the id of the match. */
void mpass_marks_note(const struct mpass_match *match,
                      const struct mpass_stacks *stacks);
/* Sets a string attribute of the call. */
void mpass_marks_set_number(LLVMValueRef call, const char *attribute,
                            uint64_t number);
