// A profile is written to an existing path that is not a regular file. If it cannot be
// written, one message says where, why and what to do.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: ln -s /dev/null null && mkfifo fifo && mkdir there
// RUN: env MEMPROF_PROFILE_FILE=null %t 2>&1 | count 0
// RUN: ls -A | count 3
// RUN: env MEMPROF_PROFILE_FILE=fifo timeout 300 python3 %S/Inputs/read_fifo.py fifo %t.read %t
// RUN: %memprofdata show %t.read
// RUN: env MEMPROF_PROFILE_FILE=fifo timeout 300 %t 2>&1 | FileCheck --match-full-lines --check-prefix=FIFO %s
// FIFO: memprof: cannot write the profile fifo: nobody reads it; choose another place with MEMPROF_PROFILE_FILE or log_path
// FIFO-NOT: {{.}}
// RUN: env MEMPROF_PROFILE_FILE=there/ %t 2>&1 | FileCheck --match-full-lines --check-prefix=SLASH %s
// RUN: env MEMPROF_PROFILE_FILE=none/ %t 2>&1 | FileCheck --match-full-lines --check-prefix=SLASH %s
// SLASH: memprof: cannot write the profile {{there|none}}/: is a directory; put a file name such as %p.raw behind it in MEMPROF_PROFILE_FILE
// SLASH-NOT: {{.}}
// RUN: ls -A there | count 0
// RUN: ls -A | count 3
// A directory as log_path; and descriptors of any kind.
// RUN: env MEMPROF_OPTIONS=log_path=new/place/ %t 2>&1 | count 0
// RUN: ls -A new/place | grep -x 'memprof[.]profraw[.][0-9]*[.]raw' | count 1
// RUN: env MEMPROF_PROFILE_FILE=/dev/stdout %t > stdout.raw && %memprofdata check stdout.raw
// RUN: env MEMPROF_PROFILE_FILE=stdout %t > stdout.raw && %memprofdata check stdout.raw
// RUN: env MEMPROF_PROFILE_FILE=stderr %t 2> stderr.raw && %memprofdata check stderr.raw
// RUN: env MEMPROF_OPTIONS=log_path=/dev/fd/5 %t 5> five.raw && %memprofdata check five.raw
// RUN: env MEMPROF_PROFILE_FILE=/proc/self/fd/5 %t 5>> six.raw && %memprofdata check six.raw
// RUN: (echo first; env MEMPROF_PROFILE_FILE=/dev/stderr MEMPROF_OPTIONS=print_text=1 %t; echo last) > out 2>&1
// RUN: FileCheck %s --check-prefix=ORDER < out
// ORDER: first
// ORDER: Recorded MIBs
// ORDER: last
// RUN: rm -r new *.raw out
// RUN: long=$(printf '%%05000d' 0); \
// RUN:   env MEMPROF_PROFILE_FILE=$long %t 2>&1 | FileCheck --match-full-lines --check-prefix=LONG %s && \
// RUN:   env MEMPROF_OPTIONS=log_path=$long %t 2>&1 | FileCheck --match-full-lines --check-prefix=LOG %s
// LONG: memprof: the profile's file name is too long: {{0+}}...; give a shorter one with MEMPROF_PROFILE_FILE
// LOG: memprof: the profile's file name is too long: {{0+}}...; give a shorter one with log_path
// RUN: env MEMPROF_OPTIONS=log_path=/proc/none/x %t 2>&1 | FileCheck --match-full-lines --check-prefix=PLACE %s
// PLACE: memprof: cannot write the profile /proc/none/x.{{.*}}; choose another place with MEMPROF_PROFILE_FILE or log_path
#include <stdlib.h>

int main(void)
{
    free(malloc(1));
    return 0;
}
