/* frame_match.c -- finds frames by the name of their function.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/frames.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

enum { UNKNOWN, FITS, DIFFERS };

static bool ask(const struct mpdata_name_matcher *matcher, const char *name)
{
    return matcher->matches(matcher->context, name);
}

/* Does the name of a function or address match? Sets *done to false when out of
 * memory. */
static bool fits(struct mpdata_frame_names *names,
                 const struct mpdata_frame *frame,
                 const struct mpdata_name_matcher *matcher, bool *done)
{
    char *text = mpdata_frame_names_text(names, frame);
    const bool is_fit =
        (frame->function != 0 &&
         ask(matcher, mpdata_frame_names_linkage(names, frame))) ||
        (text != NULL && ask(matcher, text));

    *done = text != NULL;
    free(text);
    return is_fit;
}

bool *mpdata_frame_match(const struct mpdata_profile *profile,
                         struct mpdata_frame_names *names,
                         const struct mpdata_name_matcher *matcher)
{
    const struct mpdata_view view = mpdata_profile_view(profile);
    bool *is_frame = mpdata_vec_array(view.frame_count, sizeof(*is_frame));
    uint8_t *known =
        mpdata_vec_array((size_t)view.function_count + 1, sizeof(*known));
    bool done = is_frame != NULL && known != NULL;

    for (uint32_t i = 0; done && i < view.frame_count; i++) {
        const struct mpdata_frame *const f = &view.frames[i];

        if (f->function == 0 || known[f->function] == UNKNOWN)
            known[f->function] =
                fits(names, f, matcher, &done) ? FITS : DIFFERS;
        is_frame[i] = known[f->function] == FITS;
    }
    free(known);
    if (done)
        return is_frame;
    free(is_frame);
    return NULL;
}
