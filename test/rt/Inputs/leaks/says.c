/* Calls of LeakSanitizer's interface. */
#include "leaks.h"

#include <sys/mman.h>

SITE(disabled)
SITE(below_disabled)
SITE(enabled)
SITE(ignored)
SITE(below_ignored)
SITE(reused)
SITE(in_region)
SITE(in_old_region)
SITE(by_other_thread)

static void *other(void *argument)
{
    site_by_other_thread(15);
    return NULL;
}

static void make(void)
{
    pthread_t t;

    __lsan_disable();
    __lsan_disable();
    void **const p = site_disabled(100);
    __lsan_enable();
    site_disabled(101);
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    void *volatile gone = site_reused(102);
    free(gone);
    __lsan_enable();
    site_reused(102);
    *p = site_below_disabled(103);
    site_enabled(104);
    void **const q = site_ignored(105);
    *q = site_below_ignored(106);
    __lsan_ignore_object(q);
    void **const r = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    r[100] = site_in_region(107);
    r[5000] = site_in_old_region(108);
    __lsan_register_root_region(r, 4096);
    __lsan_register_root_region(&r[4096], 32768);
    __lsan_unregister_root_region(&r[4096], 32768);
}

int main(void)
{
    apart(make);
    return 0;
}
