// Wide cells need our runtime: with LLVM's, linking fails, and the missing symbol's
// name says why.
// RUN: not %clang -O1 -fpass-plugin=%plugin -fmemory-profile -mllvm -memprof-histogram %s -o %t 2>&1 | FileCheck %s
// CHECK: undefined reference to `__memprof_histogram_wide_shadow_v1'
int *p;
int main(void)
{
    return *p;
}
