// include= and include_if_exists= read options from a file.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: echo "print_text=1 log_path=stdout" > %t.options
// RUN: env MEMPROF_OPTIONS=include=%t.options %t | FileCheck %s
// RUN: env MEMPROF_OPTIONS=include_if_exists=%t.options %t | FileCheck %s
// RUN: env MEMPROF_OPTIONS=include_if_exists=%t.none:dump_at_exit=0 %t 2>&1 | count 0
// RUN: env MEMPROF_OPTIONS=include=%t.none:dump_at_exit=0 %t 2>&1 | grep 'cannot read options'
// CHECK: Recorded MIBs
int main(void)
{
    return 0;
}
