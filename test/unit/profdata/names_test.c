/* names_test.c -- tests the shortening of C++ names.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/names.h"
#include "test/unit/cmocka_all.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct shortening {
    const char *name;
    size_t width;
    const char *expected;
};

static void gives_up_the_least_first(void **state)
{
    static const struct shortening cases[] = {
        {"push(Node*)", 40, "push(Node*)"},
        {"f(std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char>> const&)",
         80, "f(std::string const&)"},
        {"g(std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >)",
         80, "g(std::string)"},
        {"void h[abi:cxx11]()", 40, "void h()"},
        {"std::vector<std::map<int, a>, std::allocator<std::map<int, a> > "
         ">::f()",
         80, "std::vector<std::map<int, a>>::f()"},
        {"v<x, std::allocator<x", 80, "v<x"},
        {"map<string, vector<int, alloc<int>>>::at(int)", 40,
         "map<string, vector<...>>::at(int)"},
        {"map<string, vector<int, alloc<int>>>::at(int)", 32,
         "map<string, ...>::at(int)"},
        {"map<string, vector<int, alloc<int>>>::at(int)", 20,
         "map<...>::at(int)"},
        {"map<string, vector<int>>::at(unsigned long, char const*)", 32,
         "map<string, ...>::at(...)"},
        {"a::b::operator<<(int)", 40, "a::b::operator<<(int)"},
        {"std::ostream& std::operator<< <char>(std::ostream&, char)", 48,
         "std::ostream& std::operator<< <char>(...)"},
        {"void very_long_function_name_without_end(int)", 20,
         "very_long_functio..."},
        {"(anonymous namespace)::helper(int)", 40, "helper(int)"},
        {"std::__cxx11::list<a::b, std::allocator<a::b>>::f(a::c)", 16,
         "list<b>::f(c)"},
        {"", 10, ""},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        char name[256];

        strcpy(name, cases[i].name);
        mpdata_names_shorten(name, cases[i].width);
        assert_string_equal(name, cases[i].expected);
        assert_true(strlen(name) <= cases[i].width);
    }
}

#define KEY                                                     \
    "std::__cxx11::basic_string<char, std::char_traits<char>, " \
    "std::allocator<char>>"
#define MAP                                              \
    "std::map<" KEY ", app::Order, std::less<" KEY ">, " \
    "std::allocator<std::pair<" KEY " const, app::Order>>>"
#define HASHED                                    \
    "std::unordered_map<int, x, std::hash<int>, " \
    "std::equal_to<int>, std::allocator<std::pair<int const, x>>>"

/* The arguments of a template distinguish it from others. */
static void shortens_arguments_before_it_drops_them(void **state)
{
    static const struct shortening cases[] = {
        {MAP "::find(" KEY " const&)", 80,
         "std::map<std::string, app::Order>::find(std::string const&)"},
        {MAP "::find(" KEY " const&)", 56,
         "std::map<string, app::Order>::find(string const&)"},
        {MAP "::find(" KEY " const&)", 48,
         "std::map<string, Order>::find(string const&)"},
        {MAP "::find(" KEY " const&)", 40,
         "std::map<string, Order>::find(...)"},
        {MAP "::find(" KEY " const&)", 30, "map<string, Order>::find(...)"},
        {MAP "::find(" KEY " const&)", 28, "map<string, ...>::find(...)"},
        {MAP "::find(" KEY " const&)", 24, "map<...>::find(...)"},
        {HASHED "::at(int const&)", 80,
         "std::unordered_map<int, x>::at(int const&)"},
        {"std::unique_ptr<a, std::default_delete<a>>::get()", 80,
         "std::unique_ptr<a>::get()"},
        /* But not the default arguments of these templates. */
        {"std::map<int, x, std::less<long>>::f()", 80,
         "std::map<int, x, std::less<long>>::f()"},
        {"std::unique_ptr<a, std::default_delete<b>>::get()", 80,
         "std::unique_ptr<a, std::default_delete<b>>::get()"},
        {"call<std::function<void (int, long)>, b>(a)", 32,
         "call<function<...>, b>(a)"},
        {"call<f<void (int, long)>, bbb::c, d>(a)", 24,
         "call<f<...>, c, d>(a)"},
        {"g<x::y<int>::z::w, main::$_0>()", 30, "g<y<int>::z::w, main::$_0>()"},
        {"<alloc::vec::Vec<T> as core::Trait>::f", 30, "<Vec<T> as Trait>::f"},
        /* The outermost names are dropped before the function's own. */
        {"company::storage::Cache<" KEY ", int, long>::grow(" KEY " const&)",
         44, "...::storage::Cache<string, ...>::grow(...)"},
        {"company::storage::Cache<" KEY ", int, long>::grow(" KEY " const&)",
         36, "...::Cache<string, ...>::grow(...)"},
        {"company::storage::Cache<" KEY ", int, long>::grow(" KEY " const&)",
         30, "...::Cache<...>::grow(...)"},
        {"company::storage::Cache<" KEY ", int, long>::grow(" KEY " const&)",
         24, "...::grow(...)"},
        {"vector<a>::iterator<b>::very_long_name(int)", 20,
         "...::very_long_na..."},
        {"vector<int>::push_back(int const&)", 26,
         "vector<int>::push_back(..."},
        {"company::storage::very_long_name(int)", 16, "...::very_lon..."},
        {"app::Table<" KEY ", int>::Row<long>::f(" KEY ")", 14, "...::f(...)"},
        {"a::very_long_name(int)", 12, "a::very_l..."},
        /* The function's own name is not informative. */
        {"function<void (int)>::operator()(int) const", 24,
         "function<...>::operat..."},
        {"caller::$_0::operator()(int) const", 20, "caller::$_0::oper..."},
        {"company::storage::Cache::grow(int)", 24, "...::Cache::grow(int)"},
        {"company::storage::Cache::grow(int)", 15, "...::grow(int)"},
        {"company::operator<<(int)", 20, "...::operator<<(int)"},
        {"map<string, vector<int>>::at(int)", 20, "map<...>::at(int)"},
    };

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(cases); i++) {
        char name[512];

        strcpy(name, cases[i].name);
        mpdata_names_shorten(name, cases[i].width);
        assert_string_equal(name, cases[i].expected);
        assert_true(strlen(name) <= cases[i].width);
    }
}

