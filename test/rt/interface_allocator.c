// The functions of <sanitizer/allocator_interface.h>.
// RUN: %clang -fmemory-profile %ours-rt %s -o %t
// RUN: env MEMPROF_OPTIONS=dump_at_exit=0 %t
#include <sanitizer/allocator_interface.h>
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    static char global[64];
    const size_t before = __sanitizer_get_current_allocated_bytes();
    char *volatile p = malloc(100);
    char *volatile large = malloc(5000000);

    assert(__sanitizer_get_current_allocated_bytes() == before + 5000100);
    assert(__sanitizer_get_estimated_allocated_size(33) == 33);
    assert(__sanitizer_get_ownership(p) == 1);
    assert(__sanitizer_get_ownership(p + 1) == 0);
    assert(__sanitizer_get_ownership(global) == 0);
    assert(__sanitizer_get_ownership(NULL) == 0);
    assert(__sanitizer_get_allocated_size(p) == 100);
    assert(__sanitizer_get_allocated_size_fast(p) == 100);
    assert(__sanitizer_get_allocated_size(p + 1) == 0);
    assert(__sanitizer_get_allocated_size(NULL) == 0);
    assert(__sanitizer_get_allocated_size(large) == 5000000);
    assert(__sanitizer_get_allocated_begin(p) == p);
    assert(__sanitizer_get_allocated_begin(p + 99) == p);
    assert(__sanitizer_get_allocated_begin(large + 4999999) == large);
    assert(__sanitizer_get_allocated_begin(global) == NULL);
    assert(__sanitizer_get_heap_size() >= 5000100);
    assert(__sanitizer_get_free_bytes() <= __sanitizer_get_heap_size());
    assert(__sanitizer_get_unmapped_bytes() == 0);
    free(p);
    assert(__sanitizer_get_ownership(p) == 0);
    assert(__sanitizer_get_allocated_size(p) == 0);
    free(large);
    assert(__sanitizer_get_current_allocated_bytes() == before);
    __sanitizer_purge_allocator();
    return 0;
}
