/* types.c -- writes the types that calls allocate to a section of the object.
 * The section is not loaded at run time, and LLVM has no global variables for
 * such sections, so it is written as module-level assembly.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "pass/collect/steps.h"

#include "pass/support/memory.h"
#include "shared/type_format.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes;
    size_t size;
    size_t capacity;
};

static void append(struct text *text, const char *bytes, size_t size)
{
    if (text->capacity - text->size < size) {
        text->capacity = 2 * text->capacity + size;
        text->bytes =
            (char *)mpass_memory_allocate(text->bytes, text->capacity, 1);
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void append_words(struct text *text, const char *words)
{
    append(text, words, strlen(words));
}

static bool is_plain(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

static void append_string(struct text *text, const char *string, size_t size)
{
    append_words(text, "\t.asciz \"");
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)string[i];
        const char octal[] = {'\\', (char)('0' + (c >> 6)),
                              (char)('0' + (c >> 3 & 7)),
                              (char)('0' + (c & 7))};

        if (is_plain(string[i]))
            append(text, &string[i], 1);
        else
            append(text, octal, sizeof(octal));
    }
    append_words(text, "\"\n");
}

/* True if the module defines the record's function, or if the record is about a
 * type. A name from which a number was removed cannot be checked: true. */
static bool is_defined(LLVMModuleRef module, struct text *name,
                       const char *record)
{
    const size_t size =
        strcspn(record, (const char[]){MPROF_TYPE_SEPARATOR, 0});

    if (size == 0)
        return true; /* the fields of a type */
    name->size = 0;
    append(name, record, size);
    append(name, "", 1);
    if (strstr(name->bytes, MPROF_TYPE_UNNAMED) != NULL)
        return true;
    const char *const file_end = strrchr(name->bytes, MPROF_TYPE_FILE_END);
    const LLVMValueRef function = LLVMGetNamedFunction(
        module, file_end != NULL ? file_end + 1 : name->bytes);
    return function != NULL && !LLVMIsDeclaration(function);
}

/* Other object formats than ELF have no such sections. */
static bool is_elf(LLVMModuleRef module)
{
    return strstr(LLVMGetTarget(module), "linux") != NULL;
}

bool mpass_types_emit(LLVMModuleRef module, const char *records, size_t size)
{
    struct text text = {.bytes = NULL};
    struct text name = {.bytes = NULL};
    const char *const end = records + size;

    if (size == 0 || !is_elf(module))
        return false;
    append_words(&text, "\t.pushsection " MPROF_TYPE_SECTION
                        "," MPROF_TYPE_SECTION_FLAGS "\n");
    for (const char *r = records; r < end; r += strlen(r) + 1) {
        if (is_defined(module, &name, r))
            append_string(&text, r, strlen(r));
    }
    append_words(&text, "\t.popsection\n");
    LLVMAppendModuleInlineAsm(module, text.bytes, text.size);
    free(text.bytes);
    free(name.bytes);
    return true;
}
