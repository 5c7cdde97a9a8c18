/* docgen.c -- prints the tables of docs/ from the definitions in shared/, rt/
 * and profdata/, so that no document lists fields, options or layouts by hand.
 *
 * usage: docgen TABLE       (mib, counters, options, llvm-options,
 *                            unused-options, pass-options, errors,
 *                            raw-sections, raw-columns, raw-meta, part-kinds,
 *                            objects-keys, object-keys,
 *                            index-sections, index-columns, lock-order,
 *                            system-libs, io-calls, use-lines, use-words,
 *                            verdict-reasons, verdict-numbers,
 *                            pool-group-reasons,
 *                            fields-reasons, roff-options,
 *                            roff-pass-options)
 *
 * `make docs` builds and runs it; test/lint/docs.py writes the tables between
 * the markers in the documents.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/pool_groups.h"
#include "profdata/judge/verdict.h"
#include "profdata/judge/fields.h"
#include "shared/abi.h"
#include "shared/err.h"
#include "shared/index_format.h"
#include "shared/tag_format.h"
#include "shared/log_format.h"
#include "shared/objects_format.h"
#include "shared/raw_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_mib(void)
{
    printf("| tag | field | LLVM's width | merge | unit | meaning |\n"
           "|---|---|---|---|---|---|\n");
#define MPROF_MIB(tag, name, type, merge, add, formula, unit, help)      \
    printf("| %d | %s | %s | %s | %s | %s |\n", tag, #name,              \
           (tag) <= MPROF_MIB_LLVM_TAG_MAX ? #type : "-", #merge, #unit, \
           help);
#include "shared/MIBDef.inc"
}

/* Prints the runtime's options of one kind (column `whose` of options.inc). */
static void print_options_of(const char *kind)
{
    printf("| option | type | default | what it does |\n"
           "|---|---|---|---|\n");
#define MPROF_OPTION(name, type, default, whose, help) \
    if (strcmp(#whose, kind) == 0)                     \
        printf("| `%s` | %s | `%s` | %s |\n", #name, #type, #default, help);
#include "shared/options.inc"
#undef MPROF_OPTION
}

static void print_options(void)
{
    print_options_of("OURS");
}

static void print_llvm_options(void)
{
    print_options_of("LLVM");
}

static void print_unused_options(void)
{
    const char *before = "";

#define MPROF_OPTION(name, type, default, whose, help) \
    if (strcmp(#whose, "NO_EFFECT") == 0) {            \
        printf("%s`%s`", before, #name);               \
        before = ", ";                                 \
    }
#include "shared/options.inc"
#undef MPROF_OPTION
    puts(".");
}

static void print_pass_options(void)
{
    printf("| option | type | whose | what it does |\n|---|---|---|---|\n");
#define MPROF_PASS_OPTION(field, type, default, flag, help) \
    printf("| `-%s` | %s | ours | %s |\n", flag, #type, help);
#define MPROF_LLVM_OPTION(field, type, default, flag, help) \
    printf("| `-%s` | %s | LLVM's | %s |\n", flag, #type, help);
#include "shared/pass_options.inc"
}

/* Name of a base variable in docs/abi.md. */
static const char *short_name_of(const char *base)
{
    if (strcmp(base, MPROF_SYM_WIDE_SHADOW_BASE) == 0)
        return "wide";
    if (strcmp(base, MPROF_SYM_FIELDS_SHADOW_BASE) == 0)
        return "fields";
    if (strcmp(base, MPROF_SYM_RW_SHADOW_BASE) == 0)
        return "rw";
    return strcmp(base, MPROF_SYM_RW_BYTES_SHADOW_BASE) == 0 ? "bytes" : "base";
}

/* Prints the address of a counter and its update. */
static void print_counter(const char *mode, unsigned granule, unsigned bits,
                          int shift, unsigned at, const char *base, bool stops,
                          const char *counts)
{
    printf("| %s | %u bytes | u%u | `%s + ((addr & ~%u) %s %d)", mode, granule,
           bits, short_name_of(base), granule - 1, shift < 0 ? "<<" : ">>",
           abs(shift));
    if (at != 0)
        printf(" + %u", at);
    printf("` | ");
    if (!stops)
        printf("load, add 1, store");
    else if (bits < 16)
        printf("add 1 below %u", (unsigned)MPROF_COUNTER_MAX(bits));
    else
        printf("add 1 below 2^%u - 1", bits);
    printf(" | %s |\n", counts);
}

static void print_counters(void)
{
    printf("| mode | unit | counter | at | update | counts |\n"
           "|---|---|---|---|---|---|\n");
#define MPROF_COUNTER(name, type, granule, side, place, base, stops, mode, \
                      counts)                                              \
    print_counter(mode, granule, MPROF_COUNTER_##name##_BITS,              \
                  MPROF_COUNTER_##name##_SHIFT, MPROF_COUNTER_##name##_AT, \
                  MPROF_SYM_##base, stops, counts);
#include "shared/counters.inc"
}

/* Prints text for a man page; escapes special characters. */
static void print_roff(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '-' || *text == '\\')
            fputs(*text == '-' ? "\\-" : "\\e", stdout);
        else
            putchar(*text);
    }
}

static void print_roff_item(const char *name, const char *after,
                            const char *help)
{
    fputs(".TP\n\\fB", stdout);
    print_roff(name);
    fputs("\\fR", stdout);
    print_roff(after);
    fputs("\n", stdout);
    print_roff(help);
    fputs("\n", stdout);
}

/* Prints the options that have an effect. docs/options.md lists the others. */
static void print_roff_options(void)
{
#define MPROF_OPTION(name, type, default, whose, help)              \
    if (strcmp(#whose, "LLVM") == 0 || strcmp(#whose, "OURS") == 0) \
        print_roff_item(#name, "=" #default, help);
#include "shared/options.inc"
#undef MPROF_OPTION
}

static void print_roff_pass_options(void)
{
#define MPROF_PASS_OPTION(field, type, default, flag, help) \
    print_roff_item("-" flag, "", help);
#include "shared/pass_options.inc"
}

static void print_errors(void)
{
    printf("| code | name | exit status | text |\n|---|---|---|---|\n");
#define MPROF_ERR(number, name, exit, text) \
    printf("| %d | %s | %d | %s |\n", number, #name, exit, text);
#include "shared/err.inc"
#undef MPROF_ERR
}

#define PRINT_SECTION(id, name, required, help)  \
    printf("| %d | %s | %s | %s |\n", id, #name, \
           required ? "always" : "where needed", help);
#define PRINT_COLUMN(section, tag, name, rule, of, help)         \
    printf("| %s | %d | %s | %s | %s |\n", #section, tag, #name, \
           UNIT_##rule(of), help);
#define UNIT_REF(of) #of " idx+1"
#define UNIT_ROW(of) #of " idx"
#define UNIT_U1(of) of
#define UNIT_U2(of) of
#define UNIT_U4(of) of
#define UNIT_U16(of) of
#define UNIT_U32(of) of
#define UNIT_U64(of) of
#define PRINT_META(key, name, what, help) \
    printf("| %d | %s | %s | %s |\n", key, #name, #what, help);

static void print_raw_sections(void)
{
    printf("| id | section | present | holds |\n|---|---|---|---|\n");
    MPROF_RAW_SECTIONS(PRINT_SECTION)
}

static void print_raw_columns(void)
{
    printf("| section | tag | column | unit | meaning |\n"
           "|---|---|---|---|---|\n");
    MPROF_RAW_COLUMNS(PRINT_COLUMN)
}

static void print_raw_meta(void)
{
    printf("| key | fact | kind | meaning |\n|---|---|---|---|\n");
    MPROF_RAW_METAS(PRINT_META)
}

#define PRINT_LOG(code, name, fields, help) \
    printf("| %d | %s | %s | %s |\n", code, #name, fields, help);

static void print_log_blocks(void)
{
    printf("| code | block | content | what |\n|---|---|---|---|\n");
    MPROF_LOG_BLOCKS(PRINT_LOG)
}

static void print_log_events(void)
{
    printf("| code | event | fields | what |\n|---|---|---|---|\n");
    MPROF_LOG_EVENTS(PRINT_LOG)
}

static void print_log_flags(void)
{
    printf("| bit | flag | fields | what |\n|---|---|---|---|\n");
    MPROF_LOG_FLAGS(PRINT_LOG)
}

#define PRINT_KEY(NAME, name, help) printf("| `%s` | %s |\n", #name, help);

static void print_objects_keys(void)
{
    printf("| key | value |\n|---|---|\n");
    MPROF_OBJECTS_KEYS(PRINT_KEY)
}

static void print_object_keys(void)
{
    printf("| key | value |\n|---|---|\n");
    MPROF_OBJECT_KEYS(PRINT_KEY)
}

static void print_part_kinds(void)
{
    printf("| number | kind | in JSON | rows are |\n|---|---|---|---|\n");
#define PRINT_KIND(number, name, text, help) \
    printf("| %d | %s | `%s` | %s |\n", number, #name, text, help);
    MPROF_TAG_KINDS(PRINT_KIND)
#undef PRINT_KIND
}

static void print_index_sections(void)
{
    printf("| id | section | present | holds |\n|---|---|---|---|\n");
    MPROF_INDEX_SECTIONS(PRINT_SECTION)
}

static void print_index_columns(void)
{
    printf("| section | tag | column | unit | meaning |\n"
           "|---|---|---|---|---|\n");
    MPROF_INDEX_COLUMNS(PRINT_COLUMN)
}

/* Prints a part of the runtime, if it has a lock. */
static void print_lock(const char *part, const char *guards,
                       const char *members)
{
    if (guards[0] == '\0')
        return;
    printf("| `%s` | %s | %s |\n", part, guards,
           strstr(members, ".lock") != NULL ||
                   strstr(members, ".before_fork") != NULL
               ? "taken"
           : strstr(members, ".after_fork") != NULL ||
                   strstr(members, ".in_child") != NULL
               ? "not waited for"
               : "-");
}

static void print_lock_order(void)
{
    printf("| part | what its lock guards | around a fork |\n|---|---|---|\n");
#define MPRT_PART(name, guards, ...) print_lock(#name, guards, #__VA_ARGS__);
#include "rt/start/lifecycle.inc"
#undef MPRT_PART
}

/* Prints one row for each package (column `of`). */
static void print_system_libs(void)
{
    const char *last = "";

    printf(
        "| of | files: the name, then `.so.` or `-` and a digit |\n|---|---");
#define MPROF_SYSTEM_LIB(name, of)           \
    if (strcmp(last, of) == 0)               \
        printf(", `%s`", name);              \
    else                                     \
        printf(" |\n| %s | `%s`", of, name); \
    last = of;
#include "shared/system_libs.inc"
    printf(" |\n");
}

static void print_io_calls(void)
{
    printf("| function | what it is counted to access |\n|---|---|\n");
#define MPROF_IO_CALL(name, type, parameters, arguments, accesses) \
    printf("| `%s%s` | `%s` |\n", #name, #arguments, #accesses);
#include "shared/io_calls.inc"
}

static void print_use_lines(void)
{
    printf("| line | fields | what they are |\n|---|---|---|\n");
#define MPROF_USE_LINE(id, word, help) \
    printf("| `%s` | | **%s** |\n", word, help);
#define MPROF_USE_FIELD(line, id, name, type, help) \
    printf("| | `%s` (%s) | %s |\n", name, #type, help);
#include "shared/use_log.inc"
}

static void print_use_words(void)
{
    printf("| of | word | what it means |\n|---|---|---|\n");
#define MPROF_USE_STATE(id, word, help) \
    printf("| function | `%s` | %s |\n", word, help);
#include "shared/use_log.inc"
#define MPROF_USE_OUTCOME(id, word, help) \
    printf("| allocation call | `%s` | %s |\n", word, help);
#include "shared/use_log.inc"
}

static void print_fields_reasons(void)
{
    printf("| JSON | call stacks |\n|---|---|\n");
#define X(id, name, sentence) printf("| `%s` | %s |\n", name, sentence);
    MPDATA_FIELDS_REASONS(X)
#undef X
}

static void print_verdict_reasons(void)
{
#define X(id, word) [MPDATA_VERDICT_##id] = (word),
    static const char *const words[] = {MPDATA_VERDICTS(X)};
#undef X

    printf("| verdict | `why` | sentence |\n|---|---|---|\n");
#define X(id, name, verdict, sentence)                                    \
    printf("| %s | `%s` | %s |\n", words[MPDATA_VERDICT_##verdict], name, \
           sentence);
    MPDATA_VERDICT_REASONS(X)
#undef X
}

static void print_pool_group_reasons(void)
{
    printf("| `why` | sentence |\n|---|---|\n");
#define X(id, name, sentence) printf("| `%s` | %s |\n", name, sentence);
    MPDATA_POOL_GROUP_REASONS(X)
#undef X
}

static void print_verdict_numbers(void)
{
    printf("| member | what it is |\n|---|---|\n");
#define X(id, member, is_whole, known, help) \
    printf("| `%s` | %s |\n", #member, help);
    MPDATA_VERDICT_NUMBERS(X)
#undef X
}

static const struct {
    const char *name;
    void (*print)(void);
} tables[] = {
    {"mib", print_mib},
    {"counters", print_counters},
    {"options", print_options},
    {"llvm-options", print_llvm_options},
    {"unused-options", print_unused_options},
    {"pass-options", print_pass_options},
    {"errors", print_errors},
    {"raw-sections", print_raw_sections},
    {"raw-columns", print_raw_columns},
    {"raw-meta", print_raw_meta},
    {"log-blocks", print_log_blocks},
    {"log-events", print_log_events},
    {"log-flags", print_log_flags},
    {"objects-keys", print_objects_keys},
    {"object-keys", print_object_keys},
    {"part-kinds", print_part_kinds},
    {"index-sections", print_index_sections},
    {"index-columns", print_index_columns},
    {"lock-order", print_lock_order},
    {"system-libs", print_system_libs},
    {"io-calls", print_io_calls},
    {"use-lines", print_use_lines},
    {"use-words", print_use_words},
    {"verdict-reasons", print_verdict_reasons},
    {"verdict-numbers", print_verdict_numbers},
    {"pool-group-reasons", print_pool_group_reasons},
    {"fields-reasons", print_fields_reasons},
    {"roff-options", print_roff_options},
    {"roff-pass-options", print_roff_pass_options},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < MPROF_ARRAY_LEN(tables); i++) {
        if (strcmp(argv[1], tables[i].name) == 0) {
            tables[i].print();
            return 0;
        }
    }
    fprintf(stderr, "usage: docgen TABLE, one of:");
    for (size_t i = 0; i < MPROF_ARRAY_LEN(tables); i++)
        fprintf(stderr, " %s", tables[i].name);
    fprintf(stderr, "\n");
    return 2;
}
