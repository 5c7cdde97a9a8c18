/* matching.cpp -- one function for each way that LLVM matches an allocation with
 * a profile. */
#define NOINLINE __attribute__((noinline))

static volatile int sink;

static NOINLINE char *hot(char *block)
{
    for (int i = 0; i < 100000; i++)
        sink += ((volatile char *)block)[i % 8];
    return block;
}

NOINLINE char *only_cold()
{
    return new char[10];
}

NOINLINE char *only_hot()
{
    return new char[11];
}

NOINLINE char *mixed()
{
    return new char[12];
}

static NOINLINE char *internal()
{
    return new char[13];
}

static inline __attribute__((always_inline)) char *innermost()
{
    return new char[14];
}

static inline __attribute__((always_inline)) char *inner()
{
    return innermost();
}

NOINLINE char *inlined()
{
    return inner();
}

NOINLINE void unrolled(char **blocks)
{
#pragma clang loop unroll_count(2)
    for (int i = 0; i < 4; i++)
        blocks[i] = new char[15];
}

#ifdef EDITED
NOINLINE char *added()
{
    return new char[17];
}
#endif

NOINLINE char *moved()
{
    return new char[18];
}

char *kept[20];

int main()
{
    int at = 0;

    kept[at++] = only_cold();
    kept[at++] = hot(only_hot());
    kept[at++] = mixed();
    kept[at++] = hot(mixed());
    kept[at++] = internal();
    kept[at++] = inlined();
    unrolled(kept + at);
    at += 4;
#ifdef EDITED
    kept[at++] = added();
#endif
    kept[at++] = moved();
    return 0;
}
