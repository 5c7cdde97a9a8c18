/* clean_text.c -- names and paths for formats of lines.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/clean_text.h"
#include "profdata/base/controls.h"

#include <stdlib.h>
#include <string.h>

void mpdata_clean_text(char *text, size_t size)
{
    mpdata_controls_replace(text, size, ' ');
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " ")] == '\0';
}

char *mpdata_clean_text_frame(const struct mpdata_export *what, uint32_t frame)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    char *text = mpdata_frame_names_text(what->names, &view.frames[frame]);

    if (text == NULL)
        return NULL;
    mpdata_clean_text(text, strlen(text));
    if (!is_blank(text))
        return text;
    free(text);
    return strdup("[unnamed]");
}

char *mpdata_clean_text_path(const struct mpdata_export *what, mpdata_ref path)
{
    char *text = mpdata_profile_path_string(what->profile, path, NULL);

    if (text == NULL)
        return NULL;
    mpdata_clean_text(text, strlen(text));
    if (is_blank(text))
        text[0] = '\0';
    return text;
}

char *mpdata_clean_text_program(const struct mpdata_export *what)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    mpdata_ref path = 0;

    for (uint32_t i = 0; i < view.run_count && path == 0; i++)
        path = view.runs[i].executable;
    return mpdata_clean_text_path(what, path);
}
