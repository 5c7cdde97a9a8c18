/* unpack.c -- decompresses files that were compressed as a whole with zstd or
 * gzip.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/parse.h"
#include "profdata/base/sink.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

/* Limits of the window of zstd, as powers of two: 8 MiB, enough for all its
 * ordinary levels, or WINDOW_RATIO times the file's size. */
#define WINDOW_LOG_MIN 23
#define WINDOW_LOG_MAX 27
#define WINDOW_RATIO 64u

#define SECTION_GZIP "gzip data"
#define SECTION_ZSTD "zstd data"

/* The best ratio that zstd reaches for runs of equal blocks; gzip reaches 1032.
 * A file that expands further is not a profile. */
#define RATIO_MAX 8192u
#define UNPACKED_BYTES_MIN (64u << 10)
#define STEP_BYTES (256u << 10)
/* windowBits of zlib: expect a gzip header, allow the largest window. */
#define GZIP_WINDOW_BITS (16 + 15)

static const uint8_t gzip_start[] = {0x1f, 0x8b};
static const uint8_t zstd_start[] = {0x28, 0xb5, 0x2f, 0xfd};

static bool is_gzip(const uint8_t *data, size_t size)
{
    return size >= sizeof(gzip_start) &&
           memcmp(data, gzip_start, sizeof(gzip_start)) == 0;
}

static bool is_zstd(const uint8_t *data, size_t size)
{
    return size >= sizeof(zstd_start) &&
           memcmp(data, zstd_start, sizeof(zstd_start)) == 0;
}

static bool is_no_profile(const uint8_t *data, size_t size)
{
    return mpdata_detect(data, size) == MPDATA_KIND_UNKNOWN;
}

bool mpdata_unpack_is_rejectable(const uint8_t *data, size_t size)
{
    return !is_gzip(data, size) && !is_zstd(data, size) &&
           is_no_profile(data, size);
}

/* Makes room for one more step at the end of *out, or returns an error. */
static enum mprof_err make_room(const struct mpdata_file *file,
                                struct mprof_buf *out)
{
    const size_t max = file->size > SIZE_MAX / RATIO_MAX
                           ? SIZE_MAX
                           : file->size * RATIO_MAX + UNPACKED_BYTES_MIN;

    if (out->size > max)
        return MPROF_E_CODEC;
    /* A small file may expand to a large one, but only if the first bytes are
     * those of a profile. */
    if (out->size >= UNPACKED_BYTES_MIN && is_no_profile(out->data, out->size))
        return MPROF_E_MAGIC;
    if (out->capacity - out->size >= STEP_BYTES)
        return MPROF_E_OK;
    return out->grow(out, out->size * 2 + STEP_BYTES) ? MPROF_E_OK
                                                      : MPROF_E_NOMEM;
}

/* Limits the window that a frame's header may request by the size of the file.
 */
static ZSTD_DStream *open_zstd(size_t file_bytes)
{
    ZSTD_DStream *stream = ZSTD_createDStream();
    int window_log = WINDOW_LOG_MIN;

    while (window_log < WINDOW_LOG_MAX &&
           (size_t)1 << window_log <
               mprof_mul_sat_u64(file_bytes, WINDOW_RATIO))
        window_log++;
    if (stream != NULL)
        ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, window_log);
    return stream;
}

/* Decompresses all frames: several compressed files may be concatenated. */
static enum mprof_err unpack_zstd(const struct mpdata_file *file,
                                  struct mprof_buf *out, size_t *at)
{
    ZSTD_DStream *stream = open_zstd(file->size);
    ZSTD_inBuffer in = {.src = file->data, .size = file->size};
    enum mprof_err err = stream != NULL ? MPROF_E_OK : MPROF_E_NOMEM;
    size_t left = 1;

    while (err == MPROF_E_OK && (in.pos < in.size || left != 0)) {
        const size_t pos = in.pos;

        err = make_room(file, out);
        if (err != MPROF_E_OK)
            break;
        ZSTD_outBuffer room = (ZSTD_outBuffer){
            .dst = out->data + out->size, .size = out->capacity - out->size};
        left = ZSTD_decompressStream(stream, &room, &in);
        if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation)
            err = MPROF_E_NOMEM;
        else if (ZSTD_isError(left))
            err = MPROF_E_CODEC;
        else if (room.pos == 0 && in.pos == pos && left != 0)
            err = MPROF_E_TRUNCATED;
        else
            out->size += room.pos;
    }
    *at = in.pos;
    ZSTD_freeDStream(stream);
    return err;
}

/* Decompresses one step. Steps are bounded because zlib's sizes are unsigned
 * int. */
static int inflate_step(z_stream *stream, const struct mpdata_file *file,
                        struct mprof_buf *out, size_t *at)
{
    const size_t in = file->size - *at;
    const size_t room = out->capacity - out->size;
    uInt in_size = in > STEP_BYTES ? STEP_BYTES : (uInt)in;
    uInt out_size = room > STEP_BYTES ? STEP_BYTES : (uInt)room;

    stream->next_in = (z_const Bytef *)(uintptr_t)(file->data + *at);
    stream->avail_in = in_size;
    stream->next_out = out->data + out->size;
    stream->avail_out = out_size;
    int result = inflate(stream, Z_NO_FLUSH);
    *at += in_size - stream->avail_in;
    out->size += out_size - stream->avail_out;
    return result;
}

static enum mprof_err unpack_gzip(const struct mpdata_file *file,
                                  struct mprof_buf *out, size_t *at)
{
    z_stream stream = {.next_in = NULL};
    enum mprof_err err = MPROF_E_OK;
    bool is_done = false;

    if (inflateInit2(&stream, GZIP_WINDOW_BITS) != Z_OK)
        return MPROF_E_NOMEM;
    while (err == MPROF_E_OK && !is_done) {
        err = make_room(file, out);
        if (err != MPROF_E_OK)
            break;
        int result = inflate_step(&stream, file, out, at);
        if (result == Z_STREAM_END) {
            /* Further members follow if several compressed files were
             * concatenated. */
            is_done = *at == file->size;
            if (!is_done && inflateReset(&stream) != Z_OK)
                err = MPROF_E_CODEC;
        } else if (result == Z_BUF_ERROR) {
            err = MPROF_E_TRUNCATED;
        } else if (result == Z_MEM_ERROR) {
            err = MPROF_E_NOMEM;
        } else if (result != Z_OK) {
            err = MPROF_E_CODEC;
        }
    }
    inflateEnd(&stream);
    return err;
}

enum mprof_err mpdata_unpack(struct mpdata_file *file, struct mprof_diag *diag)
{
    const bool inflates = is_gzip(file->data, file->size);
    struct mprof_buf out;
    size_t at = 0;

    if (!inflates && !is_zstd(file->data, file->size))
        return MPROF_E_OK;
    mpdata_heapbuf_init(&out);
    enum mprof_err err =
        inflates ? unpack_gzip(file, &out, &at) : unpack_zstd(file, &out, &at);
    if (err != MPROF_E_OK) {
        mpdata_heapbuf_fini(&out);
        return mprof_err_fail(diag, err, inflates ? SECTION_GZIP : SECTION_ZSTD,
                              at);
    }
    mpdata_file_close(file);
    file->data = out.data;
    file->size = out.size;
    file->owned = out.data;
    return MPROF_E_OK;
}
