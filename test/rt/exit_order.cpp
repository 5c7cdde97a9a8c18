// The dump at exit comes after all exit handlers and destructors, including those of
// libraries: the blocks that they free have ended.
// RUN: %clangxx -shared -fPIC -DLIBRARY %s -o %t.so
// RUN: %clangxx %ours-rt -fmemory-profile %s %t.so -o %t
// RUN: env MEMPROF_OPTIONS=log_path=%t.raw:raw_format=llvm:atexit=0 %t
// RUN: env MEMPROF_OPTIONS=print_text=1:print_terse=1:log_path=stderr %t 2>&1 | FileCheck %s
// CHECK-DAG: MIB:[[#]]/1/1001.00/
// CHECK-DAG: MIB:[[#]]/1/1002.00/
// CHECK-DAG: MIB:[[#]]/1/1003.00/
#include <cstdlib>
#ifdef LIBRARY
struct library_holder {
    void *p = nullptr;
    ~library_holder() { std::free(std::malloc(1001)); }
} library_object;
#else
struct holder {
    ~holder() { std::free(std::malloc(1002)); }
} object;
static void handler() { std::free(std::malloc(1003)); }
int main() { return std::atexit(handler); }
#endif
