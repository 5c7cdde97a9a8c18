// A bad option is one line each and changes nothing else.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=foo=1:atexit=9:dump_at_exit=0:x %t 2>%t.err
// RUN: FileCheck --match-full-lines %s < %t.err
// CHECK: memprof: MEMPROF_OPTIONS: unknown option 'foo' (help=1 lists all options)
// CHECK-NEXT: memprof: MEMPROF_OPTIONS: bad value in 'atexit=9' (help=1 lists all options)
// CHECK-NEXT: memprof: MEMPROF_OPTIONS: no '=' after 'x' (help=1 lists all options)
// CHECK-NOT: {{.}}
int main(void)
{
    return 0;
}
