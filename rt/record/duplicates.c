/* duplicates.c -- sets of contents.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/record/duplicates.h"
#include "rt/base/fault.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/options.h"
#include "rt/base/os.h"
#include "rt/base/pages.h"
#include "rt/base/sandbox.h"
#include "rt/record/sample.h"
#include "shared/detail.h"

#define KEYS_BITS 22
#define KEYS (UINT32_C(1) << KEYS_BITS)
#define KEYS_BYTES (KEYS * sizeof(uint64_t))
/* A fuller set would be slow. */
#define KEYS_MAX (KEYS / 4 * 3)
/* Larger blocks would take long. */
#define BYTES_MAX ((uint64_t)64 << 10)
#define FACTOR UINT64_C(0x9fb21c651e98df25)

struct set {
    _Atomic uint64_t *keys; /* open addressing; 0: free */
    _Atomic uint32_t used;
};
static struct set freed;
static struct set live; /* of the current dump */

/* FIRST and REPEATED are keys of DETAILS. */
enum content { FIRST, REPEATED, UNKNOWN };

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * FACTOR;
    return hash ^ hash >> 32;
}

/* Hashes a block. False if it cannot be read. Sets *hash to 0 if all bytes are
 * zero. is_asking: asks the system about each page, since a read that faults is
 * survived only where our handler runs. The last word may reach behind the
 * block, into the rest of its granule. */
static bool hash_block(uint32_t context, uintptr_t p, uint64_t size,
                       bool is_asking, uint64_t *hash)
{
    uint64_t all = mix(mix(FACTOR, context), size);
    uint64_t any = 0;

    for (uint64_t at = 0; at < size; at += sizeof(uint64_t)) {
        if (is_asking && (at == 0 || (p + at) % mprt_os_page_bytes() == 0) &&
            !mprt_os_is_readable(p + at))
            return false;
        uint64_t word = mprt_fault_read(p + at);
        if (word == MPRT_FAULT_VALUE)
            return false;
        if (size - at < sizeof(word))
            word &= (UINT64_C(1) << 8 * (size - at)) - 1;
        any |= word;
        all = mix(all, word);
    }
    *hash = any != 0 ? all | 1 : 0;
    return true;
}

/* Adds a key. UNKNOWN if the set is full, also for keys that are in it:
 * otherwise only repeated contents would be counted from then on. */
static enum content add(struct set *set, uint64_t key)
{
    if (MPRT_LOAD(set->used) >= KEYS_MAX)
        return UNKNOWN;
    for (uint64_t i = key >> (64 - KEYS_BITS);; i = (i + 1) % KEYS) {
        uint64_t there = 0;

        if (MPRT_CAS(set->keys[i], &there, key)) {
            MPRT_ADD(set->used, 1);
            return FIRST;
        }
        if (there == key)
            return REPEATED;
    }
}

static enum content content_of(struct set *set, uint32_t context, uintptr_t p,
                               uint64_t size, bool is_asking)
{
    uint64_t hash;

    if (set->keys == NULL || mprt_sample_period != 0 || size == 0 ||
        size > BYTES_MAX || (is_asking && mprt_sandbox_is_there()) ||
        !hash_block(context, p, size, is_asking, &hash))
        return UNKNOWN;
    return hash != 0 ? add(set, hash) : FIRST;
}

void mprt_duplicates_init(void)
{
    const char *trouble = NULL;

    if (!mprt_options.duplicates)
        return;
    if (mprt_options.sample != 0) {
        trouble = "not with sample";
    } else {
        freed.keys = (_Atomic uint64_t *)mprt_memory_reserve(KEYS_BYTES);
        live.keys = (_Atomic uint64_t *)mprt_memory_reserve(KEYS_BYTES);
        if (freed.keys == NULL || live.keys == NULL)
            trouble = "out of address space";
    }
    if (trouble != NULL)
        MPRT_LOG("duplicates are not recorded: ", trouble);
    else if (mprt_options.log != NULL && *mprt_options.log != '\0')
        MPRT_LOG("duplicates are in the profile, and not in the log");
}

/* A program protects pages of a block that has whole pages or starts with one.
 * A read that faults would end a thread that blocks SIGSEGV. */
void mprt_duplicates_add_freed(uint32_t context, uintptr_t p, uint64_t size)
{
    const bool is_asking = size >= mprt_os_page_bytes() ||
                           p % mprt_os_page_bytes() == 0 ||
                           !MPRT_LOAD(mprt_fault_is_handled);
    const enum content content =
        content_of(&freed, context, p, size, is_asking);

    if (content != UNKNOWN)
        mprt_mibmap_add_link(context, MPROF_DETAIL_DUPLICATE, content, size, 1);
}

void mprt_duplicates_begin_live(void)
{
    if (MPRT_LOAD(live.used) == 0)
        return;
    mprt_pages_clear((void *)(uintptr_t)live.keys, KEYS_BYTES);
    MPRT_STORE(live.used, 0);
}

/* Other threads may free the block, and a dump may be made where our handler
 * does not run. */
void mprt_duplicates_add_live(const struct mprt_mibmap_taken *taken,
                              const struct mprt_live_block *block)
{
    const bool is_wanted = taken->live != taken->rows &&
                           block->context >= taken->first &&
                           block->context <= taken->last;
    const enum content content =
        is_wanted ? content_of(&live, block->context, block->p,
                               block->life.size, true)
                  : UNKNOWN;

    if (content != UNKNOWN)
        mprt_mibmap_add_live_detail(taken, block->context,
                                    MPROF_DETAIL_LIVE_DUPLICATE, content, 1,
                                    block->life.size);
}
