/* symbolizer.c -- who knows an address: the cache, else the binary's debug
 * information and symbol table.
 *
 * The addresses of a profile are sorted and cut into tasks, which threads take
 * one by one: at the bounds of binaries, and of compile units in a binary with
 * many addresses. Debug information is read by our reader (dwarf.h); what that
 * leaves makes new tasks, for LLVM's, which is started only then, as a process
 * for each file and thread: a file that it crashes on costs that file's lines.
 * Each task has its own symbols, added to the binary's in the order of the
 * tasks.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/symbolizer.h"
#include "profdata/symbols/bridge.h"
#include "profdata/symbols/dwarf.h"
#include "profdata/symbols/elf_symbols.h"
#include "profdata/base/file.h"
#include "profdata/symbols/remote.h"
#include "profdata/symbols/symbol_pick.h"
#include "profdata/symbols/symcache.h"
#include "profdata/symbols/symcache_splits.h"
#include "shared/container.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS_MAX 16u
/* Fewer addresses are not worth a second reader of the same file. */
#define TASK_ADDRESSES_MIN 256u
#define TASKS_PER_THREAD 4u
/* With more tasks than this for LLVM none keeps its process. */
#define TASKS_KEEPING_MAX 64u
/* After so many bytes of entries their file is forgotten. */
#define FORGET_BYTES (4u << 20)
/* How long a name may be, and more where files are large for their addresses.
 */
#define TEXT_BYTES_MIN ((size_t)4096)
#define TEXT_BYTES_PER_BYTE 32

struct mpdata_symbolized_binary {
    struct mpdata_symbols symbols;
    struct mpdata_vec splits; /* files of split DWARF that were looked for */
    char *cache_path;         /* NULL: not cached */
    uint64_t key;
    bool is_dirty;
    const char *debug_path; /* borrowed from the binaries; NULL: none */
    const char *names_path; /* so too */
    const char *dwp;
    struct mpdata_file file;       /* that the names lie in */
    struct mpdata_elf_name *names; /* of the addresses that are asked for */
    size_t name_count;
    /* What our reader reads, where it can read the file at all. */
    struct mpdata_file debug_file;
    struct mpdata_elf_debug sections;
    struct mpdata_dwarf dwarf;
    bool is_tried;
    bool has_dwarf;
    bool is_broken;                             /* LLVM cannot read it */
    struct mpdata_remote *readers[THREADS_MAX]; /* LLVM's, one a thread */
};

/* -- one binary ------------------------------------------------------------ */

static void close_readers(struct mpdata_symbolized_binary *b)
{
    for (size_t i = 0; i < THREADS_MAX; i++) {
        mpdata_remote_close(b->readers[i]);
        b->readers[i] = NULL;
    }
}

static void free_binary(struct mpdata_symbolized_binary *b)
{
    if (b == NULL)
        return;
    if (b->is_dirty && b->cache_path != NULL && !b->symbols.failed)
        mpdata_symcache_save(b->cache_path, b->key, &b->symbols, &b->splits);
    close_readers(b);
    mpdata_symbols_fini(&b->symbols);
    mpdata_symcache_splits_fini(&b->splits);
    mpdata_dwarf_fini(&b->dwarf);
    mpdata_file_close(&b->debug_file);
    mpdata_file_close(&b->file);
    free(b->names);
    free(b->cache_path);
    free(b);
}

