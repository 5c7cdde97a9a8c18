// If no access is counted, a string function is a single call of the next definition:
// it does not compute the length of a string just to count it.
// RUN: %clang -O1 -w -fno-builtin -shared -fPIC -DNEXT %s -o %t.so
// RUN: %clang -O1 -w -fno-builtin -fpass-plugin=%plugin -fmemory-profile %ours-rt -mllvm -memprof-access=none %s %t.so -o %t
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0:strict_string_checks=1 %t
// If accesses are counted, the interceptors ask for lengths:
// RUN: %clang -O1 -w -fno-builtin -fpass-plugin=%plugin -fmemory-profile %ours-rt %s %t.so -o %t.counted
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 not %t.counted 2>&1 | FileCheck %s
// CHECK-DAG: strcpy(a, "x")
// CHECK-DAG: strrchr(s, 'c')
// CHECK-DAG: wcscasecmp(w, L"AB")
// CHECK-DAG: snprintf(a, sizeof(a), "%s", s)
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <wchar.h>

extern volatile int asked; /* also set by functions that are declared pure */

#ifdef NEXT
volatile int asked;

size_t strlen(const char *s)
{
    size_t n = 0;

    asked++;
    while (s[n] != '\0')
        n++;
    return n;
}

size_t strnlen(const char *s, size_t max)
{
    size_t n = 0;

    asked++;
    while (n < max && s[n] != '\0')
        n++;
    return n;
}

size_t wcslen(const wchar_t *s)
{
    size_t n = 0;

    asked++;
    while (s[n] != L'\0')
        n++;
    return n;
}

size_t wcsnlen(const wchar_t *s, size_t max)
{
    size_t n = 0;

    asked++;
    while (n < max && s[n] != L'\0')
        n++;
    return n;
}
#else
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);

static char a[64] = "abc";
static wchar_t wa[64] = L"abc";
static int failures;

/* The call returns the right result, and no interceptor asked for a length. */
#define T(call)                                                           \
    do {                                                                  \
        const int before = asked;                                         \
        const int is_right = (call);                                      \
                                                                          \
        if (!is_right || asked != before) {                               \
            fprintf(stderr, "%s: %s, %d asked\n", #call,                  \
                    is_right ? "right" : "wrong", asked - before);        \
            failures++;                                                   \
        }                                                                 \
    } while (0)

static void copies(void)
{
    T(strcpy(a, "x") == a && a[0] == 'x' && a[1] == '\0');
    T(stpcpy(a, "xy") == a + 2 && a[2] == '\0');
    T(strncpy(a, "z", 3) == a && a[0] == 'z' && a[2] == '\0');
    T(stpncpy(a, "zz", 3) == a + 2);
    T(strcat(a, "1") == a && a[2] == '1' && a[3] == '\0');
    T(strncat(a, "234", 2) == a && a[4] == '3' && a[5] == '\0');
    T(__strcpy_chk(a, "x", sizeof(a)) == a && a[1] == '\0');
    T(__strcat_chk(a, "y", sizeof(a)) == a && a[1] == 'y' && a[2] == '\0');
    T(__strncpy_chk(a, "v", 4, sizeof(a)) == a && a[0] == 'v');
}

static void strings(const char *s)
{
    char *rest = NULL;

    T(strcmp(s, "abd") < 0 && strcmp("abd", s) > 0 && strcmp(s, "abcabc") == 0);
    T(strncmp(s, "abd", 3) < 0 && strncmp(s, "abd", 2) == 0);
    T(strcasecmp(s, "ABCABC") == 0 && strcasecmp(s, "B") < 0);
    T(strncasecmp(s, "ABD", 3) < 0 && strncasecmp(s, "ABD", 2) == 0);
    T(memcmp(s, "abd", 3) < 0 && bcmp(s, "abc", 3) == 0);
    T(strchr(s, 'x') == NULL && strchr(s, 'b') == s + 1);
    T(index(s, 'x') == NULL && index(s, 'c') == s + 2);
    T(strchrnul(s, 'c') == s + 2);
    T(strrchr(s, 'c') == s + 5);
    T(rindex(s, 'b') == s + 4);
    T(strstr(s, "ca") == s + 2 && strstr(s, "cb") == NULL);
    T(strcasestr(s, "CA") == s + 2 && strcasestr(s, "CB") == NULL);
    T(strspn(s, "ab") == 2 && strcspn(s, "c") == 2);
    T(strpbrk(s, "cb") == s + 1 && strpbrk(s, "x") == NULL);
    T(strcoll(s, "abd") < 0);
    T(strtol("12x", &rest, 10) == 12 && *rest == 'x' && atoi(" 5") == 5);
    T(strtod("1.5x", &rest) == 1.5 && *rest == 'x' && atof("2") == 2);
    strcpy(a, "p q");
    T(strtok(a, " ") == a && strtok(NULL, " ") == a + 2);
    T(strtok(NULL, " ") == NULL);
    T(snprintf(a, sizeof(a), "%s", s) == 6 && a[5] == 'c' && a[6] == '\0');
    T(sscanf("17 w", "%d %s", &failures, a) == 2 && failures == 17 &&
      a[0] == 'w' && (failures = 0, 1));
}

static void wide(const wchar_t *w)
{
    T(wcscmp(w, L"abd") < 0 && wcsncmp(w, L"ac", 1) == 0);
    T(wcscasecmp(w, L"AB") > 0);
    T(wcsncasecmp(w, L"ABX", 2) == 0);
    T(wcschr(w, L'x') == NULL && wcschr(w, L'b') == w + 1);
    T(wcsrchr(w, L'a') == w);
    T(wcsstr(w, L"bc") == w + 1 && wcsstr(w, L"x") == NULL);
    T(wcsspn(w, L"ab") == 2 && wcscspn(w, L"c") == 2);
    T(wcspbrk(w, L"cb") == w + 1 && wcspbrk(w, L"x") == NULL);
    T(wcscpy(wa, w) == wa && wa[2] == L'c' && wa[3] == L'\0');
    T(wcpcpy(wa, w) == wa + 3);
    T(wcscat(wa, L"d") == wa && wa[3] == L'd' && wa[4] == L'\0');
    T(__wcscpy_chk(wa, w, 64) == wa && wa[3] == L'\0');
}

int main(void)
{
    copies();
    strings("abcabc");
    wide(L"abc");
    return failures != 0;
}
#endif
