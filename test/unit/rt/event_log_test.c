/* event_log_test.c -- rt/events/event_log.c: a log that gets no memory for its
 * buffer is refused, and a later one begins.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test/unit/rt/stubs.h"

#define MEMPROF_RUNTIME
#include "inc/memprof.h"
#include "rt/base/memory.h"
#include "rt/dump/outfile.h"
#include "rt/dump/profile.h"
#include "rt/dump/dump.h"
#include "rt/events/event_log.h"

static bool has_memory;
static int stops;

/* No program can exhaust the address space that the runtime reserves. */
void *__real_mprt_memory_map(size_t bytes);
void *__wrap_mprt_memory_map(size_t bytes);
void *__wrap_mprt_memory_map(size_t bytes)
{
    return has_memory ? __real_mprt_memory_map(bytes) : NULL;
}

/* What a log needs of parts that the core lacks. */
const char *mprt_options_given(void)
{
    return "";
}

bool mprt_options_is_secure(void)
{
    return false;
}

uint64_t mprt_profile_run_id(void)
{
    return 1;
}

uint64_t mprt_stats_memory_bytes(void)
{
    return 0;
}

const char *mprt_outfile_error(int64_t negative_errno, char out[32])
{
    (void)negative_errno;
    (void)out;
    return "";
}

bool mprt_outname_expand(char path[MPRT_PATH_BYTES], const char *pattern,
                         uint32_t number)
{
    (void)path;
    (void)pattern;
    (void)number;
    return false;
}

void mprt_outname_make_absolute(char path[MPRT_PATH_BYTES])
{
    (void)path;
}

static size_t take(void **buffer, size_t length, void *ctx)
{
    (void)buffer;
    (void)ctx;
    return length;
}

static int stopped(void *ctx)
{
    (void)ctx;
    stops++;
    return 0;
}

static void a_log_without_memory_is_refused(void **state)
{
    const struct memprof_log_options o = {.writer = take, .on_stop = stopped};

    (void)state;
    has_memory = false;
    assert_int_equal(mprt_event_log_start(&o), MEMPROF_LOG_MEMORY);
    assert_int_equal(stops, 1);
    assert_false(mprt_event_log_is_on());
    assert_int_equal(mprt_event_log_stop(), MEMPROF_LOG_NOT_RUNNING);
    has_memory = true;
    assert_int_equal(mprt_event_log_start(&o), MEMPROF_LOG_OK);
    assert_true(mprt_event_log_is_on());
    assert_int_equal(mprt_event_log_stop(), MEMPROF_LOG_OK);
    assert_int_equal(stops, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_log_without_memory_is_refused),
    };

    has_memory = true;
    start_runtime();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
