/* path.c -- where a profile goes: the name, and a file that appears whole.
 *
 * Rising precedence: the name in the binary (-fmemory-profile=DIR), log_path,
 * MEMPROF_PROFILE_FILE, what the program set by __sanitizer_set_report_path()
 * or __sanitizer_set_report_fd().
 *
 * A file is written as ".memprof.PID.RANDOM.part" in the directory where it
 * will stand, a name that no "*.raw" and no "memprof.profraw.*" matches, and
 * renamed when it is whole. A finished file is never overwritten: a number is
 * put into the name instead. Where LLVM's runtime appends to the file of its
 * own process, the new file takes the old one's contents and then its place.
 *
 * What is there and no regular file, such as /dev/null, is written to as it is.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/dump.h"

#include <errno.h>
#include <sanitizer/common_interface_defs.h>

#define FILE_MODE 0640
#define DIR_MODE 0755
#define STDOUT_FD 1
#define STDERR_FD 2
#define COPY_BYTES (64u << 10)
#define NUMBERS_MAX 1000000u
/* Of a name in a message, so that the rest of the line has room. */
#define SHOWN_NAME_BYTES 200

MPRT_WEAK const char __memprof_profile_filename[1] = "";

static struct {
    char pattern[MPRT_PATH_BYTES];     /* MEMPROF_PROFILE_FILE, or "" */
    char report_path[MPRT_PATH_BYTES]; /* set by the program, or "" */
    bool has_report_fd;
    int report_fd;
    /* The last file that this process finished, to append to. */
    char own_path[MPRT_PATH_BYTES];
    uint64_t own_bytes;
    uint32_t own_pid;
    uint32_t own_place;
    bool needs_names; /* for files that are not whole yet */
    /* Counts what the program set. */
    uint32_t place;
    /* Where to go on looking for a free number in names. */
    uint32_t next_number;
} state;

/* -- Names ----------------------------------------------------------------- */

void mprt_path_init(void)
{
    const char *const pattern = mprt_options_is_secure()
                                    ? NULL
                                    : mprt_sys_getenv(MPROF_ENV_PROFILE_FILE);
    struct mprt_text t = {.out = state.pattern, .size = sizeof(state.pattern)};

    if (pattern != NULL)
        mprt_text_str(&t, pattern);
}

void mprt_path_host(char *out, size_t size)
{
    const int fd = mprt_sys_open_read("/proc/sys/kernel/hostname");
    int64_t n = 0;

    if (fd >= 0) {
        n = mprt_sys_read(fd, out, size - 1);
        mprt_sys_close(fd);
    }
    n = n > 0 ? n : 0;
    while (n > 0 && out[n - 1] == '\n')
        n--;
    out[n] = '\0';
}

static void add_host(struct mprt_text *t)
{
    char host[128];

    mprt_path_host(host, sizeof(host));
    mprt_text_str(t, host);
}

static const char *base_name(const char *path)
{
    const char *base = path;

    for (; *path != '\0'; path++) {
        if (*path == '/')
            base = path + 1;
    }
    return base;
}

static void add_program_name(struct mprt_text *t)
{
    char exe[MPRT_PATH_BYTES];
    const int64_t n = mprt_sys_readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    exe[n > 0 ? n : 0] = '\0';
    mprt_text_str(t, base_name(exe));
}

/* LLVM's %m: signature of the binary, and one of `pool` numbers. */
static void add_signature(struct mprt_text *t, uint64_t pool)
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
    mprt_text_uint(t, signature);
    mprt_text_char(t, '_');
    mprt_text_uint(t, mprt_process_pid() % pool);
}

static void add_tmpdir(struct mprt_text *t)
{
    const char *const dir = mprt_sys_getenv("TMPDIR");

    mprt_text_str(t, dir != NULL ? dir : "/tmp");
}

/* One specifier at s, behind the '%'; returns its last character. What we do
 * not know stays as it is written. */
