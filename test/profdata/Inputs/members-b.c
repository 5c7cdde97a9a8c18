#include <stdlib.h>

struct node {
    long third;
    long fourth;
};

void *volatile kept;
void other(void);

void other(void)
{
    struct node *node = malloc(sizeof(*node));

    kept = node;
    ((struct node *)kept)->fourth = 1;
}
