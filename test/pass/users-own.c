// The user's own definitions of the interface between program and runtime are kept,
// also if LLVM's pass runs after ours and adds its own.
// RUN: %clang -O2 -fpass-plugin=%plugin -fmemory-profile -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -O2 -fpass-plugin=%plugin -mllvm -memprof-instrument -S -emit-llvm %s -o - | FileCheck %s
// CHECK-DAG: @__memprof_default_options_str = {{.*}}constant [13 x i8] c"print_text=1\00"
// CHECK-DAG: @__memprof_profile_filename = {{.*}}constant [5 x i8] c"mine\00"
// CHECK-DAG: ret ptr @__memprof_histogram
const char __memprof_default_options_str[] = "print_text=1";
__attribute__((weak)) const char __memprof_profile_filename[] = "mine";
extern char __memprof_histogram;
char *flag(void)
{
    return &__memprof_histogram;
}
