/* message.h -- texts of the plugin's messages. Messages are reported through
 * LLVM's and clang's diagnostics, except in host.c.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

/* Size of a buffer for a message. */
#define MPASS_MESSAGE_BYTES 1024

/* Prefix of every message. */
#define MPASS_NAME "memprof"

#define MPASS_COLLECTS_INSTEAD                                             \
    MPASS_NAME ": -fmemory-profile collects a new memory profile, so the " \
               "memory profile in the file of -fprofile-use is not used"

#define MPASS_NO_HINTS_AT_O0 \
    MPASS_NAME ": a memory profile gives no hints at -O0: add -O1 or more"

/* Followed by the sanitizer's name. */
#define MPASS_NO_SANITIZER                                         \
    MPASS_NAME                                                     \
    ": -fmemory-profile cannot be combined with a sanitizer that " \
    "replaces malloc; remove one of them: -fsanitize="

#define MPASS_OTHER_VERSION                                                   \
    "an object was compiled for counting at link time by another version of " \
    "memprof, or is damaged; compile it again: "

/* Followed by the target's triple. */
#define MPASS_NO_RUNTIME                                                     \
    MPASS_NAME                                                               \
    ": memory profiles are neither collected nor used in code for a target " \
    "other than x86-64 Linux with glibc: "

/* Followed by the function's name. */
#define MPASS_UNCOUNTED                                                      \
    MPASS_NAME                                                               \
    ": accesses are not counted in a function with a jump that LLVM cannot " \
    "split: "

/* Behind the name of a function that -memprof-own-malloc names. */
#define MPASS_OWN_UNCLEAR                                                    \
    "'s type does not tell which argument is the block and which the size; " \
    "write NAME:LETTERS with a letter for each argument: p the block, n a "  \
    "factor of the size, - another one"
#define MPASS_OWN_LETTERS \
    " has letters other than one p, n and -, or more than 8"

/* Followed by their number. */
#define MPASS_ONE_VERSION \
    MPASS_NAME ": functions that cannot have two versions of their code: "