static const char *expand_specifier(struct mprt_text *t, const char *s)
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
        mprt_text_uint(t, mprt_process_pid());
        return start;
    case 'h':
        add_host(t);
        return start;
    case 't':
        add_tmpdir(t);
        return start;
    case '%':
        mprt_text_char(t, '%');
        return start;
    default:
        mprt_text_char(t, '%');
        return start - 1;
    }
}

static bool ends_with(const char *s, size_t n, const char *end)
{
    const size_t end_bytes = mprt_strlen(end);

    return n >= end_bytes &&
           mprt_memcmp(s + n - end_bytes, end, end_bytes) == 0;
}

static void add_number(struct mprt_text *t, uint32_t number)
{
    if (number != 0) {
        mprt_text_char(t, '.');
        mprt_text_uint(t, number);
    }
}

/* MEMPROF_PROFILE_FILE as LLVM_PROFILE_FILE: the whole name. */
static void add_pattern_name(struct mprt_text *t, uint32_t number)
{
    for (const char *s = state.pattern; *s != '\0'; s++) {
        if (*s == '%')
            s = expand_specifier(t, s + 1);
        else
            mprt_text_char(t, *s);
    }
    if (number != 0 && ends_with(t->out, t->used, MPROF_RAW_SUFFIX)) {
        t->used -= sizeof(MPROF_RAW_SUFFIX) - 1;
        add_number(t, number);
        mprt_text_str(t, MPROF_RAW_SUFFIX);
    } else {
        add_number(t, number);
    }
}

/* LLVM's BASE[.EXE].PID[SUFFIX]; ours goes on with the number and ".raw". */
static void add_base_name(struct mprt_text *t, const char *base,
                          enum mprt_output_kind kind, uint32_t number)
{
    mprt_text_str(t, base);
    if (ends_with(base, mprt_strlen(base), "/"))
        mprt_text_str(t, MPROF_PROFILE_BASENAME);
    if (mprt_options.log_exe_name) {
        mprt_text_char(t, '.');
        add_program_name(t);
    }
    mprt_text_char(t, '.');
    mprt_text_uint(t, mprt_process_pid());
    if (mprt_options.log_suffix != NULL)
        mprt_text_str(t, mprt_options.log_suffix);
    add_number(t, number);
    if (kind == MPRT_OUTPUT_RAW)
        mprt_text_str(t, MPROF_RAW_SUFFIX);
}

/* The descriptor that a name stands for, whatever is behind it, or -1. */
static int descriptor_of(const char *name)
{
    static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};

    if (mprt_strcmp(name, "stdout") == 0 ||
        mprt_strcmp(name, "/dev/stdout") == 0)
        return STDOUT_FD;
    if (mprt_strcmp(name, "stderr") == 0 ||
        mprt_strcmp(name, "/dev/stderr") == 0)
        return STDERR_FD;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(dirs); i++) {
        const size_t n = mprt_strlen(dirs[i]);
        int fd = 0;

        if (mprt_strlen(name) <= n || mprt_memcmp(name, dirs[i], n) != 0)
            continue;
        for (const char *s = name + n; *s != '\0' && fd >= 0; s++)
            fd =
                *s >= '0' && *s <= '9' && fd < 100000 ? 10 * fd + *s - '0' : -1;
        return fd;
    }
    return -1;
}

/* What is in force: a base name, or NULL with a descriptor in *fd, or NULL with
 * -1: MEMPROF_PROFILE_FILE. */
static const char *find_base(int *fd)
{
    const char *base = __memprof_profile_filename;

    *fd = -1;
    if (state.has_report_fd) {
        *fd = state.report_fd;
        return NULL;
    }
    if (state.report_path[0] != '\0')
        base = state.report_path;
    else if (state.pattern[0] != '\0') {
        *fd = state.pattern[0] == '/' ? descriptor_of(state.pattern) : -1;
        return NULL;
    } else if (mprt_options.log_path != NULL &&
               mprt_options.log_path[0] != '\0')
        base = mprt_options.log_path;
    *fd = base[0] != '\0' ? descriptor_of(base) : STDERR_FD;
    return *fd >= 0 ? NULL : base;
}

