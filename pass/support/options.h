/* options.h -- the plugin's options: command line and MEMPROF_PASS_OPTIONS.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_OPTIONS_H
#define MPASS_OPTIONS_H

#include <llvm-c/ExternC.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

#define MPASS_TYPE_BOOL bool
#define MPASS_TYPE_INT int
#define MPASS_TYPE_STRING const char *

/* Values of shared/pass_options.inc. Strings belong to LLVM's option table and
 * are valid until an option is set. */
struct mpass_options {
#define MPROF_PASS_OPTION(field, type, def, flag, help) MPASS_TYPE_##type field;
#include "shared/pass_options.inc"
};

/* What each option is called on the command line, without the dash. */
struct mpass_option_flags {
#define MPROF_PASS_OPTION(field, type, def, flag, help) const char *field;
#include "shared/pass_options.inc"
};
extern const struct mpass_option_flags mpass_option_flags;

/* Makes our options known to LLVM's command line, when the plugin is loaded,
 * and those of LLVM's that this version lacks. A second copy of the plugin in
 * the process finds them there and adds none. */
void mpass_options_register(void);

/* Sets the options of MEMPROF_PASS_OPTIONS that the command line does not set.
 * To be called after the command line was read; only the first call of the
 * copy that registered the options does anything. */
void mpass_options_apply_environment(void);

/* What was wrong in MEMPROF_PASS_OPTIONS, handed out once; then NULL. */
const char *mpass_options_take_error(void);

/* The values now in force. */
struct mpass_options mpass_options_read(void);

/* Why these values cannot be used together, or NULL. */
const char *mpass_options_conflict(const struct mpass_options *options);

/* The same of those that are about using a profile. */
const char *mpass_options_use_conflict(const struct mpass_options *options);

LLVM_C_EXTERN_C_END

#endif
