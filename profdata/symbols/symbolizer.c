/* symbolizer.c -- finds the frames of addresses: in the cache, else with
 * memprofdata-symbolizer.
 *
 * The addresses of a profile are sorted and divided into tasks, one process
 * each: at least one task per binary, several for a binary with many addresses.
 * Threads take the tasks one by one. If debug information crashes the process,
 * its binary loses lines and keeps function names from the symbol table. Each
 * task has its own symbols, which are added to the binary's symbols in task
 * order.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"
#include "shared/container.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define THREADS_MAX 16u
/* A second process for the same file pays off from this number of addresses on.
 */
#define TASK_ADDRESSES_MIN 1024u
/* Limit of the length of a name; higher if the files are large compared to the
 * number of addresses. */
#define TEXT_BYTES_MIN ((size_t)4096)
#define TEXT_BYTES_PER_BYTE 32

struct mpdata_symbolized_binary {
    struct mpdata_symbols symbols;
    uint64_t key; /* key in the cache; 0: not cached */
    bool is_dirty;
    struct mpdata_remote_file file; /* borrows strings from mpdata_binaries */
    bool is_broken; /* its debug information crashed a process */
};

/* -- one binary ------------------------------------------------------------ */

static void free_binary(struct mpdata_symbolized_binary *b)
{
    if (b == NULL)
        return;
    mpdata_symbols_fini(&b->symbols);
    free(b);
}

/* Saves the symbols of all binaries of this session if any are new. */
static void save_cache(const struct mpdata_symbolizer *s)
{
    struct mpdata_symcache_entry *const entries =
        mpdata_vec_array(s->binary_count, sizeof(*entries));
    char *const path = mpdata_symcache_path();
    bool is_dirty = false;
    size_t count = 0;

    for (size_t i = 0; entries != NULL && i < s->binary_count; i++) {
        const struct mpdata_symbolized_binary *const b = s->binaries[i];

        if (b == NULL || b->key == 0 || b->symbols.failed)
            continue;
        entries[count++] = (struct mpdata_symcache_entry){
            .key = b->key, .symbols = &b->symbols};
        is_dirty |= b->is_dirty;
    }
    if (is_dirty && path != NULL)
        mpdata_symcache_save(path, entries, count);
    free(path);
    free(entries);
}

void mpdata_symbolizer_finish(struct mpdata_symbolizer *symbolizer)
{
    save_cache(symbolizer);
    for (size_t i = 0; i < symbolizer->binary_count; i++)
        free_binary(symbolizer->binaries[i]);
    free(symbolizer->binaries);
    symbolizer->binaries = NULL;
    symbolizer->binary_count = 0;
}

void mpdata_symbolizer_fini(struct mpdata_symbolizer *symbolizer)
{
    mpdata_symbolizer_finish(symbolizer);
    mpdata_remote_close(symbolizer->demangler);
    free(symbolizer->helper);
    *symbolizer = (struct mpdata_symbolizer){.helper = NULL};
}

/* Returns the cache key: everything that the symbols depend on. A copy with the
 * same build id may be stripped, a debug file may be installed later, and
 * another version of our code or of LLVM may answer differently. 0: not cached.
 */
static uint64_t make_key(struct mpdata_symbolizer *s,
                         const struct mpdata_binary_file *file,
                         const struct mpdata_debugfile *debug)
{
    const uint64_t words[] = {
        mprof_checksum(file->build_id, file->build_id_size),
        mpdata_bridge_identity(s), file->stamp, (uint64_t)debug->kind,
        /* A server's file for a build id never changes. */
        debug->kind == MPDATA_DEBUG_SERVER ? 0 : debug->stamp};

    return s->use_cache && file->build_id_size != 0
               ? mprof_checksum(words, sizeof(words))
               : 0;
}

static void load_cached(struct mpdata_symbolized_binary *b)
{
    char *const path = b->key != 0 ? mpdata_symcache_path() : NULL;

    if (path != NULL)
        (void)mpdata_symcache_load(path, b->key, &b->symbols);
    free(path);
}

