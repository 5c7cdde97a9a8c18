/* format.c -- parses formats of printf and scanf to find the type of each
 * argument and the memory that the argument points to.
 *
 * A format of printf is read twice: first for the types of all arguments,
 * because numbered arguments (%2$s) come in any order, then to count. Most
 * formats print no string and write no %n; for them the first pass is all.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/api/functions.h"
#include "rt/api/count.h"

#define ARGUMENTS_MAX 64u
#define NO_PRECISION UINT64_MAX
/* Largest width or precision: both are of type int. */
#define NUMBER_MAX ((uint64_t)INT32_MAX)

enum type { TYPE_NONE, TYPE_INT, TYPE_WORD, TYPE_DOUBLE, TYPE_LONG_DOUBLE };

/* Length modifiers, named for the integer that they select. */
enum length {
    LENGTH_NONE,
    LENGTH_CHAR,
    LENGTH_SHORT,
    LENGTH_LONG,
    LENGTH_LONG_DOUBLE /* For integers: long long. */
};

/* One "%..." of a format. Arguments have numbers from 1; 0 means none. */
struct directive {
    char conversion; /* '\0' at the end of the format. */
    enum length length;
    uint32_t argument;
    uint32_t width_argument;
    uint32_t precision_argument;
    uint64_t width;
    uint64_t precision;
    bool is_suppressed; /* scanf: '*' */
    bool allocates;     /* scanf: 'm' */
};

struct format {
    const char *at;
    bool is_wide;      /* The format consists of wide characters. */
    uint32_t next;     /* Last argument taken without a number. */
    bool has_numbers;  /* The format has numbered arguments. */
    bool is_undefined; /* C does not define the format; parsing stops. */
};

/* -- reading --------------------------------------------------------------- */

/* Stands for every character that is not ASCII; no directive contains one. */
#define NO_ASCII '\x7f'

static char now(const struct format *f)
{
    const wchar_t c = f->is_wide ? *(const wchar_t *)(const void *)f->at
                                 : (unsigned char)*f->at;

    return c >= 0 && c <= 0x7f ? (char)c : NO_ASCII;
}

static void step(struct format *f)
{
    f->at += f->is_wide ? sizeof(wchar_t) : 1;
}

/* Steps over the character c if it is next. Returns whether it did. */
static bool skip(struct format *f, char c)
{
    if (now(f) != c)
        return false;
    step(f);
    return true;
}

