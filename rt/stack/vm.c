/* vm.c -- frames of interpreted functions.
 *
 * A call stack is found in two steps. The C stack has a context, which is found
 * as for any other call, mostly without a walk. If an interpreter is on it, the
 * frames that its script runs now are asked for; the context with these frames
 * has a stack of its own in the depot. A thread remembers which contexts have
 * an interpreter, and the contexts of its last frames, by a hash of 64 bits.
 *
 * Functions are rows of a table that only grows. Two threads that add the same
 * function at once leave an unused row.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/vm.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/state.h"
#include "rt/stack/cfi.h"
#include "rt/stack/depot.h"

#include <errno.h>

#define MACHINES_MAX 8
#define TEXT_BYTES ((size_t)64 << 20)
#define NAME_BYTES 256
#define FILE_BYTES 1024
#define SLOTS (2 * MPRT_VM_FUNCTIONS)
#define CACHE_SLOTS 1024 /* of each kind, in a thread's cache */

struct machine {
    _Atomic uintptr_t first; /* code of the interpreter's function */
    uintptr_t end;
    _Atomic(memprof_vm_frames) frames;
};

static struct machine machines[MACHINES_MAX];
_Atomic uint32_t mprt_vm_count;

/* A thread's cache. */
struct known_stack {
    uint32_t context;
    uint16_t count;    /* of machines when the stack was searched */
    uint16_t machines; /* a bit for each that is on the stack */
};
struct known_frames {
    uint64_t hash;
    uint32_t context; /* of the C stack */
    uint32_t result;
};
struct mprt_vm_cache {
    struct known_stack stacks[CACHE_SLOTS];
    struct known_frames frames[CACHE_SLOTS];
    struct memprof_vm_frame asked[MPRT_STACK_FRAMES_MAX];
    struct mprt_stack stack;
    uintptr_t pcs[MPRT_STACK_FRAMES_MAX];
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ (hash >> 29);
}

/* -- functions ------------------------------------------------------------- */

/* Offsets in `texts`. */
struct function {
    uint32_t name;
    uint32_t file;
    uint32_t line;
};

/* One reservation, mapped when the first function is added. */
struct functions {
    _Atomic uint32_t slots[SLOTS]; /* numbers by hash; 0: free */
    struct function rows[MPRT_VM_FUNCTIONS];
    char texts[TEXT_BYTES];
};
static struct functions *_Atomic functions;
static _Atomic uint32_t function_count;
static _Atomic size_t text_bytes;

/* Two threads that come first at once make two reservations; one stays unused.
 */
static struct functions *get_functions(void)
{
    struct functions *f = MPRT_LOAD_ACQUIRE(functions);
    struct functions *made;

    if (f != NULL)
        return f;
    made = mprt_memory_reserve(sizeof(*made));
    if (made == NULL || atomic_compare_exchange_strong(&functions, &f, made))
        return made;
    return f;
}

static bool is_function(const struct functions *f, uint32_t number,
                        const struct mprt_vm_function *wanted)
{
    const struct function *const row = &f->rows[number];

    return row->line == wanted->line &&
           mprt_libc_strcmp(f->texts + row->name, wanted->name) == 0 &&
           mprt_libc_strcmp(f->texts + row->file, wanted->file) == 0;
}

/* Offset of a copy of the text, which has n bytes; 0 if there is no room. */
static uint32_t put_text(struct functions *f, const char *text, size_t n)
{
    size_t used = MPRT_LOAD(text_bytes);

    do {
        if (n + 2 > TEXT_BYTES - used)
            return 0;
    } while (!MPRT_CAS(text_bytes, &used, used + n + 1));
    mprt_libc_memcpy(f->texts + 1 + used, text, n + 1);
    return (uint32_t)(1 + used);
}

