// The runtime does not wait for a lock on a device that all programs share: here
// /dev/null is locked by another process.
// RUN: %memprof-clang -fmemory-profile -O1 %s -o %t
// RUN: env MEMPROF_PROFILE_FILE=/dev/null timeout 8 python3 -c "import fcntl, subprocess; f = open('/dev/null', 'w'); fcntl.lockf(f, fcntl.LOCK_EX); subprocess.run(['%t'], check=True)"
#include <stdlib.h>

int main(void)
{
    void *volatile p = malloc(10);

    free(p);
    return 0;
}
