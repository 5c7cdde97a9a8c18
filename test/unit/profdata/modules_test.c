/* modules_test.c -- tests which file belongs to a binary of a profile, and
 * where its code was loaded.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/load/symbolize.h"
#include "test/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A dump with one binary and one frame. */
struct dump {
    struct mpdata_raw raw;
    struct mpdata_raw_module module;
    struct mpdata_raw_segment segment;
    struct mpdata_raw_frame frame;
    struct mpdata_raw_node node;
    struct mpdata_raw_context context;
};

static void build(struct dump *d, enum mprof_run_kind kind, const char *path,
                  const char *build_id)
{
    *d = (struct dump){.module = {.path = {path, strlen(path)},
                                  .build_id = {build_id, strlen(build_id)},
                                  .flags = MPROF_RAW_MODULE_FL_MAIN},
                       .segment = {.start = 0x501000, .end = 0x502000},
                       .frame = {.module = 1, .address = 0x501010},
                       .context = {.node = 1, .blocks = 1}};
    d->raw = (struct mpdata_raw){.kind = kind,
                                 .modules = &d->module,
                                 .module_count = 1,
                                 .segments = &d->segment,
                                 .segment_count = 1,
                                 .frames = &d->frame,
                                 .frame_count = 1,
                                 .nodes = &d->node,
                                 .node_count = 1,
                                 .contexts = &d->context,
                                 .context_count = 1};
}

static struct mpdata_binary_file binary = {.path = (char *)(uintptr_t) "/app",
                                           .build_id = (char *)(uintptr_t) "id",
                                           .build_id_size = 2,
                                           .loads = {{0x1000, 0x1000, 0x1000}},
                                           .load_count = 1,
                                           .is_given = true};
static struct mpdata_binaries binaries = {.files = &binary, .count = 1};

/* As if it had been added. */
static int add_binary(void **state)
{
    (void)state;
    return !mpdata_map_add(&binaries.paths, mpdata_hash_bytes("/app", 4), 1) ||
           !mpdata_map_add(&binaries.build_ids, mpdata_hash_bytes("id", 2), 1);
}

static int drop_binary(void **state)
{
    (void)state;
    mpdata_map_fini(&binaries.paths);
    mpdata_map_fini(&binaries.build_ids);
    mpdata_set_fini(&binaries.missing);
    return 0;
}

static int warnings;
static char last_warning[1024];

static void note(void *context, const char *file, const char *text)
{
    (void)context;
    (void)file;
    warnings++;
    snprintf(last_warning, sizeof(last_warning), "%s", text);
}

static const struct mpdata_diag_warn warn = {.fn = note};

static enum mprof_err resolve(struct dump *d, struct mprof_diag *diag,
                              uint32_t *binary_ref)
{
    struct mpdata_module *modules = NULL;
    enum mprof_err err;

    warnings = 0;
    err =
        mpdata_modules_resolve(&binaries, &d->raw, "f", &warn, &modules, diag);
    *binary_ref = err == MPROF_E_OK ? modules[0].binary_ref : 0;
    free(modules);
    return err;
}

static void finds_the_load_address_by_program_headers(void **state)
{
    struct mprof_diag diag;
    struct dump d;
    uint32_t ref;

    (void)state;
    build(&d, MPROF_RUN_LLVM, "", "id");
    assert_int_equal(resolve(&d, &diag, &ref), 0);
    assert_int_equal(ref, 1);
    assert_int_equal(d.module.bias, 0x500000);
    assert_int_equal(d.frame.address, 0x1010);
    assert_int_equal(warnings, 0);
}

static void keeps_a_load_address_that_fits(void **state)
{
    struct mprof_diag diag;
    struct dump d;
    uint32_t ref;

    (void)state;
    build(&d, MPROF_RUN_LLVM, "", "id");
    d.module.bias = 0x500000;
    d.frame.address = 0x1010;
    assert_int_equal(resolve(&d, &diag, &ref), 0);
    assert_int_equal(d.module.bias, 0x500000);
    assert_int_equal(d.frame.address, 0x1010);
}

