/* interpose_process.c -- functions that start, replace and end processes.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os.h"
#include "rt/events/event_log.h"
#include "rt/process/process.h"
#include "rt/real/real.h"
#include "rt/record/block.h"
#include "rt/stack/module_history.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

static void restart(bool had_helper)
{
    const int saved_errno = errno;

    if (had_helper)
        mprt_helper_start();
    errno = saved_errno;
}

/* fork() without fork handlers. */
MPRT_INTERFACE pid_t _Fork(void)
{
    mprt_fork_before();
    const pid_t pid = MPRT_REAL(_Fork)();
    mprt_fork_after(pid == 0);
    return pid;
}

/* A module is unloaded, and another may take its place. The log has the one
 * before it has the other. */
MPRT_INTERFACE int dlclose(void *handle)
{
    mprt_module_history_before_unload();
    const int result = MPRT_REAL(dlclose)(handle);

    if (mprt_module_history_after_unload())
        mprt_event_log_flush();
    return result;
}

/* -- ends without exit handlers -------------------------------------------- */

MPRT_INTERFACE void _exit(int status)
{
    mprt_exit_at_death();
    MPRT_REAL(_exit)(status);
    mprt_os_exit(status);
}

MPRT_INTERFACE void _Exit(int status)
{
    mprt_exit_at_death();
    MPRT_REAL(_Exit)(status);
    mprt_os_exit(status);
}

/* -- exec ------------------------------------------------------------------ */

/* The kernel reads these strings, and the profile is written before the call.
 */
static void mark_strings(const char *path, char *const *argv,
                         char *const *environment)
{
    mprt_block_mark_unseen(path);
    mprt_unseen_strings((uintptr_t)argv);
    mprt_unseen_strings((uintptr_t)environment);
}

/* The list forms call replace_NAME, because the program may define NAME. */
#define REPLACE(name, parameters, arguments, path, environment)     \
    static inline int replace_##name parameters                     \
    {                                                               \
        mark_strings(path, argv, environment);                      \
        const struct mprt_exit_exec exec = mprt_exit_before_exec(); \
        const int result = MPRT_REAL(name) arguments;               \
                                                                    \
        mprt_exit_after_failed_exec(&exec);                         \
        return result;                                              \
    }                                                               \
    MPRT_INTERFACE int name parameters                              \
    {                                                               \
        return replace_##name arguments;                            \
    }

REPLACE(execv, (const char *path, char *const argv[]), (path, argv), path, NULL)
REPLACE(execve, (const char *path, char *const argv[], char *const envp[]),
        (path, argv, envp), path, envp)
REPLACE(execvp, (const char *file, char *const argv[]), (file, argv), file,
        NULL)
REPLACE(execvpe, (const char *file, char *const argv[], char *const envp[]),
        (file, argv, envp), file, envp)
REPLACE(fexecve, (int fd, char *const argv[], char *const envp[]),
        (fd, argv, envp), NULL, envp)
REPLACE(execveat,
        (int fd, const char *path, char *const argv[], char *const envp[],
         int flags),
        (fd, path, argv, envp, flags), path, envp)

/* The list forms copy their arguments into an array on the stack, as libc does.
 */
static size_t count_arguments(const char *first, va_list list)
{
    size_t count = 0;

    for (; first != NULL; first = va_arg(list, const char *))
        count++;
    return count;
}

static void take_arguments(char **argv, const char *first, va_list list)
{
    *argv = (char *)(uintptr_t)first;
    while (*argv != NULL)
        *++argv = va_arg(list, char *);
}

#define LIST_FORM(name, environment, call)                            \
    MPRT_INTERFACE int name(const char *path, const char *first, ...) \
    {                                                                 \
        va_list list;                                                 \
                                                                      \
        va_start(list, first);                                        \
        const size_t count = count_arguments(first, list);            \
        va_end(list);                                                 \
        char **const argv =                                           \
            (char **)__builtin_alloca((count + 1) * sizeof(char *));  \
        va_start(list, first);                                        \
        take_arguments(argv, first, list);                            \
        char *const *const envp = environment;                        \
        va_end(list);                                                 \
        (void)envp;                                                   \
        return call;                                                  \
    }

