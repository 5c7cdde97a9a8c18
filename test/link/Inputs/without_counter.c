/* without_counter PROGRAM ARGUMENT... -- runs it without the time stamp counter. */
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc < 2 || prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0)
        return 98;
    execv(argv[1], argv + 1);
    return 99;
}