/* Advances to the next c, or to the end. */
static void find(struct format *f, char c)
{
    while (now(f) != c && now(f) != '\0')
        step(f);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Sets of letters and '[' as bit masks. */
#define BIT(c) (UINT64_C(1) << ((c) - '@'))
#define INTEGERS                                                       \
    (BIT('d') | BIT('i') | BIT('o') | BIT('u') | BIT('x') | BIT('X') | \
     BIT('b') | BIT('B'))
#define REALS                                                          \
    (BIT('a') | BIT('A') | BIT('e') | BIT('E') | BIT('f') | BIT('F') | \
     BIT('g') | BIT('G'))
#define CHARACTERS (BIT('c') | BIT('C'))
#define STRINGS (BIT('s') | BIT('S'))
#define POINTERS (BIT('p') | BIT('n'))
#define CONVERSIONS (INTEGERS | REALS | CHARACTERS | STRINGS | POINTERS)
#define LENGTHS                                                        \
    (BIT('h') | BIT('l') | BIT('q') | BIT('L') | BIT('j') | BIT('z') | \
     BIT('Z') | BIT('t'))

static bool is_one_of(char c, uint64_t set)
{
    const unsigned bit = (unsigned char)c - (unsigned)'@';

    return bit < 64 && (set >> bit & 1) != 0;
}

static bool is_flag(char c)
{
    return c == '-' || c == '+' || c == ' ' || c == '#' || c == '0' ||
           c == '\'' || c == 'I';
}

static uint64_t read_number(struct format *f)
{
    uint64_t n = 0;

    for (; is_digit(now(f)); step(f)) {
        n = n * 10 + (uint64_t)(now(f) - '0');
        if (n > NUMBER_MAX)
            f->is_undefined = true;
        n = mprof_min_u64(n, NUMBER_MAX);
    }
    return n;
}

/* Reads "N$". Returns 0 and reads nothing if there is none; the digits may then
 * be a width. */
static uint32_t read_position(struct format *f)
{
    const char *const start = f->at;
    const uint64_t n = read_number(f);

    if (n == 0 || !skip(f, '$')) {
        f->at = start;
        return 0;
    }
    f->has_numbers = true;
    if (n > ARGUMENTS_MAX)
        f->is_undefined = true;
    return (uint32_t)n;
}

/* Number of the argument of a directive, or of a '*' in it. */
static uint32_t take_argument(struct format *f, uint32_t position)
{
    if (position == 0)
        position = ++f->next;
    if (position > ARGUMENTS_MAX || (f->has_numbers && f->next != 0))
        f->is_undefined = true;
    return position;
}

static enum length read_length(struct format *f)
{
    const char c = now(f);

    if (!is_one_of(c, LENGTHS))
        return LENGTH_NONE;
    step(f);
    if (c == 'h' || c == 'l') {
        const bool is_double = skip(f, c);

        if (c == 'h')
            return is_double ? LENGTH_CHAR : LENGTH_SHORT;
        return is_double ? LENGTH_LONG_DOUBLE : LENGTH_LONG;
    }
    return c == 'L' || c == 'q' ? LENGTH_LONG_DOUBLE : LENGTH_LONG;
}

/* Finds the next directive that is not "%%"; leaves its conversion '\0'.
 * Returns false at the end of the format. */
static bool find_directive(struct format *f, struct directive *d)
{
    *d = (struct directive){.precision = NO_PRECISION};
    while (!f->is_undefined) {
        find(f, '%');
        if (!skip(f, '%'))
            return false;
        if (!skip(f, '%'))
            return true;
    }
    return false;
}

static bool next_printed(struct format *f, struct directive *d)
{
    if (!find_directive(f, d))
        return false;
    const uint32_t position = read_position(f);
    while (is_flag(now(f)))
        step(f);
    if (skip(f, '*'))
        d->width_argument = take_argument(f, read_position(f));
    else
        read_number(f);
    if (skip(f, '.')) {
        if (skip(f, '*'))
            d->precision_argument = take_argument(f, read_position(f));
        else
            d->precision = read_number(f);
    }
    d->length = read_length(f);
    d->conversion = now(f);
    if (d->conversion != '%' &&
        !is_one_of(d->conversion, CONVERSIONS | BIT('m'))) {
        f->is_undefined = true;
        return false;
    }
    step(f);
    if (d->conversion != 'm' && d->conversion != '%')
        d->argument = take_argument(f, position);
    return !f->is_undefined;
}

/* Skips the set of "%[...]". */
static void skip_set(struct format *f)
{
    skip(f, '^');
    skip(f, ']');
    find(f, ']');
    if (!skip(f, ']'))
        f->is_undefined = true;
}

static bool next_scanned(struct format *f, struct directive *d)
{
    if (!find_directive(f, d))
        return false;
    const uint32_t position = read_position(f);
    while (now(f) == '*' || now(f) == '\'' || now(f) == 'I') {
        d->is_suppressed = d->is_suppressed || now(f) == '*';
        step(f);
    }
    d->width = read_number(f);
    d->allocates = skip(f, 'm');
    d->length = read_length(f);
    d->conversion = now(f);
    /* In old GNU C, "%as" allocates. Which meaning the program was compiled
     * with is unknown, so the directive counts as undefined. */
    step(f);
    if ((d->conversion != '%' &&
         !is_one_of(d->conversion, CONVERSIONS | BIT('['))) ||
        (d->conversion == 'a' && is_one_of(now(f), STRINGS | BIT('[')))) {
        f->is_undefined = true;
        return false;
    }
    if (d->conversion == '[')
        skip_set(f);
    if (d->conversion != '%' && !d->is_suppressed)
        d->argument = take_argument(f, position);
    return !f->is_undefined;
}

/* -- arguments ------------------------------------------------------------- */

static enum type type_of(const struct directive *d)
{
    if (is_one_of(d->conversion, REALS))
        return d->length == LENGTH_LONG_DOUBLE ? TYPE_LONG_DOUBLE : TYPE_DOUBLE;
    if (is_one_of(d->conversion, STRINGS | POINTERS) ||
        (d->length >= LENGTH_LONG && !is_one_of(d->conversion, CHARACTERS)))
        return TYPE_WORD;
    return TYPE_INT;
}

struct arguments {
    uint8_t types[ARGUMENTS_MAX + 1];   /* enum type, by number */
    uint64_t values[ARGUMENTS_MAX + 1]; /* Values of integers and pointers. */
    uint32_t count;
};

/* Several directives may use one argument, but only with the same type. */
static bool set_type(struct arguments *a, uint32_t number, enum type type)
{
    if (number == 0)
        return true;
    if (a->types[number] != TYPE_NONE && a->types[number] != type)
        return false;
    a->types[number] = type;
    if (number > a->count)
        a->count = number;
    return true;
}

/* Finds the types of all arguments of printf. Returns false if no argument
 * points to memory to count. */
static bool find_types(struct format f, struct arguments *a)
{
    struct directive d;
    bool leads_on = false;

    a->count = 0;
    memset(a->types, 0, sizeof(a->types));
    while (next_printed(&f, &d)) {
        if (!set_type(a, d.width_argument, TYPE_INT) ||
            !set_type(a, d.precision_argument, TYPE_INT) ||
            !set_type(a, d.argument, type_of(&d)))
            return false;
        leads_on = leads_on || is_one_of(d.conversion, STRINGS | BIT('n'));
    }
    return leads_on && !f.is_undefined;
}

/* Reads the arguments. Returns false if a type is unknown. */
static bool read_arguments(struct arguments *a, va_list args)
{
    for (uint32_t i = 1; i <= a->count; i++) {
        a->values[i] = 0;
        switch (a->types[i]) {
        case TYPE_INT:
            a->values[i] = (uint64_t)(int64_t)va_arg(args, int);
            break;
        case TYPE_WORD:
            a->values[i] = va_arg(args, uint64_t);
            break;
        case TYPE_DOUBLE:
            (void)va_arg(args, double);
            break;
        case TYPE_LONG_DOUBLE:
            (void)va_arg(args, long double);
            break;
        default:
            return false;
        }
    }
    return true;
}

/* -- counting -------------------------------------------------------------- */

static size_t integer_bytes(enum length length)
{
    switch (length) {
    case LENGTH_CHAR:
        return sizeof(char);
    case LENGTH_SHORT:
        return sizeof(short);
    case LENGTH_NONE:
        return sizeof(int);
    default:
        return sizeof(long);
    }
}

static bool is_wide(const struct directive *d)
{
    return is_one_of(d->conversion, BIT('C') | BIT('S')) ||
           d->length == LENGTH_LONG;
}

/* Number of wide characters that printf reads to write at most `max` bytes of
 * UTF-8. It does not read beyond a full output: the string may have no
 * terminator. */
static size_t converted_length(const wchar_t *s, uint64_t max)
{
    size_t n = 0;

    while (s[n] != L'\0') {
        const uint32_t c = (uint32_t)s[n];
        const uint64_t bytes = c < 0x80      ? 1
                               : c < 0x800   ? 2
                               : c < 0x10000 ? 3
                                             : 4;

        n++;
        if (bytes >= max)
            return n;
        max -= bytes;
    }
    return n + 1;
}

/* Number of bytes of UTF-8 that printf reads to write at most `max` wide
 * characters. */
static size_t widened_length(const char *s, uint64_t max)
{
    size_t n = 0;

    for (; s[n] != '\0'; n++) {
        const bool begins = ((unsigned char)s[n] & 0xc0) != 0x80;

        if (begins && max-- == 0)
            return n;
    }
    return max != 0 ? n + 1 : n;
}

/* Number of bytes that printf reads of s. The precision limits the output:
 * bytes, or wide characters for a wide format. */
static size_t printed_bytes(const char *s, uint64_t precision, bool to_wide)
{
    if (precision == NO_PRECISION)
        return mprt_real.strlen(s) + 1;
    if (to_wide)
        return widened_length(s, precision);
    return mprof_min_u64(MPRT_REAL(strnlen)(s, precision) + 1, precision);
}

static size_t printed_characters(const wchar_t *s, uint64_t precision,
                                 bool to_wide)
{
    if (precision == NO_PRECISION)
        return MPRT_REAL(wcslen)(s) + 1;
    if (to_wide)
        return mprof_min_u64(MPRT_REAL(wcsnlen)(s, precision) + 1, precision);
    return converted_length(s, precision);
}

static void count_printed_string(const struct directive *d, const void *s,
                                 uint64_t precision, bool to_wide)
{
    if (s == NULL || precision == 0)
        return;
    if (is_wide(d))
        mprt_count_read(
            s, printed_characters((const wchar_t *)s, precision, to_wide) *
                   sizeof(wchar_t));
    else
        mprt_count_read(s, printed_bytes((const char *)s, precision, to_wide));
}

static void count_printed(const struct directive *d, const struct arguments *a,
                          bool to_wide)
{
    void *const p = (void *)(uintptr_t)a->values[d->argument];
    uint64_t precision = d->precision;

    if (d->precision_argument != 0) {
        const int64_t n = (int64_t)a->values[d->precision_argument];

        precision = n >= 0 ? (uint64_t)n : NO_PRECISION;
    }
    if (is_one_of(d->conversion, STRINGS))
        count_printed_string(d, p, precision, to_wide);
    else if (d->conversion == 'n')
        mprt_count_write(p, integer_bytes(d->length));
}

static size_t format_bytes(const void *format, bool is_wide)
{
    return is_wide ? (MPRT_REAL(wcslen)((const wchar_t *)format) + 1) *
                         sizeof(wchar_t)
                   : mprt_real.strlen((const char *)format) + 1;
}

void mprt_format_count_printed(const void *format, bool is_wide, va_list args)
{
    struct format f = {.at = (const char *)format, .is_wide = is_wide};
    struct arguments a;
    struct directive d;

    if (!mprt_count_is_on() || !mprt_options.check_printf)
        return;
    mprt_count_read(format, format_bytes(format, is_wide));
    if (!find_types(f, &a) || !read_arguments(&a, args))
        return;
    while (next_printed(&f, &d))
        count_printed(&d, &a, is_wide);
}

static bool is_text(const struct directive *d)
{
    return is_one_of(d->conversion, CHARACTERS | STRINGS | BIT('['));
}

static size_t text_bytes(const struct directive *d, const void *text)
{
    const size_t size = is_wide(d) ? sizeof(wchar_t) : 1;

    if (is_one_of(d->conversion, CHARACTERS))
        return (d->width != 0 ? d->width : 1) * size;
    if (d->width != 0 && !d->allocates)
        return (d->width + 1) * size;
    return ((is_wide(d) ? MPRT_REAL(wcslen)((const wchar_t *)text)
                        : mprt_real.strlen((const char *)text)) +
            1) *
           size;
}

/* Rule of LLVM: a string with a width counts as written for its full width. */
static void count_scanned(const struct directive *d, const void *p)
{
    if (is_text(d) && d->allocates) {
        const void *const text = *(void *const *)p;

        mprt_count_write(p, sizeof(void *));
        if (text != NULL)
            mprt_count_write(text, text_bytes(d, text));
    } else if (is_text(d)) {
        mprt_count_write(p, text_bytes(d, p));
    } else if (d->conversion == 'p') {
        mprt_count_write(p, sizeof(void *));
    } else if (is_one_of(d->conversion, REALS)) {
        mprt_count_write(p, d->length == LENGTH_LONG_DOUBLE
                                ? sizeof(long double)
                            : d->length == LENGTH_LONG ? sizeof(double)
                                                       : sizeof(float));
    } else {
        mprt_count_write(p, integer_bytes(d->length));
    }
}

void mprt_format_count_scanned(const void *format, bool is_wide, int assigned,
                               va_list args)
{
    struct format f = {.at = (const char *)format, .is_wide = is_wide};
    void *pointers[ARGUMENTS_MAX + 1];
    uint32_t known = 0;
    struct directive d;

    /* The C library accepts NULL as a format and fails. */
    if (!mprt_count_is_on() || format == NULL)
        return;
    mprt_count_read(format, format_bytes(format, is_wide));
    while (next_scanned(&f, &d)) {
        if (d.argument == 0)
            continue;
        if (d.conversion != 'n' && assigned-- <= 0)
            return;
        while (known < d.argument)
            pointers[++known] = va_arg(args, void *);
        if (pointers[d.argument] != NULL)
            count_scanned(&d, pointers[d.argument]);
    }
}
