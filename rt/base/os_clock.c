/* os_clock.c -- clocks, through the vDSO if possible; the current processor;
 * random numbers.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/os_call.h"
#include "rt/base/libc.h"

#include <elf.h>
#include <time.h>

/* From <linux/prctl.h>. */
#define COUNTER_STATE 25  /* PR_GET_TSC */
#define COUNTER_IS_FREE 1 /* PR_TSC_ENABLE */

typedef int clock_gettime_fn(clockid_t clock, struct timespec *ts);

static clock_gettime_fn *_Atomic vdso_clock_gettime;

/* Address of a function in the vDSO at base, or NULL. The hash table says how
 * many entries the symbol table has. */
static void *find_in_vdso(uintptr_t base, const char *name)
{
    const Elf64_Ehdr *const ehdr = (const Elf64_Ehdr *)base;
    const Elf64_Dyn *dyn = NULL;
    const Elf64_Sym *symbols = NULL;
    const char *strings = NULL;
    const Elf64_Word *hash = NULL;
    uintptr_t bias = 0;

    if (base == 0)
        return NULL;
    const Elf64_Phdr *const phdr = (const Elf64_Phdr *)(base + ehdr->e_phoff);
    for (unsigned i = 0; i < ehdr->e_phnum; i++) {
        if (phdr[i].p_type == PT_LOAD)
            bias = base + phdr[i].p_offset - phdr[i].p_vaddr;
        else if (phdr[i].p_type == PT_DYNAMIC)
            dyn = (const Elf64_Dyn *)(base + phdr[i].p_offset);
    }
    for (; dyn != NULL && dyn->d_tag != DT_NULL; dyn++) {
        const uintptr_t at = bias + dyn->d_un.d_ptr;
        if (dyn->d_tag == DT_SYMTAB)
            symbols = (const Elf64_Sym *)at;
        else if (dyn->d_tag == DT_STRTAB)
            strings = (const char *)at;
        else if (dyn->d_tag == DT_HASH)
            hash = (const Elf64_Word *)at;
    }
    if (symbols == NULL || strings == NULL || hash == NULL)
        return NULL;
    for (Elf64_Word i = 0; i < hash[1]; i++) {
        if (symbols[i].st_shndx != SHN_UNDEF &&
            mprt_libc_strcmp(strings + symbols[i].st_name, name) == 0)
            return (void *)(bias + symbols[i].st_value);
    }
    return NULL;
}

void mprt_os_use_vdso(uintptr_t base)
{
    MPRT_STORE(vdso_clock_gettime,
               (clock_gettime_fn *)find_in_vdso(base, "__vdso_clock_gettime"));
}

static bool read_clock_in_vdso(clockid_t clock, struct timespec *ts)
{
    clock_gettime_fn *const read = MPRT_LOAD(vdso_clock_gettime);

    return read != NULL && read(clock, ts) == 0;
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec ts = {0, 0};

    if (!read_clock_in_vdso(clock, &ts))
        call4(SYS_clock_gettime, (uint64_t)clock, (uintptr_t)&ts, 0, 0);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

bool mprt_os_may_read_counter(void)
{
    int how = COUNTER_IS_FREE;

    call4(SYS_prctl, COUNTER_STATE, (uintptr_t)&how, 0, 0);
    return how == COUNTER_IS_FREE;
}

uint64_t mprt_os_realtime_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t mprt_os_monotonic_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t mprt_os_coarse_ns(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

uint64_t mprt_os_coarse_resolution_ns(void)
{
    struct timespec ts = {0, 0};

    call4(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (uintptr_t)&ts, 0, 0);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint32_t mprt_os_cpu_slow(void)
{
    uint32_t cpu = 0;

    call4(SYS_getcpu, (uintptr_t)&cpu, 0, 0, 0);
    return cpu;
}

uint64_t mprt_os_cpu_time_ns(uint32_t pid)
{
    struct timespec ts = {0, 0};

    /* The kernel's id of the CPU clock of all threads of a process. */
    call4(SYS_clock_gettime, (uint64_t)(~(int64_t)pid * 8 + 2), (uintptr_t)&ts,
          0, 0);
    return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t mprt_os_random(void)
{
    uint64_t value = 0;

    if (call4(SYS_getrandom, (uintptr_t)&value, sizeof(value), 1, 0) !=
        sizeof(value))
        value = mprt_os_realtime_ns() * UINT64_C(0x9e3779b97f4a7c15) ^
                mprt_os_pid();
    return value;
}
