// Blocks of many types, in C and C++; prints which sites' blocks are dense: their size is
// no multiple of 16.
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __cplusplus
#include <list>
#include <map>
#endif

enum { COUNT = 4000 };
struct node { struct node *next; long key; int n[2]; };                    /* 24 */
struct fits { struct fits *next; long key; };                             /* 16 */
struct wide { struct wide *next; long key, a, b; double sum; };           /* 40 */
struct text { struct text *next; char odd[16]; };                         /* 24 */
struct data { double x, y, z; };                                          /* 24 */
struct point { float x, y, z, w; struct point *next; };                   /* 24 */
struct pair { float x, y; };
struct line { struct pair from, to; struct line *next; };                 /* 24 */
struct half { float x, y; struct half *next; float z, w; };               /* 24 */

static void *keep[17][COUNT];

static __attribute__((noinline)) void site_0(int i)
{
    struct node *const p = (struct node *)malloc(sizeof(struct node));
    p->key = i;
    keep[0][i] = p;
}

static __attribute__((noinline)) void site_1(int i)
{
    struct node *const p = (struct node *)calloc(1, sizeof(struct node));
    p->key = i;
    keep[1][i] = p;
}

static __attribute__((noinline)) void site_2(int i)
{
    struct fits *const p = (struct fits *)malloc(sizeof(struct fits));
    p->key = i;
    keep[2][i] = p;
}

static __attribute__((noinline)) void site_3(int i)
{
    struct wide *const p = (struct wide *)malloc(sizeof(struct wide));
    p->key = i;
    keep[3][i] = p;
}

static __attribute__((noinline)) void site_4(int i)
{
    struct node *const p = (struct node *)malloc(sizeof(struct node) + 16);
    p->key = i;
    keep[4][i] = p;
}

static __attribute__((noinline)) void site_5(int i)
{
    struct node *const p = (struct node *)__builtin_assume_aligned(malloc(sizeof(struct node)), 16);
    p->key = i;
    keep[5][i] = p;
}

static __attribute__((noinline)) void site_6(int i)
{
    struct text *const p = (struct text *)malloc(sizeof(struct text));
    p->odd[i % 16] = (char)i;
    keep[6][i] = p;
}

static __attribute__((noinline)) void site_7(int i)
{
    struct data *const p = (struct data *)malloc(sizeof(struct data));
    p->x = p->y = p->z = i;
    keep[7][i] = p;
}

static __attribute__((noinline)) void site_8(int i)
{
    void *const p = malloc(24);
    *(long *)p = i;
    keep[8][i] = p;
}

static __attribute__((noinline)) void site_9(int i)
{
    struct node *const p = (struct node *)malloc(sizeof(struct node));
    if (((uintptr_t)p & 15) == 0) /* uses four bits of the pointer */
        keep[9][i] = p;
}

static __attribute__((noinline)) void site_12(int i)
{
    struct point *const p = (struct point *)malloc(sizeof(struct point));
    p->x = (float)i;
    keep[12][i] = p;
}

static __attribute__((noinline)) void site_13(int i)
{
    struct line *const p = (struct line *)malloc(sizeof(struct line));
    p->to.y = (float)i;
    keep[13][i] = p;
}

static __attribute__((noinline)) void site_14(int i)
{
    struct half *const p = (struct half *)malloc(sizeof(struct half));
    p->x = (float)i;
    keep[14][i] = p;
}

static __attribute__((noinline)) void *or_exit(void *p)
{
    if (p == NULL)
        exit(1);
    return p;
}

static __attribute__((noinline)) void site_15(int i)
{
    struct node *const p = (struct node *)or_exit(malloc(sizeof(*p)));
    p->key = i;
    keep[15][i] = p;
}

static __attribute__((noinline)) void site_16(int i)
{
    struct point *const p = (struct point *)(void *)malloc(sizeof(struct node));
    p->x = (float)i;
    keep[16][i] = p;
}

#ifdef __cplusplus
static std::list<long *> list;
static std::map<int, int> map;
static std::map<int, long double> aligned;

static __attribute__((noinline)) void site_10(int i)
{
    keep[10][i] = new node();
    keep[11][i] = new node[1];
    list.push_back((long *)keep[10][i]);
    map[i] = i;
    aligned[i] = i;
}
#endif

int main(void)
{
    long sum = 0, odd = 0;

    for (int i = 0; i < COUNT; i++) {
        site_0(i), site_1(i), site_2(i), site_3(i), site_4(i);
        site_5(i), site_6(i), site_7(i), site_8(i), site_9(i);
        site_12(i), site_13(i), site_14(i), site_15(i), site_16(i);
#ifdef __cplusplus
        site_10(i);
#endif
    }
    for (int round = 0; round < 200; round++) {
        for (int n = 0; n < 17; n++) {
            for (int i = 0; i < COUNT; i++)
                sum += keep[n][i] != NULL ? *(unsigned char *)keep[n][i] & 1 : 0;
        }
    }
#ifdef __cplusplus
    for (const auto &pair : map)
        sum += pair.second;
#endif
    for (int n = 0; n < 17; n++) {
        int count = 0;
        for (int i = 0; i < COUNT; i++)
            count += malloc_usable_size(keep[n][i]) % 16 != 0;
        printf("site %d: %s\n", n, count == COUNT ? "dense" : count == 0 ? "aligned" : "mixed");
        for (int i = 0; i < COUNT; i++)
            odd += keep[n][i] == NULL;
    }
    return sum == 1 || odd == 1;
}
