/* names.c -- numbers for names of threads (per_thread=1) and of events.
 *
 * The kernel is asked for the thread's name at each allocation. This costs one
 * system call, but finds names that are set late, again, or by another thread.
 * Numbers start at 1 and are never reused. If two threads add the same name at
 * the same time, two numbers may be used.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/names.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/os.h"
#include "rt/stack/depot.h"

struct name {
    char text[MPRT_NAME_BYTES];
    enum mprof_tag_kind kind;
    _Atomic bool is_written;
};

/* The numbers first..end - 1. The last one stands for all names that do not
 * fit; threads and the other kinds each have a range. */
struct range {
    uint32_t first;
    uint32_t end;
    _Atomic uint32_t last; /* last number in use, or first - 1 */
    uint32_t once;
    const char *message;
};

static struct name names[MPRT_NAMES]; /* by number */
static struct range threads = {
    .first = 1,
    .end = MPRT_THREADNAMES,
    .message = "too many thread names: allocations of threads with further "
               "names are recorded under the name other"};
static struct range events = {
    .first = MPRT_THREADNAMES,
    .end = MPRT_NAMES,
    .last = MPRT_THREADNAMES - 1,
    .message = "too many event names: events with further names are recorded "
               "under the name other"};

static bool is_name(uint32_t number, enum mprof_tag_kind kind, const char *text)
{
    /* Pairs with the release in add_name(). */
    return MPRT_LOAD_ACQUIRE(names[number].is_written) &&
           names[number].kind == kind &&
           mprt_libc_strcmp(names[number].text, text) == 0;
}

static uint32_t add_name(struct range *range, enum mprof_tag_kind kind,
                         const char *text)
{
    uint32_t last = MPRT_LOAD(range->last);

    do {
        if (last == range->end - 2) {
            mprt_log_once(&range->once, range->message, NULL);
            return range->end - 1;
        }
    } while (!MPRT_CAS(range->last, &last, last + 1));
    mprt_libc_memcpy(names[last + 1].text, text, mprt_libc_strlen(text) + 1);
    names[last + 1].kind = kind;
    /* Pairs with the acquire in is_name(). */
    MPRT_STORE_RELEASE(names[last + 1].is_written, true);
    return last + 1;
}

/* text is shorter than MPRT_NAME_BYTES. */
static uint32_t number_of(struct range *range, enum mprof_tag_kind kind,
                          const char *text)
{
    const uint32_t last = MPRT_LOAD(range->last);

    for (uint32_t number = range->first; number <= last; number++) {
        if (is_name(number, kind, text))
            return number;
    }
    return add_name(range, kind, text);
}

/* Copies text, cut at a character boundary of UTF-8 if it is too long. */
static void copy_cut(char out[MPRT_NAME_BYTES], const char *text)
{
    size_t n = 0;

    while (n < MPRT_NAME_BYTES - 1 && text[n] != '\0')
        n++;
    while (text[n] != '\0' && n != 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    mprt_libc_memcpy(out, text, n);
    out[n] = '\0';
}

void mprt_names_start_thread(struct mprt_thread *t)
{
    t->own_name = 0;
}

uint32_t mprt_names_of_thread(const struct mprt_thread *t)
{
    char text[MPRT_THREADNAME_BYTES + 1] = {0};

    if (t != NULL && t->own_name != 0)
        return t->own_name;
    mprt_os_thread_name(text);
    return t != NULL && t->name != 0 && t->name != threads.end - 1 &&
                   is_name(t->name, MPROF_TAG_THREAD, text)
               ? t->name
               : number_of(&threads, MPROF_TAG_THREAD, text);
}

void mprt_names_set_thread(struct mprt_thread *t, const char *text)
{
    char cut[MPRT_NAME_BYTES];

    t->own_name = 0;
    if (text == NULL)
        return;
    copy_cut(cut, text);
    t->own_name = number_of(&threads, MPROF_TAG_THREAD, cut);
}

uint32_t mprt_names_of_event(enum mprof_tag_kind kind, const char *text)
{
    char cut[MPRT_NAME_BYTES];

    copy_cut(cut, text);
    return number_of(&events, kind, cut);
}

const char *mprt_names_text(uint32_t number)
{
    return number == threads.end - 1 || number == events.end - 1
               ? "other"
               : names[number].text;
}

enum mprof_tag_kind mprt_names_kind(uint32_t number)
{
    return number < threads.end      ? MPROF_TAG_THREAD
           : number < events.end - 1 ? names[number].kind
                                     : MPROF_TAG_EVENT;
}
