// allocator_may_return_null=0 ends the program at the first failed allocation, with
// LLVM's report and status, and with the profile. Without the option the program goes
// on.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clangxx %ours-rt -fmemory-profile %debugflags -O0 -w %s -o ours
// RUN: %clangxx -fmemory-profile %debugflags -O0 -w %s -o llvm
// DEFINE: %{option} = allocator_may_return_null=0
// DEFINE: %{what} =
// DEFINE: %{run} = not env MEMPROF_OPTIONS=max_allocation_size_mb=2:%{option}
// Compares the error, the hint, and the kind in the summary.
// DEFINE: %{say} = sed -nE 's/^==[0-9]+==//; /^(ERROR|HINT)/p; s/^(SUMMARY: MemProfiler: [a-z-]+).*/\1/p'
// DEFINE: %{check} = %{run}:log_path=stderr ./llvm %{what} 2> llvm.err && %{say} llvm.err > want && %{run} ./ours %{what} 2> ours.err && %{say} ours.err | diff want -
// REDEFINE: %{what} = malloc
// RUN: %{check} && FileCheck %s < ours.err
// RUN: ls memprof.profraw.*.raw | count 1
// RUN: %memprofdata show memprof.profraw.*.raw | grep 'in 1 block'
// REDEFINE: %{what} = realloc
// RUN: %{check}
// REDEFINE: %{what} = new
// RUN: %{check}
// REDEFINE: %{what} = posix
// RUN: %{check}
// RUN: %{run} ./ours largest 2>&1 | FileCheck --check-prefix=LARGEST %s
// LARGEST: ERROR: MemProfiler: invalid allocation alignment: 9223372036854775809, alignment
// REDEFINE: %{what} = nothrow
// RUN: %{check}
// REDEFINE: %{what} = strdup
// RUN: %{check}
// REDEFINE: %{option} = allocator_may_return_null=0:print_summary=0
// RUN: %{check} && not grep SUMMARY ours.err
// For products the numbers are not printed.
// REDEFINE: %{option} = allocator_may_return_null=0
// REDEFINE: %{what} = calloc
// RUN: %{run} ./ours calloc 2>&1 | FileCheck --check-prefix=CALLOC %s
// The requested exit status; the program's callback.
// RUN: sh -c 'MEMPROF_OPTIONS=allocator_may_return_null=0:exitcode=7 ./ours huge; test $? = 7' 2>&1 | FileCheck --check-prefix=LAST %s
// With another value or without the option the program goes on; the bare name means
// what it means for LLVM.
// RUN: env MEMPROF_OPTIONS=allocator_may_return_null=1 ./ours huge | FileCheck --check-prefix=NULL %s
// RUN: ./ours huge 2>&1 | FileCheck --check-prefixes=MESSAGE,NULL %s
// CHECK: ==[[PID:[0-9]+]]==ERROR: MemProfiler: requested allocation size 0x300000 exceeds maximum supported size of 0x200000
// CHECK-NEXT: #0 0x{{[0-9a-f]+}} in main ({{.*}}/ours+0x{{[0-9a-f]+}})
// CHECK: ==[[PID]]==HINT:
// CHECK-NEXT: SUMMARY: MemProfiler: allocation-size-too-big
// CALLOC: ERROR: MemProfiler: calloc parameters overflow
// CALLOC: SUMMARY: MemProfiler: calloc-overflow
// LAST: SUMMARY: MemProfiler: allocation-size-too-big
// LAST-NEXT: the end
// MESSAGE: memprof: an allocation of {{[0-9]+}} bytes failed
// An alignment that glibc accepts is no failure; for one that it refuses there is no
// message.
// RUN: env MEMPROF_OPTIONS=allocator_may_return_null=0 ./ours three | FileCheck --check-prefix=TAKEN %s
// RUN: ./ours posix 2>&1 | FileCheck --check-prefix=REFUSED %s
// errno is set by malloc, as with libstdc++'s operators.
// RUN: ./ours huge 2>/dev/null | FileCheck --check-prefix=ERRNO %s
// RUN: ./ours nothrow-huge 2>/dev/null | FileCheck --check-prefix=ERRNO %s
// NULL: returned (nil)
// TAKEN: returned 0x
// REFUSED-NOT: memprof
// REFUSED: returned (nil)
// ERRNO: errno 12
#include <errno.h>
#include <malloc.h>
#include <new>
#include <sanitizer/common_interface_defs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void at_end(void)
{
    if (write(2, "the end\n", 8) != 8)
        abort();
}

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

int main(int argc, char **argv)
{
    const char *const what = argv[1];
    const size_t size = 3 << 20;
    void *volatile p = nullptr;

    if (is(what, "malloc"))
        p = malloc(size);
    else if (is(what, "realloc"))
        p = realloc(nullptr, size);
    else if (is(what, "new"))
        p = operator new(size);
    else if (is(what, "nothrow"))
        p = operator new(size, std::nothrow);
    else if (is(what, "calloc"))
        p = calloc((size_t)1 << 40, (size_t)1 << 40);
    if (is(what, "strdup")) {
        static char text[3 << 20];

        memset(text, 'x', sizeof(text) - 1);
        p = strdup(text);
    }
    if (is(what, "huge")) {
        __sanitizer_set_death_callback(at_end);
        p = malloc(((size_t)1 << 40) + 1);
    }
    if (is(what, "nothrow-huge"))
        p = operator new(((size_t)1 << 40) + 1, std::nothrow);
    if (is(what, "posix") && posix_memalign(const_cast<void **>(&p), 24, 10) == 0)
        abort();
    if (is(what, "largest"))
        p = memalign(((size_t)1 << 63) + 1, 10);
    if (is(what, "three"))
        p = aligned_alloc(48, 100);
    const int error = errno;

    printf("returned %p\n", p);
    printf("errno %d\n", error);
    return 0;
}
