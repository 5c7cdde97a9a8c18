/* raw_filter.c -- selects call stacks of raw dumps.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/raw_filter.h"
#include "profdata/base/diag.h"
#include "profdata/base/vec.h"

#include <stdlib.h>

typedef bool (*ask_fn)(void *context, const struct mpdata_raw_module *module);

/* Returns fits() for each binary. */
static uint8_t *ask_modules(const struct mpdata_raw *raw, ask_fn fits,
                            void *context)
{
    uint8_t *matches = mpdata_vec_array(raw->module_count, 1);

    for (uint32_t i = 0; matches != NULL && i < raw->module_count; i++)
        matches[i] = fits(context, &raw->modules[i]);
    return matches;
}

/* Returns for each node + 1: does fits() hold for the binary of the node or one
 * of its ancestors? Parents precede their children. */
static uint8_t *find_nodes(const struct mpdata_raw *raw, ask_fn fits,
                           void *context)
{
    uint8_t *const matches = ask_modules(raw, fits, context);
    uint8_t *const has = matches != NULL
                             ? mpdata_vec_array((size_t)raw->node_count + 1, 1)
                             : NULL;

    for (uint32_t i = 0; has != NULL && i < raw->node_count; i++) {
        const struct mpdata_raw_node *node = &raw->nodes[i];
        const mpdata_ref module = raw->frames[node->frame].module;

        has[i + 1] =
            has[node->parent] || (module != 0 && matches[module - 1] != 0);
    }
    free(matches);
    return has;
}

enum { UNKNOWN, WANTED, UNWANTED };

/* Returns WANTED or UNWANTED for each string that is a thread's name. Calls
 * matches_thread() once per name. */
static uint8_t *ask_threads(const struct mpdata_raw *raw,
                            const struct mpdata_raw_filter *filter)
{
    uint8_t *matches = mpdata_vec_array(raw->string_count, 1);

    for (uint32_t i = 0; matches != NULL && i < raw->context_count; i++) {
        const uint32_t thread = raw->contexts[i].thread;

        if (matches[thread] == UNKNOWN)
            matches[thread] = filter->matches_thread(filter->context,
                                                     &raw->string_table[thread])
                                  ? WANTED
                                  : UNWANTED;
    }
    return matches;
}

/* Results of the filter's functions; NULL for a function that is NULL. */
struct answers {
    uint8_t *wanted;   /* indexed by node + 1 */
    uint8_t *unwanted; /* indexed by node + 1 */
    uint8_t *threads;  /* indexed by string */
};

static bool is_stack_kept(const struct answers *a, mpdata_ref node)
{
    return (a->wanted == NULL || a->wanted[node]) &&
           (a->unwanted == NULL || !a->unwanted[node]);
}

static bool is_kept(const struct answers *a,
                    const struct mpdata_raw_context *context)
{
    return is_stack_kept(a, context->node) &&
           (a->threads == NULL || a->threads[context->thread] == WANTED);
}

/* Events and blocks of pools do not record their thread, so only their call
 * stacks count. */
static void keep_tagged_rows(struct mpdata_raw *raw,
                             const struct answers *answers)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < raw->tagged_count; i++) {
        if (is_stack_kept(answers, raw->tagged_rows[i].node))
            raw->tagged_rows[kept++] = raw->tagged_rows[i];
    }
    raw->tagged_count = kept;
}

static void keep_contexts(struct mpdata_raw *raw,
                          struct mpdata_raw_filter *filter,
                          const struct answers *answers)
{
    struct mprof_mib gone = {.AllocCount = 0};
    uint32_t kept = 0;

    filter->dumps++;
    for (uint32_t i = 0; i < raw->context_count; i++) {
        const struct mpdata_raw_context *context = &raw->contexts[i];
        const struct mprof_mib mib = mpdata_raw_mib(raw, i);
        const bool is_first = !mpdata_raw_is_second(raw, i);

        filter->contexts += is_first;
        filter->bytes = mprof_add_sat_u64(filter->bytes, mib.TotalSize);
        filter->leak_checked_blocks = mprof_add_sat_u64(
            filter->leak_checked_blocks, mib.LeakCheckedCount);
        if (is_kept(answers, context)) {
            raw->contexts[kept++] = *context;
            continue;
        }
        gone.AllocCount += is_first;
        gone.TotalSize = mprof_add_sat_u64(gone.TotalSize, mib.TotalSize);
    }
    gone.MinSize = gone.MaxSize = gone.AllocCount;
    mprof_mib_merge(&filter->gone, &gone);
    raw->context_count = kept;
}

