/* A resolver that calls a function which takes nothing of the pass, as it is naked. */
static int one(void)
{
    return 0;
}

static int two(void)
{
    return 1;
}

__attribute__((naked, noinline)) static int probe(void)
{
    __asm__("movl $1, %eax\n\tret");
}

static void *resolve(void)
{
    return probe() ? (void *)one : (void *)two;
}

int chosen(void) __attribute__((ifunc("resolve")));

int main(void)
{
    return chosen();
}
