/* Loaded while the program runs: has variables, and thread-local storage that
 * the dynamic linker allocates. */
#include "leaks.h"

SITE(library_variable)
SITE(library_tls)
SITE(library_leaked)

static void *volatile variable;
static __thread char room[5000];
static __thread void *volatile tls;

void use_library(void);
void use_library(void)
{
    variable = site_library_variable(11);
    tls = site_library_tls(12);
    site_library_leaked(13);
    room[4999] = 1;
    forget();
}
