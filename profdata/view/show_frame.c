/* show_frame.c -- names and locations of frames for people: long names are
 * shortened, least important parts first.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show_page.h"
#include "profdata/base/build_id.h"
#include "profdata/base/str.h"
#include "profdata/query/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Minimum width of a group's name next to its file. */
#define NAME_MIN 20
#define NAME_MIN_IN_TREE 12

bool show_frame_open(struct show_frames *s,
                     const struct mpdata_profile *profile,
                     const struct show_options *options)
{
    char *const here = getcwd(NULL, 0);

    *s = (struct show_frames){
        .profile = profile,
        .view = mpdata_profile_view(profile),
        .options = options,
        .names = mpdata_frame_names_new(profile, options->demangler),
        .failed = here == NULL && errno == ENOMEM};
    if (asprintf(&s->directory, "%s/", here != NULL ? here : "") < 0)
        s->directory = NULL;
    free(here);
    return s->names != NULL && s->directory != NULL;
}

void show_frame_close(struct show_frames *s)
{
    mpdata_frame_names_free(s->names);
    free(s->directory);
}

/* Is the name unknown? Then lines are relative to the function's first. */
static bool is_nameless(const struct show_frames *s,
                        const struct mpdata_frame *frame)
{
    return frame->function != 0 &&
           mpdata_frame_names_linkage(s->names, frame)[0] == '\0';
}

/* Formats the location of a frame: "main.c:12", "main.c:12:7", or "" if it is
 * unknown. malloc'd. */
char *show_frame_location(struct show_frames *s,
                          const struct mpdata_frame *frame, bool has_column)
{
    char *path = mpdata_profile_path_string(s->profile, frame->path, NULL);
    const char *shown = path;
    char *location = NULL;
    const size_t here = strlen(s->directory);

    s->failed |= path == NULL;
    if (path == NULL || path[0] == '\0' || frame->line == 0) {
        free(path);
        if (!is_nameless(s, frame))
            return strdup("");
        return asprintf(&location, "line +%" PRIu32 ":%" PRIu32, frame->line,
                        frame->column) < 0
                   ? NULL
                   : location;
    }
    if (!s->options->full_stacks) {
        if (strncmp(path, s->directory, here) == 0)
            shown = path + here;
        else if (strrchr(path, '/') != NULL)
            shown = strrchr(path, '/') + 1;
    }
    if ((has_column && frame->column != 0
             ? asprintf(&location, "%s:%" PRIu32 ":%" PRIu32, shown,
                        frame->line, frame->column)
             : asprintf(&location, "%s:%" PRIu32, shown, frame->line)) < 0)
        location = NULL;
    free(path);
    return location;
}

/* Shortens "function with GUID 0x12" from the front: the number identifies the
 * function. */
static void shorten_guid(char *name, size_t width)
{
    static const char *const words[] = {"function with ", "GUID "};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(words); i++) {
        const size_t size = strlen(words[i]);

        if (strlen(name) > width && strncmp(name, words[i], size) == 0)
            memmove(name, name + size, strlen(name + size) + 1);
    }
}

char *show_frame_name(struct show_frames *s, const struct mpdata_frame *frame,
                      size_t width)
{
    char *name = mpdata_frame_names_text(s->names, frame);

    if (name == NULL || s->options->full_stacks || frame->function == 0)
        return name;
    if (is_nameless(s, frame))
        shorten_guid(name, width);
    mpdata_names_shorten(name, width);
    return name;
}

/* Formats the name of a binary without a path. malloc'd. */
static char *format_build_id(const struct show_frames *s,
                             const struct mpdata_frame *frame)
{
    const struct mpdata_str *const id =
        frame->binary != 0
            ? &s->view.strings[s->view.binaries[frame->binary - 1].build_id]
            : NULL;
    char digits[MPDATA_BUILD_ID_TEXT_BYTES];
    char *text;

    if (id == NULL)
        return strdup("[code of no program or library]");
    mpdata_build_id_text(id->bytes, id->size, digits);
    return asprintf(&text, "build id %s", digits) < 0 ? NULL : text;
}

/* Formats a path, truncated at its start, or what code without a file is. */
static char *format_file(struct show_frames *s,
                         const struct mpdata_frame *frame, enum mpdata_by by,
                         size_t room)
{
    const bool is_binary = by == MPDATA_BY_BINARY || frame->function == 0;
    char *path = mpdata_profile_path_string(
        s->profile,
        is_binary && frame->binary != 0
            ? s->view.binaries[frame->binary - 1].path
            : (is_binary ? 0 : frame->path),
        NULL);
    const size_t length = path != NULL ? mpdata_names_columns(path) : 0;
    char *text = NULL;

    if (path == NULL ||
        (length != 0 && (length <= room || s->options->full_stacks)))
        return path;
    if (length == 0 && by == MPDATA_BY_BINARY)
        text = format_build_id(s, frame);
    else if (length == 0)
        text = show_frame_name(s, frame, room);
    else if (asprintf(&text, "...%s", mpdata_names_end(path, room - 3)) < 0)
        text = NULL;
    free(path);
    return text;
}

static const char *file_note(const struct mpdata_frame *frame)
{
    return frame->function != 0 && frame->path == 0 ? "no source file" : "";
}

/* Removes directories from a location; empties it if the name would get too
 * little room. */
static void fit_call(char *location, size_t room)
{
    const char *const slash = strrchr(location, '/');

    if (slash != NULL)
        memmove(location, slash + 1, strlen(slash + 1) + 1);
    if (mpdata_names_columns(location) + 2 + NAME_MIN_IN_TREE > room)
        location[0] = '\0';
}

bool show_frame_describe(struct show_frames *s, uint32_t number,
                         enum mpdata_by by, size_t room, char **name,
                         char **location)
{
    const struct mpdata_frame *const frame = &s->view.frames[number];
    const size_t least = by == MPDATA_BY_CALL || by == MPDATA_BY_LINE
                             ? NAME_MIN_IN_TREE
                             : NAME_MIN;
    const bool is_of_file = by == MPDATA_BY_FILE || by == MPDATA_BY_BINARY;

    if (is_of_file)
        *location = strdup(by == MPDATA_BY_FILE ? file_note(frame) : "");
    else
        *location = show_frame_location(s, frame, false);
    /* A function has no line of its own; remove that of the call. */
    char *colon = by == MPDATA_BY_FUNCTION && *location != NULL
                      ? strrchr(*location, ':')
                      : NULL;
    if (colon != NULL)
        *colon = '\0';
    if (by == MPDATA_BY_CALL && *location != NULL && !s->options->full_stacks)
        fit_call(*location, room);
    size_t taken = *location != NULL ? mpdata_names_columns(*location) + 2 : 0;
    if (is_of_file && taken == 2)
        taken = 0;
    *name = is_of_file
                ? format_file(s, frame, by,
                              mprof_max_u64(room, taken + NAME_MIN) - taken)
                : show_frame_name(s, frame,
                                  mprof_max_u64(room, taken + least) - taken);
    if (*name != NULL)
        mpdata_controls_replace(*name, strlen(*name), '?');
    if (*location != NULL)
        mpdata_controls_replace(*location, strlen(*location), '?');
    if (*name != NULL && *location != NULL)
        return true;
    free(*name);
    free(*location);
    s->failed = true;
    return false;
}
