/* rawpack.c -- appends sections to the raw profile, compressed in pieces.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/rawsections.h"
#include "rt/base/mapbuf.h"
#include "rt/base/options.h"
#include "rt/base/memory.h"

/* For ZSTD_initStaticCCtx(), which uses our memory. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#define ZSTD_LEVEL 3
/* Window for large tables, which also is the size of zstd's input buffer. */
#define ZSTD_WINDOW_LOG 17
/* Entries of zstd's tables, of four bytes each: an eighth of the default. */
#define ZSTD_HASH_LOG 14
#define ZSTD_CHAIN_LOG 13

/* State while a table is compressed. */
struct zstd_stream {
    ZSTD_CCtx *cctx;
    ZSTD_outBuffer out;
    bool failed; /* also if no room is left */
};

/* Compresses the bytes. False on failure, or if the output has no room. */
static bool compress(struct zstd_stream *stream, const void *data, size_t n,
                     ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {.src = data, .size = n};
    size_t left;

    do {
        left = ZSTD_compressStream2(stream->cctx, &stream->out, &in, end);
        if (ZSTD_isError(left))
            return false;
    } while (in.pos < n && stream->out.pos < stream->out.size);
    return in.pos == n && (end == ZSTD_e_continue || left == 0);
}

static void compress_piece(void *to, const void *data, size_t n)
{
    struct zstd_stream *const stream = to;

    stream->failed =
        stream->failed || !compress(stream, data, n, ZSTD_e_continue);
}

/* Limits zstd's memory for large tables. */
static bool limit_memory(ZSTD_CCtx *cctx)
{
    return !ZSTD_isError(ZSTD_CCtx_setParameter(cctx, ZSTD_c_windowLog,
                                                ZSTD_WINDOW_LOG)) &&
           !ZSTD_isError(
               ZSTD_CCtx_setParameter(cctx, ZSTD_c_hashLog, ZSTD_HASH_LOG)) &&
           !ZSTD_isError(
               ZSTD_CCtx_setParameter(cctx, ZSTD_c_chainLog, ZSTD_CHAIN_LOG));
}

static bool start_stream(struct zstd_stream *stream, size_t n, void *workspace,
                         size_t workspace_bytes)
{
    stream->cctx = ZSTD_initStaticCCtx(workspace, workspace_bytes);
    /* All parameters of a context in our memory are 0 at first. */
    return stream->cctx != NULL &&
           !ZSTD_isError(ZSTD_CCtx_reset(stream->cctx,
                                         ZSTD_reset_session_and_parameters)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(
               stream->cctx, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
           (n <= ((size_t)1 << ZSTD_WINDOW_LOG) ||
            limit_memory(stream->cctx)) &&
           !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(stream->cctx, n));
}

/* Appends the compressed table. False on failure, or if compression saves
 * nothing; *out is unchanged then. */
static bool pack(struct mprof_buf *out, const struct mprof_buf *head,
                 const struct mprof_table_source *source, size_t n)
{
    const size_t workspace_bytes = ZSTD_estimateCStreamSize(ZSTD_LEVEL);
    void *const workspace = mprt_memory_map(workspace_bytes);
    const size_t start = out->size;
    struct zstd_stream stream = {.out = {.size = n}};
    bool done = false;

    if (workspace == NULL)
        return false;
    stream.out.dst = mprof_buf_extend(out, n);
    if (stream.out.dst != NULL) {
        if (start_stream(&stream, n, workspace, workspace_bytes)) {
            compress_piece(&stream, head->data, head->size);
            mprof_table_data(head->data, source, compress_piece, &stream);
            done = !stream.failed && compress(&stream, NULL, 0, ZSTD_e_end) &&
                   stream.out.pos < n;
        }
        out->size = start + (done ? stream.out.pos : 0);
    }
    mprt_memory_unmap(workspace, workspace_bytes);
    return done;
}

static void append_piece(void *to, const void *data, size_t n)
{
    mprof_buf_bytes((struct mprof_buf *)to, data, n);
}

static void put_plain(struct mprof_buf *out, const struct mprof_buf *head,
                      const struct mprof_table_source *source, size_t n)
{
    const size_t start = out->size;

    /* Reserve all of it at once, because a growing buffer is copied. */
    if (mprof_buf_extend(out, n) == NULL)
        return;
    out->size = start;
    mprof_buf_bytes(out, head->data, head->size);
    mprof_table_data(head->data, source, append_piece, out);
}

void mprt_rawpack_section(struct mprof_buf *out, struct mprof_section *section,
                          uint32_t id, const struct mprof_buf *head,
                          const struct mprof_table_source *source, size_t n)
{
    mprof_buf_align(out, MPROF_SECTION_ALIGN);
    out->failed = out->failed || head->failed;
    *section = (struct mprof_section){.id = id,
                                      .codec = MPROF_CODEC_ZSTD,
                                      .offset = out->size,
                                      .decoded_bytes = n};
    if (out->failed)
        return;
    if (!mprt_options.compress || !pack(out, head, source, n)) {
        section->codec = MPROF_CODEC_NONE;
        put_plain(out, head, source, n);
    }
    section->stored_bytes = out->size - section->offset;
    if (!out->failed)
        section->checksum =
            mprof_checksum(out->data + section->offset, section->stored_bytes);
}

void mprt_rawpack_table(struct mprof_buf *out, struct mprof_section *section,
                        uint32_t id, const struct mprof_table_source *source)
{
    struct mprof_buf head;

    mprt_mapbuf_init(&head);
    const size_t n = mprof_table_head(&head, source);
    mprt_rawpack_section(out, section, id, &head, source, n);
    mprt_mapbuf_free(&head);
}

void mprt_rawpack_add(struct mprof_buf *out, struct mprof_dir *dir, uint32_t id,
                      const struct mprof_table_source *source)
{
    mprt_rawpack_table(out, &dir->sections[dir->section_count++], id, source);
}

static uint64_t get_number(const void *context, uint32_t tag, uint64_t row)
{
    const struct mprt_rawpack_numbers *const n =
        (const struct mprt_rawpack_numbers *)context;
    uint32_t column = 0;

    while (n->tags[column] != tag)
        column++;
    return n->numbers[row * n->tag_count + column];
}

void mprt_rawpack_numbers(struct mprof_buf *out, struct mprof_dir *dir,
                          uint32_t id,
                          const struct mprt_rawpack_numbers *numbers)
{
    mprt_rawpack_add(
        out, dir, id,
        &(struct mprof_table_source){.rows = numbers->rows,
                                     .tags = numbers->tags,
                                     .tag_count = numbers->tag_count,
                                     .get = get_number,
                                     .context = numbers});
}
