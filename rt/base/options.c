/* options.c -- the runtime's options: a table made from shared/options.inc, and
 * the parser that fills struct mprt_options.
 *
 * Precedence, rising: built-in, MPRT_DEFAULT_OPTIONS (chosen when the runtime
 * is built), __memprof_default_options() (the program), MEMPROF_OPTIONS (the
 * environment). Runs once, before there are threads. Copies strings into memory
 * that is never freed, because the program may overwrite its environment.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/base/options.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/memory.h"
#include "rt/base/os.h"
#include "shared/abi.h"
#include "shared/control.h"
#include "shared/digit.h"

#include <elf.h> /* AT_SECURE */

#ifndef MPRT_DEFAULT_OPTIONS
#define MPRT_DEFAULT_OPTIONS ""
#endif

#define GIVEN_BYTES_MAX 2048
#define INCLUDE_BYTES_MAX 16384
#define INCLUDE_DEPTH_MAX 4
#define STRING_CHUNK_BYTES 4096
#define CONTEXT_SIZE_MAX 255
#define INTERVAL_MAX 1000000000 /* seconds; 64 bits hold it in nanoseconds */
#define ACCESS_PERIOD_MAX 1000

enum option_type { OPTION_BOOL, OPTION_INT, OPTION_STRING };
enum option_origin { ORIGIN_LLVM, ORIGIN_NO_EFFECT, ORIGIN_OURS };

struct option {
    const char *name;
    size_t offset; /* in struct mprt_options */
    enum option_type type;
    enum option_origin origin;
    const char *default_text;
    const char *help;
};

static const struct option option_table[] = {
#define MPROF_OPTION(name, type, default_value, origin, help) \
    {#name,          offsetof(struct mprt_options, name),     \
     OPTION_##type,  ORIGIN_##origin,                         \
     #default_value, help},
#include "shared/options.inc"
};

struct mprt_options mprt_options;

static bool was_given[MPROF_ARRAY_LEN(option_table)];
static char given_words[GIVEN_BYTES_MAX];
static bool is_secure;

/* The program may define either; an instrumented module defines the string.
 * Weak, so that the program's definition wins. */
MPRT_WEAK_STRING(__memprof_default_options_str, "");
const char *__memprof_default_options(void);

MPRT_WEAK const char *__memprof_default_options(void)
{
    return __memprof_default_options_str;
}

bool mprt_options_is_secure(void)
{
    return is_secure;
}

const char *mprt_options_given(void)
{
    return given_words;
}

bool mprt_options_was_given(const void *member)
{
    const size_t offset =
        (size_t)((const char *)member - (const char *)&mprt_options);

    for (size_t i = 0; i < MPROF_ARRAY_LEN(option_table); i++) {
        if (option_table[i].offset == offset)
            return was_given[i];
    }
    return false;
}

static void set_defaults(struct mprt_options *options)
{
    *options = (struct mprt_options){
#define MPROF_OPTION(name, type, default_value, origin, help) \
    .name = default_value,
#include "shared/options.inc"
    };
}

/* A copy of s[0..n), or "" without memory. */
static const char *keep_string(const char *s, size_t n)
{
    static struct mprt_memory_chunk chunk;
    char *const copy =
        (char *)mprt_memory_cut(&chunk, n + 1, STRING_CHUNK_BYTES);

    if (copy == NULL)
        return "";
    mprt_libc_memcpy(copy, s, n);
    copy[n] = '\0';
    return copy;
}

/* -- values ---------------------------------------------------------------- */

static bool is_word(const char *s, size_t n, const char *word)
{
    return n == mprt_libc_strlen(word) && mprt_libc_memcmp(s, word, n) == 0;
}

static bool parse_bool(const char *s, size_t n, bool *value)
{
    if (is_word(s, n, "1") || is_word(s, n, "true") || is_word(s, n, "yes"))
        *value = true;
    else if (is_word(s, n, "0") || is_word(s, n, "false") ||
             is_word(s, n, "no"))
        *value = false;
    else
        return false;
    return true;
}

static bool parse_int(const char *s, size_t n, int64_t *value)
{
    const bool negative = n > 0 && s[0] == '-';
    size_t i = negative || (n > 0 && s[0] == '+');
    int base = 10;
    int64_t result = 0;

    if (n - i > 2 && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')) {
        base = 16;
        i += 2;
    }
    if (i == n)
        return false;
    for (; i < n; i++) {
        const int digit = (int)mprof_digit(s[i]);

        if (digit >= base ||
            __builtin_mul_overflow(result, (int64_t)base, &result) ||
            __builtin_add_overflow(result, (int64_t)digit, &result))
            return false;
    }
    *value = negative ? -result : result;
    return true;
}

bool mprt_options_parse_bytes(const char *s, size_t n, int64_t *value)
{
    static const char units[] = "KMG";
    int64_t scale = 1;
    int64_t number;

    for (size_t i = 0; n != 0 && units[i] != '\0'; i++) {
        if (s[n - 1] == units[i])
            scale = INT64_C(1) << (10 * (i + 1));
    }
    if (!parse_int(s, n - (scale != 1), &number) ||
        __builtin_mul_overflow(number, scale, &number))
        return false;
    *value = number;
    return true;
}

/* Options whose values have limits. */
static const struct range {
    size_t offset; /* in struct mprt_options */
    int64_t min;
    int64_t max;
} ranges[] = {
#define AT_LEAST(name, min)                                 \
    {                                                       \
        offsetof(struct mprt_options, name), min, INT64_MAX \
    }
#define FROM_TO(name, min, max)                       \
    {                                                 \
        offsetof(struct mprt_options, name), min, max \
    }
    FROM_TO(malloc_context_size, 1, CONTEXT_SIZE_MAX),
    AT_LEAST(max_allocation_size_mb, 0),
    AT_LEAST(mmap_limit_mb, 0),
    AT_LEAST(hard_rss_limit_mb, 0),
    AT_LEAST(soft_rss_limit_mb, 0),
    AT_LEAST(clear_shadow_mmap_threshold, 0),
    AT_LEAST(dedup_token_length, 0),
    FROM_TO(dump_interval, 0, INTERVAL_MAX),
    FROM_TO(print_module_map, 0, 2),
    FROM_TO(handle_segv, 0, 2),
    FROM_TO(handle_sigbus, 0, 2),
    FROM_TO(handle_abort, 0, 2),
    FROM_TO(handle_sigill, 0, 2),
    FROM_TO(handle_sigtrap, 0, 2),
    FROM_TO(handle_sigfpe, 0, 2),
    FROM_TO(dump_on_term, 0, 2),
#undef AT_LEAST
#undef FROM_TO
};

static const struct range *find_range(const struct option *option)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(ranges); i++) {
        if (ranges[i].offset == option->offset)
            return &ranges[i];
    }
    return NULL;
}

