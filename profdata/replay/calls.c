/* calls.c -- brings the beginnings and ends of all threads into the order of
 * time, finds those that are one realloc(), and gives blocks slots.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/replay/calls.h"
#include "profdata/base/diag.h"
#include "profdata/events/event_live.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum kind { ALLOC, FREE, REALLOC, DROPPED };

struct op {
    uint64_t ns;
    uint64_t size;
    uint32_t block; /* number, from 1 on */
    uint32_t from;  /* block that realloc() was given */
    uint32_t order; /* in the log */
    uint16_t kind;
    uint16_t block_kind; /* of the job's */
};

struct pass {
    struct mpdata_replay_calls *calls;
    struct mpdata_event_live live;
    struct mpdata_vec ops; /* struct op */
    uint32_t blocks;
    /* The event before, for the two halves of a realloc(). */
    uint32_t half; /* op + 1, or 0 */
    uint32_t thread;
    uint64_t address;
    uint64_t new_size;
    bool is_sampled;
};

static enum mprof_err memory(bool is_there)
{
    return is_there ? MPROF_E_OK : MPROF_E_NOMEM;
}

/* -- events ---------------------------------------------------------------- */

static struct op *add_op(struct pass *p, enum kind kind, uint64_t ns,
                         uint32_t block)
{
    struct op *const op = mpdata_vec_push(&p->ops);

    if (op != NULL)
        *op = (struct op){.ns = ns,
                          .block = block,
                          .order = p->ops.count,
                          .kind = (uint16_t)kind};
    return op;
}

/* The other half of this call, if the event before is one of this thread. */
static struct op *half_of(struct pass *p, enum kind kind, uint32_t thread)
{
    struct op *const op =
        p->half != 0 ? (struct op *)p->ops.data + (p->half - 1) : NULL;

    return op != NULL && op->kind == kind && p->thread == thread ? op : NULL;
}

static enum mprof_err begin_block(struct pass *p,
                                  const struct mpdata_log_event *e)
{
    const struct mpdata_live_block block = {.address = e->at,
                                            .ns = e->ns,
                                            .size = e->number,
                                            .thread = e->thread,
                                            .row = ++p->blocks};
    /* In place, the old block ends first. */
    struct op *const end = half_of(p, FREE, e->thread);
    const bool is_realloc =
        end != NULL && p->address == e->at && p->new_size == e->number;
    bool failed = false;
    struct mpdata_log_event *const waiting =
        mpdata_event_live_begin(&p->live, &block, &failed);
    bool is_there = !failed;
    const uint8_t kind =
        e->stack < p->calls->kind_count ? p->calls->kinds[e->stack] : 0;
    struct op *op;

    if (is_realloc) {
        end->kind = REALLOC;
        end->from = end->block;
        end->block = block.row;
        end->size = e->number;
        end->block_kind = kind;
    } else if (is_there) {
        op = add_op(p, ALLOC, e->ns, block.row);
        is_there = op != NULL;
        if (op != NULL) {
            op->size = e->number;
            op->block_kind = kind;
        }
    }
    p->half = is_realloc ? 0 : p->ops.count;
    if (waiting != NULL && is_there)
        is_there = add_op(p, FREE, mprof_max_u64(waiting->ns, e->ns),
                          block.row) != NULL;
    free(waiting);
    return memory(is_there);
}

static enum mprof_err end_block(struct pass *p,
                                const struct mpdata_log_event *e)
{
    /* A block that moves ends after the new one began. */
    struct op *const begin = half_of(p, ALLOC, e->thread);
    const bool is_realloc = e->end_kind == MPROF_DETAIL_REALLOC;
    struct mpdata_live_block block;
    bool failed = false;

    p->half = 0;
    if (!mpdata_event_live_end(&p->live, e, &block, &failed))
        return memory(!failed);
    if (is_realloc && begin != NULL && begin->size == e->end_size &&
        begin->block != block.row) {
        begin->kind = REALLOC;
        begin->from = block.row;
        return MPROF_E_OK;
    }
    if (add_op(p, FREE, mprof_max_u64(e->ns, block.ns), block.row) == NULL)
        return MPROF_E_NOMEM;
    p->half = is_realloc ? p->ops.count : 0;
    p->new_size = e->end_size;
    return MPROF_E_OK;
}

