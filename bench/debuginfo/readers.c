/* readers.c -- the frames of addresses by one of three readers of debug
 * information:
 *
 *     readers ours|llvm|llvm-unit|libdw|libdw-unit BRIDGE FILE ADDRESSES [OUT]
 *
 * Addresses stand one a line in hexadecimal; frames go to OUT, one a line.
 * ours: what it leaves is asked of LLVM's, which is loaded only then. llvm: as
 * merge asks it. libdw: units are found by the ranges of their entries; a
 * unit's entries are walked once for all its addresses, and only into functions
 * that have one. -unit: the file is opened anew for each unit, so that the
 * reader forgets.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/dwarf.h"
#include "profdata/base/file.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ADDRESSES_MAX (1u << 20)
#define DEPTH_MAX 4096
#define GNU_DISCRIMINATOR 0x2136 /* DW_AT_GNU_discriminator */

static struct mpdata_wanted wanted[ADDRESSES_MAX];
static size_t count;
static FILE *out;
static const char *bridge_path, *path;
static uint64_t address, bytes, answered, left;

static const char *text(const char *known)
{
    return known != NULL ? known : "?";
}

/* Also looks at what is not printed. */
static void take(void *context, const struct mpdata_symbol *f, size_t n)
{
    (void)context;
    answered++;
    for (size_t i = 0; i < n; i++) {
        bytes += strlen(text(f[i].function));
        if (out != NULL)
            fprintf(out, "%" PRIx64 "\t%s\t%s\t%u\t%u\t%u\t%s\t%u\n", address,
                    text(f[i].function), text(f[i].file), f[i].line,
                    f[i].column, f[i].discriminator, text(f[i].start_file),
                    f[i].start_line);
    }
}

/* -- LLVM's and ours ------------------------------------------------------- */

static const struct mpdata_bridge *bridge;
static void *reader;

static bool open_llvm(void)
{
    char error[256];

    if (bridge == NULL) {
        mpdata_bridge_entry_fn *entry = NULL;
        void *const library = dlopen(bridge_path, RTLD_LAZY | RTLD_LOCAL);
        void *const symbol =
            library != NULL ? dlsym(library, "mpdata_symbolizer_llvm_entry")
                            : NULL;

        memcpy(&entry, &symbol, sizeof(entry));
        bridge = entry != NULL ? entry() : NULL;
    }
    if (reader == NULL && bridge != NULL)
        reader = bridge->open(path, "", error, sizeof(error));
    return reader != NULL;
}

static bool ask_llvm(size_t from, size_t to, bool forgets)
{
    uint64_t last = MPDATA_BRIDGE_NO_UNIT;

    for (size_t i = from; i < to; i++) {
        if (!open_llvm())
            return false;
        address = wanted[i].address;
        const uint64_t unit = bridge->unit(reader, address);

        if (unit != last && forgets) {
            bridge->close(reader);
            reader = NULL;
            if (!open_llvm())
                return false;
        }
        last = unit;
        bridge->lookup(reader, address, take, NULL);
    }
    return true;
}

static void take_ours(void *context, const struct mpdata_wanted *w,
                      const struct mpdata_symbol *frames, size_t n)
{
    address = w->address;
    take(context, frames, n);
}

static size_t end_of_unit(size_t i)
{
    const uint32_t unit = wanted[i].unit;

    while (i < count && wanted[i].unit == unit)
        i++;
    return i;
}

