/* whatif-large.c -- as many blocks of 2 GiB as its word says, which take no memory
 * until a replay touches them. */
#include <stdlib.h>

static void *volatile block;

int main(int argc, char **argv)
{
    (void)argc;
    for (int i = atoi(argv[1]); i > 0; i--) {
        block = malloc((size_t)2 << 30);
        if (block == NULL)
            return 1;
    }
    return 0;
}
