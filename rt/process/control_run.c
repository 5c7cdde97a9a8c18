/* control_run.c -- the commands of the control socket.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/clock.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/mapbuf.h"
#include "rt/base/options.h"
#include "rt/base/overhead.h"
#include "rt/base/state.h"
#include "rt/dump/outfile.h"
#include "rt/dump/profile.h"
#include "rt/dump/dump.h"
#include "rt/events/event_log.h"
#include "rt/heap/bursts.h"
#include "rt/process/control.h"
#include "rt/record/block.h"
#include "rt/record/live.h"
#include "rt/record/sample.h"
#include "rt/record/spread.h"
#include "rt/stack/depot.h"
#include "shared/version.h"

#define NS_PER_MS UINT64_C(1000000)

static void say(struct mprt_control_answer *answer, const char *word,
                const char *text)
{
    mprt_textbuf_str(&answer->text, word);
    if (text[0] != '\0')
        mprt_textbuf_char(&answer->text, ' ');
    mprt_textbuf_str(&answer->text, text);
}

static void say_ok(struct mprt_control_answer *answer, const char *text)
{
    say(answer, MPROF_CONTROL_OK, text);
}

static void refuse(struct mprt_control_answer *answer, const char *sentence)
{
    say(answer, MPROF_CONTROL_ERROR, sentence);
}

/* The message of what failed, or else another sentence. */
static void say_failed(struct mprt_control_answer *answer, const char *sentence)
{
    refuse(answer, answer->message[0] != '\0' ? answer->message : sentence);
}

static void add_field(struct mprt_control_answer *answer, const char *name,
                      uint64_t value)
{
    MPRT_TEXT(&answer->text, " ", name, "=", MPRT_DEC(value));
}

/* -- the commands; argument: what follows the first word, or "" ------------- */

static void do_version(const char *argument, struct mprt_control_answer *answer)
{
    (void)argument;
    say_ok(answer, "version=" MPROF_VERSION);
    add_field(answer, "protocol", MPROF_CONTROL_VERSION);
}

static void add_accesses(struct mprt_control_answer *answer)
{
    mprt_textbuf_str(&answer->text, " accesses=");
    if (mprt_bursts_count_nothing) {
        mprt_textbuf_str(&answer->text, "none");
    } else if (mprt_bursts_period == 1) {
        mprt_textbuf_str(&answer->text, "all");
    } else {
        MPRT_TEXT(&answer->text, "1/", MPRT_DEC(mprt_bursts_period));
    }
}

static void do_status(const char *argument, struct mprt_control_answer *answer)
{
    struct mprt_block_stats blocks;
    uint64_t calls;

    (void)argument;
    mprt_block_stats(&blocks);
    say_ok(answer, "");
    add_field(answer, "running", mprt_state_is_recording());
    add_field(answer, "pid", mprt_identity_pid());
    add_field(answer, "time_ms", mprt_clock_now_ns() / NS_PER_MS);
    add_field(answer, "live_bytes", blocks.live_bytes);
    add_field(answer, "live_blocks", blocks.live_blocks);
    add_field(
        answer, "peak_bytes",
        mprof_max_u64(mprt_live_last_peak().bytes,
                      mprof_max_u64(mprt_live_bytes(), blocks.live_bytes)));
    add_field(answer, "allocated_bytes", blocks.allocated_bytes);
    add_field(answer, "allocated_blocks", blocks.allocated_blocks);
    add_field(answer, "contexts", mprt_depot_count());
    add_field(answer, "dropped_blocks", blocks.dropped_blocks);
    add_field(answer, "sample", mprt_sample_rates[mprt_sample_rate_now()]);
    add_accesses(answer);
    add_field(answer, "profiler_bytes", mprt_stats_memory_bytes());
    add_field(answer, "profiler_ms", mprt_overhead_ns(&calls) / NS_PER_MS);
}

static void do_start(const char *argument, struct mprt_control_answer *answer)
{
    (void)argument;
    if (!mprt_state_is_running()) {
        refuse(answer, "the program is ending");
        return;
    }
    mprt_state_set_recording(true);
    say_ok(answer, "");
}

static void do_stop(const char *argument, struct mprt_control_answer *answer)
{
    (void)argument;
    mprt_state_set_recording(false);
    say_ok(answer, "");
}

static void dump_bytes(struct mprt_control_answer *answer)
{
    struct mprt_profile_order order = {.bytes = &answer->bytes};

    mprt_mapbuf_init(&answer->bytes);
    if (mprt_profile_from_helper(true, &order) == 0) {
        say_ok(answer, "");
        add_field(answer, "bytes", answer->bytes.size);
        return;
    }
    mprt_mapbuf_free(&answer->bytes);
    answer->bytes.size = 0;
    say_failed(answer, "the program is ending");
}

