/* main.c -- memprofdata: finds the command and runs it.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/cmd/commands.h"

#include <malloc.h>
#include <string.h>

/* Arrays from this size on are always mapped. By default glibc raises the limit
 * whenever a mapped array is freed, and then keeps freed memory. The fixed
 * limit lowers peak memory of a large merge by a quarter and of a small one by
 * a fifth. */
#define MAPPED_BYTES_MIN (256 << 10)

int main(int argc, char **argv)
{
    struct cmd_call call = {
        .all = commands, .argc = argc - 1, .argv = argv + 1};
    const char *name = argc > 1 ? argv[1] : NULL;

    guard_descriptors();
    guard_signals();
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
    /* One arena, so that memory freed by one thread serves the others. Threads
     * allocate little and rarely at the same time. */
    mallopt(M_ARENA_MAX, 1);
    if (name == NULL) {
        cmd_print_overview(stderr, commands);
        return CMD_EXIT_USAGE;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-help") == 0 ||
        strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0 || strcmp(name, "-version") == 0)
        name = "version";
    call.command = cmd_find(commands, name);
    if (call.command == NULL)
        return cmd_no_command(commands, "", name);
    return call.command->run(&call);
}
