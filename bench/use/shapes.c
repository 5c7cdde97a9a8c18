/* shapes.c -- data structures of small blocks, as in published programs: each
 * builds one, changes it, and walks it.
 *
 * usage: shapes tree|hospital|orders|graph|entities|events|tour|handlers SIZE
 *               ROUNDS
 *
 * tree      a binary tree, summed (after Olden's treeadd)
 * hospital  patients in doubly linked lists of villages (after Olden's health)
 * orders    orders with lines, customers, and notes that are rarely read
 * graph     edges below a ring of vertices, walked to pick one (Ptrdist's ft)
 * entities  components of several kinds, made in turn and updated kind by kind
 * events    a queue of events with messages, by time (a skew heap)
 * tour      a tree of cities that is threaded into a ring (after Olden's tsp)
 * handlers  a few small blocks of each of 128 kinds, made between records
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static unsigned long state = 1;

static unsigned random_below(unsigned n)
{
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(state >> 33) % n;
}

static void *or_exit(void *p)
{
    if (p == NULL)
        exit(1);
    return p;
}

#define NEW(type) ((struct type *)or_exit(malloc(sizeof(struct type))))

/* -- tree ------------------------------------------------------------------- */

struct tree {
    int value;
    struct tree *left, *right;
};

static NOINLINE struct tree *tree_new(int levels)
{
    if (levels == 0)
        return NULL;
    struct tree *const t = NEW(tree);

    *t = (struct tree){.value = 1,
                       .left = tree_new(levels - 1),
                       .right = tree_new(levels - 1)};
    return t;
}

static long tree_sum(const struct tree *t)
{
    return t == NULL ? 0 : tree_sum(t->left) + tree_sum(t->right) + t->value;
}

static long tree(int levels, int rounds)
{
    const struct tree *const t = tree_new(levels);
    long sum = 0;

    for (int i = 0; i < rounds; i++)
        sum += tree_sum(t);
    return sum;
}

/* -- hospital --------------------------------------------------------------- */

enum { QUEUES = 3 };

struct patient {
    int visits, time, left;
    int village;
};

struct link {
    struct link *next;
    struct patient *patient;
    struct link *back;
};

struct village {
    struct link queues[QUEUES]; /* the first link of each has no patient */
    int free_staff;
};

static NOINLINE struct patient *patient_new(int village)
{
    struct patient *const p = NEW(patient);

    *p = (struct patient){.village = village};
    return p;
}

/* Adds to the end, which it walks to, as the original does. */
static NOINLINE void queue_add(struct link *at, struct patient *p)
{
    struct link *const l = NEW(link);

    while (at->next != NULL)
        at = at->next;
    *l = (struct link){.patient = p, .back = at};
    at->next = l;
}

static NOINLINE struct link *queue_remove(struct link *l)
{
    struct link *const next = l->next;

    l->back->next = next;
    if (next != NULL)
        next->back = l->back;
    free(l);
    return next;
}

static NOINLINE long village_step(struct village *v, int queue)
{
    struct link *l = v->queues[queue].next;
    long done = 0;

    while (l != NULL) {
        struct patient *const p = l->patient;

        p->time++;
        if (queue == 0 ? v->free_staff == 0 : --p->left > 0) {
            l = l->next;
            continue;
        }
        l = queue_remove(l);
        v->free_staff += queue == 0 ? -1 : queue == 2;
        p->left = 1 + (int)random_below(6);
        if (queue + 1 < QUEUES) {
            queue_add(&v->queues[queue + 1], p);
            continue;
        }
        p->visits++;
        done += p->time;
    }
    return done;
}

static long hospital(int villages, int rounds)
{
    struct village *const all = or_exit(calloc((size_t)villages, sizeof(*all)));
    long sum = 0;

    for (int i = 0; i < villages; i++)
        all[i].free_staff = 3;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < villages; i++) {
            for (int queue = QUEUES - 1; queue >= 0; queue--)
                sum += village_step(&all[i], queue);
            if (random_below(3) != 0)
                queue_add(&all[i].queues[0], patient_new(i));
        }
    }
    return sum;
}

/* -- orders ----------------------------------------------------------------- */

struct line {
    struct line *next;
    int item, count;
    long price;
};

struct customer {
    char *name;
    long total;
};

struct order {
    struct order *next;
    struct line *lines;
    struct customer *customer;
    char *note;
    long sum;
};

static NOINLINE char *note_new(unsigned size)
{
    char *const text = or_exit(malloc(size));

    memset(text, 'x', size - 1);
    text[size - 1] = '\0';
    return text;
}

static NOINLINE struct line *line_new(struct line *next, int i)
{
    struct line *const l = NEW(line);

    *l = (struct line){
        .next = next, .item = i, .count = i & 7, .price = 1 + i % 100};
    return l;
}

