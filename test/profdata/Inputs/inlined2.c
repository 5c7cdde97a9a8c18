#include "inlined.h"

int other(int n)
{
    return often(n + 3) + twice(n);
}
