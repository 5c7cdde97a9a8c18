// A bad option prints one line and changes nothing else.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=foo=1:atexit=9:dump_at_exit=0:x %t 2>%t.err
// RUN: FileCheck --match-full-lines %s < %t.err
// CHECK: memprof: MEMPROF_OPTIONS: unknown option 'foo' (help=1 lists all options)
// CHECK-NEXT: memprof: MEMPROF_OPTIONS: bad value in 'atexit=9' (help=1 lists all options)
// CHECK-NEXT: memprof: MEMPROF_OPTIONS: no '=' after 'x' (help=1 lists all options)
// CHECK-NOT: {{.}}
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0:clock=foo:malloc_context_size=0:malloc_context_size=256:malloc_context_size=-3:max_allocation_size_mb=-1:handle_segv=3:dump_interval=-1:include=/ %t 2>%t.err
// RUN: FileCheck --match-full-lines --check-prefix=VALUE %s < %t.err
// VALUE: memprof: MEMPROF_OPTIONS: clock must be cached, coarse, tsc or monotonic, not 'foo'; taking cached
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: malloc_context_size must be 1 to 255, not '0'; taking 30
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: malloc_context_size must be 1 to 255, not '256'; taking 30
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: malloc_context_size must be 1 to 255, not '-3'; taking 30
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: max_allocation_size_mb must be 0 or more, not '-1'; taking 0
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: handle_segv must be 0 to 2, not '3'; taking 1
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: dump_interval must be 0 to 1000000000, not '-1'; taking 0
// VALUE-NEXT: memprof: MEMPROF_OPTIONS: cannot read options from '/' (help=1 lists all options)
// VALUE-NOT: {{.}}
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0:clock=tsc:malloc_context_size=255:max_allocation_size_mb=0 %t 2>&1 | count 0
int main(void)
{
    return 0;
}
