/* Blocks that libatomic, libcrypt and libstdc++ access are not "never accessed". */
// RUN: rm -f %t.*
// RUN: %memprof-clangxx -O2 -w -fmemory-profile %s -o %t -latomic -lcrypt
// RUN: env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show --top=20 %t.raw | FileCheck %s --implicit-check-not='never accessed'
// CHECK-COUNT-7: {{^ *}}accesses not measured
#include <crypt.h>
#include <cstdlib>
#include <sstream>

struct Word { /* 9 bytes: libatomic swaps them */
    char bytes[9];
};

int main()
{
    auto *swapped = static_cast<Word *>(malloc(101));
    auto *compared = static_cast<Word *>(malloc(102));
    auto *loaded = static_cast<Word *>(malloc(103));
    auto *hashes = static_cast<struct crypt_data *>(malloc(sizeof(struct crypt_data)));
    auto *line = static_cast<char *>(malloc(104));
    auto *word = static_cast<char(*)[105]>(malloc(105));
    auto *letter = static_cast<char *>(malloc(106));
    std::istringstream in("a line\nand words");
    Word a{}, b{};

    __atomic_exchange(swapped, &a, &b, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange(compared, &a, &b, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_load(loaded, &a, __ATOMIC_SEQ_CST);
    crypt_r("key", "ab", hashes);
    in.get(line, 100);
    in.get(*letter);
    in >> *word;
    free(swapped);
    free(compared);
    free(loaded);
    free(hashes);
    free(line);
    free(word);
    free(letter);
    return in.fail();
}
