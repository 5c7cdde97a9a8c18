/* rights.c -- changes of user, root folder and capabilities: afterwards the
 * place of the profile may be out of reach, and the helper must have the same
 * rights as the program.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/identity.h"
#include "rt/base/lock.h"
#include "rt/base/os.h"
#include "rt/dump/outfile.h"
#include "rt/dump/profile.h"
#include "rt/process/process.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#define SAME ((uint32_t)-1) /* no change */
/* Some programs change to and fro between users or capabilities. Each change
 * costs a dump unless the file is kept open already, or the user is the last
 * one that could make files; so only the first are followed. */
#define FOLLOWED_MAX 16u

static _Atomic uint32_t followed;
static _Atomic uint32_t last_user; /* could make files; 0: nobody yet */

static bool follow(void)
{
    return atomic_load(&followed) < FOLLOWED_MAX &&
           atomic_fetch_add(&followed, 1) < FOLLOWED_MAX;
}

static bool is_given_up(uint32_t user)
{
    return user != SAME && user != 0;
}

static struct mprt_rights before_user(uint32_t real, uint32_t user,
                                      uint32_t saved)
{
    const bool is_lasting = is_given_up(real) && is_given_up(saved);
    struct mprt_rights rights = {.user = user};

    if (is_given_up(user) && mprt_os_is_root() &&
        user != atomic_load(&last_user) && (is_lasting || follow()))
        rights.is_ready = mprt_profile_before_change();
    return rights;
}

static struct mprt_rights before_root(void)
{
    return (struct mprt_rights){.is_ready = mprt_profile_before_change(),
                                .is_root_folder = true};
}

/* The capability that opens every folder. */
static bool keeps_folders(uintptr_t data)
{
    const struct __user_cap_data_struct *const d =
        (const struct __user_cap_data_struct *)data;

    return !mprt_os_are_readable(d, sizeof(*d)) ||
           (d->effective & 1u << CAP_DAC_OVERRIDE) != 0;
}

static struct mprt_rights before_capabilities(uintptr_t data)
{
    struct mprt_rights rights = {.user = 0};

    if (!keeps_folders(data) && follow())
        rights.is_ready = mprt_profile_before_change();
    return rights;
}

static struct mprt_rights before(long number, const unsigned long *a)
{
    const uint32_t first = (uint32_t)a[0];

    /* A child that shares this memory changes its own rights. */
    if (!mprt_identity_is_owner())
        return (struct mprt_rights){.user = 0};
    switch (number) {
    case SYS_setuid:
        return before_user(first, first, first);
    case SYS_setreuid:
        return before_user(first, (uint32_t)a[1], (uint32_t)a[1]);
    case SYS_setresuid:
        return before_user(first, (uint32_t)a[1], (uint32_t)a[2]);
    case SYS_setfsuid:
        return before_user(SAME, first, SAME);
    case SYS_chroot:
    case SYS_pivot_root:
        return before_root();
    case SYS_capset:
        return before_capabilities(a[1]);
    default:
        return (struct mprt_rights){.user = 0};
    }
}

struct mprt_rights
mprt_rights_before(long number,
                   const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS])
{
    const bool had_helper = mprt_helper_stop();
    struct mprt_rights rights = before(number, arguments);

    rights.had_helper = had_helper;
    return rights;
}

/* A system call changes the users and capabilities of one thread only. The
 * helper keeps those of the others, if there are any. */
struct mprt_rights
mprt_rights_before_call(long number,
                        const unsigned long arguments[MPRT_SYSCALL_ARGUMENTS])
{
    switch (number) {
    case SYS_setuid:
    case SYS_setreuid:
    case SYS_setresuid:
    case SYS_setfsuid:
    case SYS_capset:
        return mprt_lock_has_one_thread()
                   ? mprt_rights_before(number, arguments)
                   : before(number, arguments);
    case SYS_chroot:
    case SYS_pivot_root:
        return mprt_rights_before(number, arguments);
    default:
        return (struct mprt_rights){.user = 0};
    }
}

void mprt_rights_after(const struct mprt_rights *rights, bool is_changed)
{
    const int saved_errno = errno;

    if (rights->is_ready) {
        mprt_profile_after_change(is_changed, rights->is_root_folder);
        if (is_changed && rights->user != 0 && !mprt_outfile_is_kept())
            atomic_store(&last_user, rights->user);
    }
    if (rights->had_helper)
        mprt_helper_start();
    errno = saved_errno;
}
