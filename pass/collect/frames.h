/* frames.h -- which functions keep a frame pointer, so that call stacks can be
 * walked fast.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_FRAMES_H
#define MPASS_FRAMES_H

#include <llvm-c/Core.h>

/* Asks for frame pointers in all functions that call others, except where the
 * function needs the register itself. To be called after inlining. */
void mpass_frames_keep(LLVMModuleRef module);

#endif
