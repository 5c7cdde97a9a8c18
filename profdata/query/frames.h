/* frames.h -- frames of call stacks: names, groups, types, wrappers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"
#include "profdata/query/by.h"

/* frame_names.c -- names of the frames of a profile, for people and other
 * tools: the demangled function or, if it is unknown, binary and address.
 *
 * Not thread-safe. */

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

/* frame_match.c -- finds the frames of a profile whose function's name matches.
 */

/* Does a name match? */
struct mpdata_name_matcher {
    bool (*matches)(void *context, const char *name);
    void *context;
};

/* Returns for each frame of the profile whether its function's name matches:
 * the demangled name, the linkage name or, if the function is unknown,
 * "libx.so+0x12". The caller frees the array with free(). NULL when out of
 * memory. Calls matches() once per function. */
bool *mpdata_frame_match(const struct mpdata_profile *profile,
                         struct mpdata_frame_names *names,
                         const struct mpdata_name_matcher *matcher);

/* frame_groups.c -- groups the frames of a profile: by function, source line,
 * file, binary or call. */

struct mpdata_frame_groups {
    uint32_t *of_frame; /* owned; by frame: number of its group */
    uint32_t *first;    /* owned; by group: a frame with its name */
    uint32_t count;
};

/* Groups by function, line, file, binary or call. They are numbered in the
 * order of their first frames. Call _fini() even after a failure. Error: NOMEM.
 */
MPROF_NODISCARD enum mprof_err
mpdata_frame_groups_make(struct mpdata_frame_groups *groups,
                         const struct mpdata_profile *profile,
                         enum mpdata_by by);
void mpdata_frame_groups_fini(struct mpdata_frame_groups *groups);

/* types.c -- the type of the objects that a call stack allocates. */

/* Number of innermost frames that are searched, inlined ones included: enough
 * for the program's own allocator functions. A call further out is not the
 * allocation. */
#define MPDATA_TYPES_DEPTH 8
/* The same for kinds of objects of virtual machines, which stand in front of
 * the script's innermost frame. */
#define MPDATA_TYPES_KIND_DEPTH 64

/* Returns the innermost node with a type, for the call stack with this leaf; 0
 * if there is none. */
mpdata_ref mpdata_types_node(const struct mpdata_view *view, mpdata_ref leaf);
/* Returns that type; 0 if unknown. */
mpdata_string mpdata_types_of(const struct mpdata_view *view, mpdata_ref leaf);
/* Returns the size of that type; 0 if unknown. */
uint32_t mpdata_types_bytes(const struct mpdata_view *view, mpdata_ref leaf);
/* Returns the fields of that type (shared/type_format.h); 0 if unknown. */
mpdata_string mpdata_types_fields(const struct mpdata_view *view,
                                  mpdata_ref leaf);
/* wrappers.c -- functions that only allocate for their callers (xmalloc,
 * zrealloc, allocate<T>, the C++ library). */

/* Finds for each context the node (a ref) of the innermost function that is no
 * wrapper, and no part of its caller (_grow() of grow()), judged by its name.
 * If all functions are wrappers, it is the innermost node; for an empty call
 * stack it is 0. With has_name, code without a known function is skipped, too.
 * Returns an array by context index, which the caller frees by free(), or NULL
 * when out of memory. */
mpdata_ref *mpdata_wrappers_callers(const struct mpdata_profile *profile,
                                    struct mpdata_frame_names *names,
                                    bool has_name);

/* The same by node ref, for mpdata_prune's `ends`: nodes at which no call stack
 * ends are their own. *count: the call stacks that end in wrappers. To be freed
 * by free(); NULL when out of memory. */
mpdata_ref *mpdata_wrappers_ends(const struct mpdata_profile *profile,
                                 const struct mpdata_demangler *demangler,
                                 uint32_t *count);

/* starts.c -- frames of start-up. */

/* Finds the nodes that run before main() or before a thread's function: start
 * functions of the C library, and code of the system and of the C++ library
 * that they call and that calls the program. Returns an array by node ref,
 * which the caller frees by free(), or NULL when out of memory. */
bool *mpdata_starts(const struct mpdata_profile *profile,
                    struct mpdata_frame_names *names);

/* sites.c -- the allocation site of each call stack: a line of the innermost
 * function that is not an allocation wrapper. */

/* By context of the profile. */
struct mpdata_sites {
    mpdata_ref *nodes; /* owned; of the site's frame; 0: unknown */
    uint32_t *groups;  /* owned; the site's number, from 1; 0: unknown */
};

/* Call _fini() even after a failure. Error: NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_sites_make(struct mpdata_sites *sites,
                  const struct mpdata_profile *profile,
                  struct mpdata_frame_names *names);
void mpdata_sites_fini(struct mpdata_sites *sites);
