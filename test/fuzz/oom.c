/* oom.c -- lets each request for memory fail, one after the other, in whole
 * commands and in the library.
 *
 *   oom WORK GOLDEN SEEDS [SCENARIO]
 *
 * Every command is run again and again in this process; in run number N the
 * N-th request fails, alone or with all later ones. Each run must end without a
 * crash and without a leak, and either give the result that it gives with
 * enough memory, or exit status 3 with "out of memory" and the old output. The
 * allocator is this program's own, so requests of libc and zstd fail, too.
 *
 * Of requests with the same call stack, as in a loop, the first, second,
 * fourth, eighth and so on fail, and the last; with several threads each one
 * fails.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "inc/memprofdata.h"
#include "profdata/cmd/commands.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARGS_MAX 12
#define TEXT_BYTES (1u << 20)

/* -- the allocator ----------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

/* Shared by all threads. */
static atomic_bool is_short;
static bool is_persistent;
static _Atomic uint64_t requests;
static uint64_t failing_request;
static _Atomic int64_t live_blocks;

/* Memory that libc allocates for a thread is kept with the thread's stack and
 * freed at any time, so it is not counted. */
#define KEPT_MAX 256
static _Thread_local bool is_creating;
static _Atomic(void *) kept[KEPT_MAX];
static _Atomic size_t kept_end; /* after the last used slot */

static bool keep(void *p)
{
    for (size_t i = 0; i < KEPT_MAX; i++) {
        void *none = NULL;

        if (atomic_compare_exchange_strong(&kept[i], &none, p)) {
            size_t end = kept_end;

            while (end <= i &&
                   !atomic_compare_exchange_weak(&kept_end, &end, i + 1))
                ;
            return true;
        }
    }
    return false;
}

static bool is_kept(void *p)
{
    for (size_t i = 0; i < kept_end; i++) {
        void *own = p;

        if (atomic_compare_exchange_strong(&kept[i], &own, NULL))
            return true;
    }
    return false;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*run)(void *), void *argument)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
                       void *);
    void *symbol;
    int error;

    if (real == NULL) {
        symbol = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real, &symbol, sizeof(symbol));
    }
    is_creating = true;
    error = real(thread, attributes, run, argument);
    is_creating = false;
    return error;
}

/* A hash of the call stack of each request, if they are recorded. */
#define REQUESTS_MAX (1u << 16)
#define DEPTH_MAX 64
static bool is_noting;
static uint64_t stacks[REQUESTS_MAX];

static void note_stack(uint64_t n)
{
    void *frames[DEPTH_MAX];
    const int count = backtrace(frames, DEPTH_MAX);
    uint64_t hash = 0;

    if (n >= REQUESTS_MAX)
        abort();
    for (int i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)frames[i]) * 0x9e3779b97f4a7c15u;
    stacks[n] = hash;
}

static bool is_refused(void)
{
    const uint64_t n = requests++;

    if (is_short && is_noting)
        note_stack(n);

    return is_short &&
           (n == failing_request || (is_persistent && n > failing_request));
}

static void *taken(void *p)
{
    live_blocks += p != NULL && !(is_creating && keep(p));
    return p;
}

static void *refused(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    return is_refused() ? refused() : taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return is_refused() ? refused() : taken(__libc_calloc(count, size));
}

void *realloc(void *p, size_t size)
{
    if (is_refused())
        return refused();
    return p == NULL ? taken(__libc_realloc(p, size)) : __libc_realloc(p, size);
}

void free(void *p)
{
    live_blocks -= p != NULL && !is_kept(p);
    __libc_free(p);
}

/* -- one run ----------------------------------------------------------------- */

struct scenario {
    const char *name;
    const char *args[ARGS_MAX]; /* the command first; OUT: the output */
};

#define OUT "-oout"

struct text {
    char bytes[TEXT_BYTES];
    size_t size;
};

struct result {
    int status;
    struct text printed; /* to standard output */
    struct text said;    /* to standard error */
    struct text written; /* to the output file */
};

static struct result first;
static struct result good;
static struct result poor;
static FILE *report;
static int stdout_fd;
static int stderr_fd;

static void read_text(struct text *text, int fd)
{
    const ssize_t n = pread(fd, text->bytes, sizeof(text->bytes) - 1, 0);

    text->size = n > 0 ? (size_t)n : 0;
    text->bytes[text->size] = '\0';
}

static void write_file(const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
        abort();
    close(fd);
}

static bool has_threads(const struct scenario *s)
{
    return strncmp(s->name, "threads", 7) == 0;
}