/* The name with this number into path; false where it does not fit. */
static bool make_name(char *path, enum mprt_output_kind kind, uint32_t number)
{
    struct mprt_text t = {.out = path, .size = MPRT_PATH_BYTES};
    int fd;
    const char *const base = find_base(&fd);

    path[0] = '\0';
    if (base != NULL)
        add_base_name(&t, base, kind, number);
    else if (fd < 0)
        add_pattern_name(&t, number);
    return t.used + 1 < t.size;
}

static void make_temp_name(char *temp, const char *path)
{
    struct mprt_text t = {.out = temp, .size = MPRT_PATH_BYTES};

    mprt_text_strn(&t, path, (size_t)(base_name(path) - path));
    mprt_text_str(&t, ".memprof.");
    mprt_text_uint(&t, mprt_process_pid());
    mprt_text_char(&t, '.');
    mprt_text_hex(&t, mprt_sys_random());
    mprt_text_str(&t, ".part");
}

/* -- Files ----------------------------------------------------------------- */

static const char *error_name(int64_t negative_errno, char out[32])
{
    struct mprt_text t = {.out = out, .size = 32};

    switch (negative_errno) {
    case -ENOENT:
        return "no such directory";
    case -EACCES:
    case -EPERM:
        return "permission denied";
    case -ENOSPC:
        return "no space left";
    case -EROFS:
        return "read-only file system";
    case -EFBIG:
        return "larger than files may be";
    case -EMFILE:
    case -ENFILE:
        return "too many open files";
    case -ENOTDIR:
        return "not a directory";
    case -EISDIR:
        return "is a directory";
    case -ENAMETOOLONG:
        return "the name is too long";
    case -ENXIO:
        return "nobody reads it";
    default:
        mprt_text_str(&t, "error ");
        mprt_text_uint(&t, (uint64_t)-negative_errno);
        return out;
    }
}

/* The beginning of a name; where it is cut, that shows. */
static const char *shown_name(const char *path, char out[SHOWN_NAME_BYTES + 4])
{
    const bool fits = mprt_strlen(path) <= SHOWN_NAME_BYTES;
    struct mprt_text t = {.out = out, .size = SHOWN_NAME_BYTES + 4};

    mprt_text_strn(&t, path, fits ? mprt_strlen(path) : SHOWN_NAME_BYTES);
    mprt_text_str(&t, fits ? "" : "...");
    return out;
}

static int complain(const char *path, int64_t negative_errno)
{
    static uint32_t once;
    char text[32];
    char name[SHOWN_NAME_BYTES + 4];

    /* It would be said every second. */
    if (mprt_options.continuous &&
        __atomic_exchange_n(&once, 1, __ATOMIC_RELAXED) != 0)
        return -1;
    mprt_log("cannot write the profile ", shown_name(path, name), ": ",
             error_name(negative_errno, text),
             "; choose another place with " MPROF_ENV_PROFILE_FILE
             " or log_path",
             NULL);
    return -1;
}

static void complain_of_length(const char *path)
{
    char name[SHOWN_NAME_BYTES + 4];
    int fd;
    const bool is_pattern = find_base(&fd) == NULL;
    const bool is_log_path = !is_pattern && state.report_path[0] == '\0' &&
                             mprt_options.log_path != NULL &&
                             mprt_options.log_path[0] != '\0';

    mprt_log("the profile's file name is too long: ", shown_name(path, name),
             is_log_path ? "; give a shorter one with log_path"
                         : "; give a shorter one with " MPROF_ENV_PROFILE_FILE,
             NULL);
}

static void complain_of_directory(const char *path)
{
    char name[SHOWN_NAME_BYTES + 4];

    mprt_log("cannot write the profile ", shown_name(path, name),
             ": is a directory; put a file name such as %p.raw behind it "
             "in " MPROF_ENV_PROFILE_FILE,
             NULL);
}

