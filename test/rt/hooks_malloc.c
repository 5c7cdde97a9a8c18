// The program's hooks are called once per block, then installed pairs of hooks in
// order. realloc calls both. A free that is ignored keeps the block.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t | FileCheck %s
// CHECK: malloc 10 pair 10 second 10
// CHECK-NEXT: {{^}}free pair second malloc 20 pair 20 second 20
// CHECK-NEXT: {{^}}free pair second
// CHECK: 5 pairs
// CHECK: kept 30
#include <sanitizer/allocator_interface.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int on;
static int keeps;
static char line[256];

static void add(const char *word, int number)
{
    const size_t used = strlen(line);

    if (on)
        snprintf(line + used, sizeof(line) - used, number ? "%s %d " : "%s ",
                 word, number);
}

void __sanitizer_malloc_hook(const volatile void *p, size_t size)
{
    assert(!on || p != NULL);
    add("malloc", (int)size);
}

void __sanitizer_free_hook(const volatile void *p)
{
    (void)p;
    add("free", 0);
}

int __sanitizer_ignore_free_hook(const volatile void *p)
{
    (void)p;
    return keeps;
}

static void pair_malloc(const volatile void *p, size_t size)
{
    (void)p;
    add("pair", (int)size);
}

static void pair_free(const volatile void *p)
{
    (void)p;
    add("pair", 0);
}

static void second_malloc(const volatile void *p, size_t size)
{
    (void)p;
    add("second", (int)size);
}

static void second_free(const volatile void *p)
{
    (void)p;
    add("second", 0);
}

static void print(void)
{
    on = 0;
    puts(line);
    line[0] = '\0';
    on = 1;
}

int main(void)
{
    char *volatile p;
    int pairs = 2;

    setvbuf(stdout, NULL, _IONBF, 0);
    assert(__sanitizer_install_malloc_and_free_hooks(pair_malloc, pair_free) == 1);
    assert(__sanitizer_install_malloc_and_free_hooks(second_malloc, second_free) == 2);
    on = 1;
    p = malloc(10);
    print();
    p = realloc(p, 20);
    print();
    free(p);
    print();
    on = 0;
    while (__sanitizer_install_malloc_and_free_hooks(pair_malloc, pair_free))
        pairs++;
    printf("%d pairs\n", pairs);
    p = malloc(30);
    keeps = 1;
    free(p);
    keeps = 0;
    printf("kept %zu\n", __sanitizer_get_allocated_size(p));
    return 0;
}