void mpdata_symbolizer_finish(struct mpdata_symbolizer *symbolizer)
{
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

/* What the symbols of a binary depend on besides its build id: a copy may be
 * stripped, its debug information may come later, and another version of our
 * code or LLVM's may answer otherwise. */
static uint64_t make_key(struct mpdata_symbolizer *s,
                         const struct mpdata_binary_file *file,
                         const struct mpdata_debugfile *debug)
{
    const uint64_t words[] = {
        mpdata_bridge_identity(s), file->stamp, (uint64_t)debug->kind,
        /* What a server has for a build id never changes. */
        debug->kind == MPDATA_DEBUG_SERVER ? 0 : debug->stamp};

    return mprof_checksum(words, sizeof(words));
}

static struct mpdata_symbolized_binary *
open_binary(struct mpdata_symbolizer *s, struct mpdata_binaries *binaries,
            uint32_t index, const struct mpdata_diag_warn *warn)
{
    const struct mpdata_debugfile *const debug =
        mpdata_binaries_debug(binaries, index, warn);
    const struct mpdata_binary_file *const file = &binaries->files[index];
    struct mpdata_symbolized_binary *const b =
        (struct mpdata_symbolized_binary *)calloc(1, sizeof(*b));

    if (b == NULL)
        return NULL;
    mpdata_symbols_init(&b->symbols);
    b->splits.elem_bytes = sizeof(struct mpdata_symcache_split);
    b->names_path = debug->path;
    b->debug_path = debug->kind != MPDATA_DEBUG_NAMES ? debug->path : NULL;
    b->dwp = debug->dwp != NULL ? debug->dwp : "";
    if (!s->use_cache)
        return b;
    b->key = make_key(s, file, debug);
    b->cache_path = mpdata_symcache_path(file->build_id, file->build_id_size);
    if (b->cache_path != NULL)
        (void)mpdata_symcache_load(b->cache_path, b->key, &b->symbols,
                                   &b->splits);
    return b;
}

static struct mpdata_symbolized_binary *
get_binary(struct mpdata_symbolizer *s, struct mpdata_binaries *binaries,
           uint32_t index, const struct mpdata_diag_warn *warn)
{
    if (index >= s->binary_count) {
        const size_t count = binaries->count;
        struct mpdata_symbolized_binary **const more =
            (struct mpdata_symbolized_binary **)reallocarray(
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

/* Names the rows by one file's symbol table; false where it has none. */
static bool read_names(struct mpdata_symbolized_binary *b, const char *path,
                       bool is_dynamic, size_t count)
{
    struct mpdata_elf elf;
    bool found = false;

    mpdata_file_close(&b->file);
    if (path == NULL || mpdata_file_open(&b->file, path, NULL) != MPROF_E_OK)
        return false;
    if (mpdata_elf_read(&elf, b->file.data, b->file.size, NULL) == MPROF_E_OK)
        found =
            is_dynamic
                ? mpdata_elf_symbols_find(&elf.dynamic_symbols,
                                          &elf.dynamic_names, b->names, count)
                : elf.symbols.size != 0 &&
                      mpdata_elf_symbols_find(&elf.symbols, &elf.symbol_names,
                                              b->names, count);
    return found;
}

/* Names addresses by the symbol table: the binary's, that of its debug file
 * where the binary is stripped, else what it exports. False without memory. */
static bool find_names(struct mpdata_symbolized_binary *b, const char *path,
                       const struct mpdata_wanted *wanted, size_t count)
{
    free(b->names);
    b->names =
        (struct mpdata_elf_name *)mpdata_vec_array(count, sizeof(*b->names));
    if (b->names == NULL)
        return false;
    b->name_count = count;
    for (size_t i = 0; i < count; i++)
        b->names[i].address = wanted[i].address;
    (void)!(read_names(b, path, false, count) ||
            read_names(b, b->names_path, false, count) ||
            read_names(b, path, true, count));
    return true;
}

/* The row of one of these addresses. */
static const struct mpdata_elf_name *
find_name(const struct mpdata_symbolized_binary *b, uint64_t address)
{
    size_t low = 0;
    size_t high = b->name_count;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (b->names[middle].address <= address)
            low = middle;
        else
            high = middle;
    }
    return &b->names[low];
}

/* Opens the debug information for our reader, once; is it for it? */
static bool open_dwarf(struct mpdata_symbolized_binary *b)
{
    struct mpdata_elf elf;

    if (b->is_tried)
        return b->has_dwarf;
    b->is_tried = true;
    if (mpdata_file_open(&b->debug_file, b->debug_path, NULL) != MPROF_E_OK ||
        mpdata_elf_read(&elf, b->debug_file.data, b->debug_file.size, NULL) !=
            MPROF_E_OK)
        return false;
    b->sections = elf.debug;
    b->has_dwarf = mpdata_dwarf_open(&b->dwarf, &b->sections);
    return b->has_dwarf;
}

/* -- tasks ----------------------------------------------------------------- */

struct task {
    struct mpdata_symbolized_binary *binary;
    uint32_t index;
    struct mpdata_wanted *wanted; /* by unit and address, or by address */
    size_t count;
    bool is_ours; /* for our reader, else for LLVM's */
    struct mpdata_symbols symbols;
    size_t text_bytes_max; /* of symbols */
    struct mpdata_vec splits;
    char error[MPROF_DIAG_TEXT_BYTES]; /* "" unless LLVM cannot read it */
};

struct job {
    const char *helper;
    struct task *tasks;
    size_t count;
    atomic_size_t next;
    atomic_uint worker;
};

static struct mpdata_remote *get_reader(const char *helper,
                                        struct mpdata_symbolized_binary *b,
                                        unsigned worker)
{
    if (b->readers[worker] == NULL)
        b->readers[worker] = mpdata_remote_open(helper, b->debug_path, b->dwp);
    return b->readers[worker];
}

static void take_split(void *context, const char *path)
{
    struct task *const task = (struct task *)context;

    if (!mpdata_symcache_splits_add(&task->splits, path))
        task->symbols.failed = true;
}

static void start_pick(struct mpdata_symbol_pick *pick, const struct task *task,
                       uint64_t address)
{
    const struct mpdata_elf_name *const name = find_name(task->binary, address);

    pick->address = address;
    pick->file = name->file;
    mpdata_symbol_pick_name(pick, name->name);
}

struct answer {
    const struct task *task;
    struct mpdata_symbol_pick pick;
};

static void take_answer(void *context, const struct mpdata_wanted *wanted,
                        const struct mpdata_symbol *symbols, size_t count)
{
    struct answer *const answer = (struct answer *)context;

    start_pick(&answer->pick, answer->task, wanted->address);
    mpdata_symbol_pick_take(&answer->pick, symbols, count);
}

/* The bytes of the entries of a unit that was read. */
static uint32_t unit_bytes(const struct mpdata_dwarf *dwarf, uint32_t number)
{
    const struct mpdata_dwarf_unit *const units =
        (const struct mpdata_dwarf_unit *)dwarf->units.data;

    return number != MPDATA_DWARF_NO_UNIT && number != MPDATA_DWARF_LEFT
               ? units[number - 1].end - units[number - 1].off
               : 0;
}

/* Unit by unit; those that cannot be read are marked. */
static void run_ours(struct task *task)
{
    uint64_t bytes = 0;
    struct answer answer = {.task = task, .pick = {.symbols = &task->symbols}};

    for (size_t i = 0, end; i < task->count; i = end) {
        struct mpdata_wanted *const first = &task->wanted[i];

        for (end = i + 1;
             end < task->count && task->wanted[end].unit == first->unit;)
            end++;
        bytes += unit_bytes(&task->binary->dwarf, first->unit);
        if (bytes >= FORGET_BYTES) {
            mpdata_file_forget(&task->binary->debug_file);
            bytes = 0;
        }
        if (mpdata_dwarf_unit_find(&task->binary->dwarf, first, end - i,
                                   take_answer, &answer))
            continue;
        for (size_t k = i; k < end; k++)
            task->wanted[k].unit = MPDATA_DWARF_LEFT;
    }
}

static void start_symbols(struct task *task)
{
    mpdata_symbols_init(&task->symbols);
    task->symbols.text_bytes_max = task->text_bytes_max;
}

/* What the symbol table knows, and nothing else. */
static void name_by_table(struct task *task)
{
    static const struct mpdata_symbol unknown;
    struct mpdata_symbol_pick pick = {.symbols = &task->symbols};

    mpdata_symbols_fini(&task->symbols);
    start_symbols(task);
    for (size_t i = 0; i < task->count; i++) {
        start_pick(&pick, task, task->wanted[i].address);
        mpdata_symbol_pick_take(&pick, &unknown, 1);
    }
}

static void take_frames(void *context, uint64_t address,
                        const struct mpdata_symbol *symbols, size_t count)
{
    struct task *const task = (struct task *)context;
    struct mpdata_symbol_pick pick = {.symbols = &task->symbols};

    start_pick(&pick, task, address);
    mpdata_symbol_pick_take(&pick, symbols, count);
}

static void run_llvm(const struct job *job, struct task *task, unsigned worker)
{
    uint64_t addresses[MPDATA_REMOTE_ADDRESSES_MAX];
    struct mpdata_remote *reader;

    if (task->binary->debug_path == NULL || task->binary->is_broken) {
        name_by_table(task);
        return;
    }
    reader = get_reader(job->helper, task->binary, worker);
    if (reader == NULL) {
        task->symbols.failed = true;
        return;
    }
    for (size_t i = 0, n; i < task->count && task->error[0] == '\0'; i += n) {
        for (n = 0; n < MPROF_ARRAY_LEN(addresses) && i + n < task->count; n++)
            addresses[n] = task->wanted[i + n].address;
        if (!mpdata_remote_lookup(reader, addresses, n, take_frames, take_split,
                                  task))
            snprintf(task->error, sizeof(task->error), "%s",
                     mpdata_remote_error(reader));
    }
    if (job->count > TASKS_KEEPING_MAX) {
        mpdata_remote_close(reader);
        task->binary->readers[worker] = NULL;
    }
}

static void *run_worker(void *context)
{
    struct job *const job = (struct job *)context;
    const unsigned worker = atomic_fetch_add(&job->worker, 1);

    for (;;) {
        const size_t i = atomic_fetch_add(&job->next, 1);

        if (i >= job->count)
            return NULL;
        if (job->tasks[i].is_ours)
            run_ours(&job->tasks[i]);
        else
            run_llvm(job, &job->tasks[i], worker);
    }
}

static uint32_t count_threads(const struct mpdata_symbolizer *s, size_t tasks)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t threads = s->threads;

    if (threads == 0)
        threads = online > 0 ? (uint64_t)online : 1;
    return (uint32_t)mprof_min_u64(mprof_min_u64(threads, THREADS_MAX), tasks);
}

/* Tasks that are worth a thread: not those that names were found for already.
 */
static size_t count_reading(const struct task *tasks, size_t count)
{
    size_t reading = 0;

    for (size_t i = 0; i < count; i++)
        reading += tasks[i].binary->debug_path != NULL;
    return reading;
}

/* This thread works too; a thread that cannot be started is not missed. */
static void run_tasks(const struct mpdata_symbolizer *s, struct task *tasks,
                      size_t count)
{
    struct job job = {.helper = s->helper, .tasks = tasks, .count = count};
    const uint32_t threads = count_threads(s, count_reading(tasks, count));
    pthread_t others[THREADS_MAX];
    uint32_t started = 0;

    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, run_worker, &job) == 0)
        started++;
    (void)run_worker(&job);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
}

