/* frame_names.c -- names of the frames of a profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frames.h"
#include "profdata/base/build_id.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILD_ID_SHOWN 12 /* digits of a build id shown instead of a path */
#define MODULE_SHOWN 1000
/* No file is so large: a higher address is one of the process, which is all
 * that heaptrack records. */
#define FILE_BYTES_MAX (UINT64_C(1) << 40)

struct mpdata_frame_names {
    const struct mpdata_profile *profile;
    struct mpdata_view view;
    const struct mpdata_demangler *demangler;
    char **functions; /* by function: demangled name, or NULL before use */
    bool failed;
};

struct mpdata_frame_names *
mpdata_frame_names_new(const struct mpdata_profile *profile,
                       const struct mpdata_demangler *demangler)
{
    struct mpdata_frame_names *n = calloc(1, sizeof(*n));

    if (n == NULL)
        return NULL;
    n->profile = profile;
    n->view = mpdata_profile_view(profile);
    n->demangler = demangler;
    n->functions =
        calloc((size_t)n->view.function_count + 1, sizeof(*n->functions));
    if (n->functions == NULL) {
        free(n);
        return NULL;
    }
    return n;
}

void mpdata_frame_names_free(struct mpdata_frame_names *n)
{
    if (n == NULL)
        return;
    for (uint32_t i = 0; i < n->view.function_count; i++)
        free(n->functions[i]);
    free(n->functions);
    free(n);
}

bool mpdata_frame_names_failed(const struct mpdata_frame_names *n)
{
    return n->failed;
}

const char *mpdata_frame_names_linkage(const struct mpdata_frame_names *n,
                                       const struct mpdata_frame *frame)
{
    return n->view.strings[n->view.functions[frame->function - 1].name].bytes;
}

const char *mpdata_frame_names_function(struct mpdata_frame_names *n,
                                        const struct mpdata_frame *frame)
{
    if (frame->function == 0)
        return "";
    char **name = &n->functions[frame->function - 1];
    if (*name == NULL)
        *name = n->demangler->demangle(n->demangler->context,
                                       mpdata_frame_names_linkage(n, frame));
    n->failed |= *name == NULL;
    return *name != NULL ? *name : mpdata_frame_names_linkage(n, frame);
}

/* Formats the path or build id of the binary, and the address. */
static char *address_text(struct mpdata_frame_names *n,
                          const struct mpdata_frame *frame)
{
    const struct mpdata_binary *binary =
        frame->binary != 0 ? &n->view.binaries[frame->binary - 1] : NULL;
    const bool has_path = binary != NULL && binary->path != 0;
    char *path =
        has_path ? mpdata_profile_path_string(n->profile, binary->path, NULL)
                 : NULL;
    const bool is_id = path == NULL && binary != NULL;
    char id[MPDATA_BUILD_ID_TEXT_BYTES];
    const char *name = "no binary";
    char *text = NULL;

    n->failed |= has_path && path == NULL;
    if (path != NULL)
        name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    else if (is_id)
        name = mpdata_build_id_text(n->view.strings[binary->build_id].bytes,
                                    n->view.strings[binary->build_id].size, id);
    if (asprintf(&text, "%s%.*s%s0x%" PRIx64, is_id ? "build id " : "",
                 is_id ? BUILD_ID_SHOWN : MODULE_SHOWN, name,
                 has_path && frame->address >= FILE_BYTES_MAX ? " at " : "+",
                 frame->address) < 0)
        text = NULL;
    free(path);
    return text;
}

char *mpdata_frame_names_text(struct mpdata_frame_names *n,
                              const struct mpdata_frame *frame)
{
    char *text = NULL;

    if (frame->function == 0)
        text = address_text(n, frame);
    else if (mpdata_frame_names_linkage(n, frame)[0] != '\0')
        text = strdup(mpdata_frame_names_function(n, frame));
    else if (asprintf(&text, "function with GUID 0x%" PRIx64,
                      n->view.functions[frame->function - 1].guid) < 0)
        text = NULL;
    n->failed |= text == NULL;
    return text;
}
