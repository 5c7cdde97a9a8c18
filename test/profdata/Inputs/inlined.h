// Functions that are inlined into both units.
static inline int twice(int n)
{
    return n + n;
}

static inline int often(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += twice(i) ^ n;
    return sum;
}

int other(int n);
