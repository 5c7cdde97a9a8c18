/* linkmap.c -- iterates over the loaded binaries, either by dl_iterate_phdr()
 * or, without locks, over the list that the dynamic linker keeps for debuggers.
 *
 * The helper needs the list because libc does not know of it. While libc
 * believes that the process has one thread, its locks are plain words without a
 * wake-up, so a thread that waits for the helper would wait forever.
 *
 * A binary may be unloaded while the list is read; the reader must survive a
 * fault.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/stack/linkmap.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/os.h"

#include <elf.h>

/* The list may be a ring while it is being changed. */
#define MODULES_MAX 65536

#pragma weak _r_debug

typedef int visit_fn(struct dl_phdr_info *info, size_t size, void *context);

/* A static program has no PT_PHDR; there they follow the ELF header. */
void mprt_linkmap_find_main(struct dl_phdr_info *info)
{
    const ElfW(Phdr) *const phdr = (const ElfW(Phdr) *)mprt_os_auxv(AT_PHDR);

    *info = (struct dl_phdr_info){
        .dlpi_name = "",
        .dlpi_phdr = phdr,
        .dlpi_phnum = phdr != NULL ? (ElfW(Half))mprt_os_auxv(AT_PHNUM) : 0};
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        if (phdr[i].p_type == PT_LOAD && phdr[i].p_offset == 0)
            info->dlpi_addr =
                (uintptr_t)phdr - sizeof(ElfW(Ehdr)) - phdr[i].p_vaddr;
        if (phdr[i].p_type != PT_PHDR)
            continue;
        info->dlpi_addr = (uintptr_t)phdr - phdr[i].p_vaddr;
        return;
    }
}

/* Finds the program headers of a library: its first segment begins with the ELF
 * header. */
static bool find_headers(struct dl_phdr_info *info)
{
    const ElfW(Ehdr) *const ehdr = (const ElfW(Ehdr) *)info->dlpi_addr;

    if (!mprt_os_is_readable((uintptr_t)ehdr) ||
        mprt_libc_memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0 ||
        ehdr->e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    info->dlpi_phdr =
        (const ElfW(Phdr) *)(const void *)((const char *)ehdr + ehdr->e_phoff);
    info->dlpi_phnum = ehdr->e_phnum;
    return true;
}

static void go_through_list(visit_fn *visit, void *context)
{
    struct dl_phdr_info info;
    const struct link_map *module = NULL;

    mprt_linkmap_find_main(&info);
    if (visit(&info, sizeof(info), context) != 0)
        return;
    /* The first entry is the main program. */
    if (&_r_debug != NULL && _r_debug.r_map != NULL)
        module = _r_debug.r_map->l_next;
    for (unsigned i = 0; module != NULL && i < MODULES_MAX; i++) {
        info = (struct dl_phdr_info){.dlpi_addr = module->l_addr,
                                     .dlpi_name = module->l_name};
        if (find_headers(&info) && visit(&info, sizeof(info), context) != 0)
            return;
        module = module->l_next;
    }
}

/* Whether libc's lock may be taken. In a forked child its holder may not exist:
 * fork() does not release the lock. */
static bool has_lock(void)
{
    return !mprt_identity_is_helper() && !mprt_identity_is_forked();
}

void mprt_linkmap_iterate(visit_fn *visit, void *context)
{
    if (has_lock())
        dl_iterate_phdr(visit, context);
    else
        go_through_list(visit, context);
}
