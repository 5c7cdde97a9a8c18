// A program that gives up its rights: the profile goes to its place, also where the program
// could no longer make a file there, and is whole.
// REQUIRES: root
// RUN: rm -rf %t.dir && mkdir -p %t.dir/jail && cd %t.dir && chmod 755 . jail
// RUN: %memprof-clang -O0 -fmemory-profile %s -o %t
// RUN: for m in user effective back fs call jail call-jail; do \
// RUN:   env MEMPROF_PROFILE_FILE=$PWD/p.raw %t $m 2>&1 | count 0 && \
// RUN:   python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw || exit 1; done
// RUN: ls -A jail | count 0
// RUN: env MEMPROF_PROFILE_FILE=p.raw %t jail 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t capabilities 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw && chown 0 .
// A program that changes to and fro has one file, also if it ends as root.
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t to-and-fro 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw
// RUN: ls -A | count 1
// A place that stays in reach is used as always, and a child has no file to write to.
// RUN: chmod 777 . && env MEMPROF_PROFILE_FILE=$PWD/p.raw %t user 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1'
// RUN: stat -c %%u p.raw | grep -x 65534 && rm p.raw
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t to-and-fro 2>&1 | count 0
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1' && rm p.raw && chmod 755 .
// RUN: env MEMPROF_PROFILE_FILE=$PWD/p.raw %t child 2>err && python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '6 1'
// RUN: FileCheck --input-file=err %s
// CHECK: memprof: cannot write the profile {{.*}}: permission denied{{.*$}}
// CHECK-NOT: {{.}}
// With continuous=1 the file has what was recorded until the change.
// RUN: rm p.raw && for m in user effective jail; do \
// RUN:   env MEMPROF_OPTIONS=continuous=1 MEMPROF_PROFILE_FILE=$PWD/p.raw %t $m 2>err && \
// RUN:   python3 %S/Inputs/blocks_in.py %memprofdata p.raw | grep -x '1 1' && rm p.raw && \
// RUN:   FileCheck --check-prefix=CONTINUOUS --input-file=err %s || exit 1; done
// RUN: ls -A jail | count 0
// CONTINUOUS: memprof: cannot write the profile {{.*}}: {{permission denied|no such directory}}{{.*$}}
// CONTINUOUS-NOT: {{.}}
#define _GNU_SOURCE
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define USER 65534

static void *kept;

int capset(struct __user_cap_header_struct *header,
           const struct __user_cap_data_struct *data);

static int give_up_capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};

    return chown(".", USER, USER) == 0 && capset(&header, data) == 0 ? 0 : -1;
}

static int change_to_and_fro(void)
{
    for (int i = 0; i < 100; i++) {
        if (seteuid(USER - i % 50) != 0 || seteuid(0) != 0)
            return -1;
    }
    return 0;
}

static int change(const char *mode)
{
    if (!strcmp(mode, "effective"))
        return seteuid(USER);
    if (!strcmp(mode, "back"))
        return setresuid(USER, USER, 0);
    if (!strcmp(mode, "fs"))
        return setfsuid(USER);
    if (!strcmp(mode, "call"))
        return (int)syscall(SYS_setresuid, USER, USER, USER);
    if (!strcmp(mode, "capabilities"))
        return give_up_capabilities();
    if (!strcmp(mode, "to-and-fro"))
        return change_to_and_fro();
    if (!strcmp(mode, "jail") && (chroot("jail") != 0 || chdir("/") != 0))
        return -1;
    if (!strcmp(mode, "call-jail") && syscall(SYS_chroot, "jail") != 0)
        return -1;
    return setgid(USER) == 0 ? setuid(USER) : -1;
}

int main(int argc, char **argv)
{
    kept = malloc(10);
    if (change(argv[1]) != 0)
        return 1;
    if (!strcmp(argv[1], "child")) {
        if (fork() == 0) {
            free(malloc(30));
            return 0;
        }
        wait(NULL);
    }
    for (int i = 0; i < 5; i++)
        free(malloc(20));
    return 0;
}
