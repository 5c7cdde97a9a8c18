// As one.cpp and as three.cpp, with NAME replaced and SIZE given: the functions that
// allocate have the same names and stand at the same places.
#include <cstdlib>

static void *make(int n) { return malloc(SIZE * n); }
static auto make_too = [](int n) { return malloc(SIZE * n); };

extern void *(*const makers_NAME[])(int);
void *(*const makers_NAME[])(int) = {make, make_too};

#ifdef MAIN
extern void *(*const makers_three[])(int);

void *call(void *(*maker)(int)) { return maker(10); }

int main()
{
    for (int i = 0; i < 4; i++)
        free(call(i < 2 ? makers_NAME[i] : makers_three[i - 2]));
}
#endif