/* Number of a new row, or 0. */
static uint32_t put_function(struct functions *f,
                             const struct mprt_vm_function *wanted)
{
    uint32_t number = MPRT_LOAD(function_count);
    struct function row = {.line = wanted->line};

    do {
        if (number + 1 == MPRT_VM_FUNCTIONS)
            goto full;
    } while (!MPRT_CAS(function_count, &number, number + 1));
    row.name = put_text(f, wanted->name, mprt_libc_strlen(wanted->name));
    row.file = put_text(f, wanted->file, mprt_libc_strlen(wanted->file));
    if (row.name == 0 || row.file == 0)
        goto full;
    f->rows[number + 1] = row;
    return number + 1;
full:
    MPRT_LOG_ONCE("too many functions of scripts; frames of further ones are "
                  "not recorded");
    return 0;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; *text != '\0'; text++)
        hash = mix(hash, (unsigned char)*text);
    return mix(hash, 256);
}

static uint32_t find_or_put(struct functions *f,
                            const struct mprt_vm_function *wanted)
{
    uint64_t at =
        hash_text(hash_text(wanted->line, wanted->name), wanted->file);
    uint32_t made = 0;

    for (;; at++) {
        _Atomic uint32_t *const slot = &f->slots[at % SLOTS];
        /* Pairs with the release below. */
        uint32_t number = MPRT_LOAD_ACQUIRE(*slot);

        if (number == 0) {
            if (made == 0)
                made = put_function(f, wanted);
            if (made == 0 || atomic_compare_exchange_strong_explicit(
                                 slot, &number, made, memory_order_release,
                                 memory_order_acquire))
                return made;
        }
        if (is_function(f, number, wanted))
            return number;
    }
}

uint32_t mprt_vm_function(const char *name, const char *file, uint32_t line)
{
    struct functions *const f = get_functions();
    const size_t file_bytes = mprt_libc_strlen(file);
    char cut[NAME_BYTES];
    size_t n = 0;

    for (; n < NAME_BYTES - 1 && name[n] != '\0'; n++)
        cut[n] = name[n];
    cut[n] = '\0';
    if (file_bytes >= FILE_BYTES)
        file += file_bytes - (FILE_BYTES - 1);
    return f != NULL
               ? find_or_put(f, &(struct mprt_vm_function){cut, file, line})
               : 0;
}

static uint32_t number_of(uintptr_t pc)
{
    return (uint32_t)(pc >> MPRT_VM_LINE_BITS) & (MPRT_VM_FUNCTIONS - 1);
}

struct mprt_vm_function mprt_vm_function_of(uintptr_t pc)
{
    const struct functions *const f = MPRT_LOAD_ACQUIRE(functions);

    if (f == NULL) /* the program's number is none of ours */
        return (struct mprt_vm_function){"", "", 0};
    const struct function *const row = &f->rows[number_of(pc)];
    return (struct mprt_vm_function){f->texts + row->name, f->texts + row->file,
                                     row->line};
}

/* -- machines -------------------------------------------------------------- */

bool mprt_vm_add(uintptr_t interpreter, memprof_vm_frames frames)
{
    static struct mprt_lock lock;
    struct mprt_object object;
    struct mprt_cfi_code code = {0, 0};
    uint32_t i = 0;

    if (!mprt_object_find(interpreter, &object))
        return false;
    mprt_cfi_find(&object, interpreter, &code);
    if (code.end == 0)
        return false;
    mprt_lock_acquire_brief(&lock);
    const uint32_t count = MPRT_LOAD(mprt_vm_count);
    while (i < count && machines[i].first != code.first)
        i++;
    if (i < MACHINES_MAX) {
        machines[i].end = code.end;
        MPRT_STORE(machines[i].frames, frames);
        machines[i].first = code.first;
        mprt_state_set(MPRT_STATE_SCRIPTS);
        if (i == count)
            MPRT_STORE_RELEASE(mprt_vm_count, count + 1);
    }
    mprt_lock_release_brief(&lock);
    return i < MACHINES_MAX;
}

static bool is_of(const struct machine *machine, uintptr_t pc)
{
    const uintptr_t address = mprt_pc_address(pc);

    return !mprt_vm_is_frame(pc) && address >= machine->first &&
           address < machine->end;
}

