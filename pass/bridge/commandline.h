/* commandline.h -- LLVM's table of command line options.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include <llvm-c/ExternC.h>
#include <stdbool.h>

LLVM_C_EXTERN_C_BEGIN

/* Adds an option with the default `def`, unless an option has this name. True
 * if it was added. */
bool mpass_commandline_add_BOOL(const char *flag, bool def, const char *help);
bool mpass_commandline_add_INT(const char *flag, int def, const char *help);
bool mpass_commandline_add_STRING(const char *flag, const char *def,
                                  const char *help);
/* The value, or def if LLVM has no option of this name and type. */
bool mpass_commandline_get_BOOL(const char *flag, bool def);
int mpass_commandline_get_INT(const char *flag, int def);
const char *mpass_commandline_get_STRING(const char *flag, const char *def);
/* Sets the value; false if LLVM has no option of this name and type. */
bool mpass_commandline_set_BOOL(const char *flag, bool value);
bool mpass_commandline_set_INT(const char *flag, int value);
bool mpass_commandline_set_STRING(const char *flag, const char *value);
bool mpass_commandline_exists(const char *flag);
/* True if the option was given on the command line. */
bool mpass_commandline_was_given(const char *flag);

LLVM_C_EXTERN_C_END
