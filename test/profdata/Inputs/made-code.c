/* A block that code allocates which the program made itself. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* push %rbp; mov %rsp,%rbp; call *%rsi; pop %rbp; ret */
static const unsigned char call[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd6, 0x5d, 0xc3};

int main(void)
{
    unsigned char *const code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *(*allocate)(size_t size, void *(*function)(size_t size));

    if (code == MAP_FAILED)
        return 1;
    memcpy(code, call, sizeof(call));
    memcpy(&allocate, &code, sizeof(code));
    free(allocate(1500, malloc));
    free(malloc(500));
    return 0;
}
