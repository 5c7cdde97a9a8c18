/* alloc_types.c -- reads the section with the types that calls allocate into a
 * table.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/alloc_types.h"
#include "profdata/base/file.h"
#include "profdata/base/hash.h"
#include "profdata/base/set.h"
#include "profdata/symbols/elf.h"
#include "shared/type_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Separators in a key: after function, line and column. */
#define KEY_PARTS 3

struct record {
    struct mpdata_str key; /* function, line and column, as in the section */
    /* Empty if the section names several types. */
    struct mpdata_alloc_type type;
};

struct mpdata_alloc_types_file {
    char *bytes; /* contents of the section and a NUL */
    size_t size;
    struct mpdata_set records;
};

static void free_file(struct mpdata_alloc_types_file *file)
{
    if (file == NULL)
        return;
    mpdata_set_fini(&file->records);
    free(file->bytes);
    free(file);
}

/* -- the section ----------------------------------------------------------- */

/* Returns a size; 0 (unknown) if the text is not a number or the size exceeds
 * UINT32_MAX. */
static uint32_t read_bytes(const char *text)
{
    uint64_t bytes = 0;

    for (; *text >= '0' && *text <= '9'; text++) {
        bytes = bytes * 10 + (uint64_t)(*text - '0');
        if (bytes > UINT32_MAX)
            return 0;
    }
    return *text == '\0' ? (uint32_t)bytes : 0;
}

/* Splits a record into key, size, name and fields. Returns false if a part is
 * missing. Sets *next to the following record. */
static bool split(char *text, struct record *record, char **next)
{
    char *end = text;

    *next = text + strlen(text) + 1;

    for (int i = 0; i < KEY_PARTS; i++) {
        end = strchr(end, MPROF_TYPE_SEPARATOR);
        if (end == NULL)
            return false;
        end++;
    }
    char *const bytes = strchr(end, MPROF_TYPE_SEPARATOR);
    char *const mark =
        bytes != NULL ? strchr(bytes + 1, MPROF_TYPE_SEPARATOR) : NULL;

    if (mark != NULL)
        *mark = '\0';
    *record = (struct record){
        .key = {.bytes = text, .size = (size_t)(end - text) - 1},
        .type = {.name = end,
                 .bytes = bytes != NULL ? read_bytes(bytes + 1) : 0,
                 .mark = mark != NULL ? mark + 1 : ""}};
    if (bytes != NULL)
        *bytes = '\0';
    return end[0] != '\0';
}

static bool is_same(const struct mpdata_alloc_type *a,
                    const struct mpdata_alloc_type *b)
{
    return strcmp(a->name, b->name) == 0 && a->bytes == b->bytes &&
           strcmp(a->mark, b->mark) == 0;
}

static bool take_records(struct mpdata_alloc_types_file *file)
{
    char *next;

    for (char *text = file->bytes; text < file->bytes + file->size;
         text = next) {
        struct record record;

        if (!split(text, &record, &next))
            continue;
        uint32_t ref = mpdata_set_add(&file->records, &record, NULL);
        if (ref == 0)
            return false;
        struct record *row = (struct record *)file->records.rows.data + ref - 1;
        if (row->type.name != NULL && !is_same(&row->type, &record.type))
            row->type = (struct mpdata_alloc_type){.name = NULL};
    }
    return true;
}

static bool take_section(struct mpdata_alloc_types_file *file,
                         const struct mpdata_elf_bytes *section)
{
    file->bytes = malloc(section->size + 1);
    if (file->bytes == NULL)
        return false;
    memcpy(file->bytes, section->data, section->size);
    file->bytes[section->size] = '\0';
    file->size = section->size;
    return take_records(file);
}

/* Returns false when out of memory. A file that is not ELF has no section. */
static bool read_section(struct mpdata_alloc_types_file *file, const char *path)
{
    struct mpdata_file data;
    struct mpdata_elf elf;
    struct mprof_diag diag;
    bool has_memory = true;

    if (path == NULL || mpdata_file_open(&data, path, &diag) != MPROF_E_OK)
        return true;
    if (mpdata_elf_read(&elf, data.data, data.size, &diag) == MPROF_E_OK &&
        elf.types.size != 0)
        has_memory = take_section(file, &elf.types);
    mpdata_file_close(&data);
    return has_memory;
}

static struct mpdata_alloc_types_file *
read_file(const struct mpdata_binary_file *binary)
{
    struct mpdata_alloc_types_file *const file = calloc(1, sizeof(*file));

    if (file == NULL)
        return NULL;
    mpdata_set_init(&file->records, MPDATA_SET_BY_TEXT, sizeof(struct record));
    if (read_section(file, binary->path) &&
        (file->size != 0 || read_section(file, binary->debug.path)))
        return file;
    free_file(file);
    return NULL;
}

/* -- libraries without a section ------------------------------------------- */

/* Functions that allocate one type only, by the prefix of their linkage name.
 */
