/* uninstrumented.c -- finds binaries of a profile with code that is not
 * instrumented.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/left_out.h"
#include "profdata/base/system_lib.h"
#include "profdata/base/vec.h"
#include "shared/index_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_without(const struct mpdata_binary *binary)
{
    return (binary->flags & MPROF_BINARY_FL_NOT_INSTRUMENTED) != 0;
}

/* Appends the name of a binary unless it is a system library. */
static bool add_name(struct mpdata_uninstrumented *found,
                     const struct mpdata_profile *profile,
                     const struct mpdata_binary *binary)
{
    const bool is_partly = (binary->flags & MPROF_BINARY_FL_INSTRUMENTED) != 0;
    char *const path = mpdata_profile_path_string(profile, binary->path, NULL);
    const char *const slash = path != NULL ? strrchr(path, '/') : NULL;
    bool has_memory = path != NULL;

    if (has_memory && !mpdata_system_lib_is(path)) {
        has_memory = asprintf(&found->names[found->count], "%s%s",
                              is_partly ? "a part of " : "",
                              slash != NULL ? slash + 1 : path) >= 0;
        found->count += has_memory;
    }
    free(path);
    return has_memory;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts names and removes duplicates: several builds may have the same name. */
static void sort_names(struct mpdata_uninstrumented *found)
{
    uint32_t kept = 0;

    if (found->count != 0)
        qsort(found->names, found->count, sizeof(*found->names), compare_names);
    for (uint32_t i = 0; i < found->count; i++) {
        if (kept != 0 && strcmp(found->names[kept - 1], found->names[i]) == 0)
            free(found->names[i]);
        else
            found->names[kept++] = found->names[i];
    }
    found->count = kept;
}

enum mprof_err mpdata_uninstrumented_find(struct mpdata_uninstrumented *found,
                                          const struct mpdata_profile *profile)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    uint32_t flags = 0;

    *found = (struct mpdata_uninstrumented){
        .names = mpdata_vec_array(view.binary_count, sizeof(*found->names))};
    bool has_memory = found->names != NULL;
    for (uint32_t i = 0; i < view.binary_count && has_memory; i++) {
        flags |= view.binaries[i].flags;
        if (is_without(&view.binaries[i]))
            has_memory = add_name(found, profile, &view.binaries[i]);
    }
    sort_names(found);
    found->is_all = flags == MPROF_BINARY_FL_NOT_INSTRUMENTED;
    return has_memory ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_uninstrumented_fini(struct mpdata_uninstrumented *found)
{
    for (uint32_t i = 0; i < found->count; i++)
        free(found->names[i]);
    free(found->names);
    *found = (struct mpdata_uninstrumented){.count = 0};
}

bool mpdata_uninstrumented_is(const struct mpdata_view *view, mpdata_ref path)
{
    uint32_t flags = 0;

    for (uint32_t i = 0; i < view->binary_count; i++) {
        if (view->binaries[i].path == path)
            flags |= view->binaries[i].flags;
    }
    return flags == MPROF_BINARY_FL_NOT_INSTRUMENTED;
}
