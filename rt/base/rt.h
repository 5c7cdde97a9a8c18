/* rt.h -- the runtime's internal header: words, types, and the prototypes of
 * every file, grouped by the file that owns them.
 *
 * Glossary
 *   block     what malloc and its kin return: `size` requested bytes at the
 * user pointer p, a header in front of it. A block owns whole granules of 64
 * bytes, from the one that holds its header to the one that holds its last
 * byte: no two blocks share a counter granule   64 bytes of application memory
 * with one u64 counter in the shadow cell      8 bytes of application memory
 * with one counter in histogram mode context   a call stack that allocated;
 * named by its depot id depot     the set of all call stacks seen; ids are
 * dense, from 1; 0 is "not recorded" (allocated inside the runtime, or dropped)
 *   MIB       shared/mib.h: what is known of all blocks of one context
 *   dump      writing out all contexts, with the live blocks as they stand
 *
 * Rules: nothing here calls libc functions that allocate, lock or are
 * interposed by us; no stdio; every entry from user code saves errno, enters
 * the guard (thread.c) and, when it is inside already, acts as the plain
 * function. No lock is held while user code runs. On a failed resource: stop
 * profiling, keep the program running, say so once (log.c).
 *
 * Lock order: dump lock > snapshot lock > context lock > heap's class lock >
 * heap's page lock > thread list > origins.c > own.c. The depot is lock-free.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPRT_RT_H
#define MPRT_RT_H

#include "shared/abi.h"
#include "shared/base.h"
#include "shared/mib.h"

#include <stdatomic.h>

/* An interface symbol: kept global when the runtime object is made. All other
 * functions become local (objcopy --keep-global-symbols). */
#define MPRT_INTERFACE __attribute__((visibility("default")))
#define MPRT_ALWAYS_INLINE __attribute__((always_inline))
#define MPRT_WEAK __attribute__((visibility("default"), weak))

/* malloc_context_size counts the runtime's own frame, which we do not record.
 */
#define MPRT_STACK_FRAMES_MAX 254
/* Where allocation functions are interposed: the address to which the outermost
 * runtime function returns, and its frame. To be used in the interface function
 * itself. */
#define MPRT_CALLER_PC() ((uintptr_t)__builtin_return_address(0))
#define MPRT_CALLER_FRAME() ((uintptr_t)__builtin_frame_address(0))

/* -- options.c: MEMPROF_OPTIONS and its kin; from shared/options.inc ------- */

/* struct mprt_options has a member for each option of shared/options.inc, by
 * its name: bool, int64_t or const char *. */
#include "rt/base/options.h"

/* The options in force; constant after mprt_options_init(). */
extern struct mprt_options mprt_options;

/* Reads defaults, __memprof_default_options() and (unless AT_SECURE) the
 * environment, in LLVM's precedence. Called once, from mprt_init(). Complaints
 * go to mprt_log(). */
void mprt_options_init(void);

/* -- entry.c: start and end ------------------------------------------------ */

/* Makes the runtime ready: shadow, heap, options, exit handler; idempotent, may
 * be called by the first malloc of the dynamic linker, before preinit. */
void mprt_init(void);

/* True between the end of mprt_init() and the final dump. */
extern _Atomic bool mprt_running;
static inline bool mprt_is_running(void)
{
    return atomic_load_explicit(&mprt_running, memory_order_relaxed);
}
/* True where new blocks are recorded: while it runs and the program has not
 * stopped it. What was recorded at its birth is recorded to its end. */
extern _Atomic bool mprt_recording;
static inline bool mprt_is_recording(void)
{
    return atomic_load_explicit(&mprt_recording, memory_order_relaxed);
}

/* next.c, next_static.c: whether the program has no dynamic linker; whether
 * this form of the runtime is the one for the program; shared.c: it is a
 * library. */
extern const bool mprt_is_static;
bool mprt_fits_program(void);
extern bool mprt_is_shared;

/* -- sys_linux.c: the operating system ------------------------------------------
 * System calls only, no libc state; errno is not touched. */

/* Zeroed private memory, or NULL. bytes is rounded up to pages. */
void *mprt_sys_map(size_t bytes);
/* Address space without reservation, readable and writable, zero until written;
 * left out of core dumps; NULL on failure. */
