/* symbolizer_main.c -- runs libdw and LLVM's reader of debug information in a
 * separate process. Damaged or hostile files may crash them, keep them busy
 * forever or exhaust memory. This ends only this process and costs its parent
 * the lines of one file (docs/decisions/0010-debug-information.md).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/base/sink.h"
#include "profdata/base/vec.h"
#include "profdata/symbols/debugfile.h"
#include "profdata/symbols/symbolizer_dwarf.h"
#include "profdata/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Limit of CPU time in seconds: a base, one more for each MiB of the file and
 * one for each hundred addresses. LLVM reads 30 MiB of compressed debug
 * information, or 5,000 addresses, in a second. */
#define SECONDS 10u
#define SECONDS_FILE_BYTES (1u << 20)
#define SECONDS_QUESTIONS 100u
/* Waiting (for a network file system) takes no CPU time, so elapsed time is
 * limited to a multiple of it. */
#define WAITS 10u
#define NAMES_MEMORY_BYTES (UINT64_C(256) << 20)

struct state {
    struct mpdata_symbolizer_file file;
    bool wants_lines;
    const char *dwp;
    size_t text_bytes_max;
    void *llvm; /* LLVM's reader; NULL: not opened, or it failed */
    uint64_t seconds;
    uint64_t questions;
    struct mprof_buf answer;
};

/* -- limits ---------------------------------------------------------------- */

static void lower(int resource, uint64_t value)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= value)
        return;
    limit.rlim_cur = value;
    (void)setrlimit(resource, &limit);
}

static uint64_t bytes_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

static uint64_t file_bytes(const struct state *s)
{
    return bytes_of(s->file.path) + bytes_of(s->file.debug);
}

/* Limits memory to the size of the mapped files plus half of physical memory.
 * Demangling needs little, but a name of a hundred letters can expand to
 * gigabytes. */
static void limit_memory(const struct state *s)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);

    lower(RLIMIT_CORE, 0);
    if (s->file.path == NULL)
        lower(RLIMIT_AS, NAMES_MEMORY_BYTES);
    else if (pages > 0 && page_bytes > 0)
        lower(RLIMIT_AS,
              file_bytes(s) + (uint64_t)pages * (uint64_t)page_bytes / 2);
}

/* Raises the soft limits for further addresses. The hard limit is the user's
 * and stays. */
static void limit_time(struct state *s, uint64_t questions)
{
    struct rlimit limit;
    uint64_t seconds;

    s->questions += questions;
    seconds = s->seconds + s->questions / SECONDS_QUESTIONS;
    if (getrlimit(RLIMIT_CPU, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < seconds ? limit.rlim_max : seconds;
        (void)setrlimit(RLIMIT_CPU, &limit);
    }
    alarm((unsigned)(WAITS * seconds));
}

/* The linker redirects open64() to this function, also in shared libraries. The
 * readers open files that debug information names (.dwo files, a package next
 * to the file): it opens only plain files, and never blocks. */
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
    struct stat st;

    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
        errno = EACCES;
        return -1;
    }
    int fd = openat(AT_FDCWD, path,
                    (flags & ~(O_CREAT | O_TRUNC)) | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))) {
        close(fd);
        errno = EACCES;
        return -1;
    }
    return fd;
}

/* -- names from symbol tables ---------------------------------------------- */

/* An address and its symbol; strings are borrowed from the module. */
struct table_name {
    uint64_t address;
    const char *name; /* name of the function, or NULL */
    const char *file; /* source file of a local function, or NULL */
};

struct candidate {
    uint64_t value;
    uint64_t size;
    const char *name; /* NULL: none */
    const char *file; /* source file of a local symbol, or NULL */
    bool is_local;
};

static bool is_wanted(const GElf_Sym *s, GElf_Word section)
{
    const unsigned type = GELF_ST_TYPE(s->st_info);

    return section != SHN_UNDEF && section < SHN_LORESERVE &&
           (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT ||
            type == STT_GNU_IFUNC);
}

static bool is_better(const struct candidate *old, const struct candidate *new)
{
    if (old->name == NULL || new->value != old->value)
        return old->name == NULL || new->value > old->value;
    if (new->size != old->size)
        return new->size > old->size;
    return !new->is_local || old->is_local;
}

static void collect(Dwfl_Module *module, const struct table_name *rows,
                    size_t count, struct candidate *candidates)
{
    const int symbols = dwfl_module_getsymtab(module);
    const char *file = NULL;

    for (int i = 1; i < symbols; i++) {
        struct candidate c;
        GElf_Word section = SHN_UNDEF;
        GElf_Sym s;

        c.name = dwfl_module_getsym_info(module, i, &s, &c.value, &section,
                                         NULL, NULL);
        if (c.name == NULL)
            continue;
        if (GELF_ST_TYPE(s.st_info) == STT_FILE)
            file = c.name;
        if (!is_wanted(&s, section))
            continue;
        c.size = s.st_size;
        c.is_local = GELF_ST_BIND(s.st_info) == STB_LOCAL;
        c.file = c.is_local ? file : NULL;
        size_t row =
            mpdata_vec_first(rows, count, sizeof(*rows),
                             offsetof(struct table_name, address), c.value);
        if (row < count && is_better(&candidates[row], &c))
            candidates[row] = c;
    }
}

