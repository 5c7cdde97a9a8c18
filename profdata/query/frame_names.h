/* frame_names.h -- what the frames of a profile are called, for people and for
 * other tools: the function as its language writes it, or where no name is
 * known the module and the address.
 *
 * Not thread-safe.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_FRAME_NAMES_H
#define MPDATA_FRAME_NAMES_H

#include "profdata/model/profile.h"

/* Who knows what a linkage name stands for: malloc'd text; NULL without memory.
 */
struct mpdata_demangler {
    char *(*demangle)(void *context, const char *name);
    void *context;
};

struct mpdata_frame_names; /* frame_names.c */

/* The profile and the demangler are borrowed. NULL without memory. Free accepts
 * NULL. */
struct mpdata_frame_names *
mpdata_frame_names_new(const struct mpdata_profile *profile,
                       const struct mpdata_demangler *demangler);
void mpdata_frame_names_free(struct mpdata_frame_names *names);

/* Was a name given in a poorer form for want of memory? */
bool mpdata_frame_names_failed(const struct mpdata_frame_names *names);

/* Of a frame with a function: its linkage name. A file of LLVM's has GUIDs in
 * place of names: then "". */
const char *mpdata_frame_names_linkage(const struct mpdata_frame_names *names,
                                       const struct mpdata_frame *frame);
/* The function's whole name, kept until `names` is freed; "" for a frame
 * without a function. */
const char *mpdata_frame_names_function(struct mpdata_frame_names *names,
                                        const struct mpdata_frame *frame);
/* A name for any frame, malloc'd: the function's, or "function with GUID
 * 0x...", or "libx.so+0x123", or "libx.so at 0x7f..." where it is not known
 * which part of the file that was. NULL without memory. */
char *mpdata_frame_names_text(struct mpdata_frame_names *names,
                              const struct mpdata_frame *frame);

#endif
