/* leaks.h -- for programs that leak on purpose. Each allocation is made in a
 * function site_NAME(), by which the reports of two tools are compared. */
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

/* Clears registers that calls have left. */
static inline void forget_registers(void)
{
    __asm__ volatile(
        "xorps %%xmm0, %%xmm0\n\txorps %%xmm1, %%xmm1\n\t"
        "xorps %%xmm2, %%xmm2\n\txorps %%xmm3, %%xmm3\n\t"
        "xorps %%xmm4, %%xmm4\n\txorps %%xmm5, %%xmm5\n\t"
        "xorps %%xmm6, %%xmm6\n\txorps %%xmm7, %%xmm7\n\t"
        "xorps %%xmm8, %%xmm8\n\txorps %%xmm9, %%xmm9\n\t"
        "xorps %%xmm10, %%xmm10\n\txorps %%xmm11, %%xmm11\n\t"
        "xorps %%xmm12, %%xmm12\n\txorps %%xmm13, %%xmm13\n\t"
        "xorps %%xmm14, %%xmm14\n\txorps %%xmm15, %%xmm15\n\t"
        "xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\t"
        "xorl %%r13d, %%r13d\n\txorl %%r14d, %%r14d\n\t"
        "xorl %%r15d, %%r15d\n\txorl %%eax, %%eax\n\t"
        "xorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\t"
        "xorl %%esi, %%esi\n\txorl %%edi, %%edi\n\t"
        "xorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\t"
        "xorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d"
        :
        :
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "rbx", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2", "xmm3",
          "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
          "xmm12", "xmm13", "xmm14", "xmm15");
}

/* Clears the stack. */
__attribute__((noinline)) static void forget(void)
{
    volatile char stack[131072];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    forget_registers();
}

/* Calls function() far from the stack that is in use when the program ends, and from a thread's
 * own memory. */
__attribute__((noinline)) static void call_below(void (*function)(void))
{
    volatile char stack[65536];

    memset((void *)stack, 0, sizeof(stack));
    __asm__ volatile("" : : "r"(stack) : "memory");
    function();
    __asm__ volatile("" : : "r"(stack) : "memory");
}

/* Calls function() and leaves nothing of it on the stack. */
__attribute__((noinline)) static void apart(void (*function)(void))
{
    call_below(function);
    forget();
}
