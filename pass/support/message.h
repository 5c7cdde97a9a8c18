/* message.h -- what the plugin says to its user. Nothing here prints or exits:
 * messages go through LLVM's and clang's diagnostics (but host.c's, without
 * LLVM).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_MESSAGE_H
#define MPASS_MESSAGE_H

/* A message of ours: one line, whole. */
#define MPASS_MESSAGE_BYTES 1024

/* Whose message it is and where the user may look: starts every message. */
#define MPASS_NAME "memprof"

#define MPASS_COLLECTS_INSTEAD                                                 \
    MPASS_NAME ": -fmemory-profile collects a new memory profile, so the one " \
               "in the file of -fprofile-use is not used"

/* Followed by the sanitizer's name. */
#define MPASS_NO_SANITIZER                                           \
    MPASS_NAME                                                       \
    ": -fmemory-profile does not go with a sanitizer that replaces " \
    "malloc too; leave one of them out: -fsanitize="

/* Followed by the target's triple. */
#define MPASS_NO_RUNTIME                                                     \
    MPASS_NAME                                                               \
    ": memory profiles are neither collected nor used in code for a target " \
    "other than x86-64 Linux: "

/* Followed by the function's name. */
#define MPASS_LEFT_OUT                                                       \
    MPASS_NAME                                                               \
    ": accesses are not counted in a function with a jump that LLVM cannot " \
    "split: "

#endif
