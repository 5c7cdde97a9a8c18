/* Loads 0.so to 149.so, and calls each. */
#include <dlfcn.h>
#include <stdio.h>

#define COUNT 150

int main(void)
{
    int loaded = 0;
    long sum = 0;

    for (int i = 0; i < COUNT; i++) {
        char path[32];
        void *library;
        long (*sum_of)(int);

        (void)snprintf(path, sizeof(path), "./%d.so", i);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) {
            (void)fprintf(stderr, "%s\n", dlerror());
            continue;
        }
        loaded++;
        *(void **)&sum_of = dlsym(library, "sum_of");
        sum += sum_of(101);
    }
    (void)printf("loaded %d of %d, sum %ld\n", loaded, COUNT, sum);
    return loaded != COUNT;
}
