// What functions of libstdc++ access in nodes of trees and lists counts: the same number in
// each round, in memory of blocks and not of the stack.
// DEFINE: %{what} =
// DEFINE: %{how} =
// DEFINE: %{diff} = rm -f %t.*raw && %memprof-clangxx -fmemory-profile -O2 %debugflags %{how} %s -o %t && \
// DEFINE:   env MEMPROF_PROFILE_FILE=%t.0.raw %t %{what} 0 && \
// DEFINE:   env MEMPROF_PROFILE_FILE=%t.1.raw %t %{what} 1000 && %memprofdata diff %t.0.raw %t.1.raw
// REDEFINE: %{what} = next
// RUN: %{diff} | FileCheck %s --check-prefix=TEN
// REDEFINE: %{what} = previous
// RUN: %{diff} | FileCheck %s --check-prefix=TEN
// REDEFINE: %{what} = splice
// RUN: %{diff} | FileCheck %s --check-prefix=EIGHT
// REDEFINE: %{how} = -mllvm -memprof-access=rw
// RUN: %{diff} | FileCheck %s --check-prefixes=EIGHT,RW
// REDEFINE: %{how} = -mllvm -memprof-versions=2
// RUN: %{diff} | FileCheck %s --check-prefix=EIGHT
// TEN: accesses {{.*}} +10,000
// EIGHT: accesses {{.*}} +8,000
// RW: reads {{.*}} +4,000
// RW: writes {{.*}} +4,000
#include <cstdlib>
#include <cstring>
#include <list>
#include <set>

int main(int, char **argv)
{
    std::set<int> tree{1, 2, 3};
    std::list<int> list{1, 2, 3};
    const int rounds = std::atoi(argv[2]);
    unsigned steps = 0;

    for (int i = 0; i < rounds; i++) {
        if (std::strcmp(argv[1], "next") == 0)
            for (auto at = tree.begin(); at != tree.end(); ++at)
                steps++;
        else if (std::strcmp(argv[1], "previous") == 0)
            for (auto at = tree.end(); at != tree.begin(); --at)
                steps++;
        else
            list.splice(list.begin(), list, std::prev(list.end()));
    }
    return steps == 1;
}