/* Sets the names of all rows, ordered by address, in one pass over the symbol
 * tables that libdwfl finds: that of the binary, of its debug file, the
 * compressed one of a stripped binary (.gnu_debugdata), or the exported names.
 *
 * Neither sorts nor copies symbols: each symbol is a candidate for the first
 * wanted address at or after it, and an address without a candidate takes over
 * the candidate of the previous address. The symbol of an address is the last
 * one that starts at or before it. Of several that start at the same address,
 * the largest wins, then a global one, then the last in the table.
 *
 * Returns false when out of memory. */
static bool find_names(Dwfl_Module *module, struct table_name *rows,
                       size_t count)
{
    struct candidate *const candidates =
        mpdata_vec_array(count, sizeof(*candidates));

    if (candidates == NULL)
        return false;
    collect(module, rows, count, candidates);
    for (size_t i = 0; i < count; i++) {
        const struct candidate *const c = &candidates[i];

        if (c->name == NULL && i != 0)
            candidates[i] = candidates[i - 1];
        if (c->name == NULL ||
            (c->size != 0 && rows[i].address - c->value >= c->size))
            continue;
        rows[i].name = c->name;
        rows[i].file = c->file;
    }
    free(candidates);
    return true;
}

/* -- the symbols of an address --------------------------------------------- */

/* A request, and the address that is being answered. */
struct lookup {
    struct state *state;
    /* From the symbol table, ordered by address. */
    struct table_name *names;
    const struct table_name *name;
    struct mpdata_symbols symbols;
};

/* Removes a symbol version: "memcpy@@GLIBC_2.14" gives "memcpy". */
static const char *without_version(const char *name, char own[4096])
{
    const size_t size = name != NULL ? strnlen(name, 4096) : 0;
    const char *const at = size != 0 ? memchr(name, '@', size) : NULL;

    if (at == NULL || at == name)
        return name;
    memcpy(own, name, (size_t)(at - name));
    own[at - name] = '\0';
    return own;
}

/* Adds the frames from debug information; a mpdata_symbol_fn.
 *
 * If debug information lacks the innermost or the outermost function name, the
 * symbol table names the outermost frame. If the outermost name is not mangled,
 * the symbol table's name replaces it if that is mangled: line tables without
 * -fdebug-info-for-profiling hold only the short name of a C++ function. All
 * other differences are suffixes (.cold, .llvm.N) and aliases, where debug
 * information is right. */
static void take_frames(void *context, const struct mpdata_symbol *frames,
                        size_t count)
{
    static char own[4096];
    struct lookup *const l = context;
    const char *const name = without_version(l->name->name, own);
    struct mpdata_symbol *const copy = mpdata_vec_array(count, sizeof(*copy));
    struct mpdata_symbol *const outer = copy + count - 1;
    enum mpdata_symbol_source source = MPDATA_SYMBOL_DEBUG;

    if (copy == NULL) {
        l->symbols.failed = true;
        return;
    }
    memcpy(copy, frames, count * sizeof(*copy));
    if (copy->function == NULL || outer->function == NULL) {
        if (name != NULL)
            outer->function = name;
        if (outer->file == NULL)
            outer->file = l->name->file;
        source =
            outer->function != NULL ? MPDATA_SYMBOL_TABLE : MPDATA_SYMBOL_NONE;
    } else if (name != NULL && mpdata_symbols_is_mangled(name) &&
               !mpdata_symbols_is_mangled(outer->function)) {
        outer->function = name;
    }
    mpdata_symbols_add(&l->symbols, l->name->address, source, copy, count);
    free(copy);
}

static bool open_llvm(struct state *s)
{
    const char *const debug = s->file.debug;

    if (s->llvm == NULL)
        s->llvm = mpdata_symbolizer_llvm_open(
            debug[0] != '\0' ? debug : s->file.path, s->dwp);
    return s->llvm != NULL;
}

static void take_address(void *context, size_t index,
                         const struct mpdata_symbol *frames, size_t count,
                         const char *split)
{
    static const struct mpdata_symbol unknown;
    struct lookup *const l = context;

    l->name = &l->names[index];
    if (split != NULL)
        mpdata_symbols_add_split(&l->symbols, split,
                                 mpdata_debugfile_stamp(split));
    if (count != 0)
        take_frames(l, frames, count);
    else if (l->state->wants_lines && open_llvm(l->state))
        mpdata_symbolizer_llvm_lookup(l->state->llvm, l->name->address,
                                      take_frames, l);
    else
        take_frames(l, &unknown, 1);
}