static enum mprof_err fail_threads(struct mprof_diag *diag)
{
    return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                            "it does not record which thread allocated; run "
                            "the program with MEMPROF_OPTIONS=per_thread=1, "
                            "and filter when raw profiles are merged");
}

enum mprof_err mpdata_raw_filter_refuse(const struct mpdata_raw_filter *filter,
                                        const char *what,
                                        struct mprof_diag *diag)
{
    if (filter->matches_thread != NULL)
        return fail_threads(diag);
    return mpdata_diag_text(diag, MPROF_E_UNSUPPORTED,
                            "%s does not record the binary of a frame; filter "
                            "when raw profiles are merged",
                            what);
}

/* Calls the filter's functions. Returns false when out of memory. */
static bool ask(const struct mpdata_raw *raw,
                const struct mpdata_raw_filter *filter, struct answers *a)
{
    if (filter->matches != NULL)
        a->wanted = find_nodes(raw, filter->matches, filter->context);
    if (filter->excludes != NULL)
        a->unwanted = find_nodes(raw, filter->excludes, filter->context);
    if (filter->matches_thread != NULL)
        a->threads = ask_threads(raw, filter);
    return (filter->matches != NULL) == (a->wanted != NULL) &&
           (filter->excludes != NULL) == (a->unwanted != NULL) &&
           (filter->matches_thread != NULL) == (a->threads != NULL);
}

enum mprof_err mpdata_raw_filter(struct mpdata_raw *raw,
                                 struct mpdata_raw_filter *filter,
                                 struct mprof_diag *diag)
{
    struct answers answers = {.wanted = NULL};
    enum mprof_err err = MPROF_E_OK;

    if (filter->matches_thread != NULL && !raw->has_threads)
        return fail_threads(diag);
    if (ask(raw, filter, &answers)) {
        keep_contexts(raw, filter, &answers);
        keep_tagged_rows(raw, &answers);
    } else {
        err = mprof_err_plain(diag, MPROF_E_NOMEM);
    }
    free(answers.threads);
    free(answers.unwanted);
    free(answers.wanted);
    return err;
}

struct mpdata_raw_filter
mpdata_raw_filter_fresh(const struct mpdata_raw_filter *filter)
{
    return (struct mpdata_raw_filter){.matches = filter->matches,
                                      .excludes = filter->excludes,
                                      .matches_thread = filter->matches_thread,
                                      .context = filter->context};
}

void mpdata_raw_filter_add(struct mpdata_raw_filter *filter,
                           const struct mpdata_raw_filter *other,
                           uint64_t weight)
{
    struct mprof_mib gone = other->gone;

    gone.AllocCount = mprof_mul_sat_u64(gone.AllocCount, weight);
    gone.TotalSize = mprof_mul_sat_u64(gone.TotalSize, weight);
    mprof_mib_merge(&filter->gone, &gone);
    filter->dumps = mprof_add_sat_u64(filter->dumps,
                                      mprof_mul_sat_u64(other->dumps, weight));
    filter->contexts = mprof_add_sat_u64(
        filter->contexts, mprof_mul_sat_u64(other->contexts, weight));
    filter->bytes = mprof_add_sat_u64(filter->bytes,
                                      mprof_mul_sat_u64(other->bytes, weight));
    filter->leak_checked_blocks = mprof_add_sat_u64(filter->leak_checked_blocks,
                                                    other->leak_checked_blocks);
}
