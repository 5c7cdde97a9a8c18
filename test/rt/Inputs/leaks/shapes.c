/* Cycles, chains, pointers into the middle of a block and past its end. */
#include "leaks.h"

SITE(cycle)
SITE(self)
SITE(head)
SITE(child)
SITE(grandchild)
SITE(inside)
SITE(last_byte)
SITE(behind)
SITE(tagged)
SITE(unaligned)
SITE(shared)
SITE(shared_by)

static char *volatile inside;
static char *volatile last_byte;
static char *volatile behind;
static char *volatile tagged;
static struct {
    char c;
    void *p;
} __attribute__((packed, aligned(8))) packed;

static void make(void)
{
    void **const a = site_cycle(24);
    void **const b = site_cycle(32);
    void **const c = site_cycle(40);
    a[0] = b;
    b[1] = c;
    c[2] = a;
    void **const self = site_self(16);
    self[1] = self;
    void **const head = site_head(64);
    for (int i = 0; i < 4; i++) {
        void **const child = site_child(72);
        head[i] = child;
        child[3] = site_grandchild(80 + i);
    }
    void **const by = site_shared_by(8);
    void **const by2 = site_shared_by(8);
    by[0] = by2[0] = site_shared(99);
    inside = (char *)site_inside(4096) + 2000;
    last_byte = (char *)site_last_byte(333) + 332;
    behind = (char *)site_behind(128) + 128;
    tagged = (char *)site_tagged(48) + 1;
    packed.p = site_unaligned(88);
}

int main(void)
{
    apart(make);
    return 0;
}
