/* module_history.c -- remembers which binary a recorded code address belongs
 * to.
 *
 * An address identifies its binary as long as no binary was mapped where
 * another one had been. So each binary that a call stack goes through is
 * remembered, with the data that a profile has about it. A binary that overlaps
 * one seen earlier gets a tag, and addresses in it are recorded with the tag in
 * their upper bits. If a binary is loaded again at its old address, it is the
 * same binary.
 *
 * Cached facts about addresses (unwind rules, walks) are dropped when something
 * was unloaded. This is checked at the end of dlclose(), and when instrumented
 * code is loaded (__memprof_init() is the first code of it that runs), because
 * libc can unload its own libraries without dlclose(). Binaries that dlclose()
 * may unload are remembered too, because their code may have accessed blocks.
 * During dlclose() nothing is cached and everything is looked up, because
 * another thread may load a binary into the gap at once. None of this applies
 * to binaries that were mapped when the runtime started: libc never unloads
 * them, so facts about them stay valid.
 *
 * Seen binaries are looked up without a lock and added under one. No function
 * takes the dynamic linker's lock while it holds this lock.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/module_history.h"
#include "rt/base/clock.h"
#include "rt/base/internal_alloc.h"
#include "rt/base/libc.h"
#include "rt/base/lock.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "rt/base/thread.h"
#include "rt/stack/code_cache.h"
#include "rt/stack/instrumented.h"
#include "rt/stack/pc.h"

_Atomic uintptr_t mprt_module_history_high;
static _Atomic uintptr_t ambiguous_low;

struct mprt_lock mprt_module_history_lock;
static struct mprt_seen_module **table;
static _Atomic uint32_t table_count;
static _Atomic uint32_t changes;
static _Atomic uint64_t unloads_seen; /* dlpi_subs of the last check */
static _Atomic uint64_t loads_seen;   /* dlpi_adds */
/* Start addresses of the binaries that were mapped when the runtime started;
 * dl_iterate_phdr() reports them first. */
static uintptr_t *initial;
static uint32_t initial_count;

uint32_t mprt_module_history_count(void)
{
    /* Pairs with the release in add_module(). */
    return MPRT_LOAD_ACQUIRE(table_count);
}

struct mprt_seen_module *mprt_module_history_at(uint32_t number)
{
    return table[number];
}

uint32_t mprt_module_history_changes(void)
{
    return atomic_load(&changes);
}

bool mprt_module_history_lasts(const struct mprt_object *object)
{
    for (uint32_t i = 0; i < initial_count; i++) {
        if (initial[i] == object->start)
            return true;
    }
    return false;
}

/* -- one binary ------------------------------------------------------------ */

static bool is_same_code(const struct mprt_module *a,
                         const struct mprt_module *b)
{
    if (a->bias != b->bias || a->segment_count != b->segment_count ||
        a->build_id_bytes != b->build_id_bytes ||
        mprt_libc_memcmp(a->build_id, b->build_id, a->build_id_bytes) != 0)
        return false;
    for (uint32_t i = 0; i < a->segment_count; i++) {
        if (a->segments[i].start != b->segments[i].start ||
            a->segments[i].end != b->segments[i].end)
            return false;
    }
    return true;
}

bool mprt_module_history_is(const struct mprt_seen_module *seen,
                            const struct mprt_module *module)
{
    /* The dynamic linker has no path of the program itself. */
    return is_same_code(&seen->module, module) &&
           (seen->module.path[0] == '\0' ||
            mprt_libc_strcmp(seen->module.path, module->path) == 0);
}

static struct mprt_seen_module *find_same(const struct mprt_seen_module *wanted)
{
    const uint32_t count = mprt_module_history_count();

    for (uint32_t i = 0; i < count; i++) {
        if (is_same_code(&table[i]->module, &wanted->module) &&
            mprt_libc_strcmp(table[i]->module.path, wanted->module.path) == 0)
            return table[i];
    }
    return NULL;
}

/* Returns a new description of the object, with its segments and its path in
 * the same allocation, or NULL. */
static struct mprt_seen_module *describe(const struct mprt_object *object)
{
    struct mprt_textbuf path = {.size = MPRT_PATH_BYTES};
    struct mprt_seen_module *seen;
    struct mprt_segment *segments;
    uint32_t count = 0;
    const ElfW(Phdr) *const headers = mprt_object_headers(object, &count);

    if (headers == NULL)
        return NULL;
    const uint32_t code = mprt_object_count_code(headers, count);
    const size_t bytes =
        sizeof(*seen) + code * sizeof(*segments) + MPRT_PATH_BYTES;
    seen = mprt_internal_alloc_calloc(1, bytes);
    if (seen == NULL)
        return NULL;
    segments = (struct mprt_segment *)(seen + 1);
    path.out = (char *)(segments + code);
    mprt_object_path(&path, object->name, object->start);
    seen->module.bias = object->bias;
    seen->module.path = path.out;
    seen->start = object->start;
    seen->end = object->end;
    mprt_object_describe(&seen->module, segments, headers, count);
    if (find_same(seen) == NULL) /* slow: a millisecond for a large library */
        mprt_instrumented_describe(&seen->module, headers, count);
    return seen;
}

