// The parts from which the name of a profile can be built.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t.dir/prog
// RUN: %clang -fmemory-profile=made/by/clang %ours-rt %s -o %t.dir/prog.dir
// RUN: sh %S/Inputs/path_names.sh %t.dir
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    free(malloc(1));
    fprintf(stderr, "%d\n", (int)getpid());
    return 0;
}
