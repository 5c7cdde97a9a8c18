/* Blocks that a library touched, which was loaded and unloaded meanwhile:
 * brief-library LIBRARY. No call stack went through it. */
#include <dlfcn.h>
#include <stdlib.h>

__attribute__((noinline)) static void *make_untouched(void)
{
    return malloc(2000);
}

int main(int argc, char **argv)
{
    char *const untouched = make_untouched();
    void *const library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void (*const touch)(char *) =
        library != NULL ? (void (*)(char *))dlsym(library, "library_touch")
                        : NULL;

    if (touch == NULL)
        return 1;
    touch(untouched);
    dlclose(library);
    free(untouched);
    return 0;
}
