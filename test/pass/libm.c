/* Blocks that functions of libm write are not "never accessed": the runtime does not
 * interpose libm, so the pass reports the pointers. Its list is in order. */
// RUN: grep -o 'X([^)]*)' %root/pass/collect/libc_uncounted.inc > %t.names && env LC_ALL=C sort -cu %t.names
// RUN: rm -f %t.*
// RUN: %memprof-clang -O0 -fmemory-profile %s -o %t -lm
// RUN: env MEMPROF_PROFILE_FILE=%t.0.raw %t
// RUN: %memprofdata show --top=20 %t.0.raw | FileCheck %s --implicit-check-not='never accessed'
// RUN: %memprof-clang -O2 -fmemory-profile %s -o %t -lm
// RUN: env MEMPROF_PROFILE_FILE=%t.2.raw %t
// RUN: %memprofdata show --top=20 %t.2.raw | FileCheck %s --implicit-check-not='never accessed'
// CHECK-COUNT-7: {{^ *}}accesses not measured
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int main(int c, char **v)
{
    double *a = malloc(101), *b = malloc(102), *m = malloc(103);
    int *e = malloc(104), *q = malloc(105), *s = malloc(106);
    fenv_t *f = malloc(107);
    pthread_key_t *k = malloc(108);
    double x = c + 0.5;
    sincos(x, a, b);
    x += modf(x, m) + frexp(x, e) + remquo(x, 3.0, q) + lgamma_r(x, s);
    fegetenv(f);
    pthread_key_create(k, NULL);
    free(a); free(b); free(m); free(e); free(q); free(s); free(f); free(k);
    return x == 17;
}
