/* origins.c -- which module a recorded code address was of, when modules come
 * and go.
 *
 * An address says it as long as no module is mapped where another one was. So
 * each module that a call stack goes through is remembered, with what a profile
 * says of it, as an origin; an origin that overlaps an earlier one gets a tag,
 * and addresses in it are recorded with the tag in their upper bits. A module
 * that is loaded again at its old place is its old origin.
 *
 * What is known of addresses (rules of the walk, remembered walks) is forgotten
 * when something was unloaded: at the end of dlclose(), and when instrumented
 * code is loaded (__memprof_init() runs before any other code of it), because
 * libc unloads modules of its own without dlclose(). From the beginning of
 * dlclose() to its end nothing is remembered and everything is looked up, so
 * that another thread may load a module into the gap at once.
 *
 * Origins are looked up without a lock and added under one; the loader's lock
 * is never wanted inside.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/module_history.h"
#include "rt/dump/dump.h"
#include "rt/base/internal_alloc.h"
#include "rt/base/thread.h"
#include "rt/stack/unwind.h"
#include "shared/raw_format.h"

_Atomic uintptr_t mprt_origin_low;
_Atomic uintptr_t mprt_origin_high;

static struct mprt_lock lock;
static struct mprt_origin **table;
static _Atomic uint32_t table_count;
static _Atomic uint64_t unloads_seen; /* by the loader's count */

struct mprt_lock *mprt_origin_lock(void)
{
    return &lock;
}

uint32_t mprt_origin_count(void)
{
    /* Pairs with the release in add_origin(). */
    return atomic_load_explicit(&table_count, memory_order_acquire);
}

const struct mprt_origin *mprt_origin_at(uint32_t number)
{
    return table[number];
}

/* -- one origin ------------------------------------------------------------ */

static bool is_same_code(const struct mprt_module *a,
                         const struct mprt_module *b)
{
    if (a->bias != b->bias || a->segment_count != b->segment_count ||
        a->build_id_bytes != b->build_id_bytes ||
        mprt_memcmp(a->build_id, b->build_id, a->build_id_bytes) != 0)
        return false;
    for (uint32_t i = 0; i < a->segment_count; i++) {
        if (a->segments[i].start != b->segments[i].start ||
            a->segments[i].end != b->segments[i].end)
            return false;
    }
    return true;
}

bool mprt_origin_is(const struct mprt_origin *origin,
                    const struct mprt_module *module)
{
    /* The loader knows no path of the program itself. */
    return is_same_code(&origin->module, module) &&
           (origin->module.path[0] == '\0' ||
            mprt_strcmp(origin->module.path, module->path) == 0);
}

/* An origin with its segments and its path behind it, or NULL. */
static struct mprt_origin *make_origin(const struct mprt_object *object)
{
    struct mprt_text path = {.size = MPRT_PATH_BYTES};
    struct mprt_origin *origin;
    struct mprt_segment *segments;
    uint32_t count = 0;
    const ElfW(Phdr) *const headers = mprt_object_headers(object, &count);

    if (headers == NULL)
        return NULL;
    const uint32_t code = mprt_object_count_code(headers, count);
    const size_t bytes =
        sizeof(*origin) + code * sizeof(*segments) + MPRT_PATH_BYTES;
    origin = (struct mprt_origin *)mprt_own_calloc(1, bytes);
    if (origin == NULL)
        return NULL;
    segments = (struct mprt_segment *)(origin + 1);
    path.out = (char *)(segments + code);
    mprt_object_path(&path, object->name, false);
    origin->module.bias = object->bias;
    origin->module.path = path.out;
    origin->start = object->start;
    origin->end = object->end;
    mprt_object_describe(&origin->module, segments, headers, count);
    return origin;
}

static struct mprt_origin *find_same(const struct mprt_origin *wanted)
{
    const uint32_t count = mprt_origin_count();

    for (uint32_t i = 0; i < count; i++) {
        if (is_same_code(&table[i]->module, &wanted->module) &&
            mprt_strcmp(table[i]->module.path, wanted->module.path) == 0)
            return table[i];
    }
    return NULL;
}

/* -- the table ------------------------------------------------------------- */

static bool overlaps_any(const struct mprt_origin *origin, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (origin->start < table[i]->end && table[i]->start < origin->end)
            return true;
    }
    return false;
}

/* Addresses of the origin's range are looked up from now on. The lock is held.
 */
static void doubt(const struct mprt_origin *origin)
{
    const uintptr_t high =
        atomic_load_explicit(&mprt_origin_high, memory_order_relaxed);

    if (high == 0 || origin->start < atomic_load_explicit(&mprt_origin_low,
                                                          memory_order_relaxed))
        atomic_store_explicit(&mprt_origin_low, origin->start,
                              memory_order_relaxed);
    if (origin->end > high)
        atomic_store_explicit(&mprt_origin_high, origin->end,
                              memory_order_relaxed);
}

