/* resolver.h -- what the resolvers of indirect functions (ifunc) execute.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPASS_RESOLVER_H
#define MPASS_RESOLVER_H

#include "pass/collect/context.h"

/* Notes in context->uncounted the module's resolvers and the functions that
 * they call. What others may call too gets a private copy for resolvers, and
 * the copy is noted. To be called before anything is inserted. */
void mpass_resolver_set_aside(struct mpass_context *context);

#endif
