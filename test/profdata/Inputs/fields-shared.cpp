/* fields-shared.cpp -- one type from C and C++, and an array whose number of elements
 * stands before it. */
#include "fields-shared.h"

struct counted {
    volatile long value;
    ~counted()
    {
        value = 0;
    }
};

int main()
{
    volatile int n = 10;
    shared *const s = new shared;
    counted *const c = new counted[n];

    s->used = 1;
    c[3].value = 1;
    free(make_in_c());
    delete s;
    delete[] c;
}
