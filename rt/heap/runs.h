/* runs.h -- the region that blocks lie in, and its runs of pages: free, one
 * large slot, or a span of small slots of one class.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RUNS_H
#define MPRT_RUNS_H

#include "rt/heap/classes.h"

#define MPRT_HEAP_REGION_BYTES ((size_t)4 << 40)
#define MPRT_HEAP_PAGE_BYTES ((size_t)1 << MPRT_HEAP_PAGE_SHIFT)
#define MPRT_RUNS_PAGES (MPRT_HEAP_REGION_BYTES >> MPRT_HEAP_PAGE_SHIFT)

/* The header of a free slot. */
struct mprt_heap_free {
    void *next; /* memory of the next one in the list */
    /* Of the first slot of a batch in the shared stack: the number of the next
     * batch's first slot, or 0, and slots of the batch. */
    _Atomic uint64_t batch;
    _Atomic uint64_t state; /* the owner's */
};
_Static_assert(sizeof(struct mprt_heap_free) == MPRT_HEAP_HEADER_BYTES,
               "it lies where the owner's header did");

enum mprt_run_kind {
    MPRT_RUN_NONE,  /* beyond the top, or inside a run */
    MPRT_RUN_CLEAN, /* free, zero */
    MPRT_RUN_STALE, /* free; its memory went back, but what it holds is unknown
                     */
    MPRT_RUN_DIRTY, /* free, kept for the next large slot */
    MPRT_RUN_BUSY,  /* free, on its way back to the system */
    MPRT_RUN_LOST,  /* the program sealed it: never used again */
    MPRT_RUN_LARGE,
    MPRT_RUN_SMALL /* + class */
};

/* The descriptor of a page. Valid at the first and the last page of a run, and
 * at every page of a span. */
struct mprt_run {
    _Atomic uint32_t kind;
    uint32_t first; /* of the run */
    uint32_t pages; /* of the run; only at its first page, as what follows */
    uint32_t prev;  /* free runs: the list */
    uint32_t next;
    _Atomic uint32_t carved; /* spans: slots handed out so far */
    bool goes_back; /* large slots: the system gets the memory at the end */
    /* Of a large slot; kept when it has ended. */
    struct mprt_heap_free header;
};

/* Before there is a region, where nothing is. */
extern MPRT_HIDDEN char *mprt_runs_region;
extern MPRT_HIDDEN struct mprt_run *mprt_runs;

static inline char *mprt_runs_start(uint32_t page)
{
    return mprt_runs_region + ((size_t)page << MPRT_HEAP_PAGE_SHIFT);
}

static inline uint32_t mprt_runs_page(const void *p)
{
    return (uint32_t)((size_t)((const char *)p - mprt_runs_region) >>
                      MPRT_HEAP_PAGE_SHIFT);
}

static inline uint32_t mprt_runs_kind(uint32_t page)
{
    return atomic_load_explicit(&mprt_runs[page].kind, memory_order_relaxed);
}

/* Reserves the region; ends the program without address space. Called once. */
void mprt_runs_init(void);
/* The lock. Signals are blocked while it is held; what to restore. */
uint64_t mprt_runs_enter(void);
void mprt_runs_leave(uint64_t signals);
void mprt_runs_before_fork(void);
void mprt_runs_after_fork(bool is_child);

/* The page that the run with this one begins at; a guess without the lock. */
uint32_t mprt_runs_first(uint32_t page);

/* -- the lock is held ------------------------------------------------------ */

/* So many pages as a run of this kind: its first page + 1, or 0. Without the
 * lock at times. goes_back: see there. */
uint32_t mprt_runs_take(uint32_t count, uint32_t kind, bool goes_back,
                        bool *is_zero);
/* Whether the system gets a large slot of so many pages back at its end. */
bool mprt_runs_is_for_system(uint32_t count);
/* Opens memory for later, where the program is about to forbid itself the
 * system calls that do so. */
void mprt_runs_open_ahead(void);
/* Takes a large slot. Without the lock at times. */
void mprt_runs_give(uint32_t first);
/* Makes a large slot so many pages long, where it is; false where what lies
 * behind it is in use. Without the lock at times. */
bool mprt_runs_resize(uint32_t first, uint32_t count);
/* The first run from this page on; the top, where there is none. */
uint32_t mprt_runs_next(uint32_t page);
uint32_t mprt_runs_top(void);
/* Pages that the system has not got back. */
uint32_t mprt_runs_held_pages(void);

#endif