static NOINLINE struct order *order_new(struct order *next, struct customer *c)
{
    struct order *const o = NEW(order);

    *o = (struct order){
        .next = next, .customer = c, .note = note_new(40 + random_below(60))};
    for (int i = 0; i < 3; i++)
        o->lines = line_new(o->lines, i);
    return o;
}

static long orders(int count, int rounds)
{
    struct customer *const customers =
        or_exit(calloc((size_t)count / 8 + 1, sizeof(*customers)));
    struct order *all = NULL;
    long sum = 0;

    for (int i = 0; i < count; i++)
        all = order_new(all, &customers[random_below((unsigned)count / 8 + 1)]);
    for (int round = 0; round < rounds; round++) {
        for (struct order *o = all; o != NULL; o = o->next) {
            o->sum = 0;
            for (const struct line *l = o->lines; l != NULL; l = l->next)
                o->sum += l->count * l->price;
            sum += o->sum;
        }
    }
    for (struct order *o = all; o != NULL; o = o->next)
        o->customer->total += o->sum + o->note[0];
    return sum + customers[0].total;
}

/* -- graph ------------------------------------------------------------------ */

struct vertex {
    int id;
    struct edge *edges;
    struct vertex *next;
    int key;
};

struct edge {
    int weight;
    struct vertex *from, *to;
    struct edge *next;
};

static NOINLINE struct vertex *vertex_new(int id)
{
    struct vertex *const v = NEW(vertex);

    *v = (struct vertex){.id = id};
    return v;
}

static NOINLINE void edge_new(struct vertex *from, struct vertex *to,
                              int weight)
{
    struct edge *const e = NEW(edge);

    *e = (struct edge){
        .weight = weight, .from = from, .to = to, .next = from->edges};
    from->edges = e;
}

static NOINLINE struct vertex *pick(struct vertex *v, unsigned steps)
{
    while (steps-- > 0)
        v = v->next;
    return v;
}

static long graph(int count, int edges)
{
    struct vertex *const ring = vertex_new(0);
    long sum = 0;

    ring->next = ring;
    for (int i = 1; i < edges; i++) {
        struct vertex *const a = pick(ring, random_below((unsigned)i));
        struct vertex *b = pick(a, 1 + random_below((unsigned)count));

        if (i < count) {
            b = vertex_new(i);
            b->next = ring->next;
            ring->next = b;
        }
        const int weight = 1 + (int)random_below(100);
        edge_new(a, b, weight);
        edge_new(b, a, weight);
    }
    for (int i = 0; i < count; i++) {
        const struct vertex *const v = pick(ring, (unsigned)i);

        for (const struct edge *e = v->edges; e != NULL; e = e->next)
            sum += e->weight * (e->to->id & 3);
    }
    return sum;
}

/* -- entities --------------------------------------------------------------- */

struct body {
    struct body *next;
    double place, speed;
};

struct health {
    struct health *next;
    long points, armour;
};

struct label {
    struct label *next;
    char text[32];
};

static NOINLINE struct body *body_new(struct body *next)
{
    struct body *const b = NEW(body);

    *b = (struct body){.next = next, .speed = 1};
    return b;
}

static NOINLINE struct health *health_new(struct health *next)
{
    struct health *const h = NEW(health);

    *h = (struct health){.next = next, .points = 100, .armour = 1};
    return h;
}

static NOINLINE struct label *label_new(struct label *next)
{
    struct label *const l = NEW(label);

    *l = (struct label){.next = next, .text = "entity"};
    return l;
}

static long entities(int count, int rounds)
{
    struct body *bodies = NULL;
    struct health *healths = NULL;
    struct label *labels = NULL;
    long sum = 0;

    for (int i = 0; i < count; i++) {
        bodies = body_new(bodies);
        healths = health_new(healths);
        labels = label_new(labels);
    }
    for (int round = 0; round < rounds; round++) {
        for (struct body *b = bodies; b != NULL; b = b->next)
            b->place += b->speed;
        for (struct health *h = healths; h != NULL; h = h->next)
            sum += h->points -= h->armour;
    }
    for (const struct label *l = labels; l != NULL; l = l->next)
        sum += l->text[0];
    return sum + (long)bodies->place;
}

/* -- events ----------------------------------------------------------------- */

struct message {
    long from, to;
    char data[40];
};

struct event {
    struct event *left, *right;
    unsigned long time;
    struct message *message;
};

static NOINLINE struct event *event_new(unsigned long time)
{
    struct event *const e = NEW(event);
    struct message *const m = NEW(message);

    *m = (struct message){.from = (long)time, .to = (long)time + 1};
    *e = (struct event){.time = time, .message = m};
    return e;
}

static struct event *meld(struct event *a, struct event *b)
{
    struct event *root = NULL, **at = &root;

    while (a != NULL && b != NULL) {
        if (b->time < a->time) {
            struct event *const other = a;
            a = b;
            b = other;
        }
        *at = a;
        struct event *const right = a->right;
        a->right = a->left;
        at = &a->left;
        a = right;
    }
    *at = a != NULL ? a : b;
    return root;
}