/* A bit for each machine whose interpreter is on the C stack. */
static uint32_t find_machines(struct mprt_vm_cache *cache, uint32_t context)
{
    struct known_stack *const known = &cache->stacks[context % CACHE_SLOTS];
    const uint32_t count = MPRT_LOAD_ACQUIRE(mprt_vm_count);

    if (known->context == context && known->count == count)
        return known->machines;
    mprt_depot_get(context, &cache->stack);
    *known = (struct known_stack){context, (uint16_t)count, 0};
    for (uint32_t m = 0; m < count; m++) {
        size_t i = 0;

        while (i < cache->stack.count &&
               !is_of(&machines[m], cache->stack.pcs[i]))
            i++;
        if (i < cache->stack.count)
            known->machines |= (uint16_t)(1u << m);
    }
    return known->machines;
}

/* -- stacks ---------------------------------------------------------------- */

/* Appends the frames of one activation, up to the next C code, and skips this.
 * Returns the number of frames that are used up. */
static size_t put_activation(struct mprt_vm_cache *cache, size_t from,
                             size_t asked, size_t *count)
{
    while (from < asked && cache->asked[from].function == MEMPROF_VM_C)
        from++;
    for (; from < asked && cache->asked[from].function != MEMPROF_VM_C;
         from++) {
        const struct memprof_vm_frame *const frame = &cache->asked[from];

        if (*count < MPRT_STACK_FRAMES_MAX)
            cache->pcs[(*count)++] =
                MPRT_VM_TAG << MPRT_PC_TAG_SHIFT |
                (uintptr_t)(frame->function & (MPRT_VM_FUNCTIONS - 1))
                    << MPRT_VM_LINE_BITS |
                mprof_min_u64(frame->line,
                              (UINT32_C(1) << MPRT_VM_LINE_BITS) - 1);
    }
    return from;
}

/* Returns the context whose stack has the machine's frames in place of its
 * interpreter's. */
static uint32_t put_frames(struct mprt_vm_cache *cache,
                           const struct machine *machine, uint32_t context,
                           size_t asked)
{
    const size_t most = (size_t)mprt_options.malloc_context_size - 1;
    size_t count = 0;
    size_t used = 0;

    mprt_depot_get(context, &cache->stack);
    for (size_t i = 0; i < cache->stack.count; i++) {
        const uintptr_t pc = cache->stack.pcs[i];
        const size_t before = count;

        if (is_of(machine, pc))
            used = put_activation(cache, used, asked, &count);
        if (count == before && count < MPRT_STACK_FRAMES_MAX)
            cache->pcs[count++] = pc;
    }
    const size_t kept = mprof_min_u64(count, mprof_max_u64(most, 1));
    return mprt_depot_put_of(mprt_depot_name(context), cache->pcs, kept,
                             cache->stack.truncated || kept < count);
}

static uint32_t replace(struct mprt_vm_cache *cache,
                        const struct machine *machine, uint32_t context)
{
    const memprof_vm_frames frames = MPRT_LOAD(machine->frames);
    const int saved_errno = errno;
    const size_t asked = mprof_min_u64(
        frames(cache->asked, MPRT_STACK_FRAMES_MAX), MPRT_STACK_FRAMES_MAX);
    uint64_t hash = mix(context, (uint64_t)(machine - machines));

    errno = saved_errno; /* the program's function may have changed it */
    if (asked == 0)
        return context;
    for (size_t i = 0; i < asked; i++)
        hash = mix(hash, (uint64_t)cache->asked[i].function << 32 |
                             cache->asked[i].line);
    struct known_frames *const known = &cache->frames[hash % CACHE_SLOTS];
    if (known->hash != hash || known->context != context) {
        const uint32_t result = put_frames(cache, machine, context, asked);

        *known = (struct known_frames){hash, context, result};
    }
    return known->result;
}

uint32_t mprt_vm_context_slow(struct mprt_thread *t, uint32_t context)
{
    if (t == NULL || context == 0)
        return context;
    if (t->vm == NULL)
        t->vm = mprt_memory_map(sizeof(*t->vm));
    if (t->vm == NULL)
        return context;
    uint32_t of = find_machines(t->vm, context);
    for (; of != 0 && context != 0; of &= of - 1)
        context = replace(t->vm, &machines[__builtin_ctz(of)], context);
    return context;
}
