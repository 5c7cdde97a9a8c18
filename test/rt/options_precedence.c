// The environment overrides the program's __memprof_default_options(), which overrides
// the string given to the compiler.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: %t | FileCheck --check-prefix=LONG %s
// RUN: env MEMPROF_OPTIONS=print_terse=1 %t | FileCheck --check-prefix=TERSE %s
// RUN: %memprof-clang -fmemory-profile -DNO_HOOK %s -o %t.string \
// RUN:   -mllvm -memprof-runtime-default-options=print_text=1,log_path=stdout
// RUN: %t.string | FileCheck --check-prefix=LONG %s
// RUN: env MEMPROF_OPTIONS=print_terse=1 %t.string | FileCheck --check-prefix=TERSE %s
// LONG: Memory allocation stack id = 1
// TERSE-NOT: Memory allocation stack id
// TERSE: MIB:1/1/7.00/7/7/
#include <stdlib.h>

#ifndef NO_HOOK
const char *__memprof_default_options(void)
{
    return "print_text=1:log_path=stdout";
}
#endif

int main(void)
{
    free(malloc(7));
    return 0;
}
