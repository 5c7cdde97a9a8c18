/* Allocates 52.1 MiB in 100,000 blocks; 20,000 live at the end. */
#include <stdlib.h>
#include <string.h>

static void *kept[20000];

int main(void)
{
    for (int i = 0; i < 100000; i++) {
        free(kept[i % 20000]);
        kept[i % 20000] = malloc((size_t)(100 + i % 900));
        memset(kept[i % 20000], 0, 100);
    }
    return 0;
}
