// A path that has no terminator makes a call fail, also if the block ends where the
// accessible memory ends.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O1 -fno-builtin %s -o prog && ./prog
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    char target[10];
    struct stat st;

    for (size_t n = 4096; n < 1 << 20; n += 4096) {
        for (int i = 0; i < 20; i++) {
            char *const path = (char *)memset(malloc(n), 'a', n);

            if (open(path, O_RDONLY) >= 0 || errno != ENAMETOOLONG || stat(path, &st) == 0 ||
                errno != ENAMETOOLONG || readlink(path, target, 10) >= 0 ||
                errno != ENAMETOOLONG)
                return 1;
        }
    }
    return 0;
}
