// mlockall() succeeds without locking the terabytes of counters.
// RUN: %memprof-clang -O1 -fmemory-profile %s -o %t && %t
// RUN: %build/bin/memprof-clang-%llvm-version -O1 -fmemory-profile -shared-libsan %s -o %t && %t
// RUN: %build/bin/memprof-clang-%llvm-version -O1 -fmemory-profile -static %s -o %t && %t
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static long locked_kb(void)
{
    FILE *const status = fopen("/proc/self/status", "r");
    char line[256];
    long kb = -1;

    while (fgets(line, sizeof(line), status) != NULL)
        sscanf(line, "VmLck: %ld", &kb);
    fclose(status);
    return kb;
}

int main(void)
{
    char *const p = malloc(1 << 20);

    assert(mlockall(MCL_CURRENT) == 0);
    assert(mlockall(MCL_CURRENT | MCL_FUTURE) == 0);
    memset(p, 1, 1 << 20);
    assert(locked_kb() == 0);
    errno = 0;
    assert(mlockall(0) == -1 && errno == EINVAL);
    assert(munlockall() == 0);
    free(p);
    return 0;
}
