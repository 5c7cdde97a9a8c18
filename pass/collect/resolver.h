/* resolver.h -- excludes the code of ifunc resolvers from instrumentation.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "pass/collect/context.h"

/* Adds the module's resolvers and the functions that they call to
 * context->uncounted. If other code may call such a function too, the resolvers
 * get a private copy, and the copy is added. Call it before anything is
 * inserted. */
void mpass_resolver_set_aside(struct mpass_context *context);
