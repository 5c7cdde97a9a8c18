/* outname.c -- the name of a profile's file.
 *
 * Precedence, rising: the name in the binary (-fmemory-profile=DIR), log_path,
 * MEMPROF_PROFILE_FILE, and the name that the program sets by
 * __sanitizer_set_report_path() or __sanitizer_set_report_fd().
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/outfile.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/procfs.h"
#include "rt/dump/modules.h"
#include "rt/stack/object.h"
#include "shared/abi.h"

#include <sanitizer/common_interface_defs.h>

/* Used if no instrumented code defines it. */
MPRT_WEAK_STRING(__memprof_profile_filename, MPROF_PROFILE_BASENAME);

static struct {
    char pattern[MPRT_PATH_BYTES];     /* MEMPROF_PROFILE_FILE, or "" */
    char report_path[MPRT_PATH_BYTES]; /* set by the program, or "" */
    bool has_report_fd;
    int report_fd;
    /* counts changes by the program */
    uint32_t place;
} state;

void mprt_outname_init(void)
{
    const char *const pattern = mprt_options_is_secure()
                                    ? NULL
                                    : mprt_os_getenv(MPROF_ENV_PROFILE_FILE);
    struct mprt_textbuf t = {.out = state.pattern,
                             .size = sizeof(state.pattern)};

    if (pattern != NULL)
        mprt_textbuf_str(&t, pattern);
}

static void add_host(struct mprt_textbuf *t)
{
    char host[128];

    mprt_procfs_read_setting(MPRT_PROCFS_HOST_NAME, host, sizeof(host));
    mprt_textbuf_str(t, host);
}

const char *mprt_outname_base(const char *path)
{
    const char *base = path;

    for (; *path != '\0'; path++) {
        if (*path == '/')
            base = path + 1;
    }
    return base;
}

static void add_program_name(struct mprt_textbuf *t)
{
    char path[MPRT_PATH_BYTES];
    struct mprt_textbuf exe = {.out = path, .size = sizeof(path)};

    mprt_object_main_path(&exe);
    mprt_textbuf_str(t, mprt_outname_base(path));
}

/* LLVM's %m: a signature of the binary, and a number below `pool`. */
static void add_signature(struct mprt_textbuf *t, uint64_t pool)
{
    struct mprt_module_list list;
    uint64_t signature = 0;

    if (mprt_modules_list(&list)) {
        const struct mprt_module *const main_module = &list.modules[0];

        for (uint32_t i = 0; list.count > 0 && i < main_module->build_id_bytes;
             i++)
            signature = signature * 31 + main_module->build_id[i];
        mprt_modules_free(&list);
    }
    MPRT_TEXT(t, MPRT_DEC(signature), "_",
              MPRT_DEC(mprt_identity_pid() % pool));
}

static void add_tmpdir(struct mprt_textbuf *t)
{
    const char *const dir = mprt_os_getenv("TMPDIR");

    mprt_textbuf_str(t, dir != NULL ? dir : "/tmp");
}

/* Expands the specifier at s, behind the '%'. Returns its last character.
 * Unknown specifiers are copied. */
static const char *expand_specifier(struct mprt_textbuf *t, const char *s)
{
    const char *const start = s;
    uint64_t pool = 0;

    while (*s >= '0' && *s <= '9' && pool < 100000)
        pool = 10 * pool + (uint64_t)(*s++ - '0');
    if (*s == 'm') {
        add_signature(t, pool != 0 ? pool : 1);
        return s;
    }
    switch (*start) {
    case 'p':
        mprt_textbuf_str(t, MPRT_DEC(mprt_identity_pid()));
        return start;
    case 'h':
        add_host(t);
        return start;
    case 't':
        add_tmpdir(t);
        return start;
    case '%':
        mprt_textbuf_char(t, '%');
        return start;
    default:
        mprt_textbuf_char(t, '%');
        return start - 1;
    }
}

static bool ends_with(const char *s, size_t n, const char *end)
{
    const size_t end_bytes = mprt_libc_strlen(end);

    return n >= end_bytes &&
           mprt_libc_memcmp(s + n - end_bytes, end, end_bytes) == 0;
}

static void add_number(struct mprt_textbuf *t, uint32_t number)
{
    if (number != 0) {
        MPRT_TEXT(t, ".", MPRT_DEC(number));
    }
}

