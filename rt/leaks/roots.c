/* roots.c -- finds the roots of the search.
 *
 * The kernel's list of mappings gives the bounds of stacks and thread-local
 * storage. The thread pointer points to glibc's descriptor of the thread, which
 * lies there too. The descriptor has the values of pthread_setspecific() and a
 * table that leads to the thread-local storage of binaries that were loaded
 * later. The dynamic linker allocates that storage and keeps the storage of
 * ended threads for new ones. So nothing that the dynamic linker allocates is a
 * leak.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/leaks/search.h"
#include "rt/base/fault.h"
#include "rt/base/identity.h"
#include "rt/base/mapbuf.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/heap/heap.h"
#include "rt/stack/depot.h"
#include "rt/stack/linkmap.h"
#include "rt/stack/pc.h"

/* Bytes below its stack pointer that a function may use. */
#define RED_ZONE_BYTES 128
/* Upper bound of the size of a thread's descriptor, glibc's struct pthread. */
#define DESCRIPTOR_BYTES 4096
/* Thread-local storage of binaries that are not loaded any more. */
#define TLS_SLACK_BYTES 4096
/* Bytes to read of a stack that is not the thread's own. */
#define STRANGE_STACK_BYTES ((size_t)8 << 20)
/* The thread's table of thread-local storage: its offset in the descriptor, the
 * size of an entry, and a limit of entries. */
#define TABLE_AT 8
#define TABLE_ENTRY_BYTES 16
#define TABLE_ENTRIES_MAX 65536
#define MORE_REGISTERS_BYTES 16384

#pragma weak _r_debug

/* glibc's list, in a static program, of stacks that ended threads left. The
 * link is in the descriptor of the thread. */
struct stack_link {
    const struct stack_link *next;
};
extern const struct stack_link _dl_stack_cache __attribute__((weak));
#define STACKS_MAX 4096
#define LINK_AT_MAX 1024

struct range {
    uintptr_t start;
    uintptr_t end;
};

static struct {
    struct mprof_buf globals;  /* struct range: writable segments of binaries */
    struct mprof_buf mappings; /* struct range: readable mappings, ascending */
    size_t tls_bytes;          /* of all binaries */
    struct range loader;       /* the dynamic linker */
    char *registers;
} roots;

/* -- binaries -------------------------------------------------------------- */

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    const bool is_loader = &_r_debug != NULL && _r_debug.r_ldbase != 0 &&
                           info->dlpi_addr == _r_debug.r_ldbase;

    (void)size;
    (void)context;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const p = &info->dlpi_phdr[i];
        const struct range range = {info->dlpi_addr + p->p_vaddr,
                                    info->dlpi_addr + p->p_vaddr + p->p_memsz};
        if (p->p_type == PT_TLS)
            roots.tls_bytes += p->p_memsz + p->p_align;
        if (p->p_type != PT_LOAD)
            continue;
        if ((p->p_flags & PF_W) != 0)
            mprof_buf_bytes(&roots.globals, &range, sizeof(range));
        if (is_loader)
            roots.loader.end = range.end;
        if (is_loader && roots.loader.start == 0)
            roots.loader.start = range.start;
    }
    return 0;
}

bool mprt_roots_begin(void)
{
    roots.tls_bytes = TLS_SLACK_BYTES;
    roots.loader = (struct range){0, 0};
    mprt_mapbuf_init(&roots.globals);
    mprt_mapbuf_init(&roots.mappings);
    mprt_linkmap_iterate(add_module, NULL);
    roots.registers = mprt_memory_map(MORE_REGISTERS_BYTES);
    return !roots.globals.failed && roots.registers != NULL;
}

void mprt_roots_end(void)
{
    if (roots.registers != NULL)
        mprt_memory_unmap(roots.registers, MORE_REGISTERS_BYTES);
    mprt_mapbuf_free(&roots.globals);
    mprt_mapbuf_free(&roots.mappings);
}

/* Skips our own variable with the start of the heap: it would hold the block
 * there. */
static void mark_variables(struct range range)
{
    const uintptr_t ours = (uintptr_t)&mprt_runs_region;

    if (ours - range.start < range.end - range.start) {
        mprt_mark_words(range.start, ours);
        range.start = ours + sizeof(mprt_runs_region);
    }
    mprt_mark_words(range.start, range.end);
}

static void mark_globals(void)
{
    const struct range *const all =
        (const struct range *)(const void *)roots.globals.data;

    for (size_t i = 0; i < roots.globals.size / sizeof(*all); i++)
        mark_variables(all[i]);
}

static bool is_loaders(uint32_t context)
{
    uint32_t up;

    if (context == 0 || context > mprt_depot_count())
        return false;
    const uintptr_t pc =
        mprt_pc_address(mprt_depot_node(mprt_depot_leaf(context), &up));
    return pc - roots.loader.start < roots.loader.end - roots.loader.start;
}

/* -- mappings -------------------------------------------------------------- */

/* State of reading a line "START-END PERMISSIONS ...". */
struct line {
    uintptr_t numbers[2];
    unsigned word; /* 0, 1: the numbers; 2: permissions; then the rest */
};

