/* frame_names.h -- names of the frames of a profile, for people and other
 * tools: the demangled function or, if it is unknown, binary and address.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

/* Demangles a linkage name: returns malloc'd text; NULL when out of memory. */
struct mpdata_demangler {
    char *(*demangle)(void *context, const char *name);
    void *context;
};

struct mpdata_frame_names; /* frame_names.c */

/* Borrows the profile and the demangler. Returns NULL when out of memory.
 * _free() accepts NULL. */
struct mpdata_frame_names *
mpdata_frame_names_new(const struct mpdata_profile *profile,
                       const struct mpdata_demangler *demangler);
void mpdata_frame_names_free(struct mpdata_frame_names *names);

/* Was a name returned in a simpler form when out of memory? */
bool mpdata_frame_names_failed(const struct mpdata_frame_names *names);

/* Returns the linkage name of a frame with a function; "" if only its GUID is
 * known, as in LLVM's files. */
const char *mpdata_frame_names_linkage(const struct mpdata_frame_names *names,
                                       const struct mpdata_frame *frame);
/* Returns the demangled name, valid until `names` is freed; "" for a frame
 * without a function. */
const char *mpdata_frame_names_function(struct mpdata_frame_names *names,
                                        const struct mpdata_frame *frame);
/* Returns a name for any frame, malloc'd: that of the function, "function with
 * GUID 0x...", "libx.so+0x123", or "libx.so at 0x7f..." if the offset in the
 * file is unknown. NULL when out of memory. */
char *mpdata_frame_names_text(struct mpdata_frame_names *names,
                              const struct mpdata_frame *frame);