void *mprt_sys_reserve(size_t bytes);
/* The same, near hint where the system can, in core dumps too. */
void *mprt_sys_reserve_near(uintptr_t hint, size_t bytes);
/* madvise() with MADV_*; advice that the kernel does not take is no error. */
void mprt_sys_advise(void *addr, size_t bytes, int advice);
void mprt_sys_unmap(void *addr, size_t bytes);
/* Gives the pages back; they read as zero afterwards. */
void mprt_sys_discard(void *addr, size_t bytes);
uint64_t mprt_sys_realtime_ns(void);
uint64_t mprt_sys_monotonic_ns(void);
uint64_t mprt_sys_coarse_ns(void);
uint64_t mprt_sys_coarse_resolution_ns(void);
uint32_t mprt_sys_cpu_slow(void);
/* glibc registers a restartable sequence area for each thread; the kernel keeps
 * the CPU number in its second word, a negative number where it does not. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
/* Where that is, for this thread. */
static inline const volatile int32_t *mprt_sys_cpu_word(void)
{
    static const int32_t unknown = -1;
    const char *const self = (const char *)__builtin_thread_pointer();

    if (&__rseq_offset == NULL)
        return &unknown;
    return (const volatile int32_t *)(const void *)(self + __rseq_offset + 4);
}
static inline uint32_t mprt_sys_cpu_at(const volatile int32_t *word)
{
    const int32_t id = *word;

    return MPROF_LIKELY(id >= 0) ? (uint32_t)id : mprt_sys_cpu_slow();
}
static inline uint32_t mprt_sys_cpu(void)
{
    return mprt_sys_cpu_at(mprt_sys_cpu_word());
}
uint32_t mprt_sys_pid(void);
uint32_t mprt_sys_tid(void);
/* The kernel's name of this thread; up to 15 bytes and zeros. */
#define MPRT_THREADNAME_BYTES 16
void mprt_sys_thread_name(char name[MPRT_THREADNAME_BYTES]);
void mprt_sys_yield(void);
uint64_t mprt_sys_random(void);
size_t mprt_sys_page_bytes(void);
/* True where the word at addr can be read. Costs a system call. */
bool mprt_sys_is_readable(uintptr_t addr);
/* Keeps this thread's signals away; gives what to restore. */
uint64_t mprt_sys_block_signals(void);
/* The same but for those that a fault of this thread raises: they come. */
uint64_t mprt_sys_block_other_signals(void);
void mprt_sys_restore_signals(uint64_t before);
/* Blocks or unblocks these too; what was blocked before. */
uint64_t mprt_sys_change_signals(bool blocks, uint64_t signals);
/* Sends this thread a signal with the siginfo_t of another. */
void mprt_sys_raise(int number, void *siginfo);
/* sigaltstack(); stack_t, both may be NULL. */
int mprt_sys_signal_stack(const void *stack, void *before);
/* Finds the vDSO; before it, clocks are system calls. */
void mprt_sys_init(void);
/* File calls return a descriptor or count, or -errno. */
int mprt_sys_open_read(const char *path);
int mprt_sys_create_exclusive(const char *path, unsigned mode);
/* A file in a directory that has no name and is gone with its descriptor, and
 * to give it one. */
int mprt_sys_create_unnamed(const char *dir, unsigned mode);
int mprt_sys_name_file(int fd, const char *path);
int mprt_sys_close(int fd);
int64_t mprt_sys_read(int fd, void *data, size_t n);
int64_t mprt_sys_read_at(int fd, void *data, size_t n, uint64_t offset);
/* All n bytes, retrying; 0 or -errno. */
int mprt_sys_write_all(int fd, const void *data, size_t n);
/* Fails with -EEXIST where `to` exists: never overwrites. */
int mprt_sys_rename_exclusive(const char *from, const char *to);
int mprt_sys_rename_over(const char *from, const char *to);
int mprt_sys_unlink(const char *path);
int mprt_sys_truncate(const char *path, uint64_t bytes);
/* Calls function(argument) on another stack, which grows down from top. */
void mprt_sys_call_on(void *top, void (*function)(void *argument),
                      void *argument);
int mprt_sys_mkdir(const char *path, unsigned mode);
int64_t mprt_sys_readlink(const char *path, char *out, size_t size);
_Noreturn void mprt_sys_exit(int status);
/* Opens what is there and no regular file, for writing: a descriptor, -errno,
 * or -ENOENT where there is no such thing. A FIFO without a reader is an error,
 * because the program would wait for ever. */