static struct mpdata_symbolized_binary *
open_binary(struct mpdata_symbolizer *s, struct mpdata_binaries *binaries,
            uint32_t index, const struct mpdata_diag_warn *warn)
{
    const struct mpdata_debugfile *const debug =
        mpdata_binaries_debug(binaries, index, warn);
    const struct mpdata_binary_file *const file = &binaries->files[index];
    struct mpdata_symbolized_binary *const b = calloc(1, sizeof(*b));

    if (b == NULL)
        return NULL;
    mpdata_symbols_init(&b->symbols);
    b->is_broken = file->is_broken;
    b->file = (struct mpdata_remote_file){
        .path = file->path,
        .debug = debug->path != NULL && debug->kind != MPDATA_DEBUG_OWN
                     ? debug->path
                     : "",
        .dwp = debug->dwp != NULL ? debug->dwp : "",
        .wants_lines = debug->path != NULL &&
                       debug->kind != MPDATA_DEBUG_NAMES && !file->is_broken};
    b->key = make_key(s, file, debug);
    load_cached(b);
    return b;
}

static struct mpdata_symbolized_binary *
get_binary(struct mpdata_symbolizer *s, struct mpdata_binaries *binaries,
           uint32_t index, const struct mpdata_diag_warn *warn)
{
    if (index >= s->binary_count) {
        const size_t count = binaries->count;
        struct mpdata_symbolized_binary **const more = reallocarray(
            s->binaries, count, sizeof(struct mpdata_symbolized_binary *));

        if (more == NULL)
            return NULL;
        memset(more + s->binary_count, 0,
               (count - s->binary_count) *
                   sizeof(struct mpdata_symbolized_binary *));
        s->binaries = more;
        s->binary_count = count;
    }
    if (s->binaries[index] == NULL)
        s->binaries[index] = open_binary(s, binaries, index, warn);
    return s->binaries[index];
}

const struct mpdata_symbols *
mpdata_symbolizer_symbols(const struct mpdata_symbolizer *symbolizer,
                          uint32_t binary)
{
    return &symbolizer->binaries[binary]->symbols;
}

/* -- tasks ----------------------------------------------------------------- */

struct task {
    struct mpdata_symbolized_binary *binary;
    uint32_t index;
    const struct mpdata_wanted *wanted; /* ascending by address */
    size_t count;
    struct mpdata_symbols symbols;
    char error[MPROF_DIAG_TEXT_BYTES]; /* "" unless the process failed */
};

struct job {
    const char *helper;
    struct task *tasks;
    size_t count;
    atomic_size_t next;
};

static void start_task(struct task *task)
{
    mpdata_symbols_init(&task->symbols);
    task->error[0] = '\0';
}

/* Records addresses without an answer as unknown. */
static void take_nothing(struct task *task)
{
    static const struct mpdata_symbol unknown;

    for (size_t i = 0; i < task->count; i++) {
        const uint64_t address = task->wanted[i].address;

        if (mpdata_symbols_find(&task->symbols, address) == NULL)
            mpdata_symbols_add(&task->symbols, address, MPDATA_SYMBOL_NONE,
                               &unknown, 1);
    }
}

static bool ask(struct task *task, struct mpdata_remote *remote)
{
    uint64_t *const addresses =
        mpdata_vec_array(task->count, sizeof(*addresses));
    bool is_answered = addresses != NULL;

    task->symbols.failed |= addresses == NULL;
    for (size_t i = 0; is_answered && i < task->count; i++)
        addresses[i] = task->wanted[i].address;
    is_answered =
        is_answered &&
        mpdata_remote_lookup(remote, addresses, task->count, &task->symbols);
    free(addresses);
    return is_answered;
}

static void run_task(const struct job *job, struct task *task)
{
    struct mpdata_remote *const remote =
        mpdata_remote_open(job->helper, &task->binary->file);

    if (remote == NULL)
        task->symbols.failed = true;
    else if (!ask(task, remote) && !task->symbols.failed)
        snprintf(task->error, sizeof(task->error), "%s",
                 mpdata_remote_error(remote));
    mpdata_remote_close(remote);
}