LIST_FORM(execl, NULL, replace_execv(path, argv))
LIST_FORM(execlp, NULL, replace_execvp(path, argv))
LIST_FORM(execle, va_arg(list, char *const *), replace_execve(path, argv, envp))

/* libc ends the parent process inside daemon(). */
MPRT_INTERFACE int daemon(int keeps_directory, int keeps_files)
{
    const uint32_t pid = mprt_os_pid();
    const struct mprt_exit_exec exec = mprt_exit_before_exec();
    const int result = MPRT_REAL(daemon)(keeps_directory, keeps_files);

    if (mprt_os_pid() == pid)
        mprt_exit_after_failed_exec(&exec);
    return result;
}

/* -- calls that need the helper to be away -------------------------------- */

/* The kernel refuses these calls while another process shares the memory, or
 * they change what the helper must have, too. The helper is started again
 * afterwards. */
#define WITHOUT_HELPER(name, parameters, arguments)   \
    MPRT_INTERFACE int name parameters                \
    {                                                 \
        const bool had_helper = mprt_helper_stop();   \
        const int result = MPRT_REAL(name) arguments; \
                                                      \
        restart(had_helper);                          \
        return result;                                \
    }

WITHOUT_HELPER(unshare, (int flags), (flags))
WITHOUT_HELPER(setns, (int fd, int type), (fd, type))
WITHOUT_HELPER(setgid, (gid_t group), (group))
WITHOUT_HELPER(setegid, (gid_t group), (group))
WITHOUT_HELPER(setregid, (gid_t real, gid_t group), (real, group))
WITHOUT_HELPER(setresgid, (gid_t real, gid_t group, gid_t saved),
               (real, group, saved))
WITHOUT_HELPER(setgroups, (size_t count, const gid_t *groups), (count, groups))

/* -- The profile's place may be out of reach afterwards ---------------------- */

/* `call`: the number of the system call and its first arguments. */
#define CHANGING(name, parameters, arguments, is_changed, ...)                \
    MPRT_INTERFACE int name parameters                                        \
    {                                                                         \
        const unsigned long call[1 + MPRT_SYSCALL_ARGUMENTS] = {__VA_ARGS__}; \
        const struct mprt_rights rights =                                     \
            mprt_rights_before((long)call[0], &call[1]);                      \
        const int result = MPRT_REAL(name) arguments;                         \
                                                                              \
        mprt_rights_after(&rights, is_changed);                               \
        return result;                                                        \
    }

#define SAME ((uid_t)-1)

CHANGING(setuid, (uid_t user), (user), result == 0, SYS_setuid, user)
CHANGING(seteuid, (uid_t user), (user), result == 0, SYS_setresuid, SAME, user,
         SAME)
CHANGING(setreuid, (uid_t real, uid_t user), (real, user), result == 0,
         SYS_setreuid, real, user)
CHANGING(setresuid, (uid_t real, uid_t user, uid_t saved), (real, user, saved),
         result == 0, SYS_setresuid, real, user, saved)
/* Returns the user from before, whether it changes or not. */
CHANGING(setfsuid, (uid_t user), (user), true, SYS_setfsuid, user)
CHANGING(capset, (void *header, const void *data), (header, data), result == 0,
         SYS_capset, (uintptr_t)header, (uintptr_t)data)

MPRT_INTERFACE int chroot(const char *path)
{
    const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS] = {(uintptr_t)path};

    mprt_block_mark_unseen(path);
    const struct mprt_rights rights = mprt_rights_before(SYS_chroot, arguments);
    const int result = MPRT_REAL(chroot)(path);

    mprt_rights_after(&rights, result == 0);
    return result;
}
