/* bursts.c -- counts accesses in bursts.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/heap/bursts.h"
#include "rt/base/clock.h"
#include "rt/base/fault.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/state.h"

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)
/* Windows between two bursts at most; more are as good as impossible. */
#define WINDOWS_MAX (INT32_MAX / MPROF_BURST_CHECKS)
/* With accesses=none and a control socket: number of checks after which a
 * thread asks whether accesses= has changed. The thread counts in one window of
 * a thousand, and the runtime ignores these counts. */
#define PAUSE_CHECKS (INT32_C(1) << 22)

uint32_t mprt_bursts_period = 1;
bool mprt_bursts_count_nothing;

static uint64_t seed;
static _Atomic uint64_t streams;
static _Atomic uint64_t ended;
static _Atomic uint64_t last_ns;   /* end of the last burst */
static _Atomic uint64_t before_ns; /* of the one before */
static bool has_plain_code;        /* it always counts */
static struct mprt_lock lock;

void (*mprt_bursts_ended)(uint64_t now_ns);

/* State of the thread's random numbers; 0: none yet. */
static _Thread_local uint64_t random;
/* The thread's burst is included in `ended`. */
static _Thread_local bool is_noted;

MPRT_INTERFACE _Thread_local int32_t __memprof_checks_v1 = MPROF_CHECKS_START;

void __memprof_next_burst_v1(int32_t *word);

static bool is_in_burst(void)
{
    return random != 0 && __memprof_checks_v1 < 0;
}

/* The next check of this thread begins a new window. */
static void restart(void)
{
    __memprof_checks_v1 = MPROF_CHECKS_START;
    random = 0;
    is_noted = false;
}

bool mprt_bursts_are_impossible(void)
{
    return has_plain_code;
}

static void take_period(void)
{
    const uint32_t period = mprt_options_access_period();

    mprt_bursts_count_nothing = period == 0;
    if (period > 1)
        mprt_state_set(MPRT_STATE_BURSTS);
    mprt_bursts_period = period == 0 ? 1 : period;
}

/* A thread that runs may overwrite the word; then it goes over later. */
static void restart_thread(void *argument)
{
    const struct mprt_thread *const t = argument;

    if (t->checks != NULL)
        *(volatile int32_t *)t->checks = MPROF_CHECKS_START;
}

/* A thread that ended without its destructors has left a word that may fault.
 */
void mprt_bursts_change(void)
{
    take_period();
    MPRT_EACH_THREAD(t) {
        mprt_lock_acquire(&lock);
        mprt_fault_try(restart_thread, t);
        mprt_lock_release(&lock);
    }
}

void mprt_bursts_start_thread(struct mprt_thread *t)
{
    t->checks = &__memprof_checks_v1;
}

void mprt_bursts_end_thread(struct mprt_thread *t)
{
    mprt_lock_acquire(&lock);
    t->checks = NULL;
    mprt_lock_release(&lock);
}

void mprt_bursts_init(void)
{
    take_period();
    seed = mprt_options.sample_seed != 0 ? (uint64_t)mprt_options.sample_seed
                                         : mprt_os_random();
    restart();
}

/* A child does not have them, and their memory may be put to other use. */
static void forget_other_threads(void)
{
    MPRT_EACH_THREAD(t) {
        if (t != mprt_thread_local.state)
            t->checks = NULL;
    }
}

void mprt_bursts_in_child(void)
{
    mprt_lock_reset(&lock);
    forget_other_threads();
    if (!mprt_bursts_are_on())
        return;
    atomic_store(&ended, 0);
    seed += mprt_options.sample_seed != 0 ? GOLDEN : mprt_os_random();
    restart();
}

void mprt_bursts_give_up(void)
{
    has_plain_code = true;
    if (!mprt_bursts_are_on())
        return;
    /* What was counted so far must be scaled. */
    if (atomic_load(&streams) != 0) {
        MPRT_LOG_ONCE("code that counts always was loaded while accesses=1/N "
                      "counts in bursts; its accesses are counted N times too "
                      "often; compile it with -mllvm -memprof-versions=2");
        return;
    }
    mprt_bursts_period = 1;
    restart();
    MPRT_LOG_ONCE("accesses=1/N needs all code to be compiled with -mllvm "
                  "-memprof-versions=2; all accesses are counted");
}

