/* luajit.c -- a stream of LuaJIT's memory profiler, version 1: the innermost
 * function of each call stack, and one event for each beginning and end of a
 * block. The order is invented such that sums and peak of each site are right:
 * first the freed blocks, then those live at the peak, then the frees of those
 * that end later, and last the blocks that stay.
 *
 *   "ljs" 1 0 0 0 (0 address chunk line)* 0x80 "ljm" 1 0 0 0 event* 0x80
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/export/heaptrack_blocks.h"
#include "profdata/export/pieces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* With more blocks, each written block stands for several. */
#define BLOCKS_MAX 5000000
#define FINAL 0x80
#define INTERNAL (1u << 2)
#define LUA (2u << 2)
#define FUNCTION_ADDRESS UINT64_C(0x10000)
#define BLOCK_ADDRESS UINT64_C(0x10000000)
#define BLOCK_STEP 16

enum event { ALLOCATE = 1, RELEASE = 2, BOTH = ALLOCATE | RELEASE };

struct writer {
    const struct mpdata_export *what;
    struct mpdata_sink *sink;
    struct mpdata_view view;
    uint64_t scale;
    uint64_t address; /* of the next block */
};

static void put(struct writer *w, uint64_t n)
{
    for (; n > 127; n >>= 7)
        mpdata_sink_char(w->sink, (int)(n & 127) | 128);
    mpdata_sink_char(w->sink, (int)n);
}

static void put_header(struct writer *w, const char *magic)
{
    mpdata_sink_text(w->sink, magic);
    mpdata_sink_bytes(w->sink, "\1\0\0", 4);
}

/* -- symbols --------------------------------------------------------------- */

/* Writes and frees "@FILE", or "=NAME" if the file is unknown. */
static bool put_chunk(struct writer *w, char *file, char *name)
{
    const bool is_done = file != NULL && name != NULL;
    const char *const text = is_done && *file != '\0' ? file : name;

    if (is_done) {
        put(w, strlen(text) + 1);
        mpdata_sink_char(w->sink, text == file ? '@' : '=');
        mpdata_sink_text(w->sink, text);
    }
    free(file);
    free(name);
    return is_done;
}

/* A frame is a function: LuaJIT knows functions by file and first line. */
static bool put_symbol(struct writer *w, uint32_t frame)
{
    const struct mpdata_frame *const f = &w->view.frames[frame];
    const struct mpdata_function *const function =
        f->function != 0 ? &w->view.functions[f->function - 1] : NULL;
    const mpdata_ref path = function != NULL ? function->path : 0;

    mpdata_sink_char(w->sink, 0);
    put(w, FUNCTION_ADDRESS + frame);
    if (!put_chunk(w, mpdata_pieces_path(w->what, path),
                   mpdata_pieces_frame(w->what, frame)))
        return false;
    put(w, path != 0 ? function->line : 0);
    return true;
}

/* Writes the innermost frames, each once. */
static bool put_symbols(struct writer *w)
{
    bool *const is_there = mpdata_vec_array(w->view.frame_count, 1);
    bool is_done = is_there != NULL;

    for (uint32_t i = 0; i < w->view.context_count && is_done; i++) {
        const mpdata_ref node = w->view.contexts[i].node;
        const uint32_t frame = node != 0 ? w->view.nodes[node - 1].frame : 0;

        if (node == 0 || is_there[frame])
            continue;
        is_there[frame] = true;
        is_done = put_symbol(w, frame);
    }
    free(is_there);
    return is_done;
}

/* -- events ---------------------------------------------------------------- */

static void put_event(struct writer *w, enum event event, mpdata_ref node,
                      uint64_t size)
{
    const uint32_t frame = node != 0 ? w->view.nodes[node - 1].frame : 0;

    mpdata_sink_char(w->sink, (int)(event | (node != 0 ? LUA : INTERNAL)));
    if (node != 0) {
        put(w, FUNCTION_ADDRESS + frame);
        put(w, w->view.frames[frame].line);
    }
    put(w, w->address);
    put(w, size);
}

/* Writes events of all blocks with this end, which get the next addresses.
 * Blocks are freed as if by the runtime. */
static void put_blocks(struct writer *w, enum mpdata_heaptrack_end end,
                       enum event event)
{
    for (uint32_t i = 0; i < w->view.context_count && !w->sink->failed; i++) {
        const struct mprof_mib mib = mpdata_view_mib(&w->view, i);
        const struct mpdata_heaptrack_blocks blocks =
            mpdata_heaptrack_blocks(&mib, w->what->held, w->scale);
        const struct mpdata_heaptrack_kind *const kinds =
            &blocks.kinds[(size_t)end * MPDATA_HEAPTRACK_SIZES];

        for (size_t k = 0; k < MPDATA_HEAPTRACK_SIZES; k++) {
            for (uint64_t n = 0; n < kinds[k].count; n++) {
                if ((event & ALLOCATE) != 0)
                    put_event(w, ALLOCATE, w->view.contexts[i].node,
                              kinds[k].size);
                if ((event & RELEASE) != 0)
                    put_event(w, RELEASE, 0, kinds[k].size);
                w->address += BLOCK_STEP;
            }
        }
    }
}

enum mprof_err mpdata_luajit_write(const struct mpdata_export *what,
                                   struct mpdata_sink *sink)
{
    struct writer w = {.what = what,
                       .sink = sink,
                       .view = mpdata_profile_view(what->profile),
                       .address = BLOCK_ADDRESS};

    w.scale = mpdata_heaptrack_blocks_scale(&w.view, what->held, BLOCKS_MAX);
    if (w.scale > 1)
        mpdata_diag_warn(what->warn, NULL,
                         "scaled down: each block stands for %" PRIu64
                         " blocks and has the sum of their sizes",
                         w.scale);
    put_header(&w, "ljs");
    if (!put_symbols(&w))
        return MPROF_E_NOMEM;
    mpdata_sink_char(sink, FINAL);
    put_header(&w, "ljm");
    put_blocks(&w, MPDATA_HEAPTRACK_FREED, BOTH);
    put_blocks(&w, MPDATA_HEAPTRACK_BOTH, ALLOCATE);
    const uint64_t start = w.address;
    put_blocks(&w, MPDATA_HEAPTRACK_PEAK, ALLOCATE);
    w.address = start;
    put_blocks(&w, MPDATA_HEAPTRACK_PEAK, RELEASE);
    put_blocks(&w, MPDATA_HEAPTRACK_LIVE, ALLOCATE);
    mpdata_sink_char(sink, FINAL);
    return MPROF_E_OK;
}