static void survives_names_that_are_none(void **state)
{
    static const char *const names[] = {">>>>",
                                        "<<<<",
                                        "))((",
                                        "f(",
                                        "operator",
                                        "operator<",
                                        "a<b",
                                        "(((",
                                        "> >",
                                        "x->y",
                                        "::",
                                        "f()()()",
                                        ") (",
                                        "f<(>)",
                                        "a<b, std::less<",
                                        ", std::hash<a>",
                                        "a<, std::less<>",
                                        "<a::",
                                        "<a::b, ",
                                        ", std::less<b>>>",
                                        "a<b, std::allocator<b> "};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        for (size_t width = 0; width < 12; width++) {
            char name[64];

            strcpy(name, names[i]);
            mpdata_names_shorten(name, width);
            assert_true(strlen(name) <= strlen(names[i]) + 3);
        }
    }
}

#define LOOKED_AT (16u << 10) /* bytes of a name */

/* A name of this many bytes, made of parts. malloc'd. */
static char *repeat(const char *start, const char *part, size_t bytes)
{
    char *const name = (char *)malloc(bytes + 1);
    const size_t before = strlen(start);
    const size_t size = strlen(part);

    assert_non_null(name);
    memcpy(name, start, before);
    for (size_t i = before; i < bytes; i++)
        name[i] = part[(i - before) % size];
    name[bytes] = '\0';
    return name;
}

/* Each part once took a pass over the rest of the name: a minute for all
 * together, an hour for the longest name. */
static void takes_time_by_the_length(void **state)
{
    static const char *const names[][2] = {{"f", "x<(>"},
                                           {"m<a", ", std::less<"},
                                           {"m<a", ", std::less<b>"},
                                           {"", "a::"},
                                           {"", "std::__cxx11::"}};
    struct rlimit before;
    struct rlimit limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_CPU, &before), 0);
    limit = before;
    limit.rlim_cur = mprof_min_u64(30, before.rlim_max);
    assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++) {
        char *const name = repeat(names[i][0], names[i][1], LOOKED_AT - 1);
        char *const longest = repeat(names[i][0], names[i][1], 2u << 20);
        char *const copy = (char *)malloc(LOOKED_AT);

        assert_non_null(copy);
        for (unsigned k = 0; k < 500; k++) {
            memcpy(copy, name, LOOKED_AT);
            mpdata_names_shorten(copy, 60);
            assert_true(strlen(copy) <= 60);
        }
        mpdata_names_shorten(longest, 60);
        assert_int_equal(strlen(longest), 60);
        free(copy);
        free(longest);
        free(name);
    }
    assert_int_equal(setrlimit(RLIMIT_CPU, &before), 0);
}

/* A name longer than the limit loses its end. */
static void cuts_the_longest_at_their_end(void **state)
{
    static const char end[] = ">::g(int)";

    (void)state;
    for (size_t bytes = LOOKED_AT - 1; bytes <= LOOKED_AT; bytes++) {
        char *const name = repeat("std::f<", "ab, ", bytes);

        memcpy(name + bytes - (sizeof(end) - 1), end, sizeof(end));
        mpdata_names_shorten(name, 20);
        assert_string_equal(name, bytes < LOOKED_AT ? "f<ab, ...>::g(int)"
                                                    : "std::f<ab, ab, ab...");
        free(name);
    }
}