/* The lock is held. */
static bool add_origin(struct mprt_origin *origin)
{
    const uint32_t count = mprt_origin_count();

    if (table == NULL)
        table = (struct mprt_origin **)mprt_sys_reserve(
            MPRT_ORIGINS_MAX * sizeof(struct mprt_origin *));
    if (table == NULL || count == MPRT_ORIGINS_MAX)
        return false;
    if (overlaps_any(origin, count)) {
        origin->tag = count + 1;
        doubt(origin);
    }
    table[count] = origin;
    /* Pairs with the acquire in mprt_origin_count(). */
    atomic_store_explicit(&table_count, count + 1, memory_order_release);
    return true;
}

/* By what it says of itself. */
static struct mprt_origin *identify(const struct mprt_object *object)
{
    struct mprt_origin *const made = make_origin(object);

    if (made == NULL)
        return NULL;
    mprt_lock_acquire(&lock);
    struct mprt_origin *origin = find_same(made);
    if (origin == NULL && add_origin(made))
        origin = made;
    mprt_lock_release(&lock);
    if (origin != made)
        mprt_own_free(made);
    return origin;
}

static struct mprt_origin *origin_of(const struct mprt_object *object,
                                     uint32_t generation)
{
    const uint32_t count = generation != 0 ? mprt_origin_count() : 0;

    for (uint32_t i = 0; i < count; i++) {
        if (table[i]->start == object->start &&
            atomic_load_explicit(&table[i]->generation, memory_order_relaxed) ==
                generation)
            return table[i];
    }
    struct mprt_origin *const origin = identify(object);
    if (origin != NULL)
        atomic_store_explicit(&origin->generation, generation,
                              memory_order_relaxed);
    return origin;
}

void mprt_origin_note(const struct mprt_object *object, uint32_t generation)
{
    origin_of(object, generation);
}

/* -- tags ------------------------------------------------------------------ */

static uint64_t tag_of(uintptr_t pc, uint32_t generation)
{
    const struct mprt_origin *origin = NULL;
    struct mprt_object object;

    if (mprt_object_find(pc, &object))
        origin = origin_of(&object, generation);
    return origin != NULL ? origin->tag : MPRT_PC_NO_MODULE;
}

void mprt_origin_tag_slow(uintptr_t *pcs, size_t count, uint32_t generation)
{
    const uintptr_t low =
        atomic_load_explicit(&mprt_origin_low, memory_order_relaxed);
    const uintptr_t high =
        atomic_load_explicit(&mprt_origin_high, memory_order_relaxed);

    for (size_t i = 0; i < count; i++) {
        if (pcs[i] >= low && pcs[i] < high)
            pcs[i] |= tag_of(pcs[i], generation) << MPRT_PC_TAG_SHIFT;
    }
}

/* -- unloading ------------------------------------------------------------- */

static int read_unloads(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_subs;
    return 1;
}

/* True where something was unloaded since the last time. */
static bool has_unloaded(void)
{
    uint64_t unloads = 0;
    uint64_t seen = atomic_load_explicit(&unloads_seen, memory_order_relaxed);

    dl_iterate_phdr(read_unloads, &unloads);
    while (unloads > seen) {
        if (atomic_compare_exchange_weak_explicit(&unloads_seen, &seen, unloads,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
    return false;
}

struct presence {
    uint32_t count;
    uint8_t is_there[];
};

static int mark_present(struct dl_phdr_info *info, size_t size, void *context)
{
    struct presence *const presence = (struct presence *)context;

    (void)size;
    /* Another module at the same place has the same bias: then it is told
     * apart by its tag, when it comes to be an origin. */
    for (uint32_t i = 0; i < presence->count; i++) {
        if (table[i]->module.bias == info->dlpi_addr)
            presence->is_there[i] = 1;
    }
    return 0;
}

/* What lies where a module was may be no module at all. */
static void doubt_absent(void)
{
    const uint32_t count = mprt_origin_count();
    struct presence *const presence = (struct presence *)mprt_own_calloc(
        1, sizeof(*presence) + count * sizeof(presence->is_there[0]));

    if (presence == NULL)
        return;
    presence->count = count;
    dl_iterate_phdr(mark_present, presence);
    mprt_lock_acquire(&lock);
    for (uint32_t i = 0; i < count; i++) {
        if (!presence->is_there[i])
            doubt(table[i]);
    }
    mprt_lock_release(&lock);
    mprt_own_free(presence);
}

static void notice_unloads(bool was_suspended)
{
    /* What a signal handler allocates meanwhile is not recorded. */
    const bool is_first = mprt_thread_enter();
    const bool has_changed = has_unloaded();

    if (has_changed && !was_suspended)
        mprt_unwind_suspend();
    if (has_changed)
        doubt_absent();
    if (has_changed || was_suspended)
        mprt_unwind_resume(has_changed);
    if (is_first)
        mprt_thread_leave();
}

void mprt_origin_before_unload(void)
{
    const bool is_first = mprt_thread_enter();

    mprt_unwind_suspend();
    if (is_first)
        mprt_thread_leave();
}

void mprt_origin_after_unload(void)
{
    notice_unloads(true);
}

void mprt_origin_look(void)
{
    notice_unloads(false);
}
