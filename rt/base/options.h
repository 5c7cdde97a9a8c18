/* options.h -- the runtime's options as values: MEMPROF_OPTIONS and the like.
 * What there is to set, with defaults and texts, stands in shared/options.inc,
 * and struct mprt_options has a member for each, by its name.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OPTIONS_H
#define MPRT_OPTIONS_H

#include "rt/base/rt.h"

#define MPRT_OPTION_TYPE_BOOL bool
#define MPRT_OPTION_TYPE_INT int64_t
#define MPRT_OPTION_TYPE_STRING const char *

/* Strings are NUL-terminated, or NULL; they live as long as the process. */
struct mprt_options {
#define MPROF_OPTION(name, type, default_value, origin, help) \
    MPRT_OPTION_TYPE_##type name;
#include "shared/options.inc"
};

/* dump_on_term: the first process of a container does not die of these signals;
 * there they are a request, or nothing. */
enum mprt_on_term {
    MPRT_ON_TERM_NEVER,
    MPRT_ON_TERM_ALWAYS,
    MPRT_ON_TERM_UNLESS_FIRST
};

/* The options in force; constant after mprt_options_init(). */
extern MPRT_HIDDEN struct mprt_options mprt_options;

/* Reads defaults, __memprof_default_options() and (unless AT_SECURE) the
 * environment, in LLVM's precedence. Called once. Complaints go to mprt_log().
 */
void mprt_options_init(void);

/* Whether a member of mprt_options was given a value, be it its default. */
bool mprt_options_was_given(const void *member);

/* The program was started with more rights than its caller has (AT_SECURE):
 * the environment is not looked at, and no file is written. */
bool mprt_options_is_secure(void);

/* The words of the environment and of default options as they were given, for
 * the profile's META; "" where none were. */
const char *mprt_options_given(void);

#endif
