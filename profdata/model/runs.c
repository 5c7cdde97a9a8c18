/* runs.c -- packed runs.
 *
 * A record is the run's id, a mask of the members that differ from those of the
 * first run, then what each of them is more, as a signed varint, then the
 * count, where it is not 1. Runs of one service share nearly everything, and
 * what does not is near. Records lie in chunks, which never move.
 *
 * Chunks are looked at when all runs are: so all but the first lie in a file
 * without a name, which the system may write out and take from memory. Ten
 * thousand runs are 270 kB.
 *
 * A count that takes another number of bytes than before makes a new record and
 * a dead one, which walks skip; a count has ten lengths at most.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/model/runs.h"
#include "shared/container.h"
#include "shared/le.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A place is a chunk and an offset in it. */
#define CHUNK_BITS 15
#define CHUNK_BYTES (1u << CHUNK_BITS)
#define CHUNKS_MAX (UINT32_MAX >> CHUNK_BITS)
/* The others lie in a file, where there can be one. */
#define CHUNKS_IN_MEMORY 2
#define SLOTS_MIN 64u
#define SLOTS_MAX (UINT32_C(1) << 31)

/* Of the mask. What differs most often comes first. */
#define DEAD 1u
#define COUNTED 2u
#define MEMBER_BIT 2
#define MEMBERS(X)         \
    X(pid)                 \
    X(start_ns)            \
    X(duration_ns)         \
    X(own_memory_bytes)    \
    X(own_time_ns)         \
    X(timed_calls)         \
    X(contexts)            \
    X(host)                \
    X(executable)          \
    X(stack_depth_max)     \
    X(options)             \
    X(tool)                \
    X(kind)                \
    X(clock_resolution_ns) \
    X(truncated_stacks)    \
    X(dropped_blocks)      \
    X(foreign_frees)       \
    X(cell_bytes)

enum member {
#define X(name) MEMBER_##name,
    MEMBERS(X)
#undef X
        MEMBER_COUNT
};

/* A member of a run that is not listed here, in compare_runs() too, would be
 * lost: 15 numbers of 64 bits, 5 of 32, one of which is padded. */
_Static_assert(sizeof(struct mpdata_run) ==
                   15 * sizeof(uint64_t) + 6 * sizeof(uint32_t),
               "list what a run has more, or less");

#define ID_BYTES 8
#define VARINT_BYTES_MAX 10
/* The mask has at most as many bits as a varint of 3 bytes. */
#define MASK_BYTES_MAX 3
#define KEY_BYTES_MAX \
    (ID_BYTES + MASK_BYTES_MAX + MEMBER_COUNT * VARINT_BYTES_MAX)
_Static_assert(MEMBER_COUNT + MEMBER_BIT <= 7 * MASK_BYTES_MAX,
               "the mask needs another byte");

struct chunk {
    uint8_t *bytes;
    uint32_t used;
};

/* All of a record but its count. */
struct key {
    uint8_t bytes[KEY_BYTES_MAX];
    uint32_t size;
};