static void add_pattern(struct mprt_textbuf *t, const char *pattern)
{
    for (const char *s = pattern; *s != '\0'; s++) {
        if (*s == '%')
            s = expand_specifier(t, s + 1);
        else
            mprt_textbuf_char(t, *s);
    }
}

bool mprt_outname_expand(char path[MPRT_PATH_BYTES], const char *pattern,
                         uint32_t number)
{
    struct mprt_textbuf t = {.out = path, .size = MPRT_PATH_BYTES};

    add_pattern(&t, pattern);
    add_number(&t, number);
    return t.used + 1 < t.size;
}

/* Expands MEMPROF_PROFILE_FILE like LLVM_PROFILE_FILE: it is the whole name. */
static void add_pattern_name(struct mprt_textbuf *t, const char *pattern,
                             uint32_t number)
{
    add_pattern(t, pattern);
    if (number != 0 && ends_with(t->out, t->used, MPROF_RAW_SUFFIX)) {
        t->used -= sizeof(MPROF_RAW_SUFFIX) - 1;
        add_number(t, number);
        mprt_textbuf_str(t, MPROF_RAW_SUFFIX);
    } else {
        add_number(t, number);
    }
}

/* LLVM's BASE[.EXE].PID[SUFFIX]; our format appends the number and ".raw". */
static void add_base_name(struct mprt_textbuf *t, const char *base,
                          enum mprt_outname_kind kind, uint32_t number)
{
    mprt_textbuf_str(t, base);
    if (ends_with(base, mprt_libc_strlen(base), "/"))
        mprt_textbuf_str(t, MPROF_PROFILE_BASENAME);
    if (mprt_options.log_exe_name) {
        mprt_textbuf_char(t, '.');
        add_program_name(t);
    }
    MPRT_TEXT(t, ".", MPRT_DEC(mprt_identity_pid()));
    if (mprt_options.log_suffix != NULL)
        mprt_textbuf_str(t, mprt_options.log_suffix);
    add_number(t, number);
    if (kind == MPRT_OUTNAME_RAW)
        mprt_textbuf_str(t, MPROF_RAW_SUFFIX);
}

/* The descriptor that a name stands for, or -1. */
static int descriptor_of(const char *name)
{
    static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};

    if (mprt_libc_strcmp(name, "stdout") == 0 ||
        mprt_libc_strcmp(name, "/dev/stdout") == 0)
        return MPRT_OS_STDOUT;
    if (mprt_libc_strcmp(name, "stderr") == 0 ||
        mprt_libc_strcmp(name, "/dev/stderr") == 0)
        return MPRT_OS_STDERR;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(dirs); i++) {
        const size_t n = mprt_libc_strlen(dirs[i]);
        int fd = 0;

        if (mprt_libc_strlen(name) <= n ||
            mprt_libc_memcmp(name, dirs[i], n) != 0)
            continue;
        for (const char *s = name + n; *s != '\0' && fd >= 0; s++)
            fd =
                *s >= '0' && *s <= '9' && fd < 100000 ? 10 * fd + *s - '0' : -1;
        return fd;
    }
    return -1;
}

/* Finds what has precedence: a base name; NULL with a descriptor in *fd; or
 * NULL with -1 for MEMPROF_PROFILE_FILE. */
static const char *find_base(int *fd)
{
    const char *base = __memprof_profile_filename[0] != '\0'
                           ? __memprof_profile_filename
                           : MPROF_PROFILE_BASENAME;

    *fd = -1;
    if (state.has_report_fd) {
        *fd = state.report_fd;
        return NULL;
    }
    if (state.report_path[0] != '\0')
        base = state.report_path;
    else if (state.pattern[0] != '\0') {
        *fd = descriptor_of(state.pattern);
        return NULL;
    } else if (mprt_options.log_path != NULL &&
               mprt_options.log_path[0] != '\0')
        base = mprt_options.log_path;
    *fd = descriptor_of(base);
    return *fd >= 0 ? NULL : base;
}

int mprt_outname_descriptor(void)
{
    int fd;

    return find_base(&fd) == NULL ? fd : -1;
}

bool mprt_outname_is_log_path(void)
{
    int fd;

    return find_base(&fd) != NULL && state.report_path[0] == '\0' &&
           mprt_options.log_path != NULL && mprt_options.log_path[0] != '\0';
}

uint32_t mprt_outname_place(void)
{
    return state.place;
}

