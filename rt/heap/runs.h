/* runs.h -- the region that holds all blocks, and its runs of pages: free, one
 * large slot, or a span of small slots of one class.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "rt/heap/classes.h"

#define MPRT_HEAP_REGION_BYTES ((size_t)4 << 40)
#define MPRT_HEAP_PAGE_BYTES ((size_t)1 << MPRT_HEAP_PAGE_SHIFT)
#define MPRT_RUNS_PAGES (MPRT_HEAP_REGION_BYTES >> MPRT_HEAP_PAGE_SHIFT)

/* The header of a free slot. */
struct mprt_heap_free {
    void *next; /* memory of the next slot in the list */
    /* In the first slot of a batch on the shared stack: the number of the first
     * slot of the next batch, or 0, and the number of slots in this batch. */
    _Atomic uint64_t batch;
    /* belongs to the owner of the block (block_state.h) */
    _Atomic uint64_t state;
};
_Static_assert(sizeof(struct mprt_heap_free) == MPRT_HEAP_HEADER_BYTES,
               "it lies where the owner's header did");

enum mprt_run_kind {
    MPRT_RUN_NONE,  /* beyond the top, or inside a run */
    MPRT_RUN_CLEAN, /* free and zero */
    MPRT_RUN_STALE, /* free, with unknown contents that take no memory */
    MPRT_RUN_DIRTY, /* free, kept for the next large slot */
    MPRT_RUN_BUSY,  /* free; being given back to the system */
    MPRT_RUN_LOST,  /* sealed by the program: never used again */
    MPRT_RUN_LARGE,
    MPRT_RUN_SMALL /* + class */
};

/* Descriptor of a page. Valid at the first and the last page of a run, and at
 * every page of a span. */
struct mprt_run {
    _Atomic uint32_t kind;
    uint32_t first; /* first page of the run */
    /* length of the run; this and the rest only at its first page */
    uint32_t pages;
    uint32_t prev; /* neighbours in the list of free runs */
    uint32_t next;
    _Atomic uint32_t carved; /* spans: number of slots handed out so far */
    bool goes_back; /* large slots: freeing gives the memory to the system */
    uint32_t free;  /* spans: number of free slots, while they are trimmed */
    /* Header of a large slot; kept after the slot is freed. */
    struct mprt_heap_free header;
};

/* Start of the region. Before it is reserved, an address where nothing lies. */
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
    return MPRT_LOAD(mprt_runs[page].kind);
}

/* Reserves the region; ends the program without address space. Called once. */
void mprt_runs_init(void);
/* Takes the lock of the runs with signals blocked. Returns what
 * mprt_runs_leave() restores. */
uint64_t mprt_runs_enter(void);
void mprt_runs_leave(uint64_t signals);
void mprt_runs_before_fork(void);
void mprt_runs_after_fork(bool is_child);

/* First page of the run that contains this page; a guess without the lock. */
uint32_t mprt_runs_first(uint32_t page);

/* -- functions for the holder of the lock ---------------------------------- */

/* Takes a run of `count` pages and returns its first page + 1, or 0 without
 * memory. Releases the lock for a while. goes_back: as in struct mprt_run. */
uint32_t mprt_runs_take(uint32_t count, uint32_t kind, bool goes_back,
                        bool *is_zero);
/* Whether freeing a large slot of this many pages gives its memory to the
 * system. */
bool mprt_runs_is_for_system(uint32_t count);
/* Makes memory accessible in advance, because the program is about to forbid
 * itself the system calls for it. */
void mprt_runs_open_ahead(void);
/* Frees a large slot. Releases the lock for a while. */
void mprt_runs_give(uint32_t first);
/* Gives all free runs back to the system. False if there are none. Releases the
 * lock for a while. */
bool mprt_runs_trim(void);
/* Changes the length of a large slot in place. False if the pages behind it are
 * in use. Releases the lock for a while. */
bool mprt_runs_resize(uint32_t first, uint32_t count);
/* First run from this page on, or the top if there is none. */
uint32_t mprt_runs_next(uint32_t page);
uint32_t mprt_runs_top(void);
/* Pages that are in use or kept for reuse. */
uint32_t mprt_runs_held_pages(void);
