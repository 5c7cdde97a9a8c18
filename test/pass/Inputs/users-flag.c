/* A program that defines the histogram flag itself. */
char __memprof_histogram;

int read(const int *p)
{
    return *p + __memprof_histogram;
}
