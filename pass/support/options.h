/* options.h -- the plugin's options, from the command line and from
 * MEMPROF_PASS_OPTIONS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

#define MPASS_TYPE_BOOL bool
#define MPASS_TYPE_INT int
#define MPASS_TYPE_STRING const char *

/* Values of the options in shared/pass_options.inc. LLVM's option table owns
 * the strings; they are valid until an option is set. */
struct mpass_options {
#define MPROF_PASS_OPTION(field, type, def, flag, help) MPASS_TYPE_##type field;
#include "shared/pass_options.inc"
};

/* Name of each option on the command line, without the dash. */
struct mpass_option_flags {
#define MPROF_PASS_OPTION(field, type, def, flag, help) const char *field;
#include "shared/pass_options.inc"
};
extern const struct mpass_option_flags mpass_option_flags;

/* Registers our options, and LLVM's options that this version lacks, with
 * LLVM's command line. Called when the plugin is loaded. A second copy of the
 * plugin in the process finds the options registered and adds none. */
void mpass_options_register(void);

/* Sets the options in MEMPROF_PASS_OPTIONS that the command line does not set.
 * Call it after LLVM has parsed the command line. Later calls, and calls of a
 * copy that did not register the options, do nothing. */
void mpass_options_apply_environment(void);

/* The first call after an error in MEMPROF_PASS_OPTIONS returns its text; other
 * calls return NULL. */
const char *mpass_options_take_error(void);

/* The current values. */
struct mpass_options mpass_options_read(void);

/* The values that differ from the defaults, as text without NUL bytes. The
 * caller frees it. */
char *mpass_options_pack(const struct mpass_options *options);
/* The values in such a text, into which strings point. False if it was not
 * written by this version of the plugin. Modifies the text. */
bool mpass_options_unpack(struct mpass_options *options, char *text);

/* A sentence that says why these values are invalid for collecting, or NULL. */
const char *mpass_options_conflict(const struct mpass_options *options);

/* Likewise for the options about using a profile. */
const char *mpass_options_use_conflict(const struct mpass_options *options);

LLVM_C_EXTERN_C_END