/* The value of accesses=, as mprt_options_access_period() returns it; -1 if it
 * is none. */
static int64_t access_period(const char *s, size_t n)
{
    int64_t period;

    if (is_word(s, n, "all"))
        return 1;
    if (is_word(s, n, "none"))
        return 0;
    return n > 2 && s[0] == '1' && s[1] == '/' &&
                   parse_int(s + 2, n - 2, &period) && period >= 2 &&
                   period <= ACCESS_PERIOD_MAX
               ? period
               : -1;
}

uint32_t mprt_options_access_period(void)
{
    return (uint32_t)access_period(mprt_options.accesses,
                                   mprt_libc_strlen(mprt_options.accesses));
}

bool mprt_options_set_accesses(const char *value)
{
    static char share[sizeof("1/1000")];
    const size_t n = mprt_libc_strlen(value);
    const int64_t period = access_period(value, n);

    if (period > 1) {
        mprt_libc_memcpy(share, value, n + 1);
        mprt_options.accesses = share;
    } else if (period >= 0) {
        mprt_options.accesses = period == 0 ? "none" : "all";
    }
    return period >= 0;
}

/* Whether the option may have this value. Stores the allowed values in `must`.
 */
static bool is_allowed(const struct option *option, const char *s, size_t n,
                       struct mprt_textbuf *must)
{
    const struct range *const range = find_range(option);
    int64_t number;

    if (option->offset == offsetof(struct mprt_options, clock)) {
        mprt_textbuf_str(must, "cached, coarse, tsc or monotonic");
        return is_word(s, n, "cached") || is_word(s, n, "coarse") ||
               is_word(s, n, "tsc") || is_word(s, n, "monotonic");
    }
    if (option->offset == offsetof(struct mprt_options, accesses)) {
        mprt_textbuf_str(must, "all, none, or 1/N with N from 2 to 1000");
        return access_period(s, n) >= 0;
    }
    if (range == NULL || !parse_int(s, n, &number))
        return true;
    mprt_textbuf_str(must, MPRT_DEC((uint64_t)range->min));
    if (range->max == INT64_MAX) {
        mprt_textbuf_str(must, " or more");
    } else {
        MPRT_TEXT(must, " to ", MPRT_DEC((uint64_t)range->max));
    }
    return number >= range->min && number <= range->max;
}