static void make_parents(const char *path)
{
    char dir[MPRT_PATH_BYTES];
    struct mprt_text t = {.out = dir, .size = sizeof(dir)};

    for (const char *s = path; *s != '\0'; s++) {
        if (*s == '/' && s != path)
            mprt_sys_mkdir(dir, DIR_MODE);
        mprt_text_char(&t, *s);
    }
}

static int open_unnamed(const struct mprt_output *output)
{
    char dir[MPRT_PATH_BYTES];
    struct mprt_text t = {.out = dir, .size = sizeof(dir)};

    mprt_text_strn(&t, output->path,
                   (size_t)(base_name(output->path) - output->path));
    mprt_text_str(&t, ".");
    return mprt_sys_create_unnamed(dir, FILE_MODE);
}

/* With continuous=1 the program may well be killed while a file is written:
 * then it has no name yet, where the file system can do that, and is gone. */
static int open_temp(struct mprt_output *output)
{
    int fd;

    output->is_unnamed = false;
    if (mprt_options.continuous && !state.needs_names) {
        fd = open_unnamed(output);
        output->is_unnamed = fd >= 0;
        if (fd >= 0)
            return fd;
    }
    make_temp_name(output->temp, output->path);
    fd = mprt_sys_create_exclusive(output->temp, FILE_MODE);
    if (fd == -ENOENT) {
        make_parents(output->path);
        fd = mprt_sys_create_exclusive(output->temp, FILE_MODE);
    }
    return fd;
}

/* Not a file of ours, and no descriptor of the program's. */
static bool is_special(const struct mprt_output *output)
{
    return !output->is_file && output->path[0] != '\0';
}

static bool is_directory_name(const char *path)
{
    return path[0] != '\0' && base_name(path)[0] == '\0';
}

/* True where the one file of continuous=1 is there, to be replaced. */
static bool continues_own(void)
{
    return mprt_options.continuous && state.own_path[0] != '\0' &&
           state.own_pid == mprt_process_pid() &&
           state.own_place == state.place;
}

/* The program may go elsewhere, and the file is still the same. */
static void make_absolute(char path[MPRT_PATH_BYTES])
{
    char whole[MPRT_PATH_BYTES];
    struct mprt_text t = {.out = whole, .size = sizeof(whole)};
    int64_t n;

    if (path[0] == '/')
        return;
    n = mprt_sys_readlink("/proc/self/cwd", whole, sizeof(whole) - 1);
    if (n <= 0 || (size_t)n + 1 + mprt_strlen(path) >= sizeof(whole))
        return;
    t.used = (size_t)n;
    mprt_text_char(&t, '/');
    mprt_text_str(&t, path);
    t.out = path;
    t.used = 0;
    mprt_text_str(&t, whole);
}

static bool find_path(struct mprt_output *output)
{
    struct mprt_text t = {.out = output->path, .size = sizeof(output->path)};

    if (continues_own()) {
        mprt_text_str(&t, state.own_path);
        return true;
    }
    if (!make_name(output->path, output->kind, 0))
        return false;
    if (mprt_options.continuous)
        make_absolute(output->path);
    return true;
}

/* The helper has no descriptors, and opens the program's anew. */
static int use_descriptor(struct mprt_output *output, int fd)
{
    static uint32_t once;

    output->fd = fd;
    if (!mprt_helper_is_here())
        return 0;
    if (!mprt_options.continuous)
        output->fd = mprt_helper_open_fd(fd);
    output->is_opened = !mprt_options.continuous && output->fd >= 0;
    if (output->is_opened)
        return 0;
    mprt_log_once(&once,
                  "profiles while the program runs need a file, not a "
                  "descriptor; name one with " MPROF_ENV_PROFILE_FILE
                  " or log_path",
                  NULL);
    return -1;
}