static bool push_task(struct mpdata_vec *tasks, const struct task *task,
                      size_t start, size_t end)
{
    struct task *const row = (struct task *)mpdata_vec_push(tasks);

    if (row == NULL)
        return false;
    *row = *task;
    row->wanted = task->wanted + start;
    row->count = end - start;
    start_symbols(row);
    row->splits.elem_bytes = sizeof(struct mpdata_symcache_split);
    return true;
}

/* How many addresses of a binary make a task. */
static size_t task_size(const struct mpdata_symbolizer *s, size_t count)
{
    const size_t pieces = TASKS_PER_THREAD * count_threads(s, THREADS_MAX);

    return mprof_max_u64(count / pieces, TASK_ADDRESSES_MIN);
}

/* Cuts the addresses of one binary, which are by unit, where a unit ends. */
static bool cut_ours(const struct mpdata_symbolizer *s,
                     struct mpdata_vec *tasks, const struct task *task)
{
    const size_t size = task_size(s, task->count);
    size_t start = 0;

    for (size_t i = 1; i < task->count; i++) {
        if (i - start < size ||
            task->wanted[i].unit == task->wanted[i - 1].unit)
            continue;
        if (!push_task(tasks, task, start, i))
            return false;
        start = i;
    }
    return push_task(tasks, task, start, task->count);
}