static bool set_value(struct mprt_options *options, const struct option *option,
                      const char *s, size_t n)
{
    void *const member = (char *)options + option->offset;

    switch (option->type) {
    case OPTION_BOOL:
        return parse_bool(s, n, (bool *)member);
    case OPTION_INT:
        return option->offset == offsetof(struct mprt_options, sample)
                   ? mprt_options_parse_bytes(s, n, (int64_t *)member)
                   : parse_int(s, n, (int64_t *)member);
    case OPTION_STRING:
        *(const char **)member = keep_string(s, n);
        return true;
    }
    return false;
}

/* -- words ----------------------------------------------------------------- */

struct parser {
    struct mprt_options *options;
    const char *pos;
    const char *source; /* for messages */
    unsigned depth;     /* nesting depth of include= */
};

static void parse_words(struct parser *parser);

static bool is_separator(char c)
{
    return c == ' ' || c == ',' || c == ':' || c == '\n' || c == '\t' ||
           c == '\r';
}

static void complain(const struct parser *parser, const char *what,
                     const char *word, size_t n)
{
    char quoted[128];
    struct mprt_textbuf t = {.out = quoted, .size = sizeof(quoted)};

    mprt_textbuf_strn(&t, word, n);
    MPRT_LOG(parser->source, ": ", what, " '", quoted,
             "' (help=1 lists all options)");
}

/* Reports the value; the option keeps its old one. */
static void complain_of_value(const struct parser *parser,
                              const struct option *option, const char *must,
                              const char *value, size_t n)
{
    const void *const member = (const char *)parser->options + option->offset;
    char quoted[128];
    char kept[64];
    struct mprt_textbuf t = {.out = quoted, .size = sizeof(quoted)};
    struct mprt_textbuf k = {.out = kept, .size = sizeof(kept)};

    mprt_textbuf_strn(&t, value, n);
    if (option->type == OPTION_INT)
        mprt_textbuf_str(&k, MPRT_DEC((uint64_t) * (const int64_t *)member));
    else
        mprt_textbuf_str(&k, *(const char *const *)member);
    MPRT_LOG(parser->source, ": ", option->name, " must be ", must, ", not '",
             quoted, "'; taking ", kept);
}

static const struct option *find_option(const char *name, size_t n)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(option_table); i++) {
        if (is_word(name, n, option_table[i].name))
            return &option_table[i];
    }
    return NULL;
}

/* include=FILE: takes the words of the file. Unlike LLVM's runtime, %p and %b
 * are not replaced. */
static void read_include(const struct parser *from, const char *path,
                         bool must_exist)
{
    char *const text = mprt_memory_map(INCLUDE_BYTES_MAX);
    struct parser parser = *from;
    size_t used = 0;
    int64_t n = 0;

    if (path[0] == '\0' || text == NULL || from->depth == INCLUDE_DEPTH_MAX)
        goto out;
    const int fd = mprt_os_open_read(path);
    if (fd < 0) {
        if (must_exist)
            complain(from, "cannot read options from", path,
                     mprt_libc_strlen(path));
        goto out;
    }
    while (used < INCLUDE_BYTES_MAX - 1 &&
           (n = mprt_os_read(fd, text + used, INCLUDE_BYTES_MAX - 1 - used)) >
               0)
        used += (size_t)n;
    mprt_os_close(fd);
    if (n < 0)
        complain(from, "cannot read options from", path,
                 mprt_libc_strlen(path));
    text[used] = '\0';
    parser.pos = text;
    parser.source = path;
    parser.depth++;
    parse_words(&parser);
out:
    if (text != NULL)
        mprt_memory_unmap(text, INCLUDE_BYTES_MAX);
}

static void take_word(const struct parser *parser, const char *name,
                      size_t name_bytes, const char *value, size_t value_bytes)
{
    const struct option *const option = find_option(name, name_bytes);
    char must_be[64];
    struct mprt_textbuf must = {.out = must_be, .size = sizeof(must_be)};

    if (option == NULL) {
        complain(parser, "unknown option", name, name_bytes);
        return;
    }
    if (!is_allowed(option, value, value_bytes, &must)) {
        complain_of_value(parser, option, must_be, value, value_bytes);
        return;
    }
    if (!set_value(parser->options, option, value, value_bytes)) {
        complain(parser, "bad value in", name,
                 (size_t)(value + value_bytes - name));
        return;
    }
    was_given[option - option_table] = true;
    if (option->offset == offsetof(struct mprt_options, include))
        read_include(parser, parser->options->include, true);
    else if (option->offset == offsetof(struct mprt_options, include_if_exists))
        read_include(parser, parser->options->include_if_exists, false);
}

