/* log_api.c -- functions of inc/memprof.h for a log that goes to the program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/state.h"
#include "rt/events/event_log.h"

#include <errno.h>

MPRT_INTERFACE int
__memprof_log_start(const struct memprof_log_options *options)
{
    const int saved_errno = errno;

    mprt_state_require();
    const int status = mprt_event_log_start(options);
    errno = saved_errno;
    return status;
}

MPRT_INTERFACE int __memprof_log_stop(void)
{
    const int saved_errno = errno;

    mprt_state_require();
    const int status = mprt_event_log_stop();
    errno = saved_errno;
    return status;
}

MPRT_INTERFACE int __memprof_log_is_running(void)
{
    return mprt_event_log_is_on();
}

MPRT_INTERFACE const char *__memprof_log_error(int status)
{
    switch (status) {
    case MEMPROF_LOG_OK:
        return "no error";
    case MEMPROF_LOG_ARGUMENT:
        return "a log needs a writer, and a buffer of at least 16 bytes";
    case MEMPROF_LOG_RUNNING:
        return "a log is being written already";
    case MEMPROF_LOG_NOT_RUNNING:
        return "no log is being written";
    case MEMPROF_LOG_MEMORY:
        return "no memory for the buffers of the log";
    case MEMPROF_LOG_IO:
        return "the log's writer or on_stop() failed";
    case MEMPROF_LOG_SAMPLING:
        return "a log needs all accesses and does not work with accesses=1/N";
    case MEMPROF_LOG_ABSENT:
        return "the program runs without the profiler";
    default:
        return "unknown status";
    }
}