static int run_library(const struct scenario *s);

static int run_command(const struct scenario *s)
{
    char words[ARGS_MAX][256];
    char one_thread[] = "-j1"; /* the order of requests is fixed */
    char threads[] =
        "-j3"; /* two threads read inputs; any request may be refused */
    char *argv[ARGS_MAX + 2] = {NULL};
    int argc = 0;

    if (strcmp(s->args[0], "library") == 0)
        return run_library(s);
    for (; argc < ARGS_MAX && s->args[argc] != NULL; argc++) {
        snprintf(words[argc], sizeof(words[argc]), "%s", s->args[argc]);
        argv[argc] = words[argc];
    }
    if (strcmp(s->args[0], "merge") == 0)
        argv[argc++] = has_threads(s) ? threads : one_thread;
    const struct cmd_call call = {.command = cmd_find(commands, argv[0]),
                                  .all = commands,
                                  .argc = argc,
                                  .argv = argv};

    return call.command->run(&call);
}

/* glibc's regcomp() when it fails. */
static bool is_libc_leak(const struct scenario *s)
{
    return strstr(s->name, "function") != NULL ||
           strstr(s->name, "binary") != NULL ||
           strstr(s->name, "a type") != NULL;
}

/* Runs it with the N-th request failing (UINT64_MAX: none). Returns whether the
 * request was made. */
static bool run(const struct scenario *s, uint64_t n, struct result *r)
{
    int64_t before;
    int fd;

    write_file("out", "old");
    if (ftruncate(stdout_fd, 0) != 0 || ftruncate(stderr_fd, 0) != 0 ||
        lseek(stdout_fd, 0, SEEK_SET) != 0 ||
        lseek(stderr_fd, 0, SEEK_SET) != 0)
        abort();
    before = live_blocks;
    failing_request = n;
    requests = 0;
    is_short = true;
    r->status = run_command(s);
    fflush(stdout);
    is_short = false;
    if (live_blocks != before && r != &first && !is_libc_leak(s)) {
        fprintf(report,
                "%s: request %" PRIu64 ": %" PRId64 " blocks are not freed\n",
                s->name, n, live_blocks - before);
        r->status = -1;
    }
    read_text(&r->printed, stdout_fd);
    read_text(&r->said, stderr_fd);
    fd = open("out", O_RDONLY);
    read_text(&r->written, fd);
    close(fd);
    return requests > n;
}

/* -- the library ------------------------------------------------------------- */

static int count_context(void *context, const struct memprofdata_context *found)
{
    *(size_t *)context += found->frame_count + found->value_count;
    return 0;
}

static int use_index(const char *path, struct memprofdata_error *error)
{
    struct memprofdata_index *index;
    size_t count = 0;
    bool found;
    int result = memprofdata_open(path, &index, error);

    if (result == 0)
        result = memprofdata_find_name(index, "main", count_context, &count,
                                       &found, error);
    memprofdata_close(index);
    return result;
}

static int use_profile(const char *const *paths,
                       struct memprofdata_error *error)
{
    struct memprofdata_profile *profile = memprofdata_profile_new();
    size_t count = 0;
    int result = 0;

    if (profile == NULL) {
        snprintf(error->text, sizeof(error->text), "out of memory");
        return MEMPROFDATA_NO_MEMORY;
    }
    for (; *paths != NULL && result == 0; paths++)
        result = memprofdata_profile_add(profile, *paths, 3, error);
    if (result == 0)
        result =
            memprofdata_profile_visit(profile, count_context, &count, error);
    if (result == 0)
        result = memprofdata_profile_write(profile, "out", error);
    memprofdata_profile_free(profile);
    return result;
}

static int run_library(const struct scenario *s)
{
    struct memprofdata_error error;
    int result = use_index(s->args[1], &error);

    if (result == 0)
        result = use_profile(s->args + 1, &error);
    if (result == 0)
        return 0;
    fprintf(stderr, "%s\n", error.text);
    return result == MEMPROFDATA_NO_MEMORY || result == 1 ? 3 : result;
}

/* -- all runs ---------------------------------------------------------------- */

static uint64_t runs;
static uint64_t wrong;

