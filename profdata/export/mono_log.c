/* mono_log.c -- the log of Mono's profiler of 2007, version 1 of the block
 * format (profdata/base/mono_format.h): types as classes, the frames of a call
 * stack as calls of methods, in which the blocks are allocated. The format has
 * no ends of blocks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/mono_format.h"
#include "profdata/export/heaptrack_blocks.h"
#include "profdata/export/pieces.h"
#include "shared/log_format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 5000000
#define THREAD 1
#define NS_PER_US 1000
/* Number of the class of methods and of blocks without a type; those of types
 * follow. */
#define NO_CLASS 1

struct writer {
    const struct mpdata_export *what;
    struct mpdata_sink *sink;
    struct mpdata_view view;
    struct mpdata_vec frames; /* uint32_t, of a call stack, leaf first */
    uint64_t scale;
};

static void put(struct writer *w, uint64_t n)
{
    uint8_t bytes[MPROF_LOG_INTEGER_BYTES_MAX];

    mpdata_sink_bytes(w->sink, (const char *)bytes,
                      (size_t)(mprof_log_put(bytes, n) - bytes));
}

static void put_text(struct writer *w, const char *text)
{
    mpdata_sink_bytes(w->sink, text, strlen(text) + 1);
}

static void put_event(struct writer *w, unsigned code, uint64_t value,
                      uint64_t second)
{
    mpdata_sink_char(w->sink, (int)code);
    put(w, value);
    put(w, second);
}

/* Counters are times in microseconds. */
static void put_block(struct writer *w, enum mpdata_mono_block code,
                      uint64_t counter)
{
    mpdata_sink_char(w->sink, (int)code);
    put(w, counter);
    put(w, THREAD);
}

/* -- names ----------------------------------------------------------------- */

/* Writes classes: none, and each type once, by the number of its string. */
static bool put_classes(struct writer *w)
{
    bool *const is_there = mpdata_vec_array(w->view.string_count, 1);

    put(w, NO_CLASS);
    put_text(w, "");
    for (uint32_t i = 0; is_there != NULL && i < w->view.frame_count; i++) {
        const mpdata_string type = w->view.frames[i].type;

        if (type == 0 || is_there[type])
            continue;
        is_there[type] = true;
        put(w, NO_CLASS + (uint64_t)type);
        put_text(w, w->view.strings[type].bytes);
    }
    put(w, 0);
    free(is_there);
    return is_there != NULL;
}

/* A frame is a method. */
static bool put_methods(struct writer *w)
{
    for (uint32_t i = 0; i < w->view.frame_count && !w->sink->failed; i++) {
        char *const name = mpdata_pieces_frame(w->what, i);

        if (name == NULL)
            return false;
        put(w, (uint64_t)i + 1);
        put(w, NO_CLASS);
        put_text(w, name);
        free(name);
    }
    put(w, 0);
    return true;
}

/* -- events ---------------------------------------------------------------- */

/* Is it the frame that the import of such a log makes of the class? */
static bool is_new(const struct writer *w, const struct mpdata_frame *f)
{
    const struct mpdata_str type = w->view.strings[f->type];
    const struct mpdata_str name =
        f->function != 0
            ? w->view.strings[w->view.functions[f->function - 1].name]
            : (struct mpdata_str){"", 0};

    return f->type != 0 ? name.size == type.size + 4 &&
                              memcmp(name.bytes, "new ", 4) == 0 &&
                              memcmp(name.bytes + 4, type.bytes, type.size) == 0
                        : name.size == 3 && memcmp(name.bytes, "new", 3) == 0;
}

static void put_blocks(struct writer *w, uint32_t context, uint64_t type)
{
    const struct mprof_mib mib = mpdata_view_mib(&w->view, context);
    const struct mpdata_heaptrack_blocks blocks =
        mpdata_heaptrack_blocks(&mib, w->what->held, w->scale);

    for (size_t k = 0; k < MPDATA_HEAPTRACK_KINDS; k++) {
        for (uint64_t n = 0; n < blocks.kinds[k].count; n++)
            put_event(w, MPDATA_MONO_CLASS | MPDATA_MONO_ALLOC, type,
                      blocks.kinds[k].size);
    }
}

static bool put_context(struct writer *w, uint32_t context)
{
    const unsigned call = MPDATA_MONO_METHOD | MPDATA_MONO_CALL;
    uint64_t type = NO_CLASS;
    uint32_t first = 0;

    w->frames.count = 0;
    if (!mpdata_pieces_stack(&w->view, w->view.contexts[context].node,
                             &w->frames))
        return false;
    const uint32_t *const frames = w->frames.data;
    if (w->frames.count != 0) {
        type += w->view.frames[frames[0]].type;
        first = is_new(w, &w->view.frames[frames[0]]);
    }
    for (uint32_t i = w->frames.count; i-- > first;)
        put_event(w, call, (uint64_t)frames[i] + 1, 0);
    put_blocks(w, context, type);
    for (uint32_t i = first; i < w->frames.count; i++)
        put_event(w, call | MPDATA_MONO_ENDS, (uint64_t)frames[i] + 1, 0);
    return true;
}

/* -- the file -------------------------------------------------------------- */

static enum mprof_err put_file(struct writer *w, const char *program)
{
    struct mpdata_run_totals runs;

    if (mpdata_run_totals(&w->view, &runs) != MPROF_E_OK)
        return MPROF_E_NOMEM;
    uint64_t end = runs.duration_ns / NS_PER_US;
    const uint64_t start =
        runs.last_start_ns != 0 ? runs.first_start_ns / NS_PER_US : 0;
    mpdata_sink_char(w->sink, MPDATA_MONO_INTRO);
    put(w, MPDATA_MONO_VERSION);
    put_text(w, *program != '\0' ? program : MPDATA_FORMATS_UNKNOWN);
    put(w, 0);
    put(w, start);
    put_block(w, MPDATA_MONO_MAPPING, 0);
    if (!put_classes(w) || !put_methods(w))
        return MPROF_E_NOMEM;
    put(w, 0);
    put_block(w, MPDATA_MONO_EVENTS, 0);
    put(w, 0);
    for (uint32_t i = 0; i < w->view.context_count && !w->sink->failed; i++) {
        if (!put_context(w, i))
            return MPROF_E_NOMEM;
    }
    mpdata_sink_char(w->sink, 0);
    put(w, end);
    mpdata_sink_char(w->sink, MPDATA_MONO_END);
    put(w, MPDATA_MONO_VERSION);
    put(w, end);
    put(w, start + end);
    return MPROF_E_OK;
}

enum mprof_err mpdata_mono_log_write(const struct mpdata_export *what,
                                     struct mpdata_sink *sink)
{
    struct writer w = {.what = what,
                       .sink = sink,
                       .view = mpdata_profile_view(what->profile),
                       .frames = {.elem_bytes = sizeof(uint32_t)}};
    char *const program = mpdata_pieces_program(what);
    enum mprof_err err = MPROF_E_NOMEM;

    w.scale = mpdata_heaptrack_blocks_scale(&w.view, what->held, BLOCKS_MAX);
    if (w.scale > 1)
        mpdata_diag_warn(what->warn, NULL,
                         "scaled down: each block stands for %" PRIu64
                         " blocks and has the sum of their sizes",
                         w.scale);
    if (program != NULL)
        err = put_file(&w, program);
    free(program);
    mpdata_vec_fini(&w.frames);
    return err;
}
