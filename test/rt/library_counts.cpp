// What a function of libstdc++ accesses for its templates counts: keys that are
// hashed, numbers that >> reads from a stream.
// DEFINE: %{how} =
// DEFINE: %{show} = rm -f %t.raw && %memprof-clangxx -fmemory-profile -O2 %debugflags %{how} %s -o %t && \
// DEFINE:   env MEMPROF_PROFILE_FILE=%t.raw %t && %memprofdata show --top=20 %t.raw
// RUN: %{show} | FileCheck %s
// REDEFINE: %{how} = -mllvm -memprof-access=rw
// RUN: %{show} | FileCheck %s --check-prefixes=CHECK,RW
// CHECK: in 1 block of 7.81 KiB
// CHECK: {{^}} 101,000 accesses
// RW: 100,000 reads, 1,000 writes
// What streams read of their buffers does not all count.
// RW: in 1 block of 3.80 KiB
// RW: no read seen
// CHECK: in 1 block of 400 B
// CHECK: {{^}} 100 accesses
// RW: never read, 100 writes
#include <cstring>
#include <functional>
#include <sstream>
#include <string_view>

int main()
{
    char *const text = new char[8000];
    std::size_t sum = 0;

    std::memset(text, 'a', 8000);
    for (int i = 0; i < 100; i++)
        sum += std::hash<std::string_view>()(std::string_view(text, 8000));
    delete[] text;

    std::stringstream numbers;
    int *const read = new int[100];

    for (int i = 0; i < 100; i++) {
        numbers << i << ' ';
        numbers >> read[i];
    }
    delete[] read;

    std::istringstream input(std::string(3890, ' '));
    return sum == 0 || input.get() == 0;
}
