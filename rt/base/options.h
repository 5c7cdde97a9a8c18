/* options.h -- the values of the runtime's options (MEMPROF_OPTIONS).
 * shared/options.inc lists the options with defaults and help texts; struct
 * mprt_options has a member for each.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/base/libc.h"

#define MPRT_OPTION_TYPE_BOOL bool
#define MPRT_OPTION_TYPE_INT int64_t
#define MPRT_OPTION_TYPE_STRING const char *

/* Strings live as long as the process and may be NULL. */
struct mprt_options {
#define MPROF_OPTION(name, type, default_value, origin, help) \
    MPRT_OPTION_TYPE_##type name;
#include "shared/options.inc"
};

/* dump_on_term: the first process of a container does not die of these signals;
 * there a signal only asks for a dump, or does nothing. */
enum mprt_on_term {
    MPRT_ON_TERM_NEVER,
    MPRT_ON_TERM_ALWAYS,
    MPRT_ON_TERM_UNLESS_FIRST
};

/* The options in force; constant after mprt_options_init(). */
extern MPRT_HIDDEN struct mprt_options mprt_options;

/* Reads the defaults, __memprof_default_options() and, unless AT_SECURE is set,
 * the environment, with LLVM's precedence. Called once. Reports mistakes by
 * mprt_log(). */
void mprt_options_init(void);

/* Whether the option of this member of mprt_options was given, even if with its
 * default. */
bool mprt_options_was_given(const void *member);

/* Whether the program was started with more rights than its caller has
 * (AT_SECURE): then the environment is ignored and no file is written. */
bool mprt_options_is_secure(void);

/* Reads a number of bytes, such as "512K", "2M" or "1G". Returns false, without
 * effect on *value, if it is none. */
bool mprt_options_parse_bytes(const char *s, size_t n, int64_t *value);

/* N of accesses=1/N; 1 for accesses=all, 0 for accesses=none. */
uint32_t mprt_options_access_period(void);
/* Replaces the value of accesses=. Returns false if it is none. One thread at a
 * time. */
bool mprt_options_set_accesses(const char *value);

/* The options as given in the environment and by the program, for the profile's
 * META section; "" if none. */
const char *mprt_options_given(void);
