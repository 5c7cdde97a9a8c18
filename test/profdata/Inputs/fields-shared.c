#include "fields-shared.h"

void *make_in_c(void)
{
    struct shared *const s = (struct shared *)malloc(sizeof(struct shared));

    s->used = 1;
    return s;
}