static bool find_symbols(struct lookup *l, const uint64_t *addresses,
                         size_t count)
{
    struct mpdata_symbolizer_file *const file = &l->state->file;

    for (size_t i = 0; i < count; i++)
        l->names[i].address = addresses[i];
    if (!find_names(file->module, l->names, count))
        return false;
    if (l->state->wants_lines)
        return mpdata_symbolizer_dwarf_find(file, addresses, count,
                                            take_address, l);
    for (size_t i = 0; i < count; i++)
        take_address(l, i, NULL, 0, NULL);
    return true;
}

/* -- answers --------------------------------------------------------------- */

static bool answer_lookup(struct state *s, const uint64_t *addresses,
                          size_t count)
{
    struct lookup l = {.state = s};

    l.names = mpdata_vec_array(count, sizeof(*l.names));
    mpdata_symbols_init(&l.symbols);
    l.symbols.text_bytes_max = s->text_bytes_max;
    bool is_found = l.names != NULL && find_symbols(&l, addresses, count) &&
                    !l.symbols.failed;
    if (is_found)
        mpdata_symbols_encode(&l.symbols, &s->answer);
    mpdata_symbols_fini(&l.symbols);
    free(l.names);
    return is_found;
}

static bool answer_name(struct state *s, const char *name)
{
    char *const result = mpdata_symbolizer_llvm_demangle(name);

    if (result != NULL)
        mprof_buf_bytes(&s->answer, result, strlen(result));
    free(result);
    return result != NULL;
}

static bool answer(struct state *s, uint32_t kind, const char *bytes,
                   size_t size)
{
    if (kind == MPDATA_REMOTE_DEMANGLE)
        return answer_name(s, bytes);
    return kind == MPDATA_REMOTE_LOOKUP && s->file.module != NULL &&
           answer_lookup(s, (const uint64_t *)(const void *)bytes,
                         size / sizeof(uint64_t));
}

/* -- the socket ------------------------------------------------------------ */

static bool get_bytes(void *data, size_t size)
{
    return size == 0 ||
           recv(STDIN_FILENO, data, size, MSG_WAITALL) == (ssize_t)size;
}

static bool put_bytes(const void *data, size_t size)
{
    const char *at = data;
    ssize_t n = 0;

    for (; size != 0 && n >= 0; at += n, size -= (size_t)n)
        n = send(STDIN_FILENO, at, size, MSG_NOSIGNAL);
    return size == 0;
}

static bool send_answer(struct state *s)
{
    const uint64_t bytes = s->answer.size;
    const bool is_sent = !s->answer.failed &&
                         put_bytes(&bytes, sizeof(bytes)) &&
                         put_bytes(s->answer.data, s->answer.size);

    s->answer.size = 0;
    return is_sent;
}

static bool open_file(struct state *s)
{
    static const char error[] = "libdwfl cannot read the ELF file";

    elf_version(EV_CURRENT);
    if (!mpdata_symbolizer_dwarf_open(&s->file))
        mprof_buf_bytes(&s->answer, error, sizeof(error) - 1);
    return send_answer(s) && s->file.module != NULL;
}

static void serve(struct state *s)
{
    static _Alignas(uint64_t) char bytes[MPDATA_REMOTE_BYTES_MAX + 1];
    struct mpdata_remote_question question;

    do {
        (void)alarm(0);
        if (!get_bytes(&question, sizeof(question)) ||
            question.bytes > MPDATA_REMOTE_BYTES_MAX ||
            !get_bytes(bytes, question.bytes))
            return;
        bytes[question.bytes] = '\0';
        limit_time(s, question.bytes / sizeof(uint64_t) + 1);
    } while (answer(s, question.kind, bytes, question.bytes) && send_answer(s));
}

int main(int argc, char **argv)
{
    struct state s = {.seconds = SECONDS};
    const bool has_file = argc == 7;

    if (argc < 2 || strcmp(argv[1], MPDATA_REMOTE_VERSION) != 0)
        return MPDATA_REMOTE_IS_OTHER;
    /* Close all files that the parent had open. */
    (void)syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
    mpdata_heapbuf_init(&s.answer);
    if (has_file) {
        s.wants_lines = strcmp(argv[2], MPDATA_REMOTE_LINES) == 0;
        s.file.path = argv[3];
        s.file.debug = argv[4];
        s.dwp = argv[5];
        s.text_bytes_max = strtoull(argv[6], NULL, 10);
        s.seconds += file_bytes(&s) / SECONDS_FILE_BYTES;
    }
    limit_memory(&s);
    limit_time(&s, 1);
    if (!has_file || open_file(&s))
        serve(&s);
    /* Exit without freeing: the process ends anyway. */
    _exit(0);
}
