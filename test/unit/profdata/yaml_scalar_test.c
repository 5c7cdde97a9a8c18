/* yaml_scalar_test.c -- what is written is what libyaml reads.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/yaml_scalar.h"
#include "profdata/base/heapbuf.h"
#include "test/unit/cmocka_all.h"

#include <string.h>
#include <yaml.h>

/* Writes "key: NAME" in one of two ways. */
static void write_name(struct mprof_buf *buf, const struct mpdata_str *name,
                       bool bare)
{
    struct mpdata_sink out = mpdata_sink_to_buf(buf);

    mpdata_sink_text(&out, "key: ");
    if (bare)
        mpdata_yaml_scalar_bare(&out, name->bytes, name->size);
    else
        mpdata_yaml_scalar_llvm(&out, name);
    mpdata_sink_text(&out, "\n");
    assert_false(out.failed);
}

/* The value of that, as a reader gets it; is it plain? */
static struct mpdata_str read_name(const struct mprof_buf *buf, bool *plain,
                                   yaml_document_t *document)
{
    yaml_parser_t parser;
    yaml_node_t *root;
    yaml_node_t *value;

    assert_true(yaml_parser_initialize(&parser));
    yaml_parser_set_input_string(&parser, buf->data, buf->size);
    if (!yaml_parser_load(&parser, document))
        fail_msg("%s in %.*s", parser.problem, (int)buf->size,
                 (const char *)buf->data);
    yaml_parser_delete(&parser);
    root = yaml_document_get_root_node(document);
    assert_int_equal(root->type, YAML_MAPPING_NODE);
    value =
        yaml_document_get_node(document, root->data.mapping.pairs.start->value);
    assert_int_equal(value->type, YAML_SCALAR_NODE);
    *plain = value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return (struct mpdata_str){.bytes = (const char *)value->data.scalar.value,
                               .size = value->data.scalar.length};
}

static bool expect(const char *bytes, size_t size, const char *read,
                   size_t read_size)
{
    const struct mpdata_str name = {.bytes = bytes, .size = size};
    bool plain = false;

    for (int bare = 0; bare < 2; bare++) {
        struct mprof_buf buf;
        yaml_document_t document;
        struct mpdata_str got;

        mpdata_heapbuf_init(&buf);
        write_name(&buf, &name, bare);
        got = read_name(&buf, &plain, &document);
        if (got.size != read_size || memcmp(got.bytes, read, read_size) != 0)
            fail_msg("%.*s", (int)buf.size, (const char *)buf.data);
        yaml_document_delete(&document);
        mpdata_heapbuf_fini(&buf);
    }
    return plain;
}

/* Was it bare the bare way? */
static bool is_plain(const char *name)
{
    return expect(name, strlen(name), name, strlen(name));
}

static void names_of_compilers_stay_bare(void **state)
{
    (void)state;
    assert_true(is_plain("main"));
    assert_true(is_plain("_ZN3foo3barEv"));
    assert_true(is_plain("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE"));
    assert_true(is_plain("_RNvC6_123foo3bar"));
    assert_true(is_plain("_ZN5alloc$LT$impl$u20$T$GT$E"));
    assert_true(is_plain("std::vector<int, a>::push(int const&)"));
    assert_true(is_plain("outer.cold"));
    assert_true(is_plain("f@@V1"));
    assert_true(is_plain("gr\303\274n \360\237\230\200"));
}

static void what_yaml_takes_otherwise_is_quoted(void **state)
{
    static const char *const names[] = {"",
                                        " a",
                                        "a ",
                                        "a: b",
                                        "a:",
                                        "a #b",
                                        "#a",
                                        "- a",
                                        "-",
                                        "? a",
                                        "[a",
                                        "{a}",
                                        "*a",
                                        "&a",
                                        "!a",
                                        "|",
                                        ">",
                                        "'a",
                                        "\"a",
                                        "%a",
                                        "@a",
                                        "`a",
                                        "null",
                                        "~",
                                        "true",
                                        "0x1f",
                                        "1e3",
                                        "-.5",
                                        ".inf",
                                        "a\nb",
                                        "\n",
                                        "a\tb",
                                        "a\rb",
                                        "a\x7f",
                                        "\001",
                                        "it's: \"\\\"",
                                        "\302\205",
                                        "\302\240",
                                        "a\342\200\250b",
                                        "\357\273\277a",
                                        "---",
                                        "...a: "};

    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(names); i++)
        assert_false(is_plain(names[i]));
}

/* Each byte of ASCII first, last, alone and between. */
static void every_byte_comes_back(void **state)
{
    (void)state;
    for (int c = 0; c < 0x80; c++) {
        const char name[] = {(char)c, 'a', (char)c, ' ', (char)c, '\0'};

        for (size_t from = 0; from < 5; from++) {
            /* What follows is a 0, as at the end of each name. */
            char part[6] = {0};

            memcpy(part, name + from, 5 - from);
            expect(part, 5 - from, part, 5 - from);
        }
        expect(name, 5, name, 5);
        expect((const char[]){(char)c, '\0'}, 1, name, 1);
    }
}

static void what_is_no_utf8_is_latin1(void **state)
{
    (void)state;
    expect("a\377b", 3, "a\303\277b", 4);
    expect("\303", 1, "\303\203", 2);
    /* Longer than it must be; half of a pair; beyond the last. */
    expect("\300\200", 2, "\303\200\302\200", 4);
    expect("\355\240\200", 3, "\303\255\302\240\302\200", 6);
    expect("\364\220\200\200", 4, "\303\264\302\220\302\200\302\200", 8);
    expect("\303\274", 2, "\303\274", 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_compilers_stay_bare),
        cmocka_unit_test(what_yaml_takes_otherwise_is_quoted),
        cmocka_unit_test(every_byte_comes_back),
        cmocka_unit_test(what_is_no_utf8_is_latin1),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
