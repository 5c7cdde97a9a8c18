/* Suppressed leaks, and what they hold. */
#include "leaks.h"

SITE(known)
SITE(known_top)
SITE(known_below)
SITE(known_in_ring)
SITE(apart)
SITE(chain)
SITE(end_of_chain)
SITE(mixed)
SITE(shared)
SITE(in_ring)
SITE(holds_known)
SITE(twice)

static void make(void)
{
    /* Suppressed blocks and others each hold their own blocks of one call
     * stack. */
    for (int i = 0; i < 18; i++) {
        void **const p = i < 5 ? site_known(40) : i < 12 ? site_known_top(48)
                                                         : site_apart(56);
        p[2] = site_mixed(10 + i);
    }
    /* Held through blocks that are not suppressed, with a suppressed one among
     * them. */
    void **const top = site_known_top(64);
    void **const chain = site_chain(24);
    void **const below = site_known_below(32);
    top[0] = chain;
    chain[1] = below;
    below[1] = site_end_of_chain(33);
    /* A suppressed block and another hold the same block. */
    void **const one = site_known(16);
    void **const other = site_apart(16);
    one[1] = other[1] = site_shared(77);
    /* Two suppressed blocks hold the same block, and no other block does. */
    void **const a = site_known(8);
    void **const b = site_known_top(8);
    *a = *b = site_twice(70);
    /* A ring with a suppressed block in it. */
    void **const ring = site_in_ring(24);
    void **const known = site_known_in_ring(24);
    void **const last = site_in_ring(24);
    ring[0] = known;
    known[0] = last;
    last[0] = ring;
    /* A block that holds a suppressed block is not suppressed for that. */
    void **const holds = site_holds_known(99);
    holds[3] = site_known(88);
}

int main(void)
{
    apart(make);
    return 0;
}