/* In fd:N and unix:PATH the colon does not end the word. */
static size_t scheme_bytes(const char *value)
{
    static const char *const schemes[] = {"fd:", MPROF_CONTROL_UNIX};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(schemes); i++) {
        const size_t n = mprt_libc_strlen(schemes[i]);
        size_t same = 0;

        while (same < n && value[same] == schemes[i][same])
            same++;
        if (same == n)
            return n;
    }
    return 0;
}

/* Parses the word at parser->pos, which is no separator. */
static void parse_word(struct parser *parser)
{
    const char *const name = parser->pos;
    size_t value_bytes;

    while (*parser->pos != '\0' && *parser->pos != '=' &&
           !is_separator(*parser->pos))
        parser->pos++;
    const size_t name_bytes = (size_t)(parser->pos - name);
    if (*parser->pos != '=') {
        complain(parser, "no '=' after", name, name_bytes);
        return;
    }
    const char *value = ++parser->pos;
    if (*value == '\'' || *value == '"') {
        const char quote = *value++;

        parser->pos = value;
        while (*parser->pos != '\0' && *parser->pos != quote)
            parser->pos++;
        value_bytes = (size_t)(parser->pos - value);
        if (*parser->pos == '\0') {
            complain(parser, "no closing quote in", name,
                     (size_t)(parser->pos - name));
            return;
        }
        parser->pos++;
    } else {
        parser->pos += scheme_bytes(value);
        while (*parser->pos != '\0' && !is_separator(*parser->pos))
            parser->pos++;
        value_bytes = (size_t)(parser->pos - value);
    }
    take_word(parser, name, name_bytes, value, value_bytes);
}

static void parse_words(struct parser *parser)
{
    for (;;) {
        while (is_separator(*parser->pos))
            parser->pos++;
        if (*parser->pos == '\0')
            return;
        parse_word(parser);
    }
}

/* Takes the words of text, such as "a=1:b='x y'". Reports each unknown or
 * malformed word in a line that begins with `source`. Reads the files of
 * include=. Stores copies of strings, which are never freed. */
static void parse_text(struct mprt_options *options, const char *text,
                       const char *source)
{
    struct parser parser = {.options = options, .pos = text, .source = source};

    parse_words(&parser);
}

/* -- help and start -------------------------------------------------------- */

static void print_help(void)
{
    char line[512];

    for (size_t i = 0; i < MPROF_ARRAY_LEN(option_table); i++) {
        const struct option *const o = &option_table[i];
        struct mprt_textbuf t = {.out = line, .size = sizeof(line)};

        MPRT_TEXT(&t, "\t", o->name, "\n\t\t- ", o->help,
                  o->origin == ORIGIN_NO_EFFECT ? " (no effect" : " (",
                  o->origin == ORIGIN_NO_EFFECT ? "; " : "",
                  "default: ", o->default_text, ")\n");
        if (mprt_os_write_all(MPRT_OS_STDERR, line, t.used) != 0)
            return;
    }
}

static void add_given(const char *text)
{
    struct mprt_textbuf t = {.out = given_words,
                             .size = sizeof(given_words),
                             .used = mprt_libc_strlen(given_words)};

    if (text[0] == '\0')
        return;
    if (t.used != 0)
        mprt_textbuf_char(&t, ':');
    mprt_textbuf_str(&t, text);
}

static void take_source(const char *text, const char *source)
{
    if (text == NULL)
        return;
    add_given(text);
    parse_text(&mprt_options, text, source);
}

void mprt_options_init(void)
{
    is_secure = mprt_os_auxv(AT_SECURE) != 0;
    set_defaults(&mprt_options);
    take_source(MPRT_DEFAULT_OPTIONS, "built-in options");
    take_source(__memprof_default_options(),
                MPROF_SYM_PREFIX "default_options");
    if (!is_secure)
        take_source(mprt_os_getenv(MPROF_ENV_OPTIONS), MPROF_ENV_OPTIONS);
    if (mprt_options.help) {
        static const char heading[] =
            "Options of memprof, for " MPROF_ENV_OPTIONS ":\n";

        mprt_os_write_all(MPRT_OS_STDERR, heading, sizeof(heading) - 1);
        print_help();
    }
}