static bool ask_ours(void)
{
    struct mpdata_dwarf dwarf;
    struct mpdata_file file;
    struct mpdata_elf elf;

    if (mpdata_file_open(&file, path, NULL) != MPROF_E_OK ||
        mpdata_elf_read(&elf, file.data, file.size, NULL) != MPROF_E_OK)
        return false;
    if (!mpdata_dwarf_open(&dwarf, &elf.debug) ||
        !mpdata_dwarf_assign(&dwarf, wanted, count)) {
        left = count;
        return ask_llvm(0, count, false);
    }
    qsort(wanted, count, sizeof(*wanted), mpdata_dwarf_by_unit);
    for (size_t i = 0, end; i < count; i = end) {
        end = end_of_unit(i);
        mpdata_file_forget(&file);
        if (mpdata_dwarf_unit_find(&dwarf, wanted + i, end - i, take_ours,
                                   NULL))
            continue;
        left += end - i;
        if (!ask_llvm(i, end, false))
            return false;
    }
    mpdata_dwarf_fini(&dwarf);
    mpdata_file_close(&file);
    return true;
}

/* -- libdw ----------------------------------------------------------------- */

struct node {
    Dwarf_Die die;
    uint32_t parent; /* index + 1 */
    bool is_known;
    struct mpdata_symbol symbol; /* function, start_file, start_line */
    const char *call_file;
    uint32_t call_line, call_column, call_discriminator;
};

static struct mpdata_vec nodes = {.elem_bytes = sizeof(struct node)};
static uint32_t spots[ADDRESSES_MAX]; /* node + 1 of each address */
static Elf *elf;
static Dwarf *dw;

static bool open_libdw(void)
{
    static int fd = -1;

    if (dw != NULL)
        dwarf_end(dw);
    if (elf != NULL)
        elf_end(elf);
    else
        fd = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    return dw != NULL;
}

static size_t first_from(size_t from, size_t to, uint64_t low)
{
    return from + mpdata_dwarf_first(wanted + from, to - from, low);
}

static void assign_units(void)
{
    Dwarf_Addr base, low, high;
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type;

    while (dwarf_get_units(dw, cu, &cu, NULL, &type, &die, NULL) == 0) {
        for (ptrdiff_t at = 0;
             (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
            for (size_t i = first_from(0, count, low);
                 i < count && wanted[i].address < high; i++)
                wanted[i].unit = (uint32_t)dwarf_dieoffset(&die);
        }
    }
    qsort(wanted, count, sizeof(*wanted), mpdata_dwarf_by_unit);
}

/* The node + 1 of a function that has some of the addresses; 0: it has none. */
static uint32_t mark(Dwarf_Die *die, uint32_t parent, size_t from, size_t to)
{
    Dwarf_Addr base, low, high;
    uint32_t number = 0;

    for (ptrdiff_t at = 0;
         (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;) {
        for (size_t i = first_from(from, to, low);
             i < to && wanted[i].address < high; i++) {
            if (number == 0) {
                *(struct node *)mpdata_vec_push(&nodes) =
                    (struct node){.die = *die, .parent = parent};
                number = nodes.count;
            }
            spots[i] = number;
        }
    }
    return number;
}

static void walk(Dwarf_Die *outer, uint32_t parent, size_t from, size_t to)
{
    Dwarf_Die die;

    if (dwarf_child(outer, &die) != 0)
        return;
    do {
        const int tag = dwarf_tag(&die);
        const bool is_function =
            tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
        const uint32_t node =
            is_function ? mark(&die, parent, from, to) : parent;

        if (is_function
                ? node != 0
                : tag == DW_TAG_namespace || tag == DW_TAG_lexical_block)
            walk(&die, node, from, to);
    } while (dwarf_siblingof(&die, &die) == 0);
}

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;

    if (dwarf_attr_integrate(die, name, &attribute) != NULL)
        dwarf_formudata(&attribute, &value);
    return (uint32_t)value;
}

/* dwarf_decl_file() of elfutils 0.188 takes file 0, which DWARF 5 has, for
 * none. */
static const char *file_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Files *files;
    Dwarf_Word file;
    Dwarf_Die cu;
    size_t n;

    if (dwarf_attr_integrate(die, name, &attribute) == NULL ||
        dwarf_formudata(&attribute, &file) != 0 ||
        dwarf_cu_die(attribute.cu, &cu, NULL, NULL, NULL, NULL, NULL, NULL) ==
            NULL ||
        dwarf_getsrcfiles(&cu, &files, &n) != 0)
        return NULL;
    return dwarf_filesrc(files, file, NULL, NULL);
}