static long events(int count, int rounds)
{
    struct event *queue = NULL;
    long sum = 0;

    for (int i = 0; i < count; i++)
        queue = meld(queue, event_new(random_below(1000000)));
    for (int i = 0; i < rounds * count; i++) {
        struct event *const e = queue;

        queue = meld(e->left, e->right);
        sum += e->message->to - e->message->from;
        queue = meld(queue, event_new(e->time + random_below(1000000)));
        free(e->message);
        free(e);
    }
    return sum + (long)queue->time;
}

/* -- tour ------------------------------------------------------------------- */

struct city {
    int count; /* of cities below it */
    double x, y;
    struct city *left, *right, *next, *previous;
};

static NOINLINE struct city *city_new(int count)
{
    if (count == 0)
        return NULL;
    struct city *const c = NEW(city);

    *c = (struct city){.count = count,
                       .x = random_below(10000),
                       .y = random_below(10000),
                       .left = city_new((count - 1) / 2)};
    c->right = city_new(count - 1 - (count - 1) / 2);
    return c;
}

static struct city *thread(struct city *c, struct city *last)
{
    if (c == NULL)
        return last;
    c->next = thread(c->left, thread(c->right, last));
    if (c->next != NULL)
        c->next->previous = c;
    return c;
}

static double length(const struct city *c)
{
    double sum = 0;

    for (; c->next != NULL; c = c->next) {
        const double x = c->x - c->next->x, y = c->y - c->next->y;
        sum += (x < 0 ? -x : x) + (y < 0 ? -y : y);
    }
    return sum;
}

static long tour(int count, int rounds)
{
    struct city *const root = city_new(count);
    double sum = 0;

    for (int i = 0; i < rounds; i++)
        sum += length(thread(root, NULL));
    return (long)sum;
}

/* -- handlers --------------------------------------------------------------- */

#define HANDLERS_EACH 8
#define CALLS 50

struct handler {
    struct handler *next;
    long calls, argument, result;
};

struct record {
    struct record *next;
    long values[3];
};

#define FOUR(X, n) X(n##0) X(n##1) X(n##2) X(n##3)
#define KINDS_OF(X, n) FOUR(X, n##0) FOUR(X, n##1) FOUR(X, n##2) FOUR(X, n##3)
#define KINDS(X)   \
    KINDS_OF(X, a) \
    KINDS_OF(X, b) \
    KINDS_OF(X, c) \
    KINDS_OF(X, d) KINDS_OF(X, e) KINDS_OF(X, f) KINDS_OF(X, g) KINDS_OF(X, h)
#define X(kind)                                                   \
    static NOINLINE struct handler *handler_##kind(long argument) \
    {                                                             \
        struct handler *const h = NEW(handler);                   \
                                                                  \
        *h = (struct handler){.argument = argument};              \
        return h;                                                 \
    }
KINDS(X)
#undef X

static struct handler *(*const handler_kinds[])(long) = {
#define X(kind) handler_##kind,
    KINDS(X)
#undef X
};

static struct record *records_new(struct record *next, int count)
{
    for (int i = 0; i < count; i++) {
        struct record *const r = NEW(record);

        *r = (struct record){.next = next, .values = {i}};
        next = r;
    }
    return next;
}

static long handlers(int count, int rounds)
{
    const int kinds = sizeof(handler_kinds) / sizeof(*handler_kinds);
    struct handler *first = NULL, **last = &first;
    struct record *records = NULL;
    long sum = 0;

    for (int i = 0; i < kinds * HANDLERS_EACH; i++) {
        *last = handler_kinds[i % kinds](i);
        last = &(*last)->next;
        records = records_new(records, count / (kinds * HANDLERS_EACH));
    }
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < CALLS; k++) {
            for (struct handler *h = first; h != NULL; h = h->next)
                h->result += h->argument * ++h->calls;
        }
        for (const struct record *r = records; r != NULL; r = r->next)
            sum += r->values[0];
    }
    for (const struct handler *h = first; h != NULL; h = h->next)
        sum += h->result;
    return sum;
}

/* -- the program ------------------------------------------------------------ */

static const struct {
    const char *name;
    long (*run)(int size, int rounds);
} shapes[] = {{"tree", tree},   {"hospital", hospital}, {"orders", orders},
              {"graph", graph}, {"entities", entities}, {"events", events},
              {"tour", tour},   {"handlers", handlers}};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof(shapes) / sizeof(*shapes); i++) {
        if (strcmp(argv[1], shapes[i].name) == 0) {
            printf("%ld\n", shapes[i].run(atoi(argv[2]), atoi(argv[3])));
            return 0;
        }
    }
    fputs("usage: shapes SHAPE SIZE ROUNDS\n", stderr);
    return 2;
}