/* A xorshift generator of 64 bits. */
static uint32_t draw(void)
{
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    return (uint32_t)(random >> 32);
}

static void start_stream(void)
{
    /* As splitmix64 mixes a counter. */
    random = (seed + atomic_fetch_add(&streams, 1)) * GOLDEN;
    random = (random ^ random >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    random = (random ^ random >> 27) * UINT64_C(0x94d049bb133111eb);
    random = (random ^ random >> 31) | 1;
}

static uint64_t note_burst(void)
{
    const uint64_t now_ns = mprt_clock_now_ns();

    if (!is_noted) {
        MPRT_ADD(ended, 1);
        MPRT_STORE(before_ns, MPRT_LOAD(last_ns));
    }
    MPRT_STORE(last_ns, now_ns);
    return now_ns;
}

static void end_burst(void)
{
    const uint64_t now_ns = note_burst();

    is_noted = false;
    if (mprt_bursts_ended != NULL)
        mprt_bursts_ended(now_ns);
}

/* Number of windows before the next burst. */
static int32_t draw_windows(void)
{
    int32_t n = 0;

    while (((uint64_t)draw() * mprt_bursts_period) >> 32 != 0 &&
           n < WINDOWS_MAX)
        n++;
    return n;
}

static bool is_controlled(void)
{
    return mprt_options.control != NULL && mprt_options.control[0] != '\0';
}

void mprt_bursts_next(int32_t *word)
{
    if (!mprt_bursts_are_on()) {
        random = 0;
        is_noted = false;
        /* Negative, also for signal handlers before the next decrement. */
        *word = !mprt_bursts_count_nothing ? -1
                : is_controlled()          ? PAUSE_CHECKS
                                           : INT32_MAX;
        return;
    }
    if (random == 0)
        start_stream();
    else
        end_burst();
    *word = draw_windows() * MPROF_BURST_CHECKS;
    if (*word == 0) {
        /* The thread may end in the burst. */
        note_burst();
        is_noted = true;
    }
}

/* Saves the general registers, which the caller does not. */
MPRT_INTERFACE __attribute__((naked)) void
__memprof_next_burst_v1(__attribute__((unused)) int32_t *word)
{
    __asm__("pushq %rax\n\t"
            "pushq %rcx\n\t"
            "pushq %rdx\n\t"
            "pushq %rsi\n\t"
            "pushq %rdi\n\t"
            "pushq %r8\n\t"
            "pushq %r9\n\t"
            "pushq %r10\n\t"
            "subq $8, %rsp\n\t"
            ".cfi_adjust_cfa_offset 72\n\t"
            "call mprt_bursts_next\n\t"
            "addq $8, %rsp\n\t"
            "popq %r10\n\t"
            "popq %r9\n\t"
            "popq %r8\n\t"
            "popq %rdi\n\t"
            "popq %rsi\n\t"
            "popq %rdx\n\t"
            "popq %rcx\n\t"
            "popq %rax\n\t"
            ".cfi_adjust_cfa_offset -72\n\t"
            "ret");
}

size_t mprt_bursts_check_range(size_t n, bool *counts)
{
    *counts = mprt_bursts_check();
    const int32_t left =
        __memprof_checks_v1 + (*counts ? MPROF_BURST_CHECKS : 0);
    const size_t more = mprof_min_u64(
        (uint64_t)left, n == 0 ? 0 : (n - 1) / MPROF_GRANULE_BYTES);

    __memprof_checks_v1 -= (int32_t)more;
    return mprof_min_u64(n, (1 + more) * MPROF_GRANULE_BYTES);
}

uint64_t mprt_bursts_number(void)
{
    return MPRT_LOAD(ended) + (is_in_burst() && !is_noted);
}

bool mprt_bursts_were_since(uint64_t ns)
{
    return is_in_burst() || (MPRT_LOAD(ended) != 0 && MPRT_LOAD(last_ns) >= ns);
}

bool mprt_bursts_were_several_since(uint64_t ns)
{
    return ns <= MPRT_LOAD(*(is_in_burst() ? &last_ns : &before_ns));
}
