/* fuzz_serve.c -- libFuzzer target: what a request of HTTP may say, and the
 * status of a program. Lines of the input are the path, the seconds, the host
 * and the status.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/serve/prometheus.h"
#include "profdata/serve/http.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES = 4, LINE_MAX_BYTES = 4096 };

static void try_lines(char lines[LINES][LINE_MAX_BYTES])
{
    const struct mpdata_status program = {lines[0], lines[3]};
    struct mprof_buf out;
    unsigned seconds;

    if (mpdata_route_find(lines[0]) > MPDATA_ROUTE_COUNT)
        abort();
    if (mpdata_route_seconds(lines[1], &seconds) &&
        seconds > MPDATA_ROUTE_SECONDS_MAX)
        abort();
    if (mpdata_route_is_local_host(lines[2]) && strchr(lines[2], '/') != NULL &&
        lines[2][0] != '[' && strchr(lines[2], ':') == NULL)
        abort();
    mpdata_heapbuf_init(&out);
    mpdata_prometheus_write(&out, &program, 1);
    if (!out.failed && out.data[out.size - 1] != '\n')
        abort();
    mpdata_heapbuf_fini(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char lines[LINES][LINE_MAX_BYTES];
    size_t at = 0;

    memset(lines, 0, sizeof(lines));
    for (size_t i = 0; i < LINES; i++, at++) {
        for (size_t n = 0; at < size && data[at] != '\n'; n++, at++) {
            if (n < LINE_MAX_BYTES - 1)
                lines[i][n] = (char)data[at];
        }
    }
    try_lines(lines);
    return 0;
}
