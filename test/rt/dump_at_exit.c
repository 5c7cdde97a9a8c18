// dump_at_exit=0 writes a file only on request; dump_at_exit=1 writes one even without
// a block.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t && ls | count 0
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t dump && ls | count 1
// RUN: %t && ls | count 2
// RUN: env MEMPROF_PROFILE_FILE=llvm MEMPROF_OPTIONS=raw_format=llvm %t
// RUN: test "$(wc -c < llvm)" -gt 64
#include <sanitizer/memprof_interface.h>

int main(int argc, char **argv)
{
    (void)argv;
    return argc > 1 ? __memprof_profile_dump() : 0;
}