/* The same by LLVM's units, of which `units` has the addresses'. */
static bool cut_at_units(struct mpdata_vec *tasks, const struct task *task,
                         const uint64_t *units, size_t size)
{
    size_t start = 0;

    for (size_t i = 1; i < task->count; i++) {
        if (i - start < size || units[i] == units[i - 1])
            continue;
        if (!push_task(tasks, task, start, i))
            return false;
        start = i;
    }
    return push_task(tasks, task, start, task->count);
}

/* Asks for the units of a task's addresses; false where that is not known. */
static bool ask_units(const struct mpdata_symbolizer *s,
                      const struct task *task, uint64_t *units)
{
    uint64_t addresses[MPDATA_REMOTE_ADDRESSES_MAX];
    struct mpdata_remote *const reader = get_reader(s->helper, task->binary, 0);
    bool is_known = reader != NULL;

    for (size_t i = 0, n; i < task->count && is_known; i += n) {
        for (n = 0; n < MPROF_ARRAY_LEN(addresses) && i + n < task->count; n++)
            addresses[n] = task->wanted[i + n].address;
        is_known = mpdata_remote_units(reader, addresses, n, units + i);
    }
    return is_known;
}

/* Cuts what LLVM is asked, where that is worth it. */
static bool cut_llvm(const struct mpdata_symbolizer *s,
                     struct mpdata_vec *tasks, const struct task *task)
{
    const size_t size = task_size(s, task->count);
    uint64_t *units = NULL;
    bool is_cut;

