// Paths of programs that the dynamic linker is told to run, of programs that are
// deleted while they run, and of libraries with relative names; and profiles of
// programs whose working directory is removed, or whose umask forbids everything.
// RUN: rm -rf %t.dir && mkdir -p %t.dir/gone && cd %t.dir
// RUN: %clang -shared -fPIC -DLIBRARY -fmemory-profile %debugflags %s -o libone.so -Wl,--build-id
// RUN: %clang -fmemory-profile %ours-rt %debugflags %s ./libone.so -o prog -Wl,--build-id
// RUN: %clang -fmemory-profile %ours-rt %debugflags %s ./libone.so -o bare -Wl,--build-id,--no-dynamic-linker
// DEFINE: %{show} = %memprofdata show *.raw >out && rm *.raw && FileCheck --input-file=out %s
// DEFINE: %{ld} = /lib64/ld-linux-x86-64.so.2
// RUN: %{ld} ./prog && %{show}
// RUN: env MEMPROF_OPTIONS=log_exe_name=1 %{ld} --argv0 /other/name ./prog && ls memprof.profraw.prog.*.raw && %{show}
// RUN: %{ld} --library-path . ./prog && %{show}
// RUN: env MEMPROF_PROFILE_FILE=%t.dir/p.raw ./prog leave && %{show}
// RUN: %{ld} ./bare && %memprofdata show *.raw | FileCheck --check-prefix=BARE %s && rm *.raw
// A newline in the path.
// DEFINE: %{line} = %memprofdata show *.raw | FileCheck --check-prefix=NEWLINE %s && rm *.raw
// RUN: line=$(printf 'a\nline') && mkdir "$line" && cp prog libone.so "$line" && cd "$line"
// RUN: ./prog && %{line}
// RUN: %{ld} ./prog && %{line}
// RUN: cd ..

// RUN: cp prog kept && ./prog unlink && not ls prog && mv kept prog && %{show}
// RUN: cp prog kept && %{ld} ./prog unlink && not ls prog && mv kept prog && %{show}

// RUN: ./prog rmdir 2>err && FileCheck --check-prefix=GONE --input-file=err %s
// RUN: mkdir gone && env MEMPROF_OPTIONS=continuous=1 ./prog rmdir
// RUN: env MEMPROF_PROFILE_FILE=made/by/p.raw ./prog umask && ls -l made/by/p.raw | grep '^-rw-------'
// RUN: find . -name '*deleted*' | not grep .
// CHECK: Heap profile of {{.*}}path_moved.c.tmp.dir/prog
// CHECK: allocate_in_library path_moved.c:{{[0-9]+}}
// NEWLINE: {{^}}Heap profile of {{.*}}path_moved.c.tmp.dir/a?line/prog
// NEWLINE: allocate_in_library {{.*}}path_moved.c:{{[0-9]+}}
// BARE: Heap profile of {{.*}}path_moved.c.tmp.dir/bare
// GONE: memprof: cannot write the profile memprof.profraw.{{[0-9]+}}.raw: no such directory
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *allocate_in_library(void);

#ifdef LIBRARY
char *allocate_in_library(void)
{
    return malloc(300);
}
#else
int main(int argc, char **argv)
{
    const char *const what = argc > 1 ? argv[1] : "";

    free(malloc(200));
    free(allocate_in_library());
    if (strcmp(what, "unlink") == 0)
        return unlink(argv[0]);
    if (strcmp(what, "umask") == 0)
        umask(0777);
    if (strcmp(what, "leave") == 0)
        return chdir("/");
    if (strcmp(what, "rmdir") == 0)
        return chdir("gone") != 0 || rmdir("../gone") != 0;
    return 0;
}
#endif
