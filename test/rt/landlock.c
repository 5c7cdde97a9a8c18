// The profile is written at the end, also if Landlock forbids its folder, because the file
// was opened before.
// REQUIRES: landlock
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: %t all 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | grep -x '6 1' && rm *.raw
// RUN: %t sockets 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | grep -x '6 1' && rm *.raw
// RUN: env MEMPROF_OPTIONS=continuous=1 %t all 2>err && FileCheck --check-prefix=LATE --input-file=err %s
// RUN: %memprofdata check *.raw
// RUN: ls -A | count 2
// LATE: memprof: the program forbids itself by landlock to write the profile {{.*}}.raw: what the last second brought is not in it
// LATE-NOT: {{.}}
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *kept;

int main(int argc, char **argv)
{
    const struct landlock_ruleset_attr rules = {
        .handled_access_fs = !strcmp(argv[1], "all")
                                 ? LANDLOCK_ACCESS_FS_WRITE_FILE |
                                       LANDLOCK_ACCESS_FS_MAKE_REG
                                 : LANDLOCK_ACCESS_FS_MAKE_SOCK};
    const int fd =
        syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

    kept = malloc(10);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_landlock_restrict_self, fd, 0) != 0)
        return 1;
    for (int i = 0; i < 5; i++)
        free(malloc(20));
    return 0;
}
