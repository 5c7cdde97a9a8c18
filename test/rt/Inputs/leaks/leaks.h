/* leaks.h -- for programs that leak on purpose: each allocation is made in a
 * function site_NAME(), by which two tools' reports are compared. */
#include <pthread.h>
#include <sanitizer/lsan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SITE(name)                                                  \
    __attribute__((noinline)) static void *site_##name(size_t size) \
    {                                                               \
        char *volatile p = (char *)malloc(size);                    \
        memset(p, 0, size);                                         \
        return p;                                                   \
    }

/* What calls left on the stack and in registers that are nobody's. */
__attribute__((noinline)) static void forget(void)
{
    volatile char stack[131072];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    __asm__ volatile("xorps %%xmm0, %%xmm0\n\txorps %%xmm1, %%xmm1\n\t"
                     "xorps %%xmm2, %%xmm2\n\txorps %%xmm3, %%xmm3\n\t"
                     "xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\t"
                     "xorl %%r13d, %%r13d\n\txorl %%r14d, %%r14d\n\t"
                     "xorl %%r15d, %%r15d"
                     :
                     :
                     : "rbx", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
                       "xmm2", "xmm3");
}

/* Well below what runs when the program ends, and a thread's own memory. */
__attribute__((noinline)) static void call_below(void (*function)(void))
{
    volatile char stack[65536];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    function();
    __asm__ volatile("" : : "r"(stack) : "memory");
}

/* Calls function(), of which nothing stays on the stack. */
__attribute__((noinline)) static void apart(void (*function)(void))
{
    call_below(function);
    forget();
}
