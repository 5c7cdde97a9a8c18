/* frames.c -- call stacks to walk: two functions that call each other, chosen
 * by the bits of `path`, and finally leaf(NULL, NULL). FRAMES is the name of
 * the first function. The functions differ in the size of their frames and in
 * the registers that they save.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
typedef int frames_leaf(const void *, const void *);

int FRAMES(unsigned depth, unsigned long path, frames_leaf *leaf);
static int other(unsigned depth, unsigned long path, frames_leaf *leaf);

static inline int next(unsigned depth, unsigned long path, frames_leaf *leaf)
{
    if (depth == 0)
        return leaf((void *)0, (void *)0);
    return (path & 1 ? other : FRAMES)(depth, path >> 1, leaf);
}

__attribute__((noinline)) int FRAMES(unsigned depth, unsigned long path,
                                     frames_leaf *leaf)
{
    int result = next(depth - 1, path, leaf);

    __asm__ volatile("" : "+r"(result));
    return result;
}

static __attribute__((noinline)) int other(unsigned depth, unsigned long path,
                                           frames_leaf *leaf)
{
    volatile char room[72];
    unsigned long a = path * 3, b = path * 5, c = path * 7, d = path * 9;

    room[0] = (char)depth;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
    int result = next(depth - 1, path, leaf);
    __asm__ volatile("" : "+r"(result) : "r"(a), "r"(b), "r"(c), "r"(d));
    return result + room[0];
}
