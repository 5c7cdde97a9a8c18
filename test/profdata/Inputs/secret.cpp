// Everything that a profile holds names of: each contains "ecret".
#include <memprof.h>

#include <cstdlib>

struct SecretType {
    long secret_field;
    long other_secret[7];
};

__attribute__((noinline)) static SecretType *secret_function()
{
    SecretType *const made = new SecretType;

    made->secret_field = 1;
    return made;
}

extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions()
{
    return "leak:secret_leak\n";
}

int main()
{
    char pool[64];
    SecretType *kept[100];

    memprof_thread_name("secret thread");
    memprof_phase("secret phase");
    for (int i = 0; i < 100; i++)
        kept[i] = secret_function();
    memprof_event("secret event", 7);
    memprof_pool_create(pool, "secret pool");
    memprof_pool_alloc(pool, pool, 16);
    memprof_mark("secret mark");
    memprof_phase(nullptr);
    const int is_bad = kept[7]->secret_field != 1;
    for (int i = 0; i < 100; i++)
        delete kept[i];
    return is_bad;
}
