/* Pointers in variables of the program and of the C library, and in blocks. */
#include "leaks.h"

SITE(in_variable)
SITE(in_static)
SITE(in_chain)
SITE(in_environment)
SITE(in_first_tls)
SITE(leaked)

static struct link {
    struct link *next;
    long value;
} *volatile chain;
void *volatile variable;

static void make(void)
{
    static void *volatile in_static;
    static __thread void *volatile in_tls;

    variable = site_in_variable(100);
    in_static = site_in_static(10);
    in_tls = site_in_first_tls(90);
    for (int i = 0; i < 7; i++) {
        struct link *const l = site_in_chain(sizeof(*l));
        l->next = chain;
        chain = l;
    }
    char *const text = site_in_environment(32);
    strcpy(text, "LEAKS_TEST=yes");
    putenv(text);
    for (int i = 0; i < 3; i++)
        site_leaked(1000);
}

int main(void)
{
    apart(make);
    return 0;
}