static void *run_worker(void *context)
{
    struct job *const job = context;

    for (;;) {
        const size_t i = atomic_fetch_add(&job->next, 1);

        if (i >= job->count)
            return NULL;
        run_task(job, &job->tasks[i]);
    }
}

static uint32_t count_threads(const struct mpdata_symbolizer *s)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = s->threads;

    if (threads == 0)
        threads = online > 0 ? (uint64_t)online : 1;
    return (uint32_t)mprof_min_u64(threads, THREADS_MAX);
}

/* Runs the tasks on this thread and others; fewer threads suffice if some
 * cannot be started. */
static void run_tasks(const struct mpdata_symbolizer *s, struct task *tasks,
                      size_t count)
{
    struct job job = {.helper = s->helper, .tasks = tasks, .count = count};
    const uint64_t threads = mprof_min_u64(count_threads(s), count);
    pthread_t others[THREADS_MAX];
    uint32_t started = 0;

    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, run_worker, &job) == 0)
        started++;
    (void)run_worker(&job);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

/* Divides the addresses of one binary into tasks. */
static bool cut(const struct mpdata_symbolizer *s, struct mpdata_vec *tasks,
                const struct task *all)
{
    const size_t size = mprof_min_u64(
        mprof_max_u64(all->count / count_threads(s) + 1, TASK_ADDRESSES_MIN),
        MPDATA_REMOTE_ADDRESSES_MAX);

    for (size_t i = 0; i < all->count; i += size) {
        struct task *const task = mpdata_vec_push(tasks);

        if (task == NULL)
            return false;
        *task = *all;
        task->wanted = all->wanted + i;
        task->count = mprof_min_u64(size, all->count - i);
        start_task(task);
    }
    return true;
}

/* -- all addresses --------------------------------------------------------- */

MPROF_COMPARATOR(compare_wanted, struct mpdata_wanted,
                 MPROF_UP(binary) ?: MPROF_UP(address))

/* Moves the addresses that are not known yet to the front, without duplicates.
 * Returns their number. */
static size_t keep_unknown(const struct mpdata_symbolized_binary *b,
                           struct mpdata_wanted *wanted, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        if ((i != 0 && wanted[i].address == wanted[i - 1].address) ||
            mpdata_symbols_find(&b->symbols, wanted[i].address) != NULL)
            continue;
        wanted[kept++] = wanted[i];
    }
    return kept;
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* Limits the length of names by the sizes of the files: damaged files could
 * otherwise make many addresses share one huge string. */
static size_t find_text_max(const struct mpdata_symbolized_binary *b,
                            size_t count)
{
    return TEXT_BYTES_MIN +
           TEXT_BYTES_PER_BYTE *
               (file_bytes(b->file.path) + file_bytes(b->file.debug)) / count;
}

/* Adds the tasks of one binary. */
static enum mprof_err add_tasks(struct mpdata_symbolizer *s,
                                struct mpdata_binaries *binaries,
                                struct mpdata_wanted *wanted, size_t count,
                                const struct mpdata_diag_warn *warn,
                                struct mpdata_vec *tasks,
                                struct mprof_diag *diag)
{
    struct task all = {.index = wanted[0].binary, .wanted = wanted};

    all.binary = get_binary(s, binaries, all.index, warn);
    if (all.binary == NULL)
        return mprof_err_plain(diag, MPROF_E_NOMEM);
    all.count = keep_unknown(all.binary, wanted, count);
    if (all.count == 0)
        return MPROF_E_OK;
    enum mprof_err err = mpdata_bridge_load(s, diag);
    if (err != MPROF_E_OK)
        return err;
    all.binary->file.text_bytes_max = find_text_max(all.binary, all.count);
    return cut(s, tasks, &all) ? MPROF_E_OK
                               : mprof_err_plain(diag, MPROF_E_NOMEM);
}

/* Marks a binary whose debug information cannot be read, and warns once. Its
 * symbols are not cached. */
static void mark_broken(struct mpdata_binaries *binaries,
                        const struct task *task, const char *file,
                        const struct mpdata_diag_warn *warn)
{
    struct mpdata_symbolized_binary *const b = task->binary;

    if (b->is_broken)
        return;
    mpdata_diag_warn(warn, file,
                     "%s: functions are named by its symbol table alone: %s",
                     binaries->files[task->index].path, task->error);
    binaries->files[task->index].is_broken = b->is_broken = true;
    b->file.wants_lines = false;
    b->key = 0;
}