int mprt_sys_open_special(const char *path);
/* A process that shares this one's memory and directories, no descriptors after
 * it called mprt_sys_close_all(), and no thread group: wait() does not see it.
 * *tid is its id until it ends, then 0, with a wake. It runs function(), which
 * must not return. All signals are blocked in it that are here. Its id or
 * -errno. */
int mprt_sys_spawn(void *stack_top, void *tls, _Atomic uint32_t *tid,
                   void (*function)(void));
uint32_t mprt_sys_parent_pid(void);
/* What all threads of a process have used; 0 where it is not known. */
uint64_t mprt_sys_cpu_time_ns(uint32_t pid);
void mprt_sys_close_all(void);
/* The signal that this process gets when its parent, or the parent's thread
 * that made it, ends. */
void mprt_sys_at_parent_death(int number);
void mprt_sys_name_process(const char *name);
void mprt_sys_kill(uint32_t pid, int number);
/* Waits for the end of a process of mprt_sys_spawn(). */
void mprt_sys_reap(uint32_t pid);
/* Sets a handler without libc, and lets nothing through but these signals. */
void mprt_sys_handle(int number, void (*handler)(int number));
void mprt_sys_unblock_only(uint64_t signals);
/* Sleeps while *word is seen, at most so long (UINT64_MAX: without end), or
 * until a signal; wakes all who do. Across processes that share memory. */
void mprt_sys_sleep_on(_Atomic uint32_t *word, uint32_t seen, uint64_t ns);
void mprt_sys_wake(_Atomic uint32_t *word);
/* Value from the auxiliary vector, 0 where it is absent. */
uint64_t mprt_sys_auxv(uint64_t type);
/* The environment variable's value or NULL; works before libc is ready. */
const char *mprt_sys_getenv(const char *name);

/* -- mini.c: memory and strings without libc ------------------------------- */

void *mprt_memcpy(void *to, const void *from, size_t n);
void *mprt_memmove(void *to, const void *from, size_t n);
void *mprt_memset(void *to, int byte, size_t n);
int mprt_memcmp(const void *a, const void *b, size_t n);
size_t mprt_strlen(const char *s);
int mprt_strcmp(const char *a, const char *b);

/* A bounded text under construction; what does not fit is cut. */
struct mprt_text {
    char *out;
    size_t size; /* room, with the final NUL */
    size_t used; /* without the NUL */
};
void mprt_text_str(struct mprt_text *t, const char *s);
void mprt_text_strn(struct mprt_text *t, const char *s, size_t n);
void mprt_text_uint(struct mprt_text *t, uint64_t value);
void mprt_text_hex(struct mprt_text *t, uint64_t value);
void mprt_text_char(struct mprt_text *t, char c);

/* -- log.c: one line to stderr, never into a profile ----------------------- */

/* Writes "memprof: " and the parts (NULL-terminated list of strings) as one
 * line by one write(2). At most a bounded number of lines per process. Safe in
 * signal handlers; keeps errno. */
void mprt_log(const char *part, ...) __attribute__((sentinel));
/* As mprt_log(), but each call site's `once` lets one line through. */
void mprt_log_once(uint32_t *once, const char *part, ...)
    __attribute__((sentinel));

/* Writes what the helper had to say and could not, once it has ended. */
void mprt_log_unsaid(void);

/* -- thread.c: per-thread state -------------------------------------------- */

struct mprt_thread;
/* This thread's state, made on first use; NULL where there is no memory for it
 * or the thread has ended but for its last frees: then do without. */
struct mprt_thread *mprt_thread_self(void);
/* Enters the runtime; false when this thread is inside already (then the caller
 * acts as the plain function and must not leave). */
bool mprt_guard_enter(void);
void mprt_guard_leave(void);

/* -- lock.h: spin lock that yields ----------------------------------------- */
#include "rt/base/lock.h"

/* -- heap.c: memory for blocks ------------------------------------------------------
 * One reserved region; size classes that are multiples of a granule; per-thread
 * caches in front of shared lists. */

/* At least bytes bytes at a multiple of MPROF_GRANULE_BYTES, contents undefined
 * unless *is_zero says so; NULL without memory. */