    if (task->binary->debug_path != NULL && !task->binary->is_broken &&
        task->count >= 2 * size && count_threads(s, THREADS_MAX) > 1)
        units = (uint64_t *)mpdata_vec_array(task->count, sizeof(*units));
    is_cut = units != NULL && ask_units(s, task, units)
                 ? cut_at_units(tasks, task, units, size)
                 : push_task(tasks, task, 0, task->count);
    free(units);
    return is_cut;
}

/* -- all addresses --------------------------------------------------------- */

static int compare_wanted(const void *left, const void *right)
{
    const struct mpdata_wanted *const a = (const struct mpdata_wanted *)left;
    const struct mpdata_wanted *const b = (const struct mpdata_wanted *)right;

    if (a->binary != b->binary)
        return a->binary < b->binary ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

/* Moves what is not known yet to the front, each once; how many. */
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

/* The tasks for LLVM's reader, or the symbol table alone. */
static enum mprof_err add_llvm(struct mpdata_symbolizer *s,
                               struct mpdata_vec *tasks,
                               const struct task *task, struct mprof_diag *diag)
{
    if (task->binary->debug_path != NULL) {
        const enum mprof_err err = mpdata_bridge_load(s, diag);

        if (err != MPROF_E_OK)
            return err;
    }
    if (!cut_llvm(s, tasks, task))
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    return MPROF_E_OK;
}

/* Names of many addresses may be one long text, each from another place of it
 * on: together they are held to the files' size. */
static size_t find_text_max(const struct mpdata_symbolized_binary *b,
                            size_t count)
{
    return TEXT_BYTES_MIN +
           TEXT_BYTES_PER_BYTE * (b->file.size + b->debug_file.size) / count;
}

/* The tasks of one binary. */
static enum mprof_err add_tasks(struct mpdata_symbolizer *s,
                                struct mpdata_binaries *binaries,
                                struct mpdata_wanted *wanted, size_t count,
                                const struct mpdata_diag_warn *warn,
                                struct mpdata_vec *tasks,
                                struct mprof_diag *diag)
{
    const uint32_t index = wanted[0].binary;
    struct task task = {.index = index, .wanted = wanted};

    task.binary = get_binary(s, binaries, index, warn);
    if (task.binary == NULL)
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    task.count = keep_unknown(task.binary, wanted, count);
    if (task.count == 0)
        return MPROF_E_OK;
    task.binary->is_broken = binaries->files[index].is_broken;
    if (!find_names(task.binary, binaries->files[index].path, wanted,
                    task.count))
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    task.is_ours = task.binary->debug_path != NULL && open_dwarf(task.binary) &&
                   mpdata_dwarf_assign(&task.binary->dwarf, wanted, task.count);
    task.text_bytes_max = find_text_max(task.binary, task.count);
    if (!task.is_ours)
        return add_llvm(s, tasks, &task, diag);
    qsort(wanted, task.count, sizeof(*wanted), mpdata_dwarf_by_unit);
    if (!cut_ours(s, tasks, &task))
        return mprof_err_fail(diag, MPROF_E_NOMEM, NULL, MPROF_DIAG_NO_OFFSET);
    return MPROF_E_OK;
}

/* Adds the tasks for LLVM that tasks[0..count) leave, to `left`. */
static enum mprof_err add_left(struct mpdata_symbolizer *s,
                               const struct task *tasks, size_t count,
                               struct mpdata_vec *left, struct mprof_diag *diag)
{
    enum mprof_err err = MPROF_E_OK;

    for (size_t i = 0, end; i < count && err == MPROF_E_OK; i = end) {
        struct task task = {.binary = tasks[i].binary,
                            .index = tasks[i].index,
                            .wanted = tasks[i].wanted,
                            .text_bytes_max = tasks[i].text_bytes_max};

        for (end = i; end < count && tasks[end].index == task.index; end++) {
            for (size_t k = 0; tasks[end].is_ours && k < tasks[end].count; k++)
                if (tasks[end].wanted[k].unit == MPDATA_DWARF_LEFT)
                    task.wanted[task.count++] = tasks[end].wanted[k];
        }
        if (task.count == 0)
            continue;
        qsort(task.wanted, task.count, sizeof(*task.wanted), compare_wanted);
        err = add_llvm(s, left, &task, diag);
    }
    return err;
}

/* What LLVM cannot read costs lines, not the profile: said once. It is not
 * cached, and what other threads got of it is not taken, as that depends on how
 * it was cut. */
static void drop_broken(struct mpdata_binaries *binaries,
                        const struct mpdata_vec *tasks, const char *file,
                        const struct mpdata_diag_warn *warn)
{
    struct task *const rows = (struct task *)tasks->data;

    for (uint32_t i = 0; i < tasks->count; i++) {
        struct mpdata_symbolized_binary *const b = rows[i].binary;

        if (rows[i].error[0] == '\0' || b->is_broken)
            continue;
        mpdata_diag_warn(
            warn, file, "%s: functions are named by its symbol table alone: %s",
            binaries->files[rows[i].index].path, rows[i].error);
        binaries->files[rows[i].index].is_broken = b->is_broken = true;
        close_readers(b);
        free(b->cache_path);
        b->cache_path = NULL;
    }
    for (uint32_t i = 0; i < tasks->count; i++) {
        if (rows[i].binary->is_broken && !rows[i].is_ours)
            name_by_table(&rows[i]);
    }
}

static enum mprof_err take_results(struct task *task)
{
    struct mpdata_symbolized_binary *const b = task->binary;
    const struct mpdata_symcache_split *const splits =
        (const struct mpdata_symcache_split *)task->splits.data;

    mpdata_symbols_merge(&b->symbols, &task->symbols);
    for (uint32_t i = 0; i < task->splits.count; i++)
        b->symbols.failed |=
            !mpdata_symcache_splits_add(&b->splits, splits[i].path);
    b->is_dirty = true;
    return b->symbols.failed ? MPROF_E_NOMEM : MPROF_E_OK;
}

/* Says what names were lost with files that a compiler wrote beside the
 * objects. */
static void warn_split(const struct mpdata_symbolized_binary *b,
                       const char *path, const char *file,
                       const struct mpdata_diag_warn *warn)
{
    const struct mpdata_symcache_split *const splits =
        (const struct mpdata_symcache_split *)b->splits.data;
    const char *first = NULL;
    uint32_t missing = 0;

    for (uint32_t i = 0; b->dwp[0] == '\0' && i < b->splits.count; i++) {
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

/* What the tasks found, in their order, and what their threads left. */
static enum mprof_err take_all(struct mpdata_vec *tasks, enum mprof_err err,
                               struct mprof_diag *diag)
{
    struct task *const rows = (struct task *)tasks->data;

    for (uint32_t i = 0; i < tasks->count; i++) {
        if (err == MPROF_E_OK) {
            err = take_results(&rows[i]);
            if (err != MPROF_E_OK)
                mprof_err_fail(diag, err, NULL, MPROF_DIAG_NO_OFFSET);
        }
        mpdata_symbols_fini(&rows[i].symbols);
        mpdata_symcache_splits_fini(&rows[i].splits);
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
    struct mpdata_vec left = {.elem_bytes = sizeof(struct task)};
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
        err = add_left(symbolizer, (const struct task *)tasks.data, tasks.count,
                       &left, diag);
    }
    if (err == MPROF_E_OK && left.count != 0)
        run_tasks(symbolizer, (struct task *)left.data, left.count);
    drop_broken(binaries, &tasks, file, warn);
    drop_broken(binaries, &left, file, warn);
    err = take_all(&tasks, err, diag);
    err = take_all(&left, err, diag);
    for (size_t i = 0; i < symbolizer->binary_count; i++) {
        if (symbolizer->binaries[i] != NULL)
            warn_split(symbolizer->binaries[i], binaries->files[i].path, file,
                       warn);
    }
    return err;
}