/* Repeats all tasks of binaries with a failed task, using symbol tables only.
 * Keeping the answers of its other tasks would make the result depend on the
 * division into tasks. */
static void run_broken(struct mpdata_symbolizer *s,
                       struct mpdata_binaries *binaries,
                       const struct mpdata_vec *tasks, const char *file,
                       const struct mpdata_diag_warn *warn)
{
    struct task *const rows = tasks->data;
    struct job job = {.helper = s->helper};

    for (uint32_t i = 0; i < tasks->count; i++) {
        if (rows[i].error[0] != '\0')
            mark_broken(binaries, &rows[i], file, warn);
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (!rows[i].binary->is_broken)
            continue;
        mpdata_symbols_fini(&rows[i].symbols);
        start_task(&rows[i]);
        run_task(&job, &rows[i]);
        take_nothing(&rows[i]);
    }
}

/* Warns about missing files of split DWARF, which the compiler wrote beside the
 * object files. */
static void warn_split(const struct mpdata_symbolized_binary *b,
                       const char *path, const char *file,
                       const struct mpdata_diag_warn *warn)
{
    const struct mpdata_vec *const all = &b->symbols.splits;
    const struct mpdata_symbol_split *const splits = all->data;
    const char *first = NULL;
    uint32_t missing = 0;

    for (uint32_t i = 0; b->file.dwp[0] == '\0' && i < all->count; i++) {
        if (splits[i].stamp != 0)
            continue;
        if (missing++ == 0)
            first = splits[i].path;
    }
    if (missing != 0)
        mpdata_diag_warn(
            warn, file,
            "%" PRIu32 " of the .dwo files of %s are missing, one is "
            "%s; give the directory of its .dwp file with --debug-dir=",
            missing, path, first);
}

/* Adds the tasks' symbols to their binaries, in task order. */
static enum mprof_err take_all(struct mpdata_vec *tasks, enum mprof_err err,
                               struct mprof_diag *diag)
{
    struct task *const rows = tasks->data;

    for (uint32_t i = 0; i < tasks->count; i++) {
        struct mpdata_symbolized_binary *const b = rows[i].binary;

        if (err == MPROF_E_OK) {
            mpdata_symbols_merge(&b->symbols, &rows[i].symbols);
            b->is_dirty = true;
            if (b->symbols.failed)
                err = mprof_err_plain(diag, MPROF_E_NOMEM);
        }
        mpdata_symbols_fini(&rows[i].symbols);
    }
    mpdata_vec_fini(tasks);
    return err;
}

enum mprof_err mpdata_symbolizer_find(struct mpdata_symbolizer *symbolizer,
                                      struct mpdata_binaries *binaries,
                                      struct mpdata_wanted *wanted,
                                      size_t count, const char *file,
                                      const struct mpdata_diag_warn *warn,
                                      struct mprof_diag *diag)
{
    struct mpdata_vec tasks = {.elem_bytes = sizeof(struct task)};
    enum mprof_err err = MPROF_E_OK;

    qsort(wanted, count, sizeof(*wanted), compare_wanted);
    for (size_t i = 0, end; i < count && err == MPROF_E_OK; i = end) {
        for (end = i + 1;
             end < count && wanted[end].binary == wanted[i].binary;)
            end++;
        err = add_tasks(symbolizer, binaries, wanted + i, end - i, warn, &tasks,
                        diag);
    }
    if (err == MPROF_E_OK && tasks.count != 0) {
        run_tasks(symbolizer, (struct task *)tasks.data, tasks.count);
        run_broken(symbolizer, binaries, &tasks, file, warn);
    }
    err = take_all(&tasks, err, diag);
    for (size_t i = 0; i < symbolizer->binary_count; i++) {
        if (symbolizer->binaries[i] != NULL)
            warn_split(symbolizer->binaries[i], binaries->files[i].path, file,
                       warn);
    }
    return err;
}
