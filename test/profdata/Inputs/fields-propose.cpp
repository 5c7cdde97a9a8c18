// Types whose members can be ordered better, and the order that is proposed.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct Place { int x; long y; };
struct Base { virtual ~Base() {} int id; };

struct Before : Base {
    char kind;
    char name[100];
    long hot;
    unsigned low : 3, high : 7;
    Place place;
    long warm;
    char flag;
    void (*call)(int[2]);
};

struct After : Base { // as proposed
    unsigned low : 3, high : 7;
    char kind;
    char flag;
    long hot;
    long warm;
    Place place;
    void (*call)(int[2]);
    char name[100];
};
static_assert(sizeof(After) == 160 && offsetof(After, kind) == 14, "");
static_assert(offsetof(After, hot) == 16 && offsetof(After, place) == 32, "");
static_assert(offsetof(After, call) == 48 && offsetof(After, name) == 56, "");

struct Good { long a; int b, c; };

static Before *objects[1000];

int main()
{
    for (Before *&object : objects) {
        Before *volatile made = new Before;
        object = made;
        for (int i = 0; i < 100; i++)
            *(volatile long *)&object->hot = i;
        for (int i = 0; i < 50; i++)
            *(volatile long *)&object->warm = i;
        *(volatile int *)&object->place.x = 1;
        *(volatile int *)&object->place.x = 2;
        *(volatile int *)&object->place.x = 3;
    }
    Good *volatile good = (Good *)malloc(sizeof(Good));
    for (int i = 0; i < 100; i++)
        *(volatile long *)&good->a = i;
    *(volatile int *)&good->b = 1;
    return 0;
}