void *mprt_heap_alloc(size_t bytes, bool *is_zero);
/* Takes what mprt_heap_alloc() gave. */
void mprt_heap_free(void *p);
/* True where p lies in the heap's region (its memory can then be read). */
#define MPRT_HEAP_REGION_BYTES ((size_t)4 << 40)
extern char *mprt_heap_region; /* before there is one, where nothing is */
static inline bool mprt_heap_contains(const void *p)
{
    return (uintptr_t)p - (uintptr_t)mprt_heap_region < MPRT_HEAP_REGION_BYTES;
}
/* The start of the allocated slot that holds p, or NULL. Any p. */
void *mprt_heap_slot_of(const void *p, size_t *slot_bytes);
/* Calls visit for the start of every slot that may hold a block; others may
 * allocate and free meanwhile. */
void mprt_heap_walk(void (*visit)(void *context, void *slot, size_t bytes),
                    void *context);
/* Bytes: in slots handed out; taken from the system; mapped but unused. */
struct mprt_heap_stats {
    uint64_t used_bytes;
    uint64_t heap_bytes;
    uint64_t free_bytes;
};
void mprt_heap_stats(struct mprt_heap_stats *stats);

/* -- shadow.c: counters ---------------------------------------------------- */

enum mprt_shadow_mode {
    MPRT_SHADOW_NORMAL,   /* one u64 a granule */
    MPRT_SHADOW_HISTOGRAM /* cells: u8 (LLVM's pass) plus u32 (our pass) */
};
extern enum mprt_shadow_mode mprt_shadow_mode;

/* True where a range's counters are added to as instrumented code does: normal
 * mode, and no code that was compiled with -memprof-atomic. */
extern bool mprt_shadow_is_plain;

/* Maps the shadow(s) and sets the ABI's base variables; false on failure. */
bool mprt_shadow_init(bool histogram, bool atomic);
/* Counts one access at addr; one per started 8-byte word of [addr, addr+n). */
void mprt_shadow_count(uintptr_t addr);
void mprt_shadow_count_range(uintptr_t addr, size_t n);
/* Zero counters for a block: the granules of [p, p+size). */
void mprt_shadow_clear(uintptr_t p, size_t size);
/* Sum of the block's counters; *saturated is set where a cell is at its
 * maximum. */
uint64_t mprt_shadow_sum(uintptr_t p, size_t size, bool *saturated);
/* mprt_shadow_sum() of a block that ends. Normal mode: leaves its counters
 * zero. */
uint64_t mprt_shadow_take(uintptr_t p, size_t size, bool *saturated);
/* Adds the block's cells to out[0..ceil(size/8)). Histogram mode only. */
void mprt_shadow_add_cells(uintptr_t p, size_t size, uint64_t *out);

/* -- block.c: birth and death of blocks ------------------------------------ */

/* A new block allocated by a call that returns to caller_pc, in the frame
 * caller_frame (MPRT_CALLER_*). size may be 0. align: power of two. NULL
 * without memory. zero: contents are zero. Begins recording. */
void *mprt_block_new(size_t size, size_t align, bool zero, uintptr_t caller_pc,
                     uintptr_t caller_frame);
/* Ends the block at p. NULL is allowed. A p that is no live block is reported
 * once and ignored. */
void mprt_block_free(void *p);
/* realloc: ends the block and begins one at the caller's context; the copy is
 * not counted. NULL without memory (the old block lives on). */
void *mprt_block_resize(void *p, size_t size, uintptr_t caller_pc,
                        uintptr_t caller_frame);
/* True where p is the start of a live block; size in *size. */
bool mprt_block_find(const void *p, size_t *size);
/* The live block that holds address p, or NULL. */
void *mprt_block_holding(const void *p, size_t *size);

/* Calls visit for every live block with its life so far (is_live set). Others
 * may allocate and free meanwhile: a block that ends meanwhile is left out. */
struct mprt_live_block {
    uintptr_t p;
    uint32_t context;
    struct mprof_block_life life;
};
void mprt_block_walk(void (*visit)(void *context,
                                   const struct mprt_live_block *block),
                     void *context);
/* Totals since start, for statistics. */
struct mprt_block_stats {
    uint64_t live_blocks;
    uint64_t live_bytes;
    uint64_t allocated_blocks;
    uint64_t allocated_bytes;
    uint64_t foreign_frees;
    uint64_t dropped_blocks;
};
void mprt_block_stats(struct mprt_block_stats *stats);

