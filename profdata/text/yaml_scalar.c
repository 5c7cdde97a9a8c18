/* yaml_scalar.c -- quotes and escapes of YAML.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/text/yaml_scalar.h"

#include <ctype.h>
#include <string.h>

/* Is it a number, in the ways of YAML 1.2's core schema? */
static bool is_numeric(const char *s)
{
    static const char digits[] = "0123456789";
    size_t whole;
    size_t part = 0;

    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'o') && s[2] != '\0')
        return s[2 + strspn(s + 2, s[1] == 'x' ? "0123456789abcdefABCDEF"
                                               : "01234567")] == '\0';
    s += s[0] == '+' || s[0] == '-';
    if (strcmp(s, ".inf") == 0 || strcmp(s, ".Inf") == 0 ||
        strcmp(s, ".INF") == 0 || strcmp(s, ".nan") == 0 ||
        strcmp(s, ".NaN") == 0 || strcmp(s, ".NAN") == 0)
        return true;
    whole = strspn(s, digits);
    s += whole;
    if (s[0] == '.') {
        part = strspn(s + 1, digits);
        s += part + 1;
    }
    if (whole + part == 0)
        return false;
    if (s[0] == 'e' || s[0] == 'E') {
        s += s[1] == '+' || s[1] == '-' ? 2 : 1;
        if (strspn(s, digits) == 0)
            return false;
        s += strspn(s, digits);
    }
    return s[0] == '\0';
}

static bool is_word(const char *s)
{
    static const char *const words[] = {"null",  "Null", "NULL", "~",
                                        "true",  "True", "TRUE", "false",
                                        "False", "FALSE"};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(words); i++) {
        if (strcmp(s, words[i]) == 0)
            return true;
    }
    return false;
}

enum quoting { QUOTING_NONE, QUOTING_SINGLE, QUOTING_DOUBLE };

/* -- characters ------------------------------------------------------------ */

/* The character that starts at s, of s[0..size), and its bytes; 0 bytes where
 * that is no UTF-8. */
static uint32_t decode(const unsigned char *s, size_t size, size_t *bytes)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t n = s[0] < 0x80             ? 1
                     : (s[0] & 0xe0) == 0xc0 ? 2
                     : (s[0] & 0xf0) == 0xe0 ? 3
                     : (s[0] & 0xf8) == 0xf0 ? 4
                                             : 0;
    uint32_t c = n == 1 ? s[0] : n == 0 ? 0 : s[0] & (0x7fu >> n);

    *bytes = 0;
    if (n == 0 || n > size)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *bytes = n;
    return c;
}

/* Stands for itself in quotes: what YAML calls printable, without what ends
 * lines, what looks like a blank, and characters that nobody agreed on. */
static bool is_printable(uint32_t c)
{
    return c < 0x80 ? c >= ' ' && c < 0x7f
                    : c > 0xa0 && c != 0x2028 && c != 0x2029 && c != 0xfeff &&
                          !(c >= 0xe000 && c < 0xf900) &&
                          (c & 0xfffe) != 0xfffe && c < 0xf0000;
}

static void put_escaped(struct mpdata_sink *out, uint32_t c)
{
    static const struct {
        uint32_t c;
        const char *text;
    } named[] = {{0, "0"},    {'\a', "a"},   {'\b', "b"},  {'\t', "t"},
                 {'\n', "n"}, {'\v', "v"},   {'\f', "f"},  {'\r', "r"},
                 {0x1b, "e"}, {'"', "\""},   {'\\', "\\"}, {0x85, "N"},
                 {0xa0, "_"}, {0x2028, "L"}, {0x2029, "P"}};

    for (size_t i = 0; i < MPROF_ARRAY_LEN(named); i++) {
        if (c == named[i].c) {
            mpdata_sink_format(out, "\\%s", named[i].text);
            return;
        }
    }
    if (c <= 0xff)
        mpdata_sink_format(out, "\\x%02X", (unsigned)c);
    else if (c <= 0xffff)
        mpdata_sink_format(out, "\\u%04X", (unsigned)c);
    else
        mpdata_sink_format(out, "\\U%08X", (unsigned)c);
}

