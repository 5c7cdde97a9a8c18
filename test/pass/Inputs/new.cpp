// Two contexts of one allocation, and some work for the counters of a profile.
__attribute__((noinline)) char *make()
{
    return new char[1000];
}

int main()
{
    char *first = make();
    char *second = make();

    for (int i = 0; i < 1000; i++)
        first[i] = second[i];
    delete[] first;
    delete[] second;
    return 0;
}
