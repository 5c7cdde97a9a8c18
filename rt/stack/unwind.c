/* unwind.c -- walks call stacks by call frame information, reduced to one word
 * per return address.
 *
 * The unwind rule of a return address fits in one word (cfi.h). A cache by
 * address keeps it (code_cache.h), so a walk costs a hash and three loads per
 * frame. While binaries may be unloaded, the cache is used only for those that
 * never are; other addresses are looked up each time.
 *
 * The walk reads only stack pages that are known to be readable: the kernel is
 * asked about each page once per thread. So the walk needs no stack limits and
 * follows alternate stacks, coroutines and threads on the program's own stacks
 * without special cases. On one stack, each frame is at a higher address than
 * the last one. A known page may have been unmapped since; a walk that follows
 * a wrong rule beyond the end of a coroutine's stack reads it. Such a read
 * faults and returns a value that ends the walk (fault.h), and the pages are
 * asked about again.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/unwind.h"
#include "rt/base/fault.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/own_code.h"
#include "rt/stack/cfi.h"
#include "rt/stack/code_cache.h"
#include "rt/stack/module_history.h"

/* Number of frames that are searched for a signal handler. */
#define HANDLER_FRAMES_MAX 1024

/* Limit of pages that one step may ask about: a frame of 16 MiB. */
#define STEP_PAGES_MAX 4096

/* Offsets of registers in the ucontext that the kernel passes to a handler. */
#define UCONTEXT_BP 120
#define UCONTEXT_SP 160
#define UCONTEXT_IP 168

struct frame {
    uintptr_t pc; /* inside the calling instruction */
    uintptr_t sp;
    uintptr_t bp;
};

struct window {
    uintptr_t low;
    uintptr_t high;
    struct mprt_trace *trace; /* or NULL */
    union mprt_code_word all; /* AND of all rules so far */
};

/* -- rules ----------------------------------------------------------------- */

static struct mprt_rule look_up(uintptr_t pc)
{
    const uint32_t generation = mprt_code_cache_now();
    struct mprt_rule rule = {.kind = MPRT_RULE_FRAME_POINTER};
    struct mprt_object object;

    if (!mprt_object_find(pc, &object))
        return rule;
    mprt_module_history_note(&object, generation);
    rule = mprt_cfi_find(&object, pc, NULL);
    rule.lasts = mprt_module_history_lasts(&object);
    return rule;
}

static inline union mprt_code_word find_rule(uintptr_t pc, bool is_steady)
{
    struct mprt_code_cached *const c = mprt_code_cache_at(pc);
    union mprt_code_word found;

    if (MPROF_LIKELY(mprt_code_cache_find(c, pc, &found.word)) &&
        (is_steady || found.rule.lasts))
        return found;
    found.rule = look_up(pc);
    if (is_steady || found.rule.lasts)
        mprt_code_cache_put(c, pc, found.word);
    return found;
}

/* -- readable memory ------------------------------------------------------- */

/* Without a fault handler, pages that were readable in an earlier walk may not
 * be read, and a walk that read beyond one page is not remembered. */
static inline struct window open_window(const struct mprt_thread *t,
                                        struct mprt_trace *trace)
{
    struct window w = {.trace = trace, .all.word = UINT64_MAX};

    if (MPROF_LIKELY(t != NULL && MPRT_LOAD(mprt_fault_is_handled))) {
        w.low = t->stack_low;
        w.high = t->stack_high;
    }
    return w;
}

static inline void close_window(const struct window *w, struct mprt_thread *t)
{
    if (MPROF_LIKELY(t != NULL)) {
        t->stack_low = w->low;
        t->stack_high = w->high;
    }
}

/* Asks the kernel about the pages between the window and addr, and the page of
 * addr. */
static bool extend(struct window *w, uintptr_t addr)
{
    const size_t page = mprt_os_page_bytes();
    const uintptr_t wanted = mprof_round_down(addr, page);

    if (w->trace != NULL && w->trace->count != 0 &&
        !MPRT_LOAD(mprt_fault_is_handled))
        w->trace->is_complete = false;
    if (addr >= w->high && wanted - w->high < STEP_PAGES_MAX * page) {
        while (w->high <= wanted && mprt_os_is_readable(w->high))
            w->high += page;
        if (w->high >= wanted)
            return w->high > wanted;
    }
    if (addr < w->low && w->low - wanted <= STEP_PAGES_MAX * page) {
        uintptr_t low = w->low;
        while (low > wanted && mprt_os_is_readable(low - page))
            low -= page;
        if (low == wanted) {
            w->low = low;
            return true;
        }
    }
    /* addr is on another stack. */
    if (w->trace != NULL && w->trace->count != 0) {
        w->trace->is_complete = false;
        w->trace->leaves_stack = true;
    }
    if (!mprt_os_is_readable(wanted))
        return false;
    w->low = wanted;
    w->high = wanted + page;
    return true;
}