static enum mprof_err add_event(void *context, const struct mpdata_log_event *e)
{
    struct pass *const p = context;
    enum mprof_err err;

    if (e->kind != MPROF_LOG_EVENT_ALLOC && e->kind != MPROF_LOG_EVENT_FREE)
        return MPROF_E_OK;
    err =
        e->kind == MPROF_LOG_EVENT_ALLOC ? begin_block(p, e) : end_block(p, e);
    p->thread = e->thread;
    p->address = e->at;
    return err;
}

static enum mprof_err add_fact(void *context, uint32_t key, uint64_t number,
                               struct mpdata_str text)
{
    struct pass *const p = context;

    p->is_sampled |= key == MPROF_RAW_META_IS_SAMPLE_PERIOD && number != 0;
    if (key == MPROF_RAW_META_IS_EXECUTABLE)
        p->calls->program = text;
    return MPROF_E_OK;
}

/* -- order ----------------------------------------------------------------- */

MPROF_COMPARATOR(compare_ops, struct op, MPROF_UP(ns) ?: MPROF_UP(order))

/* The ops of one thread are in order. */
static void sort_ops(struct pass *p)
{
    struct op *const ops = p->ops.data;

    for (uint32_t i = 1; i < p->ops.count; i++) {
        if (compare_ops(&ops[i - 1], &ops[i]) > 0) {
            qsort(ops, p->ops.count, sizeof(*ops), compare_ops);
            return;
        }
    }
}

/* -- slots ----------------------------------------------------------------- */

struct block {
    uint64_t size;
    uint32_t slot; /* + 1; 0: not alive */
    uint32_t next; /* slots that are free, by slot: next one + 1 */
};

struct slots {
    struct block *blocks; /* by number */
    uint32_t free;        /* slot + 1 */
    uint32_t count;
};

static uint32_t take_slot(struct slots *s)
{
    const uint32_t slot = s->free != 0 ? s->free : ++s->count;

    if (s->free != 0)
        s->free = s->blocks[slot].next;
    return slot;
}

static void free_slot(struct slots *s, uint32_t slot)
{
    s->blocks[slot].next = s->free;
    s->free = slot;
}

/* Times in a damaged log may have a block end before it begins: then there is
 * no such end. */
static void settle(const struct slots *s, struct op *op)
{
    if (op->kind == FREE && s->blocks[op->block].slot == 0)
        op->kind = DROPPED;
    if (op->kind == REALLOC && s->blocks[op->from].slot == 0)
        op->kind = ALLOC;
}

/* Appends the words of an op; returns their end. */
static uint64_t *write_op(struct slots *s, const struct op *op, uint64_t *words)
{
    struct block *const b = &s->blocks[op->block];
    uint64_t what = MPDATA_REPLAY_FREE;
    uint64_t size = op->size;

    if (op->kind == FREE) {
        *words = b->slot - 1;
        free_slot(s, b->slot);
        b->slot = 0;
        return words + 1;
    }
    if (op->kind == ALLOC) {
        b->slot = take_slot(s);
        what = op->size < MPDATA_REPLAY_SIZE_MAX ? op->size + 1
                                                 : MPDATA_REPLAY_LARGE;
    } else {
        b->slot = s->blocks[op->from].slot;
        s->blocks[op->from].slot = 0;
        what = MPDATA_REPLAY_REALLOC;
    }
    b->size = op->size;
    if (op->block_kind != 0 && size >> MPDATA_REPLAY_SIZE_BITS == 0) {
        what = MPDATA_REPLAY_OF_KIND;
        size |= (uint64_t)op->block_kind << MPDATA_REPLAY_SIZE_BITS |
                (op->kind == REALLOC ? MPDATA_REPLAY_REALLOC_BIT : 0);
    }
    *words++ = (b->slot - 1) | what << MPDATA_REPLAY_SLOT_BITS;
    if (what > MPDATA_REPLAY_SIZE_MAX)
        *words++ = size;
    return words;
}

