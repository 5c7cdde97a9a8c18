/* prefetch.c -- a ring of inputs: threads fill slots in order, the caller
 * empties them in order.
 *
 * One lock protects everything. Each input costs several system calls, so the
 * lock is rarely contended.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/load.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* Parsed inputs may be large, so few of them wait. */
#define SLOTS_PER_THREAD 1
#define THREADS_MAX 64

struct slot {
    struct mpdata_parsed parsed;
    bool is_ready;
};

struct mpdata_prefetch {
    const struct mpdata_inputs *inputs;
    bool verify;
    struct mpdata_event_choice *choice;
    pthread_t threads[THREADS_MAX];
    uint32_t thread_count; /* 0: the caller's thread parses */
    pthread_mutex_t lock;
    pthread_cond_t ready; /* a slot was filled */
    pthread_cond_t room;  /* a slot was emptied, or is_over was set */
    struct slot *slots;
    uint32_t slot_count;
    uint32_t claimed; /* inputs that a thread started to parse */
    uint32_t taken;   /* inputs that the caller has consumed */
    bool is_over;
};

static void fill_slot(const struct mpdata_prefetch *a, struct slot *slot,
                      uint32_t i)
{
    mpdata_parse(&slot->parsed, mpdata_inputs_get(a->inputs, i)->path,
                 a->verify, a->choice);
}

static void *work(void *argument)
{
    struct mpdata_prefetch *const a = (struct mpdata_prefetch *)argument;

    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (!a->is_over && a->claimed < a->inputs->count &&
               a->claimed - a->taken >= a->slot_count)
            pthread_cond_wait(&a->room, &a->lock);
        if (a->is_over || a->claimed == a->inputs->count)
            break;
        uint32_t i = a->claimed++;
        struct slot *slot = &a->slots[i % a->slot_count];
        pthread_mutex_unlock(&a->lock);
        fill_slot(a, slot, i);
        pthread_mutex_lock(&a->lock);
        slot->is_ready = true;
        pthread_cond_signal(&a->ready);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static uint32_t choose_threads(uint32_t threads, uint32_t count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (threads == MPDATA_PREFETCH_ALL)
        threads = processors > 1 ? (uint32_t)processors - 1 : 0;
    /* A second thread does not speed up a single input. */
    if (count < 2)
        threads = 0;
    return (uint32_t)mprof_min_u64(threads, mprof_min_u64(count, THREADS_MAX));
}

struct mpdata_prefetch *
mpdata_prefetch_start(const struct mpdata_inputs *inputs, uint32_t threads,
                      bool verify_checksums, struct mpdata_event_choice *choice)
{
    struct mpdata_prefetch *a = calloc(1, sizeof(*a));

    if (a == NULL)
        return NULL;
    a->inputs = inputs;
    a->verify = verify_checksums;
    a->choice = choice;
    threads = choose_threads(threads, inputs->count);
    a->slot_count = threads * SLOTS_PER_THREAD + 1;
    a->slots = calloc(a->slot_count, sizeof(*a->slots));
    if (a->slots == NULL) {
        free(a);
        return NULL;
    }
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->ready, NULL);
    pthread_cond_init(&a->room, NULL);
    /* With fewer threads than requested the result is the same, only later. */
    while (a->thread_count < threads &&
           pthread_create(&a->threads[a->thread_count], NULL, work, a) == 0)
        a->thread_count++;
    return a;
}

void mpdata_prefetch_stop(struct mpdata_prefetch *a)
{
    if (a == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    a->is_over = true;
    pthread_cond_broadcast(&a->room);
    pthread_mutex_unlock(&a->lock);
    for (uint32_t i = 0; i < a->thread_count; i++)
        pthread_join(a->threads[i], NULL);
    for (uint32_t i = 0; i < a->slot_count; i++) {
        if (a->slots[i].is_ready)
            mpdata_parse_free(&a->slots[i].parsed);
    }
    pthread_cond_destroy(&a->room);
    pthread_cond_destroy(&a->ready);
    pthread_mutex_destroy(&a->lock);
    free(a->slots);
    free(a);
}

/* Waits for the next input's slot to be filled. */
static struct slot *next_slot(struct mpdata_prefetch *a)
{
    struct slot *slot = &a->slots[a->taken % a->slot_count];

    if (a->thread_count == 0) {
        fill_slot(a, slot, a->taken);
        return slot;
    }
    pthread_mutex_lock(&a->lock);
    while (!slot->is_ready)
        pthread_cond_wait(&a->ready, &a->lock);
    pthread_mutex_unlock(&a->lock);
    return slot;
}

enum mprof_err mpdata_prefetch_load(struct mpdata_prefetch *a,
                                    struct mpdata_load_context *load,
                                    const struct mpdata_input **input,
                                    struct mprof_diag *diag)
{
    struct slot *slot = next_slot(a);

    *input = mpdata_inputs_get(a->inputs, a->taken);
    enum mprof_err err = mpdata_inputs_error(*input, diag);
    if (err == MPROF_E_OK)
        err = mpdata_load_parsed(load, &slot->parsed, (*input)->path,
                                 (*input)->weight, diag);
    mpdata_parse_free(&slot->parsed);
    pthread_mutex_lock(&a->lock);
    slot->is_ready = false;
    a->taken++;
    pthread_cond_signal(&a->room);
    pthread_mutex_unlock(&a->lock);
    return err;
}