static void knows_the_library_from_its_users(void **state)
{
    (void)state;
    assert_true(mpdata_names_is_library("std::vector<int>::push_back(int)"));
    assert_true(mpdata_names_is_library("int* std::__copy<int*>(int*)"));
    assert_true(mpdata_names_is_library("__gnu_cxx::new_allocator<int>::f()"));
    assert_true(mpdata_names_is_library("operator new(unsigned long)"));
    assert_false(mpdata_names_is_library("parse(std::string const&)"));
    assert_false(mpdata_names_is_library("app::run<int, std::less<int>>()"));
    assert_false(mpdata_names_is_library("main"));
}

/* A template's name starts with the type of its result. */
static void looks_behind_the_result(void **state)
{
    static const char *const library[] = {
        "unsigned long* std::copy<long>(long const*, long const*)",
        "std::string std::operator+<char>(char const*, std::string&&)",
        "std::ostream& std::operator<< <char>(std::ostream&, char)",
        "std::function<void ()>::operator()() const",
        "void std::vector<a>::_M_insert<a const&>(a const&) (.part.0)",
        "std::vector<a>::grow(int) const [clone .cold]"};
    static const char *const own[] = {
        "std::unique_ptr<a> app::make<a>(int)",
        "std::map<int, a> const& app::find<a>(std::less<a>)",
        "std::vector<a> (anonymous namespace)::load<a>(int)",
        "std::string constants::name<1>()",
        "std::string app::operator+<char>(app::text)",
        "std::string main::$_0::operator()<int>(int) const",
        "std::vector<a> load<a>(int) (.part.0)",
        "app::text::operator std::string() const"};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(library); i++)
        assert_true(mpdata_names_is_library(library[i]));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(own); i++)
        assert_false(mpdata_names_is_library(own[i]));
}

static void knows_a_name_without_result_arguments_and_parameters(void **state)
{
    static const char *const same[][2] = {
        {"new_node", "new_node"},
        {"unsigned long", "unsigned long"},
        {"f(int)", "f"},
        {"f(int) (.part.0)", "f"},
        {"void f<int>(int)", "f"},
        {"void f<int>(int)", "f<int>"},
        {"void f<int>(int)", "void f<int>(int)"},
        {"list<map<int> >::grow<1>() const", "list::grow"},
        {"list<int>::grow()", "list<int>::grow"},
        {"list<void (*)()>::node", "list::node"},
        {"bool operator< <a>(a, a)", "operator< "},
        {"A<&a::operator< >::operator()(int)", "A::operator()"},
        {"<a::B as c::D>::f", "<a::B as c::D>::f"}};
    static const char *const other[][2] = {
        {"f", ""},
        {"f<int>(int)", "f<long>"},
        {"list<int>::grow()", "list"},
        {"list<int>::grow()", "list<int>"},
        {"list<int>::grow()", "grow"},
        {"f()::{lambda(int)#1}::operator()(int) const", "f"},
        {"A::operator()(int)", "A::operator"},
        {"unsigned long", "long"},
        {"unsigned long", "unsigned"},
        {"void f<int>(int)", "void"},
        {"main.(*T).f", "main."}};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(same); i++)
        assert_true(mpdata_names_is(same[i][0], same[i][1]));
    for (size_t i = 0; i < MPROF_ARRAY_LEN(other); i++)
        assert_false(mpdata_names_is(other[i][0], other[i][1]));
}

static void knows_what_runs_before_main(void **state)
{
    (void)state;
    assert_true(mpdata_names_is_start("_start"));
    assert_true(mpdata_names_is_start("__libc_start_call_main"));
    assert_true(mpdata_names_is_start("__GI___clone3"));
    assert_false(mpdata_names_is_start("main"));
    assert_false(mpdata_names_is_start("__GI_main"));
    assert_false(mpdata_names_is_start("start"));
}

static void counts_characters_and_not_bytes(void **state)
{
    char name[] = "größe_über_alles";

    (void)state;
    assert_int_equal(mpdata_names_columns(""), 0);
    assert_int_equal(mpdata_names_columns(name), 16);
    assert_string_equal(mpdata_names_end(name, 14), "öße_über_alles");
    assert_string_equal(mpdata_names_end(name, 99), name);
    assert_string_equal(mpdata_names_end(name, 0), "");
    mpdata_names_shorten(name, 16);
    assert_string_equal(name, "größe_über_alles");
    mpdata_names_shorten(name, 7);
    assert_string_equal(name, "größ...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_up_the_least_first),
        cmocka_unit_test(shortens_arguments_before_it_drops_them),
        cmocka_unit_test(survives_names_that_are_none),
        cmocka_unit_test(takes_time_by_the_length),
        cmocka_unit_test(cuts_the_longest_at_their_end),
        cmocka_unit_test(knows_the_library_from_its_users),
        cmocka_unit_test(looks_behind_the_result),
        cmocka_unit_test(knows_a_name_without_result_arguments_and_parameters),
        cmocka_unit_test(knows_what_runs_before_main),
        cmocka_unit_test(counts_characters_and_not_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