/* Returns true at a new peak. */
static bool count_op(struct mpdata_replay_calls *c, const struct slots *s,
                     const struct op *op)
{
    const struct block *const blocks = s->blocks;

    if (op->kind == FREE) {
        c->frees++;
        c->live_bytes -= blocks[op->block].size;
        return false;
    }
    if (op->kind == ALLOC) {
        c->allocs++;
    } else {
        c->reallocs++;
        c->live_bytes -= blocks[op->from].size;
    }
    c->live_bytes = mprof_add_sat_u64(c->live_bytes, op->size);
    if (c->live_bytes <= c->peak_bytes)
        return false;
    c->peak_bytes = c->live_bytes;
    return true;
}

/* When the replay measures: all so many calls, at the peak, at the end. */
static void choose_samples(struct mpdata_replay_calls *c, uint64_t peak)
{
    struct mpdata_replay_job *const job = c->job;
    struct mpdata_replay_sample *const samples = job->result.samples;
    const uint64_t parts =
        mprof_min_u64(job->calls, MPDATA_REPLAY_SAMPLES_MAX - 1);
    bool has_peak = false;
    uint32_t count = 0;

    for (uint64_t i = 1; i <= parts; i++) {
        const uint64_t calls =
            job->calls / parts * i + job->calls % parts * i / parts;

        if (!has_peak && calls >= peak) {
            has_peak = true;
            job->peak_sample = c->peak_sample = count;
            if (calls > peak)
                samples[count++].calls = peak;
        }
        samples[count++].calls = calls;
    }
    job->result.sample_count = count;
}

static bool open_job(struct mpdata_replay_calls *c, uint32_t ops)
{
    const uint64_t bytes =
        sizeof(struct mpdata_replay_job) + (uint64_t)ops * 2 * sizeof(uint64_t);
    void *mapped = MAP_FAILED;
    const int fd = memfd_create("replay", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    c->fd = fd;
    c->job = mapped;
    c->job_bytes = bytes;
    c->job->version = MPDATA_REPLAY_VERSION;
    return true;
}

static enum mprof_err write_job(struct pass *p)
{
    struct mpdata_replay_calls *const c = p->calls;
    struct op *const ops = p->ops.data;
    struct slots s = {.blocks = mpdata_vec_array((size_t)p->blocks + 1,
                                                 sizeof(struct block))};
    uint64_t *words;
    uint64_t peak = 0;

    if (s.blocks == NULL || !open_job(c, p->ops.count)) {
        free(s.blocks);
        return MPROF_E_NOMEM;
    }
    words = c->job->words;
    for (uint32_t i = 0; i < p->ops.count; i++) {
        settle(&s, &ops[i]);
        if (ops[i].kind == DROPPED)
            continue;
        c->job->calls++;
        if (count_op(c, &s, &ops[i]))
            peak = c->job->calls;
        words = write_op(&s, &ops[i], words);
    }
    c->job->slots = s.count;
    choose_samples(c, peak);
    free(s.blocks);
    return MPROF_E_OK;
}

/* -- the whole ------------------------------------------------------------- */

enum mprof_err mpdata_calls_read(struct mpdata_replay_calls *calls,
                                 const uint8_t *data, size_t size,
                                 struct mprof_diag *diag)
{
    struct pass p = {.calls = calls,
                     .live.blocks.elem_bytes = sizeof(struct mpdata_live_block),
                     .ops.elem_bytes = sizeof(struct op)};
    const struct mpdata_log_visitor visitor = {
        .event = add_event, .fact = add_fact, .context = &p};
    bool is_whole;
    enum mprof_err err =
        mpdata_event_log_read(data, size, &visitor, &is_whole, &calls->rest);

    mpdata_event_live_fini(&p.live);
    if (err == MPROF_E_NOMEM) {
        *diag = calls->rest;
    } else if (p.is_sampled) {
        err = mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                               "the log has a sample of the blocks only "
                               "(sample=N)");
    } else if (p.blocks == 0) {
        err = mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                               "the log has no allocation");
    } else {
        sort_ops(&p);
        err = write_job(&p);
        if (err != MPROF_E_OK)
            err = mprof_err_plain(diag, err);
    }
    mpdata_vec_fini(&p.ops);
    return err;
}

void mpdata_calls_fini(struct mpdata_replay_calls *calls)
{
    if (calls->job == NULL)
        return;
    munmap(calls->job, calls->job_bytes);
    close(calls->fd);
}