/* -- clock.c: time since the start of the run ------------------------------ */

void mprt_clock_init(void);
/* Nanoseconds since mprt_clock_init(), never going back on one thread. */
uint64_t mprt_clock_now_ns(void);
uint64_t mprt_clock_resolution_ns(void);
const char *mprt_clock_name(void);
/* Around fork(), in parent and child: what time is stays well defined. */
void mprt_clock_before_fork(void);
void mprt_clock_after_fork(bool is_child);
/* Realtime of mprt_clock_init(), ns since 1970. */
uint64_t mprt_clock_start_realtime_ns(void);

/* -- unwind.c, cfi.c: call stacks ------------------------------------------ */

/* Return addresses - 1, leaf first, starting at the caller: at most max.
 * *truncated is set where frames were left out for that limit. Reads only the
 * thread's own stack; frames without frame pointers are followed by their call
 * frame information. */
size_t mprt_unwind(uintptr_t caller_pc, uintptr_t caller_frame, uintptr_t *pcs,
                   size_t max, bool *truncated);

/* A recorded code address: where modules were mapped in one place in turn, the
 * upper bits say which one (origins.c). */
#define MPRT_PC_TAG_SHIFT 48
#define MPRT_PC_NO_MODULE UINT64_C(0xffff)
static inline uintptr_t mprt_pc_address(uintptr_t pc)
{
    const unsigned shift = 64 - MPRT_PC_TAG_SHIFT;

    return (uintptr_t)((intptr_t)(pc << shift) >> shift);
}
static inline uint64_t mprt_pc_tag(uintptr_t pc)
{
    /* The kernel's own addresses are in no module anyway. */
    return pc >> MPRT_PC_TAG_SHIFT;
}

/* -- depot.c: the set of call stacks --------------------------------------- */

/* The id of this stack, added where it is new; 0 without memory. Lock-free. */
uint32_t mprt_depot_put(const uintptr_t *pcs, size_t count, bool truncated);
/* The same for one of the threads 1..MPRT_THREADNAMES - 1 alone; 0: of any. */
#define MPRT_THREADNAMES 1024
uint32_t mprt_depot_put_of(uint32_t thread, const uintptr_t *pcs, size_t count,
                           bool truncated);
/* Whose the id is, or 0. */
uint32_t mprt_depot_thread(uint32_t id);
/* The stack of an id that mprt_depot_put() gave, leaf first. */
struct mprt_stack {
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];
    size_t count;
    bool truncated;
};
void mprt_depot_get(uint32_t id, struct mprt_stack *stack);
/* The same as nodes of a tree: the leaf of a context; a node's frame and its
 * parent's number, up to one of the two roots. Parents have smaller numbers
 * than their children. */
#define MPRT_DEPOT_ROOT 1     /* of whole stacks */
#define MPRT_DEPOT_ROOT_CUT 2 /* of truncated ones */
uint32_t mprt_depot_leaf(uint32_t id);
uintptr_t mprt_depot_node(uint32_t node, uint32_t *parent);
/* The child of a node that has this frame, or 0. */
uint32_t mprt_depot_child(uint32_t parent, uintptr_t pc);
/* Numbers given so far are 1..count. */
uint32_t mprt_depot_node_count(void);
/* Ids given so far are 1..count. */
uint32_t mprt_depot_count(void);

/* -- threadname.c ---------------------------------------------------------- */

/* The name behind a number that a context has; may be "". Two numbers may have
 * one name. */
const char *mprt_threadname(uint32_t number);

/* -- mibmap.c: MIBs by context --------------------------------------------- */

/* Adds a block's life (and cells, in histogram mode) to its context. Takes that
 * context's own lock only. */
void mprt_mibmap_add(uint32_t context, const struct mprof_block_life *life,
                     const uint64_t *cells, uint32_t cell_count);
/* What is known of a context's blocks. Many contexts see one block only: that
 * takes 64 bytes, and an MIB is made for the second one. */
struct mprt_more {
    struct mprof_mib mib;
    uint64_t *cells; /* mib.AccessHistogramSize of them count; or NULL */
    uint32_t cells_room;
} __attribute__((aligned(64)));
struct mprt_context {
    struct mprt_lock lock;
    bool has_only;
    struct mprt_more *more; /* where it is not NULL, `only` does not count */
    struct mprof_block_life only;
};
_Static_assert(sizeof(struct mprt_context) == 64, "a cache line");