int mprt_output_begin(struct mprt_output *output, enum mprt_output_kind kind)
{
    int fd;

    output->kind = kind;
    output->is_file = false;
    output->is_opened = false;
    output->path[0] = '\0';
    if (mprt_options_is_secure())
        return -1;
    if (find_base(&fd) == NULL && fd >= 0)
        return use_descriptor(output, fd);
    if (!find_path(output)) {
        complain_of_length(output->path);
        output->path[0] = '\0';
        return -1;
    }
    fd = is_directory_name(output->path) ? -EISDIR
                                         : mprt_sys_open_special(output->path);
    if (fd == -ENOENT) {
        fd = open_temp(output);
        output->is_file = fd >= 0;
    }
    output->fd = fd;
    if (fd >= 0)
        return 0;
    if (fd == -EISDIR)
        complain_of_directory(output->path);
    else
        complain(output->path, fd);
    output->path[0] = '\0';
    output->fd = STDERR_FD;
    return mprt_options.log_fallback_to_stderr ? 0 : -1;
}

void mprt_output_cancel(struct mprt_output *output)
{
    if (output->is_file) {
        mprt_sys_close(output->fd);
        if (!output->is_unnamed)
            mprt_sys_unlink(output->temp);
    } else if (output->is_opened || is_special(output)) {
        mprt_sys_close(output->fd);
        output->path[0] = '\0';
    }
    output->is_file = false;
}

void mprt_output_forsake(const struct mprt_output *output)
{
    if (output->is_file && !output->is_unnamed)
        mprt_sys_unlink(output->temp);
}

/* Copies our last file into the new one; false where that file is not as we
 * left it, with the new one's contents undefined. */
static bool copy_own(const struct mprt_output *output, uint8_t *scratch)
{
    const int fd = mprt_sys_open_read(state.own_path);
    uint64_t copied = 0;
    int64_t n;

    if (fd < 0)
        return false;
    while ((n = mprt_sys_read(fd, scratch, COPY_BYTES)) > 0) {
        if (mprt_sys_write_all(output->fd, scratch, (size_t)n) != 0)
            break;
        copied += (uint64_t)n;
    }
    mprt_sys_close(fd);
    return n == 0 && copied == state.own_bytes;
}

/* True where the contents of our last file now stand in the new one. */
static bool take_over_own(struct mprt_output *output)
{
    uint8_t *scratch;
    bool taken;

    if (output->kind == MPRT_OUTPUT_RAW || state.own_path[0] == '\0' ||
        state.own_pid != mprt_process_pid() ||
        mprt_strcmp(state.own_path, output->path) != 0)
        return false;
    scratch = (uint8_t *)mprt_sys_map(COPY_BYTES);
    taken = scratch != NULL && copy_own(output, scratch);
    if (scratch != NULL)
        mprt_sys_unmap(scratch, COPY_BYTES);
    if (!taken) {
        mprt_sys_close(output->fd);
        mprt_sys_unlink(output->temp);
        output->fd = open_temp(output);
    }
    return taken;
}

/* Gives the finished file the first name that is free. */
static int publish(struct mprt_output *output)
{
    int err = mprt_sys_rename_exclusive(output->temp, output->path);
    uint32_t number = state.next_number;

    while (err == -EEXIST && number < NUMBERS_MAX) {
        if (!make_name(output->path, output->kind, ++number))
            break;
        if (mprt_options.continuous)
            make_absolute(output->path);
        err = mprt_sys_rename_exclusive(output->temp, output->path);
    }
    if (err == 0)
        state.next_number = number;
    return err;
}

static void remember_own(const struct mprt_output *output, uint64_t bytes)
{
    struct mprt_text t = {.out = state.own_path,
                          .size = sizeof(state.own_path)};

    mprt_text_str(&t, output->path);
    state.own_bytes = bytes;
    state.own_pid = mprt_process_pid();
    state.own_place = state.place;
}

