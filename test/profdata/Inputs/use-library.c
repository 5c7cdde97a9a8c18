/* use-library A B BINARY OUT NAME: merges A and twice B into OUT; then several
 * threads look up NAME in it, and must find the same. */
#include <memprofdata.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct memprofdata_index *shared_index;
static const char *name;

static int add_bytes(void *context, const struct memprofdata_context *c)
{
    for (size_t i = 0; i < c->value_count; i++) {
        if (strcmp(c->values[i].name, "TotalSize") == 0)
            *(uint64_t *)context += c->values[i].value;
    }
    return 0;
}

static int stop(void *context, const struct memprofdata_context *c)
{
    (void)c;
    return ++*(int *)context == 2 ? -7 : 0;
}

static void *look_up(void *sum)
{
    for (int i = 0; i < 50; i++) {
        bool found = false;

        *(uint64_t *)sum = 0;
        if (memprofdata_find_name(shared_index, name, add_bytes, sum, &found,
                                  NULL) != 0 ||
            !found)
            *(uint64_t *)sum = 0;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct memprofdata_profile *p = memprofdata_profile_new();
    struct memprofdata_error e;
    pthread_t threads[4];
    uint64_t sums[4];
    int seen = 0;
    bool found = true;

    if (argc != 6 || p == NULL)
        return 2;
    if (memprofdata_profile_add(p, "nowhere", 1, &e) == 0)
        return 3;
    puts(e.text);
    if (memprofdata_profile_binary(p, argv[3], &e) != 0 ||
        memprofdata_profile_add(p, argv[1], 1, &e) != 0 ||
        memprofdata_profile_add(p, argv[2], 2, &e) != 0 ||
        memprofdata_profile_write(p, argv[4], &e) != 0) {
        puts(e.text);
        return 4;
    }
    printf("%zu call stacks\n", memprofdata_profile_context_count(p));
    if (memprofdata_profile_visit(p, stop, &seen, &e) != -7 || seen != 2)
        return 5;
    memprofdata_profile_free(p);

    if (memprofdata_open(argv[3], &shared_index, &e) == 0)
        return 6;
    puts(e.text);
    if (memprofdata_open(argv[4], &shared_index, &e) != 0)
        return 7;
    if (memprofdata_find_name(shared_index, "none", stop, NULL, &found, &e) !=
            0 ||
        found)
        return 8;
    name = argv[5];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, look_up, &sums[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++)
        printf("%llu bytes\n", (unsigned long long)sums[i]);
    memprofdata_close(shared_index);
    memprofdata_close(NULL);
    return 0;
}
