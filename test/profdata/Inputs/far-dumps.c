// Two dumps, in FILE and in log_path's: of a block with accesses in many places,
// and of one of the same call stack with accesses in few.
#include <stdio.h>
#include <stdlib.h>

int __memprof_profile_dump(void);
void __memprof_profile_reset(void);
const char *__sanitizer_get_report_path(void);

#define SIZE (1u << 18)

__attribute__((noinline)) static void use(unsigned step)
{
    char *volatile p = malloc(SIZE);

    for (unsigned i = 0; i < SIZE; i += step)
        p[i]++;
    free(p);
}

int main(int argc, char **argv)
{
    for (volatile int i = 0; i < 2; i++) {
        use(i == 0 ? 40 : SIZE / 7);
        if (i != 0)
            break;
        __memprof_profile_dump();
        if (argc < 2 || rename(__sanitizer_get_report_path(), argv[1]) != 0)
            return 1;
        __memprof_profile_reset();
    }
    return 0;
}