bool mprt_outname_make(char path[MPRT_PATH_BYTES], enum mprt_outname_kind kind,
                       uint32_t number)
{
    struct mprt_textbuf t = {.out = path, .size = MPRT_PATH_BYTES};
    int fd;
    const char *const base = find_base(&fd);

    path[0] = '\0';
    if (base != NULL)
        add_base_name(&t, base, kind, number);
    else if (fd < 0)
        add_pattern_name(&t, state.pattern, number);
    return t.used + 1 < t.size;
}

bool mprt_outname_make_as(char path[MPRT_PATH_BYTES], const char *pattern,
                          uint32_t number)
{
    struct mprt_textbuf t = {.out = path, .size = MPRT_PATH_BYTES};

    path[0] = '\0';
    add_pattern_name(&t, pattern, number);
    return t.used + 1 < t.size;
}

void mprt_outname_make_temp(char temp[MPRT_PATH_BYTES], const char *path)
{
    struct mprt_textbuf t = {.out = temp, .size = MPRT_PATH_BYTES};

    mprt_textbuf_strn(&t, path, (size_t)(mprt_outname_base(path) - path));
    MPRT_TEXT(&t, ".memprof.", MPRT_DEC(mprt_identity_pid()), ".",
              MPRT_HEX(mprt_os_random()), ".part");
}

void mprt_outname_make_absolute(char path[MPRT_PATH_BYTES])
{
    char whole[MPRT_PATH_BYTES];
    struct mprt_textbuf t = {.out = whole, .size = sizeof(whole)};

    if (path[0] == '/' || !mprt_os_getcwd(whole, sizeof(whole)))
        return;
    t.used = mprt_libc_strlen(whole);
    if (t.used + 1 + mprt_libc_strlen(path) >= sizeof(whole))
        return;
    MPRT_TEXT(&t, "/", path);
    t.out = path;
    t.used = 0;
    mprt_textbuf_str(&t, whole);
}

/* -- interface of sanitizers ----------------------------------------------- */

/* Whether this is code of a sanitizer's shared runtime. UBSan's runtime sets
 * the path of its own reports when it starts, and finds our function. */
static bool is_sanitizer(uintptr_t pc)
{
    static const char prefix[] = "libclang_rt.";
    struct mprt_object object;

    if (!mprt_object_find(pc, &object) || object.name == NULL)
        return false;
    const char *base = object.name;
    for (const char *c = object.name; *c != '\0'; c++)
        base = *c == '/' ? c + 1 : base;
    for (size_t i = 0; prefix[i] != '\0'; i++) {
        if (base[i] != prefix[i])
            return false;
    }
    return true;
}

MPRT_INTERFACE void __sanitizer_set_report_path(const char *path)
{
    struct mprt_textbuf t = {.out = state.report_path,
                             .size = sizeof(state.report_path)};

    if (is_sanitizer((uintptr_t)__builtin_return_address(0)))
        return;
    if (path != NULL &&
        mprt_libc_strlen(path) >= sizeof(state.report_path) / 2) {
        MPRT_LOG("report path is too long, ignored");
        return;
    }
    mprt_textbuf_str(&t, path != NULL ? path : "stderr");
    state.has_report_fd = false;
    state.place++;
}

MPRT_INTERFACE void __sanitizer_set_report_fd(void *fd)
{
    state.report_fd = (int)(intptr_t)fd;
    state.has_report_fd = true;
    state.place++;
}

/* The public header declares no argument list. */
const char *__sanitizer_get_report_path(void);

MPRT_INTERFACE const char *__sanitizer_get_report_path(void)
{
    static char path[MPRT_PATH_BYTES];
    const bool is_llvm = mprt_options.print_text ||
                         mprt_libc_strcmp(mprt_options.raw_format, "llvm") == 0;

    mprt_outname_make(path, is_llvm ? MPRT_OUTNAME_RAW_LLVM : MPRT_OUTNAME_RAW,
                      0);
    return path;
}

static bool is_llvm_format(void)
{
    if (mprt_libc_strcmp(mprt_options.raw_format, "llvm") == 0)
        return true;
    if (mprt_libc_strcmp(mprt_options.raw_format, "memprof") != 0)
        MPRT_LOG_ONCE("raw_format must be memprof or llvm, not '",
                      mprt_options.raw_format, "'; taking memprof");
    return false;
}

enum mprt_outname_kind mprt_outname_choose_kind(void)
{
    if (mprt_options.print_text)
        return MPRT_OUTNAME_TEXT;
    return is_llvm_format() ? MPRT_OUTNAME_RAW_LLVM : MPRT_OUTNAME_RAW;
}