static uint32_t put_varint(uint8_t *to, uint64_t value)
{
    uint32_t n = 0;

    while (value >= 0x80) {
        to[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    to[n++] = (uint8_t)value;
    return n;
}

static uint64_t get_varint(const uint8_t **at)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;

    do {
        byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte >= 0x80);
    return value;
}

/* What `value` is more than `first`, with the sign in the lowest bit. */
static uint64_t difference(uint64_t value, uint64_t first)
{
    const uint64_t more = value - first;

    return more << 1 ^ (uint64_t) - (int64_t)(more >> 63);
}

static uint64_t apply(uint64_t difference, uint64_t first)
{
    return first + (difference >> 1 ^ (uint64_t) - (int64_t)(difference & 1));
}

static void pack(const struct mpdata_run *first, const struct mpdata_run *run,
                 struct key *key)
{
    uint32_t mask = 0;

#define X(name)                   \
    if (run->name != first->name) \
        mask |= 1u << (MEMBER_##name + MEMBER_BIT);
    MEMBERS(X)
#undef X
    mprof_le_store(key->bytes, run->run_id, ID_BYTES);
    key->size = ID_BYTES + put_varint(key->bytes + ID_BYTES, mask);
#define X(name)                                         \
    if (run->name != first->name)                       \
        key->size += put_varint(key->bytes + key->size, \
                                difference(run->name, first->name));
    MEMBERS(X)
#undef X
}

/* The run of a record; returns where the record ends. */
static const uint8_t *unpack(const struct mpdata_run *first,
                             const uint8_t *record, struct mpdata_run *run)
{
    const uint8_t *at = record + ID_BYTES;
    const uint64_t mask = get_varint(&at);

    *run = *first;
    run->run_id = mprof_le_load64(record);
#define X(name)                                          \
    if ((mask >> (MEMBER_##name + MEMBER_BIT) & 1) != 0) \
        run->name = (__typeof__(run->name))apply(get_varint(&at), first->name);
    MEMBERS(X)
#undef X
    run->count = (mask & COUNTED) != 0 ? get_varint(&at) : 1;
    return at;
}

/* A file without a name for what is not to stay in memory, or -1. */
static int open_spill(void)
{
    const char *folder = secure_getenv("TMPDIR");

    return open(folder != NULL && folder[0] != '\0' ? folder : "/tmp",
                O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
}

/* The bytes of a chunk in the spill file, or NULL where there can be none. Room
 * is taken first, so that a full disk is no signal later. */
static void *map_spill(struct mpdata_runs *runs)
{
    const off_t off = (off_t)runs->chunks.count << CHUNK_BITS;
    void *map;

    if (runs->chunks.count < CHUNKS_IN_MEMORY || runs->has_no_spill)
        return NULL;
    if (runs->spill_fd < 0)
        runs->spill_fd = open_spill();
    runs->has_no_spill = runs->spill_fd < 0 ||
                         fallocate(runs->spill_fd, 0, off, CHUNK_BYTES) != 0;
    if (runs->has_no_spill)
        return NULL;
    map = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
               runs->spill_fd, off);
    return map != MAP_FAILED ? map : NULL;
}

/* A mapping of its own: runs outlive all that inputs ask the heap for, and
 * would hold pieces of it apart. */
static uint8_t *new_bytes(struct mpdata_runs *runs)
{
    void *map = map_spill(runs);

    if (map == NULL)
        map = mmap(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map != MAP_FAILED ? (uint8_t *)map : NULL;
}

/* Accepts NULL. */
static void free_bytes(uint8_t *bytes)
{
    if (bytes != NULL)
        munmap(bytes, CHUNK_BYTES);
}

void mpdata_runs_init(struct mpdata_runs *runs)
{
    *runs = (struct mpdata_runs){.chunks = {.elem_bytes = sizeof(struct chunk)},
                                 .spill_fd = -1};
}

void mpdata_runs_seal(struct mpdata_runs *runs)
{
    free(runs->slots);
    runs->slots = NULL;
    runs->slot_count = 0;
}

void mpdata_runs_fini(struct mpdata_runs *runs)
{
    struct chunk *chunks = (struct chunk *)runs->chunks.data;

    for (uint32_t i = 0; i < runs->chunks.count; i++)
        free_bytes(chunks[i].bytes);
    if (runs->spill_fd >= 0)
        close(runs->spill_fd);
    mpdata_vec_fini(&runs->chunks);
    mpdata_runs_seal(runs);
    free(runs->order);
    mpdata_runs_init(runs);
}

static struct chunk *chunk_of(const struct mpdata_runs *runs, uint32_t place)
{
    return (struct chunk *)runs->chunks.data + (place >> CHUNK_BITS);
}

static uint8_t *record_at(const struct mpdata_runs *runs, uint32_t place)
{
    return chunk_of(runs, place)->bytes + (place & (CHUNK_BYTES - 1));
}

/* -- walking ----------------------------------------------------------------- */

/* The next record that is not dead, in the order of the chunks. NULL at the
 * end. */
static const uint8_t *next_record(const struct mpdata_runs *runs,
                                  struct mpdata_runs_walk *walk,
                                  struct mpdata_run *run)
{
    const struct chunk *chunks = (const struct chunk *)runs->chunks.data;

    while (walk->chunk < runs->chunks.count) {
        const struct chunk *chunk = &chunks[walk->chunk];
        const uint8_t *record = chunk->bytes + walk->at;

        if (walk->at == chunk->used) {
            walk->chunk++;
            walk->at = 0;
            continue;
        }
        walk->at = (uint32_t)(unpack(&runs->first, record, run) - chunk->bytes);
        if ((record[ID_BYTES] & DEAD) == 0)
            return record;
    }
    return NULL;
}

bool mpdata_runs_next(const struct mpdata_runs *runs,
                      struct mpdata_runs_walk *walk, struct mpdata_run *run)
{
    if (runs->order == NULL)
        return next_record(runs, walk, run) != NULL;
    if (walk->row == runs->count)
        return false;
    unpack(&runs->first, record_at(runs, runs->order[walk->row++]), run);
    return true;
}

void mpdata_runs_get(const struct mpdata_runs *runs, uint32_t row,
                     struct mpdata_run *run)
{
    struct mpdata_runs_walk walk = {.row = runs->order != NULL ? row : 0};

    for (uint32_t i = walk.row; i <= row; i++)
        mpdata_runs_next(runs, &walk, run);
}

static uint32_t place_of(const struct mpdata_runs_walk *walk,
                         const struct chunk *chunk, const uint8_t *record)
{
    return walk->chunk << CHUNK_BITS | (uint32_t)(record - chunk->bytes);
}

/* -- adding ------------------------------------------------------------------ */

/* Of a record's or key's first bytes, whatever its count. */
static uint32_t hash_key(const uint8_t *bytes, uint32_t size)
{
    uint8_t plain[KEY_BYTES_MAX];

    memcpy(plain, bytes, size);
    plain[ID_BYTES] &= (uint8_t) ~(DEAD | COUNTED);
    return (uint32_t)mprof_checksum(plain, size);
}

static void put_slot(struct mpdata_runs *runs, uint32_t hash, uint32_t place)
{
    uint32_t i = hash;

    while (runs->slots[i & (runs->slot_count - 1)] != 0)
        i++;
    runs->slots[i & (runs->slot_count - 1)] = place + 1;
}

/* Slots for all rows and one more, at most 3/4 of them full. */
static bool index_rows(struct mpdata_runs *runs)
{
    struct mpdata_runs_walk walk = {.chunk = 0};
    struct mpdata_run run;
    struct key key;
    const uint8_t *record;
    uint64_t slots = SLOTS_MIN;

    while (slots / 4 * 3 <= runs->count)
        slots *= 2;
    mpdata_runs_seal(runs);
    runs->slots = slots <= SLOTS_MAX
                      ? (uint32_t *)calloc(slots, sizeof(*runs->slots))
                      : NULL;
    if (runs->slots == NULL)
        return false;
    runs->slot_count = (uint32_t)slots;
    while ((record = next_record(runs, &walk, &run)) != NULL) {
        const struct chunk *const chunk =
            (const struct chunk *)runs->chunks.data + walk.chunk;

        pack(&runs->first, &run, &key);
        put_slot(runs, hash_key(key.bytes, key.size),
                 place_of(&walk, chunk, record));
    }
    return true;
}

/* Is it the record of the run, whatever its count? A key tells where it ends.
 */
static bool is_record(const struct mpdata_runs *runs, uint32_t place,
                      const struct key *key)
{
    const uint8_t *record = record_at(runs, place);

    return key->size <=
               chunk_of(runs, place)->used - (place & (CHUNK_BYTES - 1)) &&
           memcmp(record, key->bytes, ID_BYTES) == 0 &&
           ((record[ID_BYTES] ^ key->bytes[ID_BYTES]) & ~(DEAD | COUNTED)) ==
               0 &&
           memcmp(record + ID_BYTES + 1, key->bytes + ID_BYTES + 1,
                  key->size - ID_BYTES - 1) == 0;
}

/* The slot with the run's place, or where it is to be put. */
static uint32_t *find_slot(const struct mpdata_runs *runs, uint32_t hash,
                           const struct key *key)
{
    for (uint32_t i = hash;; i++) {
        uint32_t *slot = &runs->slots[i & (runs->slot_count - 1)];

        if (*slot == 0 || is_record(runs, *slot - 1, key))
            return slot;
    }
}

/* Room for n more bytes in a row; false without memory. */
static bool reserve(struct mpdata_runs *runs, uint32_t n)
{
    const struct chunk *chunks = (const struct chunk *)runs->chunks.data;
    const uint32_t count = runs->chunks.count;
    struct chunk *last;
    uint8_t *bytes;

    if (count != 0 && n <= CHUNK_BYTES - chunks[count - 1].used)
        return true;
    if (count == CHUNKS_MAX)
        return false;
    bytes = new_bytes(runs);
    last =
        bytes != NULL ? (struct chunk *)mpdata_vec_push(&runs->chunks) : NULL;
    if (last == NULL) {
        free_bytes(bytes);
        return false;
    }
    last->bytes = bytes;
    return true;
}

/* A new record; its place + 1, or 0 without memory. */
static uint32_t append(struct mpdata_runs *runs, const struct key *key,
                       uint64_t count)
{
    struct chunk *chunk;
    uint32_t start;

    if (!reserve(runs, KEY_BYTES_MAX + VARINT_BYTES_MAX))
        return 0;
    chunk = (struct chunk *)runs->chunks.data + runs->chunks.count - 1;
    start = chunk->used;
    memcpy(chunk->bytes + start, key->bytes, key->size);
    chunk->used += key->size;
    if (count != 1) {
        chunk->bytes[start + ID_BYTES] |= COUNTED;
        chunk->used += put_varint(chunk->bytes + chunk->used, count);
    }
    return ((runs->chunks.count - 1) << CHUNK_BITS | start) + 1;
}

/* Gives the run in *slot another count. */
static bool recount(struct mpdata_runs *runs, uint32_t *slot,
                    const struct key *key, uint64_t more)
{
    uint8_t *const record = record_at(runs, *slot - 1);
    const uint8_t *at = record + key->size;
    const uint64_t had =
        (record[ID_BYTES] & COUNTED) != 0 ? get_varint(&at) : 1;
    const uint64_t count = mprof_add_sat_u64(had, more);
    uint8_t bytes[VARINT_BYTES_MAX];
    const uint32_t size = put_varint(bytes, count);
    uint32_t place;

    if ((size_t)(at - (record + key->size)) == size) {
        memcpy(record + key->size, bytes, size);
        return true;
    }
    place = append(runs, key, count);
    if (place == 0)
        return false;
    record[ID_BYTES] |= DEAD;
    *slot = place;
    return true;
}

bool mpdata_runs_add(struct mpdata_runs *runs, const struct mpdata_run *run)
{
    struct key key;
    uint32_t *slot;
    uint32_t place;

    if (runs->count == 0 && runs->chunks.count == 0)
        runs->first = *run;
    free(runs->order);
    runs->order = NULL;
    if (runs->count >= runs->slot_count / 4 * 3 && !index_rows(runs))
        return false;
    pack(&runs->first, run, &key);
    slot = find_slot(runs, hash_key(key.bytes, key.size), &key);
    if (*slot != 0)
        return recount(runs, slot, &key, run->count);
    place = append(runs, &key, run->count);
    if (place == 0)
        return false;
    *slot = place;
    runs->count++;
    return true;
}

/* The chunks from *freed up to `end`. */
static void free_chunks(struct mpdata_runs *runs, uint32_t *freed, uint32_t end)
{
    struct chunk *chunks = (struct chunk *)runs->chunks.data;

    for (; *freed < end; ++*freed) {
        free_bytes(chunks[*freed].bytes);
        chunks[*freed].bytes = NULL;
    }
}

bool mpdata_runs_copy(struct mpdata_runs *into, const struct mpdata_runs *from,
                      struct mpdata_runs *emptied, mpdata_runs_map_fn *map,
                      const void *context)
{
    struct mpdata_runs_walk walk = {.chunk = 0};
    uint32_t freed = 0;
    struct mpdata_run run;
    struct key key;

    while (next_record(from, &walk, &run) != NULL) {
        const struct mpdata_run mapped = map(context, &run);

        if (emptied != NULL)
            free_chunks(emptied, &freed, walk.chunk);
        if (into->count == 0)
            into->first = mapped;
        pack(&into->first, &mapped, &key);
        if (append(into, &key, mapped.count) == 0)
            return false;
        into->count++;
    }
    if (emptied != NULL)
        mpdata_runs_fini(emptied);
    return true;
}

size_t mpdata_runs_bytes(const struct mpdata_runs *runs)
{
    return (size_t)runs->chunks.count * (CHUNK_BYTES + sizeof(struct chunk)) +
           (runs->order != NULL ? runs->count * sizeof(*runs->order) : 0);
}

/* -- order ------------------------------------------------------------------- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* In the order of columns that files have always had. */
static int compare_runs(const struct mpdata_run *a, const struct mpdata_run *b)
{
#define COMPARE(name)       \
    if (a->name != b->name) \
        return compare_u64(a->name, b->name);
    COMPARE(run_id)
    COMPARE(kind)
    COMPARE(pid)
    COMPARE(start_ns)
    COMPARE(duration_ns)
    COMPARE(clock_resolution_ns)
    COMPARE(truncated_stacks)
    COMPARE(dropped_blocks)
    COMPARE(executable)
    COMPARE(host)
    COMPARE(options)
    COMPARE(tool)
    COMPARE(cell_bytes)
    COMPARE(own_memory_bytes)
    COMPARE(foreign_frees)
    COMPARE(stack_depth_max)
    COMPARE(own_time_ns)
    COMPARE(timed_calls)
    COMPARE(contexts)
#undef COMPARE
    return 0;
}

/* Ids are random, so they tell nearly always. */
static int compare_places(const void *left, const void *right, void *context)
{
    const struct mpdata_runs *const runs = (const struct mpdata_runs *)context;
    const uint8_t *a = record_at(runs, *(const uint32_t *)left);
    const uint8_t *b = record_at(runs, *(const uint32_t *)right);
    const int order = compare_u64(mprof_le_load64(a), mprof_le_load64(b));
    struct mpdata_run first;
    struct mpdata_run second;

    if (order != 0)
        return order;
    unpack(&runs->first, a, &first);
    unpack(&runs->first, b, &second);
    return compare_runs(&first, &second);
}

bool mpdata_runs_sort(struct mpdata_runs *runs)
{
    struct mpdata_runs_walk walk = {.chunk = 0};
    uint32_t *order = (uint32_t *)mpdata_vec_array(runs->count, sizeof(*order));
    const uint8_t *record;
    struct mpdata_run run;
    uint32_t n = 0;

    if (order == NULL)
        return false;
    while ((record = next_record(runs, &walk, &run)) != NULL)
        order[n++] = place_of(
            &walk, (const struct chunk *)runs->chunks.data + walk.chunk,
            record);
    qsort_r(order, n, sizeof(*order), compare_places, runs);
    free(runs->order);
    runs->order = order;
    return true;
}