static inline void note(struct mprt_trace *trace, uintptr_t addr,
                        uintptr_t value)
{
    const uintptr_t offset = addr - trace->frame;

    if ((trace->count == MPRT_TRACE_PAIRS_MAX && !trace->is_half) ||
        offset > UINT32_MAX) {
        trace->is_complete = false;
        return;
    }
    if (trace->is_half) {
        struct mprt_trace_pair *const pair = &trace->pairs[trace->count - 1];
        pair->offsets[1] = (uint32_t)offset;
        pair->values[1] = value;
        if (trace->plain + 2 == trace->count &&
            pair->offsets[0] == offset + sizeof(value))
            trace->plain++;
    } else {
        trace->pairs[trace->count].offsets[0] = (uint32_t)offset;
        trace->pairs[trace->count].offsets[1] = (uint32_t)offset;
        trace->pairs[trace->count].values[0] = value;
        trace->pairs[trace->count++].values[1] = value;
    }
    trace->is_half = !trace->is_half;
}

/* Ends a pair: later addresses depend on words that were read before. */
static inline void end_pair(struct window *w)
{
    if (w->trace != NULL)
        w->trace->is_half = false;
}

/* A known page is not readable any more. */
static void forget(struct window *w)
{
    w->low = w->high = 0;
    if (w->trace != NULL)
        w->trace->is_complete = false;
}

static inline bool read_word(struct window *w, uintptr_t addr, uintptr_t *value)
{
    if ((addr & 7) != 0)
        return false;
    if (MPROF_UNLIKELY(addr - w->low >= w->high - w->low) && !extend(w, addr))
        return false;
    *value = mprt_fault_read(addr);
    if (MPROF_UNLIKELY(*value == MPRT_FAULT_VALUE)) {
        forget(w);
        return false;
    }
    if (w->trace != NULL)
        note(w->trace, addr, *value);
    return true;
}

/* -- steps ----------------------------------------------------------------- */

/* Steps from a signal handler to the interrupted code, which may be on another
 * stack. */
static inline MPRT_ALWAYS_INLINE bool step_signal(struct window *w,
                                                  struct frame *f)
{
    struct frame next;

    /* The interrupted stack may be gone when the handler runs again. */
    if (w->trace != NULL) {
        w->trace->is_complete = false;
        w->trace->leaves_stack = true;
    }
    if (!read_word(w, f->sp + UCONTEXT_IP, &next.pc) ||
        !read_word(w, f->sp + UCONTEXT_SP, &next.sp) ||
        !read_word(w, f->sp + UCONTEXT_BP, &next.bp))
        return false;
    *f = next;
    return next.pc != 0;
}

static inline MPRT_ALWAYS_INLINE bool step_frame_pointer(struct window *w,
                                                         struct frame *f)
{
    uintptr_t bp;
    uintptr_t ra;

    if (!mprt_options.fast_unwind_on_malloc || f->bp < f->sp ||
        !read_word(w, f->bp + 8, &ra) || !read_word(w, f->bp, &bp) || ra == 0)
        return false;
    f->pc = ra - 1;
    f->sp = f->bp + 16;
    f->bp = bp;
    return true;
}

/* Steps to the caller. Returns false at the end of the stack. */
static inline MPRT_ALWAYS_INLINE bool step(struct window *w, struct frame *f,
                                           bool is_steady)
{
    const union mprt_code_word found = find_rule(f->pc, is_steady);
    const struct mprt_rule rule = found.rule;
    uintptr_t cfa;
    uintptr_t ra;

    w->all.word &= found.word;
    end_pair(w);
    if (MPROF_LIKELY(rule.kind == MPRT_RULE_SP))
        cfa = f->sp + (uintptr_t)(intptr_t)rule.cfa_offset;
    else if (rule.kind == MPRT_RULE_BP)
        cfa = f->bp + (uintptr_t)(intptr_t)rule.cfa_offset;
    else if (rule.kind == MPRT_RULE_FRAME_POINTER)
        return step_frame_pointer(w, f);
    else if (rule.kind == MPRT_RULE_SIGNAL)
        return step_signal(w, f);
    else if (rule.kind != MPRT_RULE_BP_DEREF ||
             !read_word(w, f->bp + (uintptr_t)(intptr_t)rule.cfa_offset, &cfa))
        return false;
    if (MPROF_UNLIKELY(rule.kind == MPRT_RULE_BP_DEREF))
        end_pair(w);
    if (cfa <= f->sp || !read_word(w, cfa - 8, &ra) || ra == 0)
        return false;
    if (rule.saved != MPRT_SAVED_NOT &&
        !read_word(w,
                   (rule.saved == MPRT_SAVED_AT_CFA ? cfa : f->bp) +
                       (uintptr_t)(intptr_t)rule.bp_offset,
                   &f->bp))
        return false;
    f->pc = ra - 1;
    f->sp = cfa;
    return true;
}

