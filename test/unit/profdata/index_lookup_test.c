/* index_lookup_test.c -- checks that looking up a function through the hash
 * table of a large file reads only a few pages.
 *
 * The file is in memory that is not readable. The first access to a page raises
 * a signal, whose handler counts the page and makes it readable.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/guid.h"
#include "profdata/llvm/llvm.h"
#include "test/unit/cmocka_all.h"
#include "test/unit/profile_gen.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS 20000
/* Headers, bucket and record; then the 15 frames of a stack, each of which may
 * be in a page of its own, in the array of stacks and in that of frames. */
#define PAGES_MAX 40

static uint8_t *file;
static size_t file_size;
static size_t page_bytes;
static volatile sig_atomic_t pages;

static void open_page(int signal, siginfo_t *info, void *context)
{
    uint8_t *const page =
        (uint8_t *)((uintptr_t)info->si_addr & ~(uintptr_t)(page_bytes - 1));

    (void)context;
    if (page < file || page >= file + file_size ||
        mprotect(page, page_bytes, PROT_READ) != 0)
        _exit(128 + signal);
    pages++;
}

static uint64_t guid_of(unsigned i)
{
    char name[32];

    snprintf(name, sizeof(name), "function_%u", i);
    return mpdata_guid(name, strlen(name));
}

/* Function i allocates i + 1 blocks, called by function i / 2, and so on. */
static struct mpdata_profile *make_profile(void)
{
    struct mpdata_profile *p = mpdata_profile_new();

    for (unsigned i = 0; i < FUNCTIONS; i++) {
        const struct mprof_mib mib = {.AllocCount = i + 1, .TotalSize = 8};
        mpdata_ref node = 0;
        unsigned up = 1;

        while (2 * up <= i)
            up *= 2;
        for (; up != 0; up /= 2) {
            const struct mpdata_function f = {.guid = guid_of(i / up)};
            const struct mpdata_frame e = {
                .function = mpdata_profile_function(p, &f), .line = 5};

            node = mpdata_profile_node(p, node, mpdata_profile_frame(p, &e));
        }
        mpdata_profile_context(p, node, 0, &mib, MPDATA_CELLS_NONE);
    }
    return p;
}

static int make_file(void **state)
{
    struct mpdata_profile *p = make_profile();
    struct mprof_buf bytes;

    (void)state;
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    assert_int_equal(gen_write(p, NULL, &bytes), MPROF_E_OK);
    mpdata_profile_free(p);
    file_size = bytes.size;
    file = mmap(NULL, file_size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(file != MAP_FAILED);
    memcpy(file, bytes.data, bytes.size);
    mpdata_heapbuf_fini(&bytes);
    return 0;
}

static int remove_file(void **state)
{
    (void)state;
    return munmap(file, file_size);
}

/* Among the contexts of a record: the one that its own function allocated. */
static void take_blocks(void *context, const struct mpdata_view *view,
                        mpdata_ref node, const struct mprof_mib *mib,
                        const size_t *schema, size_t schema_count)
{
    (void)view;
    (void)node;
    (void)schema;
    (void)schema_count;
    *(uint64_t *)context += mib->AllocCount;
}

static bool look_up(uint64_t guid, uint64_t *blocks)
{
    bool found = false;

    *blocks = 0;
    pages = 0;
    assert_int_equal(mprotect(file, file_size, PROT_NONE), 0);
    assert_int_equal(mpdata_llvm_read_find(file, file_size, guid, take_blocks,
                                           blocks, &found, NULL),
                     MPROF_E_OK);
    assert_int_equal(mprotect(file, file_size, PROT_READ), 0);
    return found;
}

static void reads_what_the_record_names_only(void **state)
{
    const struct sigaction action = {.sa_sigaction = open_page,
                                     .sa_flags = SA_SIGINFO};
    uint64_t blocks;

    (void)state;
    /* Here, because cmocka sets its own handler before each test. */
    assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
    assert_true(file_size / page_bytes > 10 * PAGES_MAX);
    for (unsigned i = FUNCTIONS / 2; i < FUNCTIONS; i += 1237) {
        assert_true(look_up(guid_of(i), &blocks));
        assert_int_equal(blocks, i + 1);
        assert_in_range(pages, 1, PAGES_MAX);
    }
    assert_false(look_up(12345, &blocks));
    assert_in_range(pages, 1, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_the_record_names_only),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