/* Takes all contexts, leaving the map empty (take) or as it is, and adds the
 * live blocks. One at a time: a second call waits for
 * mprt_mibmap_free_snapshot() of the first. NULL without memory. */
struct mprt_snapshot {
    struct mprt_context *rows; /* by depot id */
    uint32_t *ids;             /* of those with blocks, ascending */
    uint32_t count;            /* of ids */
    uint32_t ids_room;
    uint32_t rows_count;
};
static inline const struct mprt_context *
mprt_snapshot_at(const struct mprt_snapshot *snapshot, uint64_t i)
{
    return &snapshot->rows[snapshot->ids[i]];
}
/* A field of the context's MIB by index; all of it. There is a block. */
static inline uint64_t mprt_context_get(const struct mprt_context *c,
                                        size_t index)
{
    return c->more != NULL ? mprof_mib_get(&c->more->mib, index)
                           : mprof_mib_life_value(&c->only, index);
}
static inline void mprt_context_mib(const struct mprt_context *c,
                                    struct mprof_mib *mib)
{
    if (c->more != NULL)
        *mib = c->more->mib;
    else
        mprof_mib_from_block(mib, &c->only);
}
/* Its histogram, or NULL; *count cells. */
static inline const uint64_t *mprt_context_cells(const struct mprt_context *c,
                                                 uint64_t *count)
{
    const bool has = c->more != NULL && c->more->cells != NULL &&
                     c->more->mib.AccessHistogramSize != 0;

    *count = has ? c->more->mib.AccessHistogramSize : 0;
    return has ? c->more->cells : NULL;
}
struct mprt_snapshot *mprt_mibmap_snapshot(bool take);
void mprt_mibmap_free_snapshot(struct mprt_snapshot *snapshot);
/* Forgets everything recorded: MIBs, and the past of live blocks (their
 * counters and births start anew now). */
void mprt_mibmap_reset(void);
/* Bytes of memory that depot, MIBs and tables take. */
uint64_t mprt_own_memory_bytes(void);

/* -- modules.c: what is mapped --------------------------------------------- */

#define MPRT_BUILD_ID_BYTES_MAX 64
struct mprt_segment {
    uintptr_t start;
    uintptr_t end;
    uint64_t file_off;
};
struct mprt_module {
    const char *path; /* absolute; "" for the vdso */
    uint8_t build_id[MPRT_BUILD_ID_BYTES_MAX];
    uint32_t build_id_bytes;
    uintptr_t bias;
    uint32_t flags;                      /* MPROF_RAW_MODULE_FL_* */
    const struct mprt_segment *segments; /* executable ones */
    uint32_t segment_count;
};
struct mprt_module_list {
    const struct mprt_module *modules; /* main program first */
    uint32_t count;
    uint32_t mapped_count; /* those behind were unloaded */
    /* By number of an origin (origins.c): its place in modules. */
    const uint32_t *of_origin;
    uint32_t origin_count;
    void *map; /* memory to give back */
    size_t map_bytes;
};
/* A list of all modules, those that were unloaded last (of these only what call
 * stacks went through), or false without memory. */
bool mprt_modules_list(struct mprt_module_list *list);
void mprt_modules_free(struct mprt_module_list *list);

/* -- path.c ---------------------------------------------------------------- */

/* Reads MEMPROF_PROFILE_FILE. Called from mprt_options_init(). */
void mprt_path_init(void);

/* -- profile.c, path.c, rawwrite.c, rawwrite_llvm.c, text.c: dumps --------- */

/* Writes what was recorded; the map is emptied (not by print_text). 0, or -1
 * after a complaint. Safe while other threads allocate; not inside the guard.
 */
int mprt_profile_dump(void);
/* The dump at exit, once, with what else the options ask for at exit. */
void mprt_profile_at_exit(void);
/* Forgets what was recorded; the next dump begins a new file. */
void mprt_profile_reset(void);
/* Before a call that replaces the program or makes it a daemon: what is
 * recorded goes into a file and stays recorded. Where it returns true and the
 * call fails, mprt_profile_after_failed_exec() must follow, which takes the
 * file back. Nothing else is dumped in between. */
