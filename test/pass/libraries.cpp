/* Blocks that libatomic, libcrypt and libstdc++ access are not "never accessed". */
// RUN: rm -f %t.*
// RUN: %memprof-clangxx -O2 -std=c++17 -w -fmemory-profile %s -o %t -latomic -lcrypt -lresolv
// RUN: env MEMPROF_PROFILE_FILE=%t.raw %t
// RUN: %memprofdata show --top=20 %t.raw | FileCheck %s --implicit-check-not='never accessed'
// CHECK-COUNT-14: {{^ *}}accesses not measured
#include <charconv>
#include <codecvt>
#include <crypt.h>
#include <cstdlib>
#include <ctime>
#include <iomanip>
#include <locale>
#include <netinet/in.h>
#include <resolv.h>
#include <sstream>
#include <strstream>

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
    auto *last = static_cast<char *>(malloc(107));
    auto *digits = static_cast<char *>(malloc(108));
    auto *date = static_cast<std::tm *>(malloc(109));
    auto *upper = static_cast<char *>(malloc(110));
    auto *array = static_cast<char *>(malloc(111));
    auto *wide = static_cast<char32_t *>(malloc(448));
    auto *resolver = static_cast<struct __res_state *>(malloc(sizeof(struct __res_state)));
    const char *const text = "abc", *from;
    char32_t *to;
    std::mbstate_t state{};
    std::istringstream in("a line\nand words s");
    Word a{}, b{};

    __atomic_exchange(swapped, &a, &b, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange(compared, &a, &b, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    __atomic_load(loaded, &a, __ATOMIC_SEQ_CST);
    crypt_r("key", "ab", hashes);
    in.get(line, 100);
    in.get(*letter);
    in >> *word;
    in >> *last;
    std::to_chars(digits, digits + 100, 1.5, std::chars_format::hex);
    std::istringstream("12") >> std::get_time(date, "%H");
    std::use_facet<std::ctype<char>>(std::locale()).toupper(upper, upper + 10);
    std::istrstream(array, 10) >> b.bytes;
    std::codecvt_utf8<char32_t>().in(state, text, text + 3, from, wide, wide + 100, to);
    res_ninit(resolver);
    free(resolver);
    free(last);
    free(digits);
    free(date);
    free(upper);
    free(array);
    free(wide);
    free(swapped);
    free(compared);
    free(loaded);
    free(hashes);
    free(line);
    free(word);
    free(letter);
    return in.fail();
}
