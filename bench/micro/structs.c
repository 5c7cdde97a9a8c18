/* structs.c -- counting only: each step reads and writes most fields of
 * particles of 64 bytes.
 *
 * usage: structs STEPS PARTICLES
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bench/micro/bench.h"

struct particle {
    double x, y, z;
    double vx, vy, vz;
    double mass;
    long bounces;
};

BENCH_NOINLINE static void step(struct particle *p, long n, double dt)
{
    for (long i = 0; i < n; i++) {
        p[i].x += p[i].vx * dt;
        p[i].y += p[i].vy * dt;
        p[i].z += p[i].vz * dt;
        if (p[i].z < 0) {
            p[i].z = -p[i].z;
            p[i].vz = -p[i].vz;
            p[i].bounces++;
        }
        p[i].vz -= 9.81 * dt;
    }
}

int main(int argc, char **argv)
{
    const long steps = bench_argument(argc, argv, 1, 6000);
    const long n = bench_argument(argc, argv, 2, 20000);
    struct particle *const p =
        (struct particle *)malloc((size_t)n * sizeof(*p));
    unsigned seed = 1;
    unsigned long result = 0;

    for (long i = 0; i < n; i++) {
        p[i].x = p[i].y = p[i].z = bench_random(&seed) % 1000;
        p[i].vx = p[i].vy = p[i].vz = bench_random(&seed) % 10;
        p[i].mass = 1;
        p[i].bounces = 0;
    }
    step(p, n, 0.001);
    bench_begin();
    for (long s = 0; s < steps; s++)
        step(p, n, 0.001);
    bench_end(steps * n);
    for (long i = 0; i < n; i++)
        result += (unsigned long)p[i].bounces + (unsigned long)(long)p[i].x;
    bench_result(result);
    free(p);
    return 0;
}
