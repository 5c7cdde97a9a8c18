/* output.c -- an output file in memory; of a stream, only the unsent bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/output.h"
#include "profdata/base/file.h"
#include "profdata/base/sink.h"

#include <unistd.h>

/* Bytes sent to a stream at a time. */
#define SEND_BYTES (1u << 20)

void mpdata_output_init(struct mpdata_output *output, const char *path)
{
    *output = (struct mpdata_output){.path = path, .stream_fd = -1};
    mpdata_heapbuf_init(&output->buf);
}

void mpdata_output_fini(struct mpdata_output *output)
{
    mpdata_heapbuf_fini(&output->buf);
    if (output->stream_fd >= 0)
        close(output->stream_fd);
    output->stream_fd = -1;
}

static bool send_bytes(void *context, const char *bytes, size_t size)
{
    struct mpdata_output *const output = context;
    struct mprof_buf *const buf = &output->buf;

    mprof_buf_bytes(buf, bytes, size);
    if (buf->size < SEND_BYTES)
        return !buf->failed;
    output->sent_bytes += buf->size;
    if (mpdata_file_send(output->path, &output->stream_fd, buf->data, buf->size,
                         &output->sent) != MPROF_E_OK)
        return false;
    buf->size = 0;
    return !buf->failed;
}

struct mpdata_sink mpdata_output_sink(struct mpdata_output *output)
{
    return mpdata_file_is_stream(output->path)
               ? (struct mpdata_sink){.write = send_bytes, .context = output}
               : mpdata_sink_to_buf(&output->buf);
}

/* Names the output if it is too large for its format; other errors are not
 * about this file. */
enum mprof_err mpdata_output_fail(const struct mpdata_output *output,
                                  enum mprof_err err, struct mprof_diag *diag)
{
    if (output->sent.err != MPROF_E_OK) {
        *diag = output->sent;
        return diag->err;
    }
    mprof_err_plain(diag, err);
    if (err == MPROF_E_LIMIT || err == MPROF_E_FRAMES)
        diag->file = output->path;
    return err;
}

enum mprof_err mpdata_output_finish(struct mpdata_output *output,
                                    struct mprof_diag *diag)
{
    if (output->sent_bytes == 0)
        return mpdata_file_write(output->path, output->buf.data,
                                 output->buf.size, diag);
    enum mprof_err err =
        mpdata_file_send(output->path, &output->stream_fd, output->buf.data,
                         output->buf.size, diag);
    return err == MPROF_E_OK
               ? mpdata_file_end_stream(output->path, &output->stream_fd, diag)
               : err;
}
