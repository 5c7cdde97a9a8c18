/* A type of one name and size is another one in each file. */
#include <stdlib.h>

struct node {
    long first;
    long second;
};

extern void *volatile kept;
void other(void);

int main(void)
{
    struct node *node = malloc(sizeof(*node));

    kept = node;
    ((struct node *)kept)->second = 1;
    other();
    return 0;
}
