// copies.cpp -- programs with and without copies that are only read, as in
// cases.c. Where accesses are not told apart, the copies get other advice: a
// mark with "unless rw" is of the other modes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <libgen.h>
#include <locale>
#include <sstream>
#include <string>
#include <vector>

#define OUTLINE __attribute__((noinline))
#define CASE(name) static OUTLINE void name()
#define N 2000

static volatile unsigned sum;
static std::string text = "a string that no object of its class can hold";
static std::vector<int> numbers(100, 3);
static std::vector<std::string> texts(8, text);
static std::string several[4] = {text, text + "1", text + "22", text + "333"};

static OUTLINE void read_value(std::string s)
{
    for (char c : s)
        sum = sum + (unsigned char)c;
}
CASE(by_value)
{
    for (int i = 0; i < N; i++)
        read_value(text); // advise: copy; advise: local unless rw
}
CASE(by_value_of_sizes)
{
    for (int i = 0; i < N; i++)
        read_value(several[i % 4]); // advise: copy; advise: local unless rw
}
static OUTLINE void write_value(std::string s)
{
    s[0] = 'A';
    sum = sum + (unsigned char)s[sum % 8];
}
CASE(changed)
{
    for (int i = 0; i < N; i++)
        write_value(text); // advise: local
}
CASE(changed_sizes)
{
    for (int i = 0; i < N; i++)
        write_value(several[i % 4]); // advise: local
}
CASE(changed_once)
{
    for (int i = 0; i < N; i++)
        if (i == N / 2)
            write_value(text);
        else
            read_value(text); // advise: copy; advise: local unless rw
}
static OUTLINE void grow_value(std::string s)
{
    s += "more"; // advise: temporary in grown
    sum = sum + (unsigned char)s[sum % 8];
}
CASE(grown)
{
    for (int i = 0; i < N; i++)
        grow_value(text); // advise: local
}
CASE(local_copy)
{
    for (int i = 0; i < N; i++) {
        const std::string s = text; // advise: copy; advise: local unless rw

        sum = sum + (unsigned char)s[sum % 8];
    }
}
CASE(in_loop)
{
    for (int i = 0; i < N / 8; i++)
        for (auto s : texts) // advise: copy; advise: local unless rw
            sum = sum + (unsigned char)s[sum % 8];
}
static OUTLINE std::string returned(int i)
{
    return several[i % 4]; // advise: copy in by_result; advise: temporary in by_result unless rw
}
CASE(by_result)
{
    for (int i = 0; i < N; i++)
        sum = sum + (unsigned char)returned(i)[sum % 8];
}
CASE(part)
{
    for (int i = 0; i < N; i++) {
        const std::string s = text.substr(5, 30); // advise: copy; advise: local unless rw

        sum = sum + (unsigned char)s[sum % 8];
    }
}
static OUTLINE void read_reference(const std::string &s)
{
    sum = sum + (unsigned char)s[sum % 8];
}
CASE(of_literal)
{
    for (int i = 0; i < N; i++)
        read_reference("a literal that is made a string for each call"); // advise: copy; advise: local unless rw
}
static OUTLINE unsigned read_numbers(std::vector<int> v)
{
    unsigned result = 0;

    for (int n : v)
        result += (unsigned)n;
    return result;
}
CASE(vector_by_value)
{
    for (int i = 0; i < N; i++)
        sum = sum + read_numbers(numbers); // advise: copy; advise: local unless rw
}
static OUTLINE unsigned sort_numbers(std::vector<int> v)
{
    for (size_t i = 1; i < v.size(); i++)
        std::swap(v[i], v[i - 1]);
    return (unsigned)v[v.size() - 1];
}
CASE(vector_changed)
{
    for (int i = 0; i < N; i++)
        sum = sum + sort_numbers(numbers); // advise: local
}
static OUTLINE unsigned push_numbers(std::vector<int> v)
{
    v.push_back(7); // advise: temporary in vector_grown
    return (unsigned)v[v.size() - 1];
}
CASE(vector_grown)
{
    for (int i = 0; i < N; i++)
        sum = sum + push_numbers(numbers); // advise: local
}
static OUTLINE void read_texts(std::vector<std::string> v)
{
    for (const std::string &s : v)
        sum = sum + (unsigned char)s[sum % 8];
}
CASE(texts_by_value)
{
    for (int i = 0; i < N / 2; i++)
        read_texts(texts); // advise: copy; advise: churn unless rw; advise: local unless rw
}
struct holder {
    std::string s;
    long others[4] = {0, 0, 0, 0};

