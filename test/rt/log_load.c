// A log says when binaries came and went and when profiles were dumped: between the marks
// that the program sets around it.
// RUN: %memprof-clang -fmemory-profile -O1 -shared -fPIC -DLIBRARY %s -o %t.counted.so
// RUN: %clang -O1 -shared -fPIC -DLIBRARY %s -o %t.plain.so
// RUN: %memprof-clang -fmemory-profile -O1 -I%root/inc %s -o %t
// RUN: rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: env MEMPROF_OPTIONS=log=log:log_path=p %t %t.counted.so %t.plain.so
// RUN: %memprofdata events --json log > json
// RUN: python3 %S/Inputs/log_load.py json %t.counted.so %t.plain.so
// RUN: %memprofdata events log | FileCheck %s
// CHECK: {{^Binaries and dumps$}}
// CHECK: s loaded {{/.*}}counted.so{{$}}
// CHECK: s unloaded {{/.*}}counted.so{{$}}
// CHECK: s dumped profile 1{{$}}
// CHECK-NOT: dumped
// What was unloaded keeps its names.
// RUN: %memprofdata show log | FileCheck --check-prefix=NAMES %s
// NAMES: make
#ifdef LIBRARY
#include <stdlib.h>

void *make(void)
{
    return malloc(100);
}
#else
#include <dlfcn.h>
#include <memprof.h>
#include <stdlib.h>

static void use(const char *path)
{
    void *const library = dlopen(path, RTLD_NOW);
    void *(*const make)(void) = (void *(*)(void))dlsym(library, "make");

    free(make());
    memprof_mark("opened");
    dlclose(library);
    memprof_mark("closed");
}

int main(int argc, char **argv)
{
    for (int i = 0; i < 3; i++) {
        memprof_mark("begin");
        use(argv[1]);
        use(argv[argc - 1]);
    }
    memprof_dump();
    memprof_mark("dumped");
    return 0;
}
#endif