static inline MPRT_ALWAYS_INLINE size_t walk(struct mprt_trace *trace,
                                             bool is_steady,
                                             struct mprt_caller caller,
                                             uintptr_t *pcs, size_t max,
                                             bool *truncated)
{
    struct mprt_thread *const t = mprt_thread_local.state;
    struct window window = open_window(t, trace);
    /* The interceptor keeps a frame pointer: its frame holds the caller's rbp,
     * then the return address. */
    struct frame frame = {caller.pc - 1, caller.frame + 16, 0};
    bool has_more = max != 0 && read_word(&window, caller.frame, &frame.bp);
    size_t count = 0;

    /* A frame of the runtime is overwritten by the next one; it always has a
     * caller. */
    if (max != 0) {
        pcs[0] = frame.pc;
        count = !mprt_own_code_has(frame.pc);
    }
    while (has_more && (has_more = step(&window, &frame, is_steady)) &&
           count < max) {
        pcs[count] = frame.pc;
        count += !mprt_own_code_has(frame.pc);
    }
    *truncated = has_more;
    if (trace != NULL)
        trace->lasts = window.all.rule.lasts;
    close_window(&window, t);
    return count;
}

/* For use while binaries are being loaded or unloaded. */
static MPRT_NOINLINE size_t walk_unsteady(struct mprt_trace *trace,
                                          struct mprt_caller caller,
                                          uintptr_t *pcs, size_t max,
                                          bool *truncated)
{
    return walk(trace, false, caller, pcs, max, truncated);
}

static MPRT_NOINLINE size_t walk_steady(struct mprt_trace *trace,
                                        struct mprt_caller caller,
                                        uintptr_t *pcs, size_t max,
                                        bool *truncated)
{
    return walk(trace, true, caller, pcs, max, truncated);
}

static inline size_t walk_now(struct mprt_trace *trace, uint32_t generation,
                              struct mprt_caller caller, uintptr_t *pcs,
                              size_t max, bool *truncated)
{
    if (MPROF_UNLIKELY(!mprt_code_cache_is_steady(generation)))
        return walk_unsteady(trace, caller, pcs, max, truncated);
    return walk_steady(trace, caller, pcs, max, truncated);
}

size_t mprt_unwind(struct mprt_caller caller, uintptr_t *pcs, size_t max,
                   bool *truncated)
{
    return walk_now(NULL, mprt_code_cache_now(), caller, pcs, max, truncated);
}

size_t mprt_unwind_traced(struct mprt_trace *trace, uint32_t generation,
                          struct mprt_caller caller, uintptr_t *pcs, size_t max,
                          bool *truncated)
{
    trace->frame = caller.frame;
    trace->count = 0;
    trace->plain = 0;
    trace->is_complete = true;
    trace->leaves_stack = false;
    trace->is_half = false;
    return walk_now(trace, generation, caller, pcs, max, truncated);
}

/* The frames of a handler are below the context that the kernel saved, on the
 * stack that it chose for the handler. The target is one of these frames or
 * beyond them. */
bool mprt_unwind_leaves_handler(struct mprt_caller caller, uintptr_t target)
{
    struct mprt_thread *const t = mprt_thread_local.state;
    const bool is_steady = mprt_code_cache_is_steady(mprt_code_cache_now());
    const uintptr_t low = caller.frame + 16;
    struct window window = open_window(t, NULL);
    struct frame frame = {caller.pc - 1, low, 0};
    bool goes_on = read_word(&window, caller.frame, &frame.bp);
    bool found = false;

    for (unsigned i = 0; goes_on && i < HANDLER_FRAMES_MAX; i++) {
        found = find_rule(frame.pc, is_steady).rule.kind == MPRT_RULE_SIGNAL;
        goes_on = !found && step(&window, &frame, is_steady) &&
                  target - low >= frame.sp - low;
    }
    close_window(&window, t);
    return found;
}

/* The new thread has another stack. */
void mprt_unwind_start_thread(struct mprt_thread *t)
{
    t->stack_low = t->stack_high = 0;
}
