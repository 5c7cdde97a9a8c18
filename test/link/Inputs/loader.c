/* Loads the library of second.c and calls it: loader LIBRARY MODE, where MODE is
 *   stay    no more
 *   close   and unloads it
 *   fork    a child does it, of a parent that records nothing more
 *   ask     has a profile written by signal 12, and waits for it */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int use(const char *path, const char *mode)
{
    void *const library = dlopen(path, RTLD_NOW);
    void (*const call)(void) =
        library != NULL ? (void (*)(void))dlsym(library, "from_second") : NULL;

    if (call == NULL)
        return 1;
    call();
    if (strcmp(mode, "close") == 0)
        dlclose(library);
    if (strcmp(mode, "ask") != 0)
        return 0;
    raise(12);
    while (access(getenv("MEMPROF_PROFILE_FILE"), R_OK) != 0)
        usleep(1000);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 1;

    if (argc != 3)
        return 2;
    if (strcmp(argv[2], "fork") != 0)
        return use(argv[1], argv[2]);
    if (fork() == 0)
        exit(use(argv[1], argv[2]));
    wait(&status);
    _exit(WEXITSTATUS(status));
}
