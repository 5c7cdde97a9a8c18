// What functions of libstdc++ access in nodes of trees and lists, and in objects that are
// cast, counts: the same number in each round, in memory of blocks and not of the stack.
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
// REDEFINE: %{how} = -mllvm -memprof-access=rw
// REDEFINE: %{what} = swap
// RUN: %{diff} | FileCheck %s --check-prefix=SWAP
// REDEFINE: %{what} = reverse
// RUN: %{diff} | FileCheck %s --check-prefix=REVERSE
// REDEFINE: %{what} = cast
// RUN: %{diff} | FileCheck %s --check-prefix=CAST
// SWAP: writes {{.*}} +2,000
// REVERSE: reads {{.*}} +9,000
// REVERSE: writes {{.*}} +6,000
// CAST: reads {{.*}} +2,000
// TEN: accesses {{.*}} +10,000
// EIGHT: accesses {{.*}} +8,000
// RW: reads {{.*}} +4,000
// RW: writes {{.*}} +4,000
#include <cstdlib>
#include <cstring>
#include <list>
#include <set>

struct Base {
    virtual ~Base() = default;
};
struct Other {
    virtual ~Other() = default;
};
struct Whole : Base, Other {
};

int main(int, char **argv)
{
    Other *volatile const other = new Whole;
    std::set<int> tree{1, 2, 3};
    std::list<int> list{1, 2, 3}, empty;
    const int rounds = std::atoi(argv[2]);
    unsigned steps = 0;

    for (int i = 0; i < rounds; i++) {
        if (std::strcmp(argv[1], "next") == 0)
            for (auto at = tree.begin(); at != tree.end(); ++at)
                steps++;
        else if (std::strcmp(argv[1], "previous") == 0)
            for (auto at = tree.end(); at != tree.begin(); --at)
                steps++;
        else if (std::strcmp(argv[1], "swap") == 0)
            list.swap(empty);
        else if (std::strcmp(argv[1], "reverse") == 0)
            list.reverse();
        else if (std::strcmp(argv[1], "cast") == 0)
            steps += dynamic_cast<Base *>(other) != nullptr;
        else
            list.splice(list.begin(), list, std::prev(list.end()));
    }
    delete other;
    return steps == 1;
}