    explicit holder(const std::string &from) : s(from) {}
};
CASE(kept)
{
    std::vector<std::string> all;

    for (int i = 0; i < N; i++)
        all.push_back(several[i % 4]);
    for (const std::string &s : all)
        sum = sum + (unsigned char)s[sum % 8];
}
CASE(kept_by_object)
{
    std::vector<holder *> all;

    for (int i = 0; i < N; i++)
        all.push_back(new holder(several[i % 4]));
    for (const holder *h : all)
        sum = sum + (unsigned char)h->s[sum % 8];
    for (const holder *h : all)
        delete h;
}
static OUTLINE void fill_value(std::string s)
{
    sum = sum + (unsigned char)s[sum % 8];
}
CASE(filled)
{
    for (int i = 0; i < N; i++)
        fill_value(std::string(40, 'x')); // advise: local
}
/* Changes by members of the C++ library. */
CASE(changed_by_library)
{
    for (int i = 0; i < N; i++) {
        std::string s = text; // advise: local

        switch (i % 4) {
        case 0:
            s.replace(0, 1, 1, 'x');
            break;
        case 1:
            s.replace(1, 1, "y");
            break;
        case 2:
            s.resize(s.size() - 1);
            s.append(1, 'z');
            break;
        default:
            s.pop_back();
            s.push_back('z');
        }
        sum = sum + (unsigned char)s[sum % 8];
    }
}
CASE(cut)
{
    for (int i = 0; i < N; i++) {
        std::string s = text; // advise: local

        s.resize(20);
        sum = sum + (unsigned char)s[sum % 8];
    }
}
CASE(trimmed)
{
    for (int i = 0; i < N / 8; i++)
        for (auto s : texts) { // advise: local
            s.pop_back();
            sum = sum + (unsigned char)s[sum % 8];
        }
}
/* Changes by functions of the C library, and by those of the C++ library that are
 * no members of the string. */
template <class F> static OUTLINE void change(F by)
{
    for (int i = 0; i < N; i++) {
        std::string s = text; // advise: local in token; advise: local in token_r; advise: local in token_sep; advise: local in folder; advise: local in number; advise: local in one_copied; advise: local in some_got; advise: local in in_capitals; advise: local in one_read; advise: copy in no_token; advise: local in no_token unless rw

        by(s);
        sum = sum + (unsigned char)s[sum % 8];
    }
}
CASE(token)
{
    change([](std::string &s) { strtok(&s[0], " "); });
}
CASE(no_token)
{
    change([](std::string &s) { strtok(&s[0], "!"); });
}
CASE(token_r)
{
    char *rest;

    change([&](std::string &s) { strtok_r(&s[0], " ", &rest); });
}
CASE(token_sep)
{
    change([](std::string &s) {
        char *rest = &s[0];

        strsep(&rest, " ");
    });
}
CASE(folder)
{
    text[9] = '/';
    change([](std::string &s) { dirname(&s[0]); });
}
CASE(number)
{
    change([](std::string &s) { strfromd(&s[0], 4, "%f", 1.5); });
}
CASE(one_copied)
{
    change([](std::string &s) { text.copy(&s[3], 1); });
}
CASE(some_got)
{
    static std::istringstream in(std::string(3 * N, 'x'));

    change([](std::string &s) { in.get(&s[0], 3); });
}
CASE(one_read)
{
    static std::istringstream in([] {
        std::string words;

        for (int i = 0; i < N; i++)
            words += "x ";
        return words;
    }());

    change([](std::string &s) { in >> s; });
}
CASE(in_capitals)
{
    change([](std::string &s) {
        std::use_facet<std::ctype<char>>(std::locale()).toupper(&s[0], &s[3]);
    });
}
#define CASES(X)                                                               \
    X(by_value) X(by_value_of_sizes) X(changed) X(changed_sizes)               \
    X(changed_once) X(grown) X(local_copy) X(in_loop) X(by_result) X(part)     \
    X(of_literal) X(vector_by_value) X(vector_changed) X(vector_grown)         \
    X(texts_by_value) X(kept) X(kept_by_object) X(filled)                     \
    X(changed_by_library) X(cut) X(trimmed) X(token) X(no_token) X(token_r)     \
    X(token_sep) X(folder) X(number) X(one_copied) X(some_got) X(one_read)     \
    X(in_capitals)

int main(int argc, char **argv)
{
#define X(name)                                                                \
    if (argc == 2 && strcmp(argv[1], #name) == 0) {                            \
        name();                                                                \
        return 0;                                                              \
    }
    CASES(X)
#undef X
#define X(name) puts(#name);
    CASES(X)
#undef X
    return argc != 1;
}
