/* assembly.c -- inline assembly of which there must be one copy.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/support/assembly.h"

#include "pass/bridge/ir.h"
#include "shared/base.h"

#include <ctype.h>
#include <string.h>

/* Only an assembler knows which symbols a text with comments, quotes and macros
 * defines. So a text counts as defining a symbol unless it certainly does not.
 */

/* After "${:": LLVM replaces this by a number that is unique for each copy (%=
 * in the source). */
#define COPY_NUMBER "uid}"

static bool is_symbol_char(char c)
{
    return isalnum((unsigned char)c) || (c != '\0' && strchr("_.$@{}", c));
}

/* True for the colon of an operand ("${0:w}"), of a segment ("%fs:"), or of a
 * label that may be repeated: a label of digits is local, and a label with the
 * number of the copy is unique. */
static bool is_harmless_colon(const char *text, const char *colon)
{
    const char *word = colon;
    const char *brace = NULL; /* the last brace of the word */

    while (word > text && is_symbol_char(word[-1])) {
        word--;
        if (brace == NULL && (*word == '{' || *word == '}'))
            brace = word;
    }
    if (brace != NULL && *brace == '{' && brace > text && brace[-1] == '$')
        return true;
    if (colon - word == 2 && word > text && word[-1] == '%')
        return true;
    if (word - text >= 2 && memcmp(word - 2, "{:", 2) == 0)
        return strncmp(word, COPY_NUMBER, strlen(COPY_NUMBER)) == 0;
    return word < colon && strspn(word, "0123456789") >= (size_t)(colon - word);
}

/* True for a directive that defines the symbol named after it, or may. */
static bool is_defining_directive(const char *word)
{
    static const char *const directives[] = {".set",     ".equ",   ".equiv",
                                             ".comm",    ".lcomm", ".symver",
                                             ".weakref", ".macro", ".include"};
    size_t size = 0;

    while (is_symbol_char(word[size]))
        size++;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(directives); i++) {
        if (strlen(directives[i]) == size &&
            memcmp(directives[i], word, size) == 0)
            return true;
    }
    return false;
}

static bool may_define_symbol(const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '=' || (*at == ':' && !is_harmless_colon(text, at)) ||
            (*at == '.' && is_defining_directive(at)))
            return true;
    }
    return false;
}

/* True if any word of assembly may be a macro. */
static bool has_macros(LLVMModuleRef module)
{
    size_t size;
    const char *const text = LLVMGetModuleInlineAsm(module, &size);

    return strstr(text, ".macro") != NULL || strstr(text, ".include") != NULL;
}

bool mpass_assembly_defines_symbol(LLVMValueRef function)
{
    const bool macros = has_macros(LLVMGetGlobalParent(function));

    MPASS_EACH_INSTRUCTION(inst, function) {
        const char *text = mpass_ir_assembly(inst);

        if (text != NULL && (macros ? *text != '\0' : may_define_symbol(text)))
            return true;
    }
    return false;
}
