// Each form of exec writes the profile first. If exec fails, the profile is withdrawn,
// and later nothing is lost or counted twice.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt -O0 -fno-builtin %s -o %t
// RUN: for n in 0 1 2 3 4 5 6 7 8; do %t $n > out.$n || exit 1; done
// RUN: cat out.* | FileCheck %s --check-prefix=OUT
// OUT-COUNT-9: replaced a b
// RUN: ls *.raw | count 9
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | uniq -c | FileCheck \
// RUN:   %s --match-full-lines --implicit-check-not={{.}}
// CHECK: {{ *}}9 11 1
// RUN: %memprofdata show *.raw | FileCheck %s --check-prefix=AT-END
// AT-END: live at end
// RUN: rm *.raw && %t fail && ls *.raw | count 1
// RUN: python3 %S/Inputs/blocks_in.py %memprofdata *.raw | FileCheck %s \
// RUN:   --match-full-lines --implicit-check-not={{.}} --check-prefix=FAIL
// FAIL: 12 1
// LLVM's format, with all dumps in one file: the same as without the failed exec.
// RUN: rm *.raw && export MEMPROF_OPTIONS=raw_format=llvm:clock=coarse
// RUN: env MEMPROF_PROFILE_FILE=failed %t dump-fail && ls failed* | count 1
// RUN: env MEMPROF_PROFILE_FILE=plain %t dump
// RUN: test "$(wc -c < failed)" = "$(wc -c < plain)"
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sanitizer/memprof_interface.h>
#include <string.h>
#include <unistd.h>

static void replace(int how, const char *sh)
{
    char *argv[] = {"sh", "-c", "echo replaced $0 $X", "a", 0};
    char *envp[] = {"X=b", "PATH=/bin:/usr/bin", 0};
    const int fd = open(sh, O_RDONLY);
    const char *name = strcmp(sh, "/bin/sh") ? sh : "sh";

    environ = envp;
    switch (how) {
    case 0: execv(sh, argv); break;
    case 1: execve(sh, argv, envp); break;
    case 2: execvp(name, argv); break;
    case 3: execvpe(name, argv, envp); break;
    case 4: fexecve(fd, argv, envp); break;
    case 5: execveat(AT_FDCWD, sh, argv, envp, 0); break;
    case 6: execl(sh, "sh", "-c", argv[2], "a", (char *)0); break;
    case 7: execlp(name, "sh", "-c", argv[2], "a", (char *)0); break;
    case 8: execle(sh, "sh", "-c", argv[2], "a", (char *)0, envp); break;
    }
}

int main(int argc, char **argv)
{
    void *kept;

    for (int i = 0; i < 10; i++)
        free(malloc(10));
    kept = malloc(20);
    if (strncmp(argv[1], "dump", 4) == 0)
        __memprof_profile_dump();
    if (strstr(argv[1], "fail")) {
        for (int i = 0; i < 9; i++)
            replace(i, "/nowhere/sh");
    } else if (strcmp(argv[1], "dump") != 0) {
        replace(atoi(argv[1]), "/bin/sh");
        return argc;
    }
    free(malloc(30));
    return kept == 0;
}
