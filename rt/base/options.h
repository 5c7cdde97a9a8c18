/* options.h -- struct mprt_options: the runtime's options as values. What there
 * is to set, with defaults and texts, stands in shared/options.inc.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_OPTIONS_H
#define MPRT_OPTIONS_H

#include "shared/base.h"

#define MPRT_OPTION_TYPE_BOOL bool
#define MPRT_OPTION_TYPE_INT int64_t
#define MPRT_OPTION_TYPE_STRING const char *

/* Strings are NUL-terminated, or NULL; they live as long as the process. */
struct mprt_options {
#define MPROF_OPTION(name, type, default_value, origin, help) \
    MPRT_OPTION_TYPE_##type name;
#include "shared/options.inc"
};

/* The program was started with more rights than its caller has (AT_SECURE):
 * the environment is not looked at, and no file is written. */
bool mprt_options_is_secure(void);

/* The words of the environment and of default options as they were given, for
 * the profile's META; "" where none were. */
const char *mprt_options_given(void);

/* Sets *options to the built-in defaults. */
void mprt_options_set_defaults(struct mprt_options *options);

/* Takes the words of text, e.g. "a=1:b='x y'", into *options; each unknown or
 * malformed word is complained of in one line that begins with `source`. Files
 * of include= are read. Stored strings are copies that are never freed. */
void mprt_options_parse(struct mprt_options *options, const char *text,
                        const char *source);

#endif
