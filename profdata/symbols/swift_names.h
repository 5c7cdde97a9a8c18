/* swift_names.h -- Swift's names for people.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_SWIFT_NAMES_H
#define MPDATA_SWIFT_NAMES_H

#include "shared/base.h"

/* True for what starts as Swift's names do, of any of its versions. */
bool mpdata_swift_is_mangled(const char *name);

/* The name as Swift's own tools spell it, malloc'd; NULL where any part of it
 * is not understood, and without memory. Only names of Swift 4.2 and later,
 * which start with "$s" or "$S". */
char *mpdata_swift_demangle(const char *name);

/* Swift's own library, which knows all names, where the system has one. It is
 * loaded when first asked. Zero-initialise; end with fini. Not thread-safe. */
struct mpdata_swift_library {
    void *handle;
    size_t (*demangle)(const char *name, char *out, size_t size);
    bool is_sought;
};

/* So too; NULL where there is no library, or it does not know the name. */
char *mpdata_swift_ask(struct mpdata_swift_library *library, const char *name);
void mpdata_swift_library_fini(struct mpdata_swift_library *library);

#endif