/* -- the table ------------------------------------------------------------- */

static void note_unload(struct mprt_seen_module *seen)
{
    uint64_t none = 0;

    if (atomic_compare_exchange_strong(&seen->unloaded_ns, &none,
                                       mprt_clock_now_ns()))
        atomic_fetch_add(&changes, 1);
}

/* What was where this binary is now is not there any more. */
static bool overlaps_any(const struct mprt_seen_module *seen)
{
    const uint32_t count = mprt_module_history_count();
    bool does = false;

    for (uint32_t i = 0; i < count; i++) {
        if (table[i] != seen && seen->start < table[i]->end &&
            table[i]->start < seen->end) {
            note_unload(table[i]);
            does = true;
        }
    }
    return does;
}

/* A binary that was missed is there again. */
static void note_reload(struct mprt_seen_module *seen)
{
    if (atomic_load(&seen->unloaded_ns) == 0)
        return;
    overlaps_any(seen);
    atomic_store(&seen->loaded_ns, mprt_clock_now_ns());
    atomic_store(&seen->unloaded_ns, 0);
    atomic_fetch_add(&changes, 1);
}

/* Makes addresses in the binary's range be looked up from now on. The lock is
 * held. */
static void mark_ambiguous(const struct mprt_seen_module *seen)
{
    const uintptr_t high = MPRT_LOAD(mprt_module_history_high);

    if (high == 0 || seen->start < MPRT_LOAD(ambiguous_low))
        MPRT_STORE(ambiguous_low, seen->start);
    if (seen->end > high)
        MPRT_STORE(mprt_module_history_high, seen->end);
}

/* The lock is held. */
static bool add_module(struct mprt_seen_module *seen)
{
    const uint32_t count = mprt_module_history_count();

    if (table == NULL)
        table = (struct mprt_seen_module **)mprt_memory_reserve(
            MPRT_MODULE_HISTORY_MAX * sizeof(struct mprt_seen_module *));
    if (table == NULL || count == MPRT_MODULE_HISTORY_MAX)
        return false;
    if (overlaps_any(seen)) {
        seen->tag = count + 1;
        mark_ambiguous(seen);
    }
    table[count] = seen;
    /* Pairs with the acquire in mprt_module_history_count(). */
    MPRT_STORE_RELEASE(table_count, count + 1);
    atomic_fetch_add(&changes, 1);
    return true;
}

/* Finds or adds the binary by its headers, build id and path. */
static struct mprt_seen_module *identify(const struct mprt_object *object)
{
    struct mprt_seen_module *const made = describe(object);

    if (made == NULL)
        return NULL;
    if (!mprt_module_history_lasts(object))
        made->loaded_ns = mprt_clock_now_ns();
    mprt_lock_acquire(&mprt_module_history_lock);
    struct mprt_seen_module *seen = find_same(made);
    if (seen != NULL)
        note_reload(seen);
    else if (add_module(made))
        seen = made;
    mprt_lock_release(&mprt_module_history_lock);
    if (seen != made)
        mprt_internal_alloc_free(made);
    return seen;
}

static uint32_t valid_until(const struct mprt_object *object,
                            uint32_t generation)
{
    if (mprt_module_history_lasts(object))
        return UINT32_MAX;
    return mprt_code_cache_is_steady(generation) ? generation : 0;
}

static struct mprt_seen_module *seen_module_of(const struct mprt_object *object,
                                               uint32_t generation)
{
    const uint32_t count = mprt_module_history_count();

    for (uint32_t i = 0; i < count; i++) {
        if (table[i]->start == object->start &&
            MPRT_LOAD(table[i]->generation) >= generation)
            return table[i];
    }
    struct mprt_seen_module *const seen = identify(object);
    if (seen != NULL)
        MPRT_STORE(seen->generation, valid_until(object, generation));
    return seen;
}

void mprt_module_history_note(const struct mprt_object *object,
                              uint32_t generation)
{
    seen_module_of(object, generation);
}

/* -- tags ------------------------------------------------------------------ */

static uint64_t tag_of(uintptr_t pc, uint32_t generation)
{
    const struct mprt_seen_module *seen = NULL;
    struct mprt_object object;

    if (mprt_object_find(pc, &object))
        seen = seen_module_of(&object, generation);
    return seen != NULL ? seen->tag : MPRT_PC_NO_MODULE;
}

void mprt_module_history_tag_slow(uintptr_t *pcs, size_t count)
{
    const uint32_t generation = mprt_code_cache_now();
    const uintptr_t low = MPRT_LOAD(ambiguous_low);
    const uintptr_t high = MPRT_LOAD(mprt_module_history_high);

    for (size_t i = 0; i < count; i++) {
        if (pcs[i] >= low && pcs[i] < high)
            pcs[i] |= tag_of(pcs[i], generation) << MPRT_PC_TAG_SHIFT;
    }
}

