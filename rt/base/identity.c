/* identity.c -- which process this is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/identity.h"
#include "rt/base/os.h"

#define PID_INIT 1

struct mprt_helper_process mprt_identity_helper;

static uint32_t owner_pid;
static bool is_forked;
static _Thread_local bool is_helper;

void mprt_identity_init(void)
{
    owner_pid = mprt_os_pid();
}

void mprt_identity_in_child(void)
{
    owner_pid = mprt_os_pid();
    is_forked = true;
}

bool mprt_identity_is_owner(void)
{
    return mprt_os_pid() == owner_pid;
}

bool mprt_identity_is_forked(void)
{
    return is_forked;
}

uint32_t mprt_identity_pid(void)
{
    return owner_pid != 0 ? owner_pid : mprt_os_pid();
}

bool mprt_identity_is_first(void)
{
    return mprt_os_pid() == PID_INIT;
}

bool mprt_identity_is_helper(void)
{
    return is_helper;
}

void mprt_identity_become_helper(void)
{
    is_helper = true;
}