/* The bytes in a file that has a temporary name. */
static int write_temp(struct mprt_output *output, const void *data, size_t n)
{
    int err = output->fd;

    if (err >= 0)
        err = mprt_sys_write_all(output->fd, data, n);
    if (err == 0 && output->is_unnamed) {
        make_temp_name(output->temp, output->path);
        err = mprt_sys_name_file(output->fd, output->temp);
        state.needs_names = err != 0;
        output->is_unnamed = err != 0;
    }
    if (output->fd >= 0)
        mprt_sys_close(output->fd);
    return err;
}

static int write_file(struct mprt_output *output, const void *data, size_t n)
{
    const bool continues = continues_own();
    const bool replaces = continues || take_over_own(output);
    const uint64_t before = replaces && !continues ? state.own_bytes : 0;
    int err = write_temp(output, data, n);

    if (err != 0 && output->is_unnamed && state.needs_names) {
        output->fd = open_temp(output);
        err = write_temp(output, data, n);
    }
    if (err == 0)
        err = replaces ? mprt_sys_rename_over(output->temp, output->path)
                       : publish(output);
    if (err != 0) {
        if (!output->is_unnamed)
            mprt_sys_unlink(output->temp);
        return complain(output->path, err);
    }
    output->is_new = !replaces;
    remember_own(output, before + n);
    if (mprt_options.verbosity >= 1 && !continues)
        mprt_log("wrote the profile to ", output->path, NULL);
    return 0;
}

int mprt_output_finish(struct mprt_output *output, const void *data, size_t n)
{
    int err;

    if (output->is_file) {
        err = write_file(output, data, n);
        output->is_file = false;
        return err;
    }
    err = mprt_sys_write_all(output->fd, data, n);
    if (err != 0)
        complain(output->path[0] != '\0' ? output->path
                                         : "to an open descriptor",
                 err);
    if (output->is_opened || is_special(output)) {
        /* It is no file to take anything back from. */
        mprt_sys_close(output->fd);
        output->path[0] = '\0';
    }
    return err == 0 ? 0 : -1;
}

void mprt_output_undo(const struct mprt_output *output,
                      const struct mprt_output_mark *mark)
{
    /* With continuous=1 the file is right as it is. */
    if (output->path[0] == '\0' || mprt_options.continuous)
        return;
    if (mark->own_bytes != 0 &&
        mprt_strcmp(output->path, state.own_path) == 0 && !output->is_new) {
        mprt_sys_truncate(output->path, mark->own_bytes);
        state.own_bytes = mark->own_bytes;
        return;
    }
    mprt_sys_unlink(output->path);
    state.own_path[0] = '\0';
    state.next_number = mark->next_number;
}

void mprt_output_mark(struct mprt_output_mark *mark)
{
    mark->own_bytes = state.own_path[0] != '\0' ? state.own_bytes : 0;
    mark->next_number = state.next_number;
}

void mprt_output_reset(void)
{
    state.own_path[0] = '\0';
    state.next_number = 0;
}

/* -- What programs may set ------------------------------------------------- */

MPRT_INTERFACE void __sanitizer_set_report_path(const char *path)
{
    struct mprt_text t = {.out = state.report_path,
                          .size = sizeof(state.report_path)};

    if (path != NULL && mprt_strlen(path) >= sizeof(state.report_path) / 2) {
        mprt_log("report path is too long, ignored", NULL);
        return;
    }
    mprt_text_str(&t, path != NULL ? path : "stderr");
    state.has_report_fd = false;
    state.place++;
}

MPRT_INTERFACE void __sanitizer_set_report_fd(void *fd)
{
    state.report_fd = (int)(intptr_t)fd;
    state.has_report_fd = true;
    state.place++;
}

/* The public header leaves the argument list open. */
const char *__sanitizer_get_report_path(void);

MPRT_INTERFACE const char *__sanitizer_get_report_path(void)
{
    static char path[MPRT_PATH_BYTES];
    const bool is_llvm = mprt_options.print_text ||
                         mprt_strcmp(mprt_options.raw_format, "llvm") == 0;

    make_name(path, is_llvm ? MPRT_OUTPUT_RAW_LLVM : MPRT_OUTPUT_RAW, 0);
    return path;
}