static void do_dump(const char *argument, struct mprt_control_answer *answer)
{
    struct mprt_profile_order order = {.file = argument};

    if (mprt_libc_strcmp(argument, "-") == 0) {
        dump_bytes(answer);
        return;
    }
    if (argument[0] == '\0')
        order.file = NULL;
    if (mprt_profile_from_helper(true, &order) != 0) {
        say_failed(answer, "the profile was not written; the program is "
                           "ending, or has said why on stderr");
        return;
    }
    mprt_outname_make_absolute(order.path);
    say_ok(answer, order.path);
}

static void reset(bool accesses, struct mprt_control_answer *answer)
{
    struct mprt_profile_order order = {.resets = true, .accesses = accesses};

    if (mprt_profile_from_helper(false, &order) == 0)
        say_ok(answer, "");
    else
        say_failed(answer, "the program is ending");
}

static void do_reset(const char *argument, struct mprt_control_answer *answer)
{
    (void)argument;
    reset(false, answer);
}

/* Sums of accesses with different shares cannot be told apart later. */
static void do_accesses(const char *argument,
                        struct mprt_control_answer *answer)
{
    const bool is_share = argument[0] == '1';
    bool is_set;

    if (is_share && mprt_bursts_are_impossible())
        refuse(answer, "1/N needs all code to be compiled with -mllvm "
                       "-memprof-versions=2; all and none work");
    else if (is_share && !mprt_spread_prepare())
        refuse(answer, "there is no memory to count a share of the accesses");
    else if (!mprt_event_log_change(mprt_options_set_accesses, argument,
                                    &is_set))
        refuse(answer, "a log needs all accesses; they can be changed when it "
                       "has ended");
    else if (!is_set)
        refuse(answer, "accesses must be all, none, or 1/N with N from 2 to "
                       "1000");
    else
        reset(true, answer);
}

static bool set_rate(const char *argument)
{
    int64_t period;

    return mprt_options_parse_bytes(argument, mprt_libc_strlen(argument),
                                    &period) &&
           mprt_sample_set((uint64_t)period);
}

_Static_assert(MPRT_SAMPLE_RATES == 16, "as the sentence says");
static void do_sample(const char *argument, struct mprt_control_answer *answer)
{
    int64_t period;
    bool is_set;

    if (!mprt_options_parse_bytes(argument, mprt_libc_strlen(argument),
                                  &period) ||
        period < 0 || (uint64_t)period > MPRT_SAMPLE_PERIOD_MAX)
        refuse(answer, "sample takes a number of bytes from 1 to 512M, or 0 to "
                       "record all blocks");
    else if (!mprt_event_log_change(set_rate, argument, &is_set))
        refuse(answer, "a log has one rate; it can be changed when the log has "
                       "ended");
    else if (!is_set)
        refuse(answer, "a process can have 16 rates, and this would be one "
                       "more");
    else
        say_ok(answer, "");
}

static void do_quit(const char *argument, struct mprt_control_answer *answer)
{
    (void)argument;
    say_ok(answer, "");
    answer->ends = true;
}

static const struct {
    const char *name;
    bool takes_argument;
    void (*run)(const char *argument, struct mprt_control_answer *answer);
} commands[] = {
    {"version", false, do_version}, {"status", false, do_status},
    {"start", false, do_start},     {"stop", false, do_stop},
    {"dump", true, do_dump},        {"reset", false, do_reset},
    {"sample", true, do_sample},    {"accesses", true, do_accesses},
    {"quit", false, do_quit},
};

void mprt_control_run(const char *line, struct mprt_control_answer *answer)
{
    size_t n = 0;

    while (line[n] != '\0' && line[n] != ' ')
        n++;
    const char *const argument = line + n + (line[n] == ' ');
    for (size_t i = 0; i < MPROF_ARRAY_LEN(commands); i++) {
        if (n != mprt_libc_strlen(commands[i].name) ||
            mprt_libc_memcmp(line, commands[i].name, n) != 0)
            continue;
        if (argument[0] != '\0' && !commands[i].takes_argument) {
            refuse(answer, "the command takes no argument");
            return;
        }
        commands[i].run(argument, answer);
        return;
    }
    refuse(answer,
           "no such command; there are version, status, start, stop, "
           "dump [FILE], reset, sample N, accesses all|none|1/N and quit");
}
