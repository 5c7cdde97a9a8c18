// LLVM's options that change what is counted, how counters are mapped, and what realloc
// returns: each is on by default and can be turned off by itself.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O0 -w -fno-builtin -I%S/Inputs -c %s -o %t.o
// RUN: %clang -fmemory-profile %ours-rt %t.o -o %t
// RUN: for o in intrin memcmp memmem strlen strcmp strchr strstr strspn strpbrk strtok strndup send; do \
// RUN:   test "$(%t $o)" = counted && test "$(env MEMPROF_OPTIONS=intercept_$o=0 %t $o)" = not && \
// RUN:   test "$(env MEMPROF_OPTIONS=intercept_$o=0 %t other than $o)" = counted || { echo $o; exit 1; }; done
// RUN: test "$(%t sendto)" = counted && test "$(env MEMPROF_OPTIONS=intercept_send=0 %t sendto)" = not
// RUN: test "$(%t realloc)" = null
// RUN: test "$(env MEMPROF_OPTIONS=allocator_frees_and_returns_null_on_realloc_zero=0 %t realloc)" = block
// RUN: test "$(%t dd)" != not && test "$(env MEMPROF_OPTIONS=use_madv_dontdump=0 %t dd)" != flag
// RUN: test "$(%t nh)" != not && test "$(env MEMPROF_OPTIONS=no_huge_pages_for_shadow=0 %t nh)" != flag
#include "counts.h"
#include <sys/mman.h>
#include <sys/socket.h>

static void call(const char *what)
{
    void *volatile result;
    int ends[2];

    if (strcmp(what, "intrin") == 0)
        memcpy(A, B, 100);
    if (strcmp(what, "memcmp") == 0)
        result = (void *)(size_t)memcmp(A, B, 10);
    if (strcmp(what, "memmem") == 0)
        result = memmem(A, 20, B, 5);
    if (strcmp(what, "strlen") == 0)
        result = (void *)strlen(A);
    if (strcmp(what, "strcmp") == 0)
        result = (void *)(size_t)strcmp(A, B);
    if (strcmp(what, "strchr") == 0)
        result = strchr(A, 'k');
    if (strcmp(what, "strstr") == 0)
        result = strstr(A, B);
    if (strcmp(what, "strspn") == 0)
        result = (void *)strspn(A, B);
    if (strcmp(what, "strpbrk") == 0)
        result = strpbrk(A, B);
    if (strcmp(what, "strtok") == 0)
        result = strtok(A, B);
    if (strcmp(what, "strndup") == 0)
        result = strndup(A, 20);
    if (strcmp(what, "send") == 0 &&
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
        result = (void *)send(ends[0], A, 10, 0);
    if (strcmp(what, "sendto") == 0 &&
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
        result = (void *)sendto(ends[0], A, 10, 0, NULL, 0);
}

/* All functions but one. */
static void call_others(const char *what)
{
    static const char *const all[] = {"memcmp", "memmem", "strlen",
                                      "strcmp", "strchr", "strspn"};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (strcmp(all[i], what) != 0)
            call(all[i]);
    }
}

/* The kernel's flags of the mapping of A's counters. */
static const char *has_flag(const char *flag)
{
    const uintptr_t counter = (((uintptr_t)A & ~(uintptr_t)63) >> 3) +
                              __memprof_shadow_memory_dynamic_address;
    FILE *const maps = fopen("/proc/self/smaps", "r");
    static char line[8192];
    uintptr_t start = 0;
    uintptr_t end = 0;

    /* A kernel without huge pages has no such flag. */
    void *const probe = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (strcmp(flag, "nh") == 0 && madvise(probe, 4096, MADV_NOHUGEPAGE) != 0)
        return "unknown";
    while (maps && fgets(line, sizeof(line), maps)) {
        sscanf(line, "%lx-%lx ", &start, &end);
        if (strncmp(line, "VmFlags:", 8) == 0 && counter >= start && counter < end) {
            char word[8] = {' ', flag[0], flag[1], ' '};
            return strstr(line, word) ? "flag" : "not";
        }
    }
    return "unknown";
}

int main(int argc, char **argv)
{
    make_blocks();
    fill();
    if (strcmp(argv[1], "realloc") == 0) {
        puts(realloc(malloc(10), 0) == 0 ? "null" : "block");
    } else if (strlen(argv[1]) == 2) {
        puts(has_flag(argv[1]));
    } else {
        take(A);
        take(B);
        argc > 3 ? call_others(argv[3]) : call(argv[1]);
        puts(take(A) + take(B) != 0 ? "counted" : "not");
    }
    return 0;
}