bool mprt_profile_before_exec(void);
void mprt_profile_after_failed_exec(void);
/* The last dump, once, where the program ends other than by exit(). May be
 * called by signal handlers wherever they interrupt; takes no more than some
 * seconds besides the dump. */
void mprt_profile_at_death(void);
/* This thread will not go on with its dump, if it was at one: no half file
 * stays. */
void mprt_profile_abandon(void);
/* Around fork(): waits for the dump that is under way; false where this thread
 * itself is at it. */
bool mprt_profile_before_fork(void);
void mprt_profile_after_fork(bool is_child, bool was_locked);

/* What the helper does: a dump, under the conditions of the options. */
void mprt_profile_from_helper(void);
/* The helper has ended: where it was killed while it made a dump, its locks are
 * given back, and what it had in hand is lost. */
void mprt_profile_after_helper_died(uint32_t pid);

/* -- helper.c: the process of ours that dumps while the program runs -------- */

/* Starts it where the options ask for it and it is not there. Called with libc,
 * and in a forked child. */
void mprt_helper_start(void);
/* Ends it, after the dump that it is at; true where there was one. Not under
 * the dump lock. Bounded in time, so good for the end of the program. */
bool mprt_helper_stop(void);
/* True where there is one. Takes back the lock of one that was killed. */
bool mprt_helper_look(void);
/* Asks it for a dump. Safe in signal handlers. */
void mprt_helper_wake(void);
/* In a forked child: the helper is the parent's. */
void mprt_helper_after_fork(void);
/* True in the helper: it has no descriptors and must call nothing of libc. */
bool mprt_helper_is_here(void);
/* In the helper: what the program has open there (a pipe, a terminal, no file),
 * opened for writing, to be closed; or -errno. */
int mprt_helper_open_fd(int fd);
/* In the helper: calls function(argument); false where that faulted. */
bool mprt_helper_try(void (*function)(void *argument), void *argument);

/* -- linkmap.c: modules without libc's locks -------------------------------- */

struct dl_phdr_info;
/* As dl_iterate_phdr(), for the helper. */
void mprt_linkmap_iterate(int (*visit)(struct dl_phdr_info *info, size_t size,
                                       void *context),
                          void *context);

/* -- process.c: processes that come out of this one ------------------------ */

/* Makes fork() leave a child that starts from zero. Called once, with libc. */
void mprt_process_init(void);
/* False in a child that shares this memory (vfork()) or was not made by libc:
 * it must write nothing and change nothing. */
bool mprt_process_is_owner(void);
/* True in a forked child; and until it has recorded something. */
bool mprt_process_is_forked(void);
bool mprt_process_is_blank_child(void);
/* The id of the program's process, also in the helper. */
uint32_t mprt_process_pid(void);
/* Whether it is the first of its namespace: signals that are sent to it and
 * that it does not handle do nothing. */
bool mprt_process_is_first(void);
/* Around a fork that runs no fork handlers. */
void mprt_process_before_fork(void);
void mprt_process_after_fork(bool is_child);

/* -- interface.c: what programs call; hooks -------------------------------- */

/* After a block was made, before one is ended: calls the program's hooks. To be
 * called without locks and outside the guard. mprt_hook_free() returns true
 * where the program asks that the block be kept
 * (__sanitizer_ignore_free_hook()): it is then not freed. */
void mprt_hook_malloc(const void *p, size_t size);
bool mprt_hook_free(const void *p);
/* False where there are none to call. */
extern _Atomic bool mprt_has_hooks;
/* Looks whether there are any. To be called when the program is relocated. */
void mprt_hooks_init(void);
/* Before the runtime itself ends the process: calls the callback that the
 * program set by __sanitizer_set_death_callback(). */
void mprt_hook_death(void);

/* -- interpose_signal.c: signals that end the program ---------------------- */

/* Takes the place of the default action of the signals that the options name.
 * Called once, after mprt_interpose_init(). */
void mprt_signals_init(void);
/* In a forked child. */
void mprt_signals_after_fork(void);

/* -- interpose_mem.c, interpose_str.c, interpose_wcs.c --------------------- */

/* Looks up the next definitions of the interposed functions; from then on what
 * they access is counted. Called once from mprt_init(), after the shadow and
 * the options are ready and libc is. Before, the functions work, and count
 * nothing. */
void mprt_interpose_init(void);

#endif
