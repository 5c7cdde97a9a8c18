/* csv.c -- a table with a row per call stack, for spreadsheets and data frames
 * (RFC 4180, but with LF for CRLF): the stack as in folded.c, then each field
 * that some call stack has. The last column, Unseen, has the reasons for
 * missed accesses, if there are any.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/pieces.h"
#include "profdata/base/sink.h"
#include "shared/index_format.h"

#include <inttypes.h>
#include <string.h>

/* Reasons for missed accesses, as bits (shared/index_format.h). */
static uint32_t unseen(const struct mpdata_context *context)
{
    return (context->flags & MPROF_CONTEXT_UNSEEN_MASK) >>
           MPROF_CONTEXT_UNSEEN_SHIFT;
}

static bool has_unseen(const struct mpdata_view *view)
{
    for (uint32_t i = 0; i < view->context_count; i++) {
        if (unseen(&view->contexts[i]) != 0)
            return true;
    }
    return false;
}

static void write_quoted(struct mpdata_sink *sink, const struct mprof_buf *text)
{
    const char *at = (const char *)text->data;
    size_t left = text->size;

    mpdata_sink_char(sink, '"');
    while (left != 0) {
        const char *quote = (const char *)memchr(at, '"', left);
        const size_t size = quote != NULL ? (size_t)(quote + 1 - at) : left;

        mpdata_sink_bytes(sink, at, size);
        if (quote != NULL)
            mpdata_sink_char(sink, '"');
        at += size;
        left -= size;
    }
    mpdata_sink_char(sink, '"');
}

static void write_header(struct mpdata_sink *sink,
                         const bool is_column[MPROF_MIB_FIELDS],
                         bool is_unseen_column)
{
    mpdata_sink_text(sink, "stack");
    for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
        if (is_column[f])
            mpdata_sink_format(sink, ",%s", mprof_mib_fields[f].name);
    }
    if (is_unseen_column)
        mpdata_sink_text(sink, ",Unseen");
    mpdata_sink_char(sink, '\n');
}

enum mprof_err mpdata_csv_write(const struct mpdata_export *what,
                                struct mpdata_sink *sink)
{
    const struct mpdata_view view = mpdata_profile_view(what->profile);
    const bool is_unseen_column = has_unseen(&view);
    bool is_column[MPROF_MIB_FIELDS];
    struct mprof_buf line;
    bool done = true;

    mpdata_heapbuf_init(&line);
    mpdata_pieces_used(what, is_column);
    write_header(sink, is_column, is_unseen_column);
    for (uint32_t i = 0; i < view.context_count && done && !sink->failed; i++) {
        const struct mpdata_context *const c = &view.contexts[i];
        const struct mprof_mib mib = mpdata_view_mib_of_8_bytes(&view, i);

        done = mpdata_pieces_stack_line(what, c->node, &line);
        write_quoted(sink, &line);
        for (size_t f = 0; f < MPROF_MIB_FIELDS; f++) {
            if (is_column[f] && mprof_mib_is_held(&mib, f))
                mpdata_sink_format(sink, ",%" PRIu64, mprof_mib_get(&mib, f));
            else if (is_column[f])
                mpdata_sink_char(sink, ',');
        }
        if (is_unseen_column)
            mpdata_sink_format(sink, ",%" PRIu32, unseen(c));
        mpdata_sink_char(sink, '\n');
    }
    mpdata_heapbuf_fini(&line);
    return done ? MPROF_E_OK : MPROF_E_NOMEM;
}