static void take_char(struct line *l, char c)
{
    if (c == '\n') {
        *l = (struct line){.word = 0};
    } else if (l->word < 2 && (c == '-' || c == ' ')) {
        l->word++;
    } else if (l->word < 2) {
        l->numbers[l->word] = l->numbers[l->word] << 4 |
                              (uintptr_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    } else if (l->word == 2) {
        const struct range range = {l->numbers[0], l->numbers[1]};
        if (c == 'r')
            mprof_buf_bytes(&roots.mappings, &range, sizeof(range));
        l->word++;
    }
}

static bool read_mappings(void)
{
    const int fd = mprt_os_open_read("/proc/self/maps");
    char data[4096];
    struct line line = {.word = 0};
    int64_t n;

    if (fd < 0)
        return false;
    while ((n = mprt_os_read(fd, data, sizeof(data))) > 0) {
        for (int64_t i = 0; i < n; i++)
            take_char(&line, data[i]);
    }
    mprt_os_close(fd);
    return !roots.mappings.failed;
}

/* Returns the mapping that holds p, or an empty range. If p is in the heap,
 * returns the block. */
static struct range find_mapping(uintptr_t p)
{
    const struct range *const all =
        (const struct range *)(const void *)roots.mappings.data;
    struct range found = {0, 0};

    if (mprt_heap_contains((const void *)p)) {
        mprt_mark_find(p, &found.start, &found.end);
        return found;
    }
    for (size_t i = 0; i < roots.mappings.size / sizeof(*all); i++) {
        if (p - all[i].start < all[i].end - all[i].start)
            return all[i];
    }
    return found;
}

static bool holds(struct range range, uintptr_t p)
{
    return p - range.start < range.end - range.start;
}

/* -- threads --------------------------------------------------------------- */

static void mark_tagged(struct range within, uintptr_t start, uintptr_t end)
{
    start = mprof_max_u64(start, within.start);
    end = mprof_min_u64(end, within.end);
    if (start < end)
        mprt_mark_words(start, end);
}

struct table {
    uintptr_t descriptor;
    uintptr_t start;
    uintptr_t end;
};

/* The entry before the first has the number of entries. */
static void read_table(void *argument)
{
    struct table *const t = argument;
    const uintptr_t table =
        *(const volatile uintptr_t *)(t->descriptor + TABLE_AT);
    const uintptr_t count =
        *(const volatile uintptr_t *)(table - TABLE_ENTRY_BYTES);

    if (count > TABLE_ENTRIES_MAX)
        return;
    t->start = table;
    t->end = table + (count + 1) * TABLE_ENTRY_BYTES;
}

static void mark_local_storage(uintptr_t descriptor)
{
    struct table table = {.descriptor = descriptor};

    mark_tagged(find_mapping(descriptor), descriptor - roots.tls_bytes,
                descriptor + DESCRIPTOR_BYTES);
    if (mprt_fault_try(read_table, &table))
        mprt_mark_words(table.start, table.end);
}

/* If a thread is on another stack, such as a signal handler's, its own stack is
 * in use too, but with an unknown end: all of it is read. */
static void mark_stack(const struct mprt_roots_thread *t)
{
    const uintptr_t top = t->is_first ? mprt_os_stack_end() : t->pointer;
    const struct range own = find_mapping(t->is_first ? top : t->pointer);
    const uintptr_t low = t->stack - RED_ZONE_BYTES;

    if (holds(own, t->stack) && t->stack <= top) {
        mark_tagged(own, low, top);
        return;
    }
    mark_tagged(own, own.start, top);
    mark_tagged(find_mapping(t->stack), low, t->stack + STRANGE_STACK_BYTES);
}

static void mark_registers(const struct mprt_stopped_thread *t)
{
    const int64_t more = mprt_os_trace_more_registers(t->tid, roots.registers,
                                                      MORE_REGISTERS_BYTES);

    mprt_mark_words((uintptr_t)t->registers,
                    (uintptr_t)&t->registers[MPRT_STOPPED_THREADS_REGISTERS]);
    if (more > 0)
        mprt_mark_words((uintptr_t)roots.registers,
                        (uintptr_t)roots.registers + (uintptr_t)more);
}

static void mark_thread(const struct mprt_roots_thread *t)
{
    mark_stack(t);
    mark_local_storage(t->pointer);
}

static void read_link(void *argument)
{
    const struct stack_link **const link = argument;

    *link = *(const struct stack_link *const volatile *)&(*link)->next;
}

/* Marks what the kept stacks of ended threads point to, in a static program. In
 * a dynamic program these blocks are recognized because the dynamic linker
 * allocated them. */
static void mark_old_stacks(void)
{
    const struct stack_link *link = &_dl_stack_cache;

    for (unsigned i = 0; link != NULL && i < STACKS_MAX; i++) {
        if (!mprt_fault_try(read_link, &link) || link == &_dl_stack_cache)
            return;
        mark_tagged(find_mapping((uintptr_t)link),
                    (uintptr_t)link - LINK_AT_MAX, (uintptr_t)link);
    }
}

const char *mprt_roots_mark(const struct mprt_stopped_threads *stopped,
                            const struct mprt_roots_thread *caller)
{
    const uint32_t program = mprt_identity_pid();

    if (!read_mappings())
        return "/proc/self/maps cannot be read";
    mark_globals();
    if (caller->stack != 0)
        mark_thread(caller);
    for (uint32_t i = 0; i < stopped->count; i++) {
        const struct mprt_stopped_thread *const t = &stopped->threads[i];
        const struct mprt_roots_thread thread = {
            mprt_stopped_threads_stack_pointer(t),
            mprt_stopped_threads_thread_pointer(t), t->tid == program};
        if (t->state != MPRT_OS_TRACED_STANDS)
            continue;
        mark_registers(t);
        mark_thread(&thread);
    }
    if (roots.loader.end != 0)
        mprt_mark_contexts(is_loaders);
    mark_old_stacks();
    return NULL;
}
