#include "mixed.h"

int main(void)
{
    char *const block = (char *)malloc(1001);
    char *volatile idle = (char *)malloc(1003);
    char *const made = plain_make(1005);
    char *const idle_made = plain_make(1007);

    plain_fill(block, 1001);
    fill_bytes(made, 1005);
    free(block);
    free(idle);
    free(made);
    free(idle_made);
    return 0;
}
