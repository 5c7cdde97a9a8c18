// Counting reads and writes apart needs our runtime: with LLVM's, linking fails, and
// the missing symbol's name says why. Code that counts nothing works with both.
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw not %clang -O1 -fpass-plugin=%plugin -fmemory-profile %s -o %t 2>&1 | FileCheck %s --check-prefix=RW
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=rw-bytes not %clang -O1 -fpass-plugin=%plugin -fmemory-profile %s -o %t 2>&1 | FileCheck %s --check-prefixes=RW,BYTES
// RUN: env MEMPROF_PASS_OPTIONS=-memprof-access=none %clang -O1 -fpass-plugin=%plugin -fmemory-profile %s -o %t && env MEMPROF_OPTIONS=print_text=1 %t
// RW-DAG: undefined reference to `__memprof_rw_shadow_v1'
// BYTES-DAG: undefined reference to `__memprof_rw_bytes_shadow_v1'
int n;
int *p = &n;
int main(void)
{
    return *p;
}