static const struct {
    const char *prefix;
    const char *type;
} of_libraries[] = {
    {"_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcE", "char"},
    {"_ZNSt7__cxx1112basic_stringIwSt11char_traitsIwE", "wchar_t"},
    /* std::string of the ABI before C++11. */
    {"_ZNSs", "char"},
    {"_ZNSbIwSt11char_traitsIwE", "wchar_t"},
    {"_ZNSt3__112basic_stringIcNS_11char_traitsIcE", "char"},
    {"_ZNSt3__112basic_stringIwNS_11char_traitsIwE", "wchar_t"},
    {"_ZNSt13basic_filebufIcSt11char_traitsIcEE27_M_allocate_internal_buffer",
     "char"},
    {"_ZNSt13basic_filebufIwSt11char_traitsIwEE27_M_allocate_internal_buffer",
     "char"},
    {"_IO_file_doallocate", "char"},
    {"_IO_wfile_doallocate", "wchar_t"},
    {"__fopen_internal", "_IO_FILE"},
};

struct mpdata_alloc_type mpdata_alloc_types_of_library(const char *function)
{
    for (size_t i = 0; i < MPROF_ARRAY_LEN(of_libraries); i++) {
        if (strncmp(function, of_libraries[i].prefix,
                    strlen(of_libraries[i].prefix)) == 0)
            return (struct mpdata_alloc_type){.name = of_libraries[i].type};
    }
    return (struct mpdata_alloc_type){.name = NULL};
}

/* -- all binaries ---------------------------------------------------------- */

static struct mpdata_alloc_types_file *
file_of(struct mpdata_alloc_types *types,
        const struct mpdata_binaries *binaries, size_t binary)
{
    if (binary >= types->count) {
        struct mpdata_alloc_types_file **const more =
            reallocarray(types->files, binaries->count,
                         sizeof(struct mpdata_alloc_types_file *));

        if (more == NULL)
            return NULL;
        memset(more + types->count, 0,
               (binaries->count - types->count) *
                   sizeof(struct mpdata_alloc_types_file *));
        types->files = more;
        types->count = binaries->count;
    }
    if (types->files[binary] == NULL)
        types->files[binary] = read_file(&binaries->files[binary]);
    return types->files[binary];
}

static const char *base_name(const char *path)
{
    const char *const slash = path != NULL ? strrchr(path, '/') : NULL;

    return slash != NULL ? slash + 1 : path != NULL ? path : "";
}

static const struct record *find(const struct mpdata_alloc_types_file *file,
                                 const char *key, size_t size)
{
    const struct mpdata_str wanted = {.bytes = key, .size = size};
    const uint32_t ref = mpdata_set_find(&file->records, &wanted);

    return ref != 0 ? (const struct record *)file->records.rows.data + ref - 1
                    : NULL;
}

/* Finds the fields of a type by its name and size. Returns false when out of
 * memory. */
static bool find_fields(const struct mpdata_alloc_types_file *file,
                        struct mpdata_alloc_type *type)
{
    char *key;

    if (type->name == NULL || type->bytes == 0)
        return true;
    if (asprintf(&key, "%c%s%s%c%" PRIu32, MPROF_TYPE_SEPARATOR, type->name,
                 type->mark, MPROF_TYPE_SEPARATOR, type->bytes) < 0)
        return false;
    const struct record *record = find(file, key, strlen(key));
    free(key);
    if (record != NULL)
        type->fields = record->type.name != NULL ? record->type.name
                                                 : MPROF_TYPE_FIELDS_SEVERAL;
    return true;
}

/* Finds the type record of a source location in the list of one file
 * (`source`), or in the global list (""). Sets *record to NULL if there is
 * none. Returns false when out of memory. */
static bool find_record(const struct mpdata_alloc_types_file *file,
                        const char *source,
                        const struct mpdata_symbol *location,
                        const struct record **record)
{
    const char end[] = {source[0] != '\0' ? MPROF_TYPE_FILE_END : '\0', '\0'};
    char *key;

    if (asprintf(&key, "%s%s%s%c%" PRIu32 "%c%" PRIu32, source, end,
                 location->function, MPROF_TYPE_SEPARATOR, location->line,
                 MPROF_TYPE_SEPARATOR, location->column) < 0)
        return false;
    *record = find(file, key, mprof_type_function(key));
    free(key);
    return true;
}

enum mprof_err mpdata_alloc_types_find(struct mpdata_alloc_types *types,
                                       const struct mpdata_binaries *binaries,
                                       size_t binary,
                                       const struct mpdata_symbol *location,
                                       struct mpdata_alloc_type *type)
{
    const struct mpdata_alloc_types_file *const file =
        file_of(types, binaries, binary);
    const struct record *record = NULL;

    *type = (struct mpdata_alloc_type){.name = NULL};
    if (file == NULL)
        return MPROF_E_NOMEM;
    if (file->size == 0)
        return MPROF_E_OK;
    if (!find_record(file, base_name(location->file), location, &record) ||
        (record == NULL && !find_record(file, "", location, &record)))
        return MPROF_E_NOMEM;
    if (record != NULL)
        *type = record->type;
    return find_fields(file, type) ? MPROF_E_OK : MPROF_E_NOMEM;
}

void mpdata_alloc_types_fini(struct mpdata_alloc_types *types)
{
    for (size_t i = 0; i < types->count; i++)
        free_file(types->files[i]);
    free(types->files);
    *types = (struct mpdata_alloc_types){.files = NULL};
}