/* -- unloading ------------------------------------------------------------- */

struct counts {
    uint64_t loads;
    uint64_t unloads;
};

static int read_counts(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(struct counts *)context =
        (struct counts){info->dlpi_adds, info->dlpi_subs};
    return 1;
}

static bool has_grown(_Atomic uint64_t *last, uint64_t now)
{
    uint64_t seen = MPRT_LOAD(*last);

    while (now > seen) {
        if (MPRT_CAS(*last, &seen, now))
            return true;
    }
    return false;
}

/* Returns whether something was unloaded since the last call. */
static bool has_unloaded(void)
{
    struct counts counts = {.loads = 0};

    dl_iterate_phdr(read_counts, &counts);
    return has_grown(&unloads_seen, counts.unloads);
}

struct presence {
    uint32_t count;
    uint8_t is_there[];
};

static int mark_present(struct dl_phdr_info *info, size_t size, void *context)
{
    struct presence *const presence = context;

    (void)size;
    /* Another binary at this place can have the same bias. Its tag identifies
     * it when it is seen in a call stack. */
    for (uint32_t i = 0; i < presence->count; i++) {
        if (table[i]->module.bias == info->dlpi_addr)
            presence->is_there[i] = 1;
    }
    return 0;
}

/* Marks the ranges of unloaded binaries as ambiguous: what is mapped there now
 * may not be a binary (code of a JIT compiler). */
static void mark_absent(void)
{
    const uint32_t count = mprt_module_history_count();
    struct presence *const presence =
        (struct presence *)mprt_internal_alloc_calloc(
            1, sizeof(*presence) + count * sizeof(presence->is_there[0]));

    if (presence == NULL)
        return;
    presence->count = count;
    dl_iterate_phdr(mark_present, presence);
    mprt_lock_acquire(&mprt_module_history_lock);
    for (uint32_t i = 0; i < count; i++) {
        if (presence->is_there[i])
            continue;
        mark_ambiguous(table[i]);
        note_unload(table[i]);
    }
    mprt_lock_release(&mprt_module_history_lock);
    mprt_internal_alloc_free(presence);
}

static bool notice_unloads(bool was_suspended)
{
    /* The guard keeps allocations of signal handlers out of the profile. */
    const bool is_first = mprt_thread_enter();
    const bool has_changed = has_unloaded();

    if (has_changed && !was_suspended)
        mprt_code_cache_suspend();
    if (has_changed)
        mark_absent();
    if (has_changed || was_suspended)
        mprt_code_cache_resume(has_changed);
    if (is_first)
        mprt_thread_leave();
    return has_changed;
}

static int count_one(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)info, (void)size;
    ++*(uint32_t *)context;
    return 0;
}

/* The caller holds the dynamic linker's lock, so the binary stays mapped. */
static bool find_object(const struct dl_phdr_info *info,
                        struct mprt_object *object)
{
    for (uint32_t i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            return mprt_object_find(
                info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, object);
    }
    return false;
}

static int add_initial(struct dl_phdr_info *info, size_t size, void *context)
{
    const uint32_t *const room = context;
    struct mprt_object object;

    (void)size;
    if (initial_count == *room)
        return 1;
    initial[initial_count++] = find_object(info, &object) ? object.start : 0;
    return 0;
}

void mprt_module_history_init(void)
{
    uint32_t room = 0;

    dl_iterate_phdr(count_one, &room);
    initial = mprt_internal_alloc_calloc(room, sizeof(initial[0]));
    if (initial != NULL)
        dl_iterate_phdr(add_initial, &room);
}

static int remember(struct dl_phdr_info *info, size_t size, void *context)
{
    uint32_t *const passed = context;
    struct mprt_object object;

    (void)size;
    if ((*passed)++ < initial_count)
        return 0;
    if (find_object(info, &object))
        identify(&object);
    return 0;
}

void mprt_module_history_before_unload(void)
{
    const bool is_first = mprt_thread_enter();
    uint32_t passed = 0;

    dl_iterate_phdr(remember, &passed);
    mprt_code_cache_suspend();
    if (is_first)
        mprt_thread_leave();
}

bool mprt_module_history_after_unload(void)
{
    return notice_unloads(true);
}

void mprt_module_history_look(void)
{
    notice_unloads(false);
}

void mprt_module_history_find_loaded(void)
{
    const bool is_first = mprt_thread_enter();
    struct counts counts = {.loads = 0};
    uint32_t passed = 0;

    dl_iterate_phdr(read_counts, &counts);
    if (has_grown(&loads_seen, counts.loads))
        dl_iterate_phdr(remember, &passed);
    if (is_first)
        mprt_thread_leave();
}
