/* Pointers that only a thread has which runs at the end: on its stack, in
 * general and vector registers, in thread-local storage; and pointers of ended
 * threads. */
#include "leaks.h"

#include <sched.h>

SITE(on_stack)
SITE(in_register)
SITE(in_vector)
SITE(in_tls)
SITE(argument)
SITE(leaked)
SITE(by_ended)
SITE(in_ended_tls)
SITE(lost)
SITE(below_stack)

static pthread_barrier_t barrier;
static volatile int has_registers;
static __thread void *volatile tls;

static void stay_below(void)
{
    void *volatile here = site_on_stack(200);

    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    (void)here;
}

static void *stay_with_stack(void *argument)
{
    call_below(stay_below);
    return NULL;
}

__attribute__((noinline)) static uintptr_t hide_first(void)
{
    return ~(uintptr_t)site_in_register(300);
}

__attribute__((noinline)) static uintptr_t hide_second(void)
{
    return ~(uintptr_t)site_in_vector(400);
}

/* Does not return. */
static void *spin_with_registers(void *argument)
{
    uintptr_t hidden = hide_first();
    uintptr_t hidden2 = hide_second();

    forget();
    pthread_barrier_wait(&barrier);
    __asm__ volatile("notq %0\n\tnotq %1\n\tmovq %0, %%r13\n\t"
                     "movq %1, %%xmm9\n\txorl %k0, %k0\n\txorl %k1, %k1\n\t"
                     "movl $1, %2\n"
                     "1: pause\n\tjmp 1b"
                     : "+r"(hidden), "+r"(hidden2), "=m"(has_registers)
                     :
                     : "r13", "xmm9", "memory");
    return NULL;
}

static void *stay_with_tls(void *argument)
{
    tls = site_in_tls(500);
    site_leaked(50);
    forget();
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return NULL;
}

static void end_soon(void)
{
    site_by_ended(60);
    tls = site_in_ended_tls(70);
}

static void *end_apart(void *argument)
{
    apart(end_soon);
    return NULL;
}

static void leave_below(void)
{
    void *volatile gone = site_below_stack(8);

    (void)gone;
}

static void *stay_with_argument(void *argument)
{
    call_below(leave_below);
    forget_registers();
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
    return NULL;
}

static void make(void)
{
    pthread_t t;

    pthread_barrier_init(&barrier, NULL, 5);
    for (int i = 0; i < 4; i++) {
        pthread_create(&t, NULL, end_apart, NULL);
        pthread_join(t, NULL);
    }
    pthread_create(&t, NULL, stay_with_stack, NULL);
    pthread_create(&t, NULL, spin_with_registers, NULL);
    pthread_create(&t, NULL, stay_with_tls, NULL);
    pthread_create(&t, NULL, stay_with_argument, site_argument(600));
    site_lost(7);
    pthread_barrier_wait(&barrier);
    while (!has_registers)
        sched_yield();
}

int main(void)
{
    apart(make);
    return 0;
}