/* -- in quotes ------------------------------------------------------------- */

static void put_double(struct mpdata_sink *out, const char *bytes, size_t size)
{
    mpdata_sink_char(out, '"');
    for (size_t i = 0, n; i < size; i += n) {
        const unsigned char *const at = (const unsigned char *)bytes + i;
        const uint32_t c = decode(at, size - i, &n);

        if (n == 0) {
            n = 1;
            put_escaped(out, at[0]);
        } else if (is_printable(c) && c != '"' && c != '\\') {
            mpdata_sink_bytes(out, bytes + i, n);
        } else {
            put_escaped(out, c);
        }
    }
    mpdata_sink_char(out, '"');
}

static void put_single(struct mpdata_sink *out, const char *bytes, size_t size)
{
    mpdata_sink_char(out, '\'');
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\'')
            mpdata_sink_char(out, '\'');
        mpdata_sink_char(out, bytes[i]);
    }
    mpdata_sink_char(out, '\'');
}

static void put(struct mpdata_sink *out, const char *bytes, size_t size,
                enum quoting quoting)
{
    if (quoting == QUOTING_NONE)
        mpdata_sink_bytes(out, bytes, size);
    else if (quoting == QUOTING_SINGLE)
        put_single(out, bytes, size);
    else
        put_double(out, bytes, size);
}

static bool is_one_of(char c, const char *chars)
{
    return c != '\0' && strchr(chars, c) != NULL;
}

/* -- when ------------------------------------------------------------------ */

/* Begins or ends as a plain scalar may not, or is not a text without quotes. */
static bool is_taken(const char *bytes, size_t size, const char *text)
{
    return size == 0 || is_one_of(bytes[0], "-?:\\,[]{}#&*!|>'\"%@` \t") ||
           is_one_of(bytes[size - 1], " \t") || is_word(text) ||
           is_numeric(text);
}

static enum quoting quoting_of_llvm(const struct mpdata_str *name)
{
    enum quoting quoting = is_taken(name->bytes, name->size, name->bytes)
                               ? QUOTING_SINGLE
                               : QUOTING_NONE;

    for (size_t i = 0; i < name->size; i++) {
        const unsigned char c = (unsigned char)name->bytes[i];

        if ((c < ' ' && c != '\t') || c >= 0x7f)
            return QUOTING_DOUBLE;
        if (!isalnum(c) && strchr("_-^., \t", c) == NULL)
            quoting = QUOTING_SINGLE;
    }
    return quoting;
}

void mpdata_yaml_scalar_llvm(struct mpdata_sink *out,
                             const struct mpdata_str *name)
{
    put(out, name->bytes, name->size, quoting_of_llvm(name));
}

/* Long enough for every word and number that is not a text. */
#define TEXT_BYTES 64

static enum quoting quoting_of_bare(const char *bytes, size_t size)
{
    enum quoting quoting;
    char text[TEXT_BYTES] = "-";

    if (size < sizeof(text)) {
        memcpy(text, bytes, size);
        text[size] = '\0';
    }
    quoting = is_taken(bytes, size, text) ? QUOTING_SINGLE : QUOTING_NONE;
    for (size_t i = 0, n; i < size; i += n) {
        const uint32_t c =
            decode((const unsigned char *)bytes + i, size - i, &n);

        if (n == 0 || !is_printable(c))
            return QUOTING_DOUBLE;
        if ((c == ':' && (i + 1 == size || bytes[i + 1] == ' ')) ||
            (c == '#' && i != 0 && bytes[i - 1] == ' '))
            quoting = QUOTING_SINGLE;
    }
    return quoting;
}

void mpdata_yaml_scalar_bare(struct mpdata_sink *out, const char *bytes,
                             size_t size)
{
    put(out, bytes, size, quoting_of_bare(bytes, size));
}