static bool is_same(const struct text *a, const struct text *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static bool is_right(const struct result *r)
{
    if (r->status == good.status)
        return is_same(&r->printed, &good.printed) &&
               is_same(&r->written, &good.written);
    return r->status == 3 && strcmp(r->written.bytes, "old") == 0 &&
           (strstr(r->said.bytes, "out of memory") != NULL ||
            strstr(r->said.bytes, "Cannot allocate memory") != NULL);
}

/* With enough memory: the exit status of --leaks if not all leaks are
 * suppressed. */
static int status_of(const struct scenario *s)
{
    return strstr(s->name, "leaks") != NULL ? 4 : 0;
}

/* Whether request number N of COUNT must fail, by the recorded stacks. */
static bool is_chosen(uint64_t n, uint64_t count)
{
    uint64_t earlier = 0;
    bool is_last = true;

    for (uint64_t i = 0; i < n; i++)
        earlier += stacks[i] == stacks[n];
    for (uint64_t i = n + 1; i < count && is_last; i++)
        is_last = stacks[i] != stacks[n];
    return is_last || (earlier & (earlier + 1)) == 0;
}

static bool run_short(const struct scenario *s, bool persistent)
{
    bool right = true;
    uint64_t count;

    is_persistent = persistent;
    run(s, UINT64_MAX, &first); /* what libc keeps from the first time */
    is_noting = !has_threads(s);
    run(s, UINT64_MAX, &good);
    is_noting = false;
    count = requests;
    if (good.status != status_of(s)) {
        fprintf(report, "%s: fails with enough memory: %s", s->name,
                good.said.bytes);
        return false;
    }
    for (uint64_t n = 0; n < count || has_threads(s); n++) {
        if (!has_threads(s) && !is_chosen(n, count))
            continue;
        if (!run(s, n, &poor))
            break;
        runs++;
        if (is_right(&poor))
            continue;
        right = false;
        wrong++;
        fprintf(report, "%s: request %" PRIu64 "%s: status %d: %s\n", s->name,
                n, persistent ? " and all later" : "", poor.status,
                poor.said.bytes);
    }
    return right;
}

static const struct scenario scenarios[] = {
    {"raw", {"merge", "seeds/raw/ours", OUT}},
    {"gzip", {"merge", "seeds/unpack/ours.gz", OUT}},
    {"zstd", {"merge", "seeds/unpack/pipe.zst", OUT}},
    {"ours", {"merge", "golden/index-v1/full-schema.profdata", OUT}},
    {"ours, zstd", {"merge", "golden/index-v1/zstd.profdata", OUT}},
    {"llvm, old", {"merge", "golden/llvm-indexed/v2.profdata", OUT}},
    {"llvm, new", {"merge", "golden/llvm-indexed/v4.profdata", OUT}},
    {"llvm", {"merge", "golden/llvm-indexed/v3.profdata", OUT}},
    {"counters", {"merge", "seeds/counters/both", OUT}},
    {"text", {"merge", "--text", "seeds/text/json-hand", OUT}},
    {"weight",
     {"merge", "-w5,golden/index-v5/forty.profdata", "seeds/raw/ours", OUT}},
    {"private",
     {"merge", "--strip-paths", "--hash-names=golden/index-v5/forty.profdata",
      "golden/index-v5/forty.profdata", OUT}},
    {"across builds",
     {"merge", "--across-builds", "golden/index-v5-across/two.profdata", OUT}},
    {"across builds, raw", {"merge", "--across-builds", "seeds/raw/ours", OUT}},
    {"directory", {"merge", "golden/raw-v1", "seeds/raw/ours", OUT}},
    {"list", {"merge", "@list", OUT}},
    {"binary", {"merge", "--binary=(l|x)i*b", "seeds/raw/ours", OUT}},
    {"one is bad",
     {"merge", "--failure-mode=all", "seeds/list/lines", "seeds/raw/ours",
      OUT}},
    {"prune",
     {"merge", "--min-bytes=9", "--max-depth=2", "--max-contexts=9",
      "golden/index-v1/forty.profdata", OUT}},
    {"function",
     {"merge", "--function=(a|b)+[0-9]*",
      "golden/index-v1/full-schema.profdata", OUT}},
    {"threads, raw",
     {"merge", "seeds/raw/ours", "seeds/raw/ours", "golden/raw-v1", OUT}},
    {"threads, all",
     {"merge", "seeds/raw/ours", "seeds/unpack/ours.gz", "seeds/text/json-hand",
      "golden/index-v1/zstd.profdata", "golden/llvm-indexed/v4.profdata", OUT}},
    {"show", {"show", "seeds/raw/ours", "golden/index-v1/forty.profdata"}},
    {"show to a file", {"show", "golden/index-v1/forty.profdata", OUT}},
    {"show function",
     {"show", "--function=(a|b)+[0-9]*", "golden/index-v1/forty.profdata"}},
    {"show a type",
     {"show", "--type=(a|b)+[0-9]*", "golden/index-v5/forty.profdata"}},
    {"export but a type",
     {"export", "--format=folded", "--exclude-type=(a|b)+[0-9]*",
      "golden/index-v5/forty.profdata"}},
    {"show functions without frames",
     {"show", "--by=function", "--hide=(a|b)+[0-9]*", "--ignore=x", "--focus=.",
      "golden/index-v1/forty.profdata"}},
    {"show tree",
     {"show", "--tree", "--details", "golden/index-v1/forty.profdata"}},
    {"show callers of a function",
     {"show", "--callers=(a|b)+[0-9]*", "golden/index-v1/forty.profdata"}},
    {"show lines of a function",
     {"show", "--list=(a|b)+[0-9]*", "golden/index-v1/forty.profdata"}},
    {"show json", {"show", "--json", "golden/index-v1/forty.profdata"}},
    {"show json tree",
     {"show", "--json", "--tree", "golden/index-v1/forty.profdata"}},
    {"show json lines of a function",
     {"show", "--json", "--list=(a|b)+[0-9]*",
      "golden/index-v1/forty.profdata"}},
    {"show binary", {"show", "--binary=(l|x)i*b", "seeds/raw/ours"}},
    {"show threads", {"show", "--by=thread", "golden/index-v5/forty.profdata"}},
    {"show events", {"show", "--events", "golden/index-v5/forty.profdata"}},
    {"show copies json",
     {"show", "--copies", "--json", "golden/index-v5/forty.profdata"}},
    {"show pools", {"show", "--by=pool", "golden/index-v5/forty.profdata"}},
    {"show pools function",
     {"show", "--pools", "--function=(a|b)+[0-9]*", "--by=function",
      "golden/index-v5/forty.profdata"}},
    {"show leaks to a file",
     {"show", "--leaks", "--suppressions=known",
      "golden/index-v5/full-schema.profdata", OUT}},
    {"show threads of leaks json",
     {"show", "--leaks", "--suppressions=known", "--by=thread", "--json",
      "golden/index-v5/forty.profdata"}},
    {"report",
     {"report", "seeds/raw/ours", "golden/index-v5/forty.profdata", OUT}},
    {"report of members", {"report", "seeds/text/json-fields", OUT}},
    {"report of two",
     {"report", "--diff", "golden/index-v5/memprof-2.profdata",
      "golden/index-v5/forty.profdata", OUT}},
    {"check",
     {"check", "seeds/raw/ours", "seeds/raw/llvm-v5", "seeds/counters/both",
      "seeds/unpack/ours.gz"}},
    {"export",
     {"export", "--format=folded", "seeds/raw/ours",
      "golden/index-v1/forty.profdata", OUT}},
    {"export csv",
     {"export", "--format=csv", "golden/index-v1/forty.profdata", OUT}},
    {"export json",
     {"export", "--format=json", "golden/index-v1/forty.profdata", OUT}},
    {"export dhat",
     {"export", "--format=dhat", "golden/index-v1/forty.profdata", OUT}},
    {"export speedscope",
     {"export", "--format=speedscope", "golden/index-v1/forty.profdata", OUT}},
    {"export firefox",
     {"export", "--format=firefox", "golden/index-v1/forty.profdata", OUT}},
    {"export pprof threads",
     {"export", "--format=pprof", "golden/index-v5/forty.profdata", OUT}},
    {"export speedscope events",
     {"export", "--format=speedscope", "golden/index-v5/forty.profdata", OUT}},
    {"log", {"check", "seeds/log/threads"}},
    {"import LuaJIT", {"show", "seeds/luajit/v3"}},
    {"import mlpd", {"show", "seeds/mlpd/v17"}},
    {"import Mono log", {"show", "seeds/mono_log/v1"}},
    {"events of LuaJIT",
     {"events", "--lua-report", "--heap-snap-interval=1",
      "seeds/luajit/v1-vm-marks", OUT}},
    {"log at",
     {"export", "--no-symbols", "--at=50%", "--format=csv", "seeds/log/threads",
      OUT}},
    {"log peak",
     {"export", "--no-symbols", "--at=peak", "--format=csv",
      "golden/log-v2/threads.log", OUT}},
    {"objects", {"objects", "seeds/objects/hand", OUT}},
    {"objects as JSON",
     {"objects", "--json", "--path=0xb000", "seeds/objects/hand", OUT}},
    {"log summary", {"events", "seeds/log/loads", OUT}},
    {"log every",
     {"events", "--every=1ms", "--json", "seeds/log/threads", OUT}},
    {"log window",
     {"export", "--no-symbols", "--window=10%,end", "--format=csv",
      "seeds/log/threads", OUT}},
    {"import",
     {"show", "seeds/pprof/go", "seeds/heap_text/gperftools-sampled"}},
    {"import and merge",
     {"merge", "seeds/pprof/ours", "seeds/heap_text/gperftools",
      "seeds/heaptrack/app", OUT}},
    {"export pprof",
     {"export", "--format=pprof", "seeds/raw/ours",
      "golden/index-v1/forty.profdata", OUT}},
    {"export pprof-go",
     {"export", "--format=pprof-go", "golden/index-v1/forty.profdata", OUT}},
    {"export heaptrack",
     {"export", "--format=heaptrack", "golden/index-v1/forty.profdata", OUT}},
    {"export luajit",
     {"export", "--format=luajit", "golden/index-v1/forty.profdata", OUT}},
    {"export mono-log",
     {"export", "--format=mono-log", "golden/index-v1/forty.profdata", OUT}},
    {"export callgrind",
     {"export", "--format=callgrind", "golden/index-v1/forty.profdata", OUT}},
    {"export massif",
     {"export", "--format=massif", "golden/index-v1/forty.profdata", OUT}},
    {"diff", {"diff", "seeds/raw/ours", "golden/index-v1/forty.profdata", OUT}},
    {"diff lines",
     {"diff", "--by=line", "golden/index-v1/full-schema.profdata",
      "golden/index-v1/forty.profdata"}},
    {"diff json",
     {"diff", "--json", "--by=file", "golden/index-v1/full-schema.profdata",
      "golden/index-v1/forty.profdata", OUT}},
    {"explain",
     {"explain", "seeds/raw/ours", "golden/index-v1/forty.profdata"}},
    {"explain functions",
     {"explain", "--function=(a|b)+[0-9]*", "golden/index-v1/forty.profdata"}},
    {"advise",
     {"advise", "--min=0", "seeds/raw/ours", "golden/index-v1/forty.profdata"}},
    {"advise sarif",
     {"advise", "--format=sarif", "--min=0", "golden/index-v1/forty.profdata"}},
    {"fields", {"fields", "--propose", "seeds/text/json-fields"}},
    {"fields json", {"fields", "--json", "seeds/text/json-fields"}},
    {"whatif members", {"whatif", "--reorder=item", "seeds/text/json-fields"}},
    {"whatif pool json",
     {"whatif", "--pool=main", "--json", "seeds/text/json-fields", OUT}},
    {"explain json",
     {"explain", "--json", "--hints=seeds/hint_list/list",
      "golden/index-v1/forty.profdata", OUT}},
    {"usage", {"usage", "seeds/use_log/three", OUT}},
    {"usage json", {"usage", "--json", "seeds/use_log/three", OUT}},
    {"budget of functions",
     {"check-budget", "--baseline=golden/index-v1/full-schema.profdata",
      "seeds/budget/kept", "golden/index-v1/forty.profdata"}},
    {"library",
     {"library", "golden/index-v5/forty.profdata",
      "golden/llvm-indexed/v3.profdata"}},
};

static void enter(char **argv)
{
    if (chdir(argv[1]) != 0 || symlink(argv[2], "golden") != 0 ||
        symlink(argv[3], "seeds") != 0)
        abort();
    write_file("list", "seeds/raw/ours\n2,golden/index-v5/forty.profdata\n");
    write_file("known", "# known\nleak:a*b\nleak:_Z\nleak:lib\n");
}

int main(int argc, char **argv)
{
    static char buffer[BUFSIZ];
    void *here;
    uint64_t failed = 0;

    if (argc < 4)
        return 2;
    enter(argv);
    backtrace(&here, 1); /* which loads a library the first time */
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    report = fdopen(dup(STDOUT_FILENO), "w");
    stdout_fd = memfd_create("out", 0);
    stderr_fd = memfd_create("err", 0);
    if (report == NULL || dup2(stdout_fd, STDOUT_FILENO) < 0 ||
        dup2(stderr_fd, STDERR_FILENO) < 0)
        return 2;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(scenarios); i++) {
        if (argc > 4 && strstr(scenarios[i].name, argv[4]) == NULL)
            continue;
        failed += !run_short(&scenarios[i], false);
        failed += !run_short(&scenarios[i], true);
    }
    fprintf(report, "%" PRIu64 " runs, %" PRIu64 " wrong\n", runs, wrong);
    fclose(report);
    return failed != 0;
}
