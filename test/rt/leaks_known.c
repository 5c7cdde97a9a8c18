// Suppressions of leaks that the program defines itself, as users of LeakSanitizer do.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %memprof-clang -fmemory-profile -g -O0 %s -o known
// RUN: env MEMPROF_OPTIONS=log_path=known:leaks=1 ./known
// RUN: not %memprofdata show --leaks known.*.raw > out 2>&1
// RUN: FileCheck %s < out

// An indexed file keeps the program's suppressions.
// RUN: %memprofdata merge known.*.raw -o known.profdata
// RUN: not %memprofdata show --leaks known.profdata 2>&1 | FileCheck %s
// RUN: %memprofdata merge --text known.profdata -o known.json
// RUN: not %memprofdata show --leaks known.json 2>&1 | FileCheck %s
// RUN: %memprofdata export --format=json known.profdata | FileCheck %s --check-prefix=JSON
// JSON: "known_leaks":"# of old\nleak:^known_one$\n

// CHECK: memprofdata: suppressed: leak:^known_one$: 101 bytes in 1 block
// CHECK-NEXT: memprofdata: suppressed: leak:*own_two: 202 bytes in 1 block
// CHECK-NOT: memprofdata: suppressed:
// CHECK: leaked       404 B in 1 block
// CHECK: 404 B leaked
// CHECK-NOT: {{^}} *known_

// The user's suppressions come first. If nothing else leaked, the exit status is 0.
// RUN: echo leak:lost > more && echo leak:known_one >> more
// RUN: %memprofdata show --leaks --suppressions=more known.profdata 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: suppressed: leak:lost: 404 bytes in 1 block
// BOTH-NEXT: suppressed: leak:known_one: 101 bytes in 1 block
// BOTH-NEXT: suppressed: leak:*own_two: 202 bytes in 1 block
// BOTH-NOT: memprofdata: suppressed:

// An invalid list, or none at all, is reported and ignored.
// RUN: %memprof-clang -fmemory-profile -g -O0 '-DLIST="leak:known_one\nrace:x\n"' %s -o wrong
// RUN: env MEMPROF_OPTIONS=log_path=wrong:leaks=1 ./wrong
// RUN: not %memprofdata show --leaks wrong.*.raw 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: __lsan_default_suppressions(), line 2: not "leak:PATTERN"; the list is ignored
// WRONG-NOT: memprofdata: suppressed:
// WRONG: leaked       707 B in 3 blocks
// RUN: %memprof-clang -fmemory-profile -g -O0 -DLIST=0 %s -o null
// RUN: env MEMPROF_OPTIONS=log_path=null:leaks=1 ./null
// RUN: not %memprofdata show --leaks null.*.raw 2>&1 | FileCheck %s --check-prefix=NULL
// NULL-NOT: __lsan
// NULL-NOT: memprofdata: suppressed:
// NULL: leaked       707 B in 3 blocks

// A list that could take hours to match is reported and ignored.
// RUN: %memprof-clang -fmemory-profile -g -O0 -DMANY=1000000 %s -o many
// RUN: env MEMPROF_OPTIONS=log_path=many:leaks=1 ./many
// RUN: not %memprofdata show --leaks many.*.raw 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: __lsan_default_suppressions(): 1000000 patterns would take too long, and are not heeded
// MANY: leaked       707 B in 3 blocks
#include <stdlib.h>
#include <string.h>

#ifndef LIST
#define LIST "# of old\nleak:^known_one$\nleak:*own_two\nleak:nobody\n"
#endif

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
#ifdef MANY
    static char lines[7 * MANY + 1];

    for (size_t i = 0; i < MANY; i++)
        memcpy(&lines[7 * i], "leak:-\n", 7);
    return lines;
#else
    return LIST;
#endif
}

__attribute__((noinline)) static void known_one(void)
{
    *(volatile char *)malloc(101) = 1;
}

__attribute__((noinline)) static void known_two(void)
{
    *(volatile char *)malloc(202) = 1;
}

/* A long name makes matching expensive. */
#define NAME_10 "a123456789"
#define NAME_100                                                         \
    NAME_10 NAME_10 NAME_10 NAME_10 NAME_10 NAME_10 NAME_10 NAME_10 NAME_10 \
        NAME_10
#define NAME_1000                                                       \
    NAME_100 NAME_100 NAME_100 NAME_100 NAME_100 NAME_100 NAME_100 NAME_100 \
        NAME_100 NAME_100

#ifdef MANY
void lost(void) __asm__(NAME_1000 NAME_1000 NAME_1000);
#else
static void lost(void);
#endif

__attribute__((noinline)) void lost(void)
{
    *(volatile char *)malloc(404) = 1;
}

int main(void)
{
    known_one();
    known_two();
    lost();
    return 0;
}