static void resolve(struct node *node)
{
    Dwarf_Attribute attribute;
    Dwarf_Die *const die = &node->die;

    if (node->is_known)
        return;
    node->is_known = true;
    node->symbol.function = dwarf_formstring(
        dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    if (node->symbol.function == NULL)
        node->symbol.function = dwarf_diename(die);
    node->symbol.start_file = file_of(die, DW_AT_decl_file);
    node->symbol.start_line = number_of(die, DW_AT_decl_line);
    node->call_file = file_of(die, DW_AT_call_file);
    node->call_line = number_of(die, DW_AT_call_line);
    node->call_column = number_of(die, DW_AT_call_column);
    node->call_discriminator = number_of(die, GNU_DISCRIMINATOR);
}

static void answer(Dwarf_Die *cu, size_t i)
{
    static struct mpdata_symbol frames[DEPTH_MAX];
    Dwarf_Line *const row = dwarf_getsrc_die(cu, wanted[i].address);
    const struct node *inner = NULL;
    int line = 0, column = 0;
    size_t n = 0;

    frames[0] = (struct mpdata_symbol){.function = NULL};
    for (uint32_t k = spots[i]; k != 0 && n < DEPTH_MAX; k = inner->parent) {
        struct node *const node = (struct node *)nodes.data + k - 1;

        resolve(node);
        frames[n] = node->symbol;
        if (inner != NULL) {
            frames[n].file = inner->call_file;
            frames[n].line = inner->call_line;
            frames[n].column = inner->call_column;
            frames[n].discriminator = inner->call_discriminator;
        }
        n++;
        inner = node;
    }
    if (row != NULL) {
        frames[0].file = dwarf_linesrc(row, NULL, NULL);
        dwarf_lineno(row, &line);
        dwarf_linecol(row, &column);
        dwarf_linediscriminator(row, &frames[0].discriminator);
        frames[0].line = (uint32_t)line;
        frames[0].column = (uint32_t)column;
    }
    address = wanted[i].address;
    take(NULL, frames, n != 0 ? n : 1);
}

static bool ask_libdw(bool forgets)
{
    if (!open_libdw())
        return false;
    assign_units();
    for (size_t i = 0, end; i < count; i = end) {
        Dwarf_Die cu;

        end = end_of_unit(i);
        if (forgets && !open_libdw())
            return false;
        nodes.count = 0;
        if (wanted[i].unit != 0 &&
            dwarf_offdie(dw, wanted[i].unit, &cu) != NULL)
            walk(&cu, 0, i, end);
        for (size_t k = i; k < end; k++) {
            static const struct mpdata_symbol unknown;

            address = wanted[k].address;
            if (wanted[k].unit == 0)
                take(NULL, &unknown, 1);
            else
                answer(&cu, k);
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    FILE *const list = argc > 4 ? fopen(argv[4], "re") : NULL;
    char line[64];
    bool done;

    if (list == NULL)
        return 2;
    bridge_path = argv[2];
    path = argv[3];
    out = argc > 5 ? fopen(argv[5], "we") : NULL;
    while (count < ADDRESSES_MAX && fgets(line, sizeof(line), list) != NULL)
        wanted[count++].address = strtoull(line, NULL, 16);
    fclose(list);
    done = strcmp(argv[1], "ours") == 0 ? ask_ours()
           : argv[1][1] == 'l'          ? ask_llvm(0, count, argv[1][4] != '\0')
                                        : ask_libdw(argv[1][5] != '\0');
    printf("%" PRIu64 " addresses, %" PRIu64 " left to LLVM, %" PRIu64
           " bytes of names\n",
           answered, left, bytes);
    return !done || (out != NULL && fclose(out) != 0);
}
