/* allocators.c -- finds allocators and starts memprofdata-replay with them.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/replay/calls.h"
#include "profdata/base/diag.h"
#include "profdata/base/units.h"
#include "profdata/symbols/symbolizer.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELPER "memprofdata-replay"
#define PRELOAD "LD_PRELOAD="

const struct mpdata_replay_allocator mpdata_allocators[] = {
    {"glibc", "libc6", NULL},
    {"jemalloc", "libjemalloc2", "libjemalloc.so.2"},
    {"tcmalloc", "libtcmalloc-minimal4", "libtcmalloc_minimal.so.4"},
    {"mimalloc", "libmimalloc2.0", "libmimalloc.so.2"},
};
const size_t mpdata_allocators_count = MPROF_ARRAY_LEN(mpdata_allocators);

bool mpdata_allocators_find(const struct mpdata_replay_allocator *allocator,
                            char path[PATH_MAX])
{
    void *const known = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    Dl_info info;
    int size = 0;

    path[0] = '\0';
    if (allocator->file == NULL)
        return true;
    if (known != NULL && dladdr(known, &info) != 0 &&
        strchr(info.dli_fname, '/') != NULL)
        size = (int)(strrchr(info.dli_fname, '/') - info.dli_fname);
    if (size != 0 &&
        snprintf(path, PATH_MAX, "%.*s/%s", size, info.dli_fname,
                 allocator->file) < PATH_MAX &&
        access(path, R_OK) == 0)
        return true;
    snprintf(path, PATH_MAX, "/usr/local/lib/%s", allocator->file);
    return access(path, R_OK) == 0;
}

bool mpdata_allocators_find_own(char path[PATH_MAX])
{
    static const struct mpdata_replay_allocator own = {
        .name = "libmemprof_alloc", .file = "libmemprof_alloc.so.0"};
    char helper[PATH_MAX];

    if (mpdata_bridge_find(HELPER, helper) &&
        snprintf(path, PATH_MAX, "%.*s/../%s",
                 (int)(strrchr(helper, '/') - helper), helper,
                 own.file) < PATH_MAX &&
        access(path, R_OK) == 0)
        return true;
    return mpdata_allocators_find(&own, path);
}

/* The program's variables, with the library preloaded alone; owned. */
static char **variables(char *preload)
{
    size_t count = 0;
    char **all;

    while (environ[count] != NULL)
        count++;
    all = calloc(count + 2, sizeof(*all));
    if (all == NULL)
        return NULL;
    count = 0;
    for (char **v = environ; *v != NULL; v++) {
        if (strncmp(*v, PRELOAD, strlen(PRELOAD)) != 0)
            all[count++] = *v;
    }
    if (preload[strlen(PRELOAD)] != '\0')
        all[count] = preload;
    return all;
}

/* Returns 0 or an error number. */
static int start(const char *helper, const char *library, int fd, pid_t *pid)
{
    char preload[PATH_MAX + sizeof(PRELOAD)];
    const char *const words[] = {helper, library[0] != '\0' ? library : NULL,
                                 NULL};
    posix_spawn_file_actions_t files;
    char **all;
    int error;

    snprintf(preload, sizeof(preload), PRELOAD "%s", library);
    all = variables(preload);
    error = all == NULL ? ENOMEM : posix_spawn_file_actions_init(&files);
    if (error == 0) {
        error = posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
        if (error == 0)
            error = posix_spawn(pid, helper, &files, NULL,
                                (char *const *)(uintptr_t)words, all);
        posix_spawn_file_actions_destroy(&files);
    }
    free(all);
    return error;
}

/* What the process left, with the numbers of calls that we chose. */
static void take_result(const struct mpdata_replay_calls *calls,
                        const struct mpdata_replay_result *plan,
                        struct mpdata_replay_result *result)
{
    *result = calls->job->result;
    result->sample_count = plan->sample_count;
    result->library[sizeof(result->library) - 1] = '\0';
    for (uint32_t i = 0; i < plan->sample_count; i++)
        result->samples[i].calls = plan->samples[i].calls;
    calls->job->result = *plan;
}

static enum mprof_err fail(struct mprof_diag *diag, enum mprof_err err,
                           struct mpdata_number text)
{
    return mpdata_diag_text(diag, err, "%s", text.text);
}

static enum mprof_err judge(const struct mpdata_replay_result *result,
                            int status, struct mprof_diag *diag)
{
    if (WIFSIGNALED(status))
        return fail(diag, MPROF_E_IO,
                    mpdata_units_format("the replay ended by signal %d",
                                        WTERMSIG(status)));
    if (result->state == MPDATA_REPLAY_OTHER_LIBRARY)
        return mpdata_diag_text(
            diag, MPROF_E_USAGE,
            "it is no allocator that can be preloaded: malloc is still that of "
            "%s",
            result->library);
    if (result->state == MPDATA_REPLAY_NO_MEMORY)
        return fail(
            diag, MPROF_E_IO,
            mpdata_units_format("no memory for a request of %s",
                                mpdata_units_bytes(result->failed_bytes).text));
    if (WEXITSTATUS(status) != 0 || result->state != MPDATA_REPLAY_DONE)
        return mpdata_diag_text(diag, MPROF_E_IO,
                                HELPER " cannot be started, or is of another "
                                       "version of memprof");
    return MPROF_E_OK;
}

/* 0 if unknown. */
static uint64_t available_bytes(void)
{
    FILE *const file = fopen("/proc/meminfo", "re");
    char line[128];
    unsigned long long kib = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL &&
           sscanf(line, "MemAvailable: %llu", &kib) != 1)
        continue;
    if (file != NULL)
        fclose(file);
    return kib * 1024;
}

static enum mprof_err check(const struct mpdata_replay_calls *calls,
                            const char *library, char helper[PATH_MAX],
                            struct mprof_diag *diag)
{
    const uint64_t available = available_bytes();

    if (library[strcspn(library, ": \t")] != '\0')
        return mpdata_diag_text(diag, MPROF_E_USAGE,
                                "LD_PRELOAD takes no path with a space or a "
                                "colon");
    if (available != 0 && calls->peak_bytes > available)
        return mpdata_diag_text(
            diag, MPROF_E_IO,
            "the log has %s alive at once, more than the %s of memory that are "
            "available",
            mpdata_units_bytes(calls->peak_bytes).text,
            mpdata_units_bytes(available).text);
    if (!mpdata_bridge_find(HELPER, helper))
        return mpdata_diag_text(diag, MPROF_E_IO,
                                HELPER " is neither in ../lib/memprof nor in "
                                       "../llvm-VERSION beside the program");
    return MPROF_E_OK;
}

enum mprof_err mpdata_allocators_run(const struct mpdata_replay_calls *calls,
                                     const char *library,
                                     struct mpdata_replay_result *result,
                                     struct mprof_diag *diag)
{
    const struct mpdata_replay_result plan = calls->job->result;
    char helper[PATH_MAX];
    pid_t pid;
    int status;
    int error;
    const enum mprof_err err = check(calls, library, helper, diag);

    if (err != MPROF_E_OK)
        return err;
    error = start(helper, library, calls->fd, &pid);
    if (error != 0)
        return mpdata_diag_text(diag, MPROF_E_IO, "%s: %s", helper,
                                strerror(error));
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return mpdata_diag_text(diag, MPROF_E_IO, "%s", strerror(errno));
    }
    take_result(calls, &plan, result);
    return judge(result, status, diag);
}
