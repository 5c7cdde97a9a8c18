/* cut-short.c -- preloaded: what another process may do to an input at any time.
 * The file CUT_SHORT is cut to nothing as soon as it is mapped, GROW grows
 * whenever any of it was read, and VANISH is gone when it is opened. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_file(int fd, const char *variable)
{
    const char *path = getenv(variable);
    struct stat own;
    struct stat wanted;

    return fd >= 0 && path != NULL && stat(path, &wanted) == 0 &&
           fstat(fd, &own) == 0 && own.st_ino == wanted.st_ino;
}

ssize_t read(int fd, void *data, size_t size)
{
    static ssize_t (*real)(int, void *, size_t);
    static char more[4096];
    ssize_t n;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    n = real(fd, data, size);
    if (is_file(fd, "GROW")) {
        const int out = open(getenv("GROW"), O_WRONLY | O_APPEND);

        if (write(out, more, sizeof(more)) != sizeof(more))
            abort();
        close(out);
    }
    return n;
}

int open(const char *path, int flags, ...)
{
    static int (*real)(const char *, int, ...);
    const char *gone = getenv("VANISH");
    va_list list;
    int mode;

    va_start(list, flags);
    mode = (flags & O_CREAT) != 0 ? va_arg(list, int) : 0;
    va_end(list);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "open");
    if (gone != NULL && strcmp(path, gone) == 0)
        unlink(path);
    return real(path, flags, mode);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd,
           off_t offset)
{
    static void *(*real)(void *, size_t, int, int, int, off_t);
    void *result;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "mmap");
    result = real(address, size, protection, flags, fd, offset);
    if (is_file(fd, "CUT_SHORT") && truncate(getenv("CUT_SHORT"), 0) != 0)
        abort();
    return result;
}