static void wants_a_binary_for_llvm_files(void **state)
{
    struct mprof_diag diag;
    struct dump d;
    uint32_t ref;

    (void)state;
    build(&d, MPROF_RUN_LLVM, "", "other");
    assert_int_equal(resolve(&d, &diag, &ref), MPROF_E_NO_BINARY);
    assert_non_null(strstr(diag.text, "6f74686572"));
}

static void refuses_a_program_that_was_rebuilt(void **state)
{
    struct mprof_diag diag;
    struct dump d;
    uint32_t ref;

    (void)state;
    build(&d, MPROF_RUN_MEMPROF, "/app", "old");
    assert_int_equal(resolve(&d, &diag, &ref), MPROF_E_BUILD_ID);
    assert_non_null(strstr(diag.text, "/app was rebuilt since the run"));
    /* A missing library costs only its names. */
    build(&d, MPROF_RUN_MEMPROF, "/app", "old");
    d.module.flags = 0;
    assert_int_equal(resolve(&d, &diag, &ref), 0);
    assert_int_equal(ref, 0);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "the file was changed since the run"));
}

static void warns_of_files_that_are_gone(void **state)
{
    struct mprof_diag diag;
    struct dump d;
    uint32_t ref;

    (void)state;
    build(&d, MPROF_RUN_MEMPROF, "/no/such/app", "gone");
    assert_int_equal(resolve(&d, &diag, &ref), 0);
    assert_int_equal(ref, 0);
    assert_int_equal(warnings, 1);
    assert_non_null(strstr(last_warning, "/no/such/app (build id 676f6e65)"));
    /* The kernel's page has no file. */
    build(&d, MPROF_RUN_MEMPROF, "[vdso]", "x");
    assert_int_equal(resolve(&d, &diag, &ref), 0);
    assert_int_equal(warnings, 0);
}

static void finds_a_moved_binary_by_its_build_id(void **state)
{
    struct mprof_diag diag;
    struct dump d;
    uint32_t ref;

    (void)state;
    build(&d, MPROF_RUN_MEMPROF, "/no/such/app", "id");
    assert_int_equal(resolve(&d, &diag, &ref), 0);
    assert_int_equal(ref, 1);
    assert_int_equal(warnings, 0);
}

/* Each binary was once compared with each segment, and its frames with all
 * frames: with this many that would take hours. */
static void takes_no_longer_for_many_modules(void **state)
{
    enum { MANY = 500000 };
    struct mpdata_raw_module *modules = calloc(MANY, sizeof(*modules));
    struct mpdata_raw_segment *segments = calloc(MANY, sizeof(*segments));
    struct mpdata_raw_frame *frames = calloc(MANY, sizeof(*frames));
    struct mpdata_module *found = NULL;
    struct mprof_diag diag;
    struct dump d;

    (void)state;
    build(&d, MPROF_RUN_LLVM, "", "id");
    for (uint32_t i = 0; i < MANY; i++) {
        const uint64_t start = 0x10501000 + 0x10000 * (uint64_t)i;

        modules[i] = d.module;
        modules[i].bias = start;
        segments[i] = (struct mpdata_raw_segment){
            .module = i, .start = start, .end = start + 0x1000};
        frames[i] =
            (struct mpdata_raw_frame){.module = MANY - i, .address = 0x10};
    }
    d.raw.modules = modules;
    d.raw.segments = segments;
    d.raw.frames = frames;
    d.raw.module_count = d.raw.segment_count = d.raw.frame_count = MANY;
    assert_int_equal(
        mpdata_modules_resolve(&binaries, &d.raw, "f", NULL, &found, &diag), 0);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(modules[i].bias, segments[i].start - 0x1000);
        assert_int_equal(frames[i].address, 0x1010);
    }
    free(found);
    free(frames);
    free(segments);
    free(modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_load_address_by_program_headers),
        cmocka_unit_test(keeps_a_load_address_that_fits),
        cmocka_unit_test(wants_a_binary_for_llvm_files),
        cmocka_unit_test(refuses_a_program_that_was_rebuilt),
        cmocka_unit_test(warns_of_files_that_are_gone),
        cmocka_unit_test(finds_a_moved_binary_by_its_build_id),
        cmocka_unit_test(takes_no_longer_for_many_modules),
    };

    return cmocka_run_group_tests(tests, add_binary, drop_binary);
}
