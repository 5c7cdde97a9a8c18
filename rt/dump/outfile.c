/* outfile.c -- writes a profile as a file that appears complete.
 *
 * The file is written as ".memprof.PID.RANDOM.part" in its final directory, a
 * name that neither "*.raw" nor "memprof.profraw.*" matches, and renamed when
 * it is complete. A finished file is never overwritten; the name gets a number
 * instead. Where LLVM's runtime would append to its own file, we copy the old
 * contents into the new file, which then replaces the old one.
 *
 * If something exists that is not a regular file, such as /dev/null, we write
 * to it directly.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "rt/dump/outfile.h"
#include "rt/base/memory.h"
#include "rt/base/identity.h"
#include "rt/base/libc.h"
#include "rt/base/log.h"
#include "rt/base/options.h"
#include "rt/base/procfs.h"
#include "shared/abi.h"

#include <errno.h>

#define FILE_MODE 0640
#define DIR_MODE 0755
#define COPY_BYTES (64u << 10)
#define NUMBERS_MAX 1000000u
/* Limit of a name in a message, which leaves room for the rest of the line. */
#define SHOWN_NAME_BYTES 200

static struct {
    /* The last file that this process finished, for appending. */
    char own_path[MPRT_PATH_BYTES];
    uint64_t own_bytes;
    uint32_t own_pid;
    uint32_t own_place;
    bool needs_names; /* for files that are not whole yet */
    bool is_in_landlock;
    /* Where to go on looking for a free number in names. */
    uint32_t next_number;
    /* A file that was kept open, or 0; the program may close it. */
    int kept_fd;
    uint64_t kept_identity;
} state;

/* -- files ----------------------------------------------------------------- */

const char *mprt_outfile_error(int64_t negative_errno, char out[32])
{
    struct mprt_textbuf t = {.out = out, .size = 32};

    switch (negative_errno) {
    case -ENOENT:
        return "no such directory";
    case -EACCES:
    case -EPERM:
        return "permission denied";
    case -ENOSPC:
    case -EDQUOT:
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
    case -ENOSYS:
        return "the program forbids that by seccomp";
    case -EPIPE:
    case -ECONNRESET:
    case -ECONNREFUSED:
    case -ENXIO:
    case -EAGAIN:
        return "nobody reads it";
    case -EBADF:
        return "no such open descriptor";
    default:
        MPRT_TEXT(&t, "error ", MPRT_DEC((uint64_t)-negative_errno));
        return out;
    }
}

/* The beginning of a name, with "..." if it is cut. */
static const char *shown_name(const char *path, char out[SHOWN_NAME_BYTES + 4])
{
    const bool fits = mprt_libc_strlen(path) <= SHOWN_NAME_BYTES;
    struct mprt_textbuf t = {.out = out, .size = SHOWN_NAME_BYTES + 4};

    mprt_textbuf_strn(&t, path,
                      fits ? mprt_libc_strlen(path) : SHOWN_NAME_BYTES);
    mprt_textbuf_str(&t, fits ? "" : "...");
    return out;
}

/* Whether the file could be written in another place. */
static bool is_of_place(int64_t negative_errno)
{
    return negative_errno != -EMFILE && negative_errno != -ENFILE &&
           negative_errno != -ENOSYS;
}

static int complain(const struct mprt_outfile *output, int64_t negative_errno)
{
    const char *const path =
        output->path[0] != '\0' ? output->path : "to an open descriptor";
    static uint32_t once;
    char text[32];
    char name[SHOWN_NAME_BYTES + 4];

    /* Otherwise the message would come every second. */
    if (mprt_options.continuous && output->pattern == NULL &&
        __atomic_exchange_n(&once, 1, __ATOMIC_RELAXED) != 0)
        return -1;
    if (state.is_in_landlock && negative_errno == -EACCES)
        MPRT_LOG("the program forbids itself by landlock to write the profile ",
                 shown_name(path, name),
                 mprt_options.continuous
                     ? ": what the last second brought is not in it"
                     : "");
    else
        MPRT_LOG("cannot write the profile ", shown_name(path, name), ": ",
                 mprt_outfile_error(negative_errno, text),
                 output->pattern != NULL || !is_of_place(negative_errno)
                     ? ""
                     : "; choose another place with " MPROF_ENV_PROFILE_FILE
                       " or log_path");
    return -1;
}

static void complain_of_length(const char *path)
{
    char name[SHOWN_NAME_BYTES + 4];

    MPRT_LOG("the profile's file name is too long: ", shown_name(path, name),
             mprt_outname_is_log_path()
                 ? "; give a shorter one with log_path"
                 : "; give a shorter one with " MPROF_ENV_PROFILE_FILE);
}

static void complain_of_directory(const char *path)
{
    char name[SHOWN_NAME_BYTES + 4];

    MPRT_LOG("cannot write the profile ", shown_name(path, name),
             ": is a directory; put a file name such as %p.raw behind it "
             "in " MPROF_ENV_PROFILE_FILE);
}

static void make_parents(const char *path)
{
    char dir[MPRT_PATH_BYTES];
    struct mprt_textbuf t = {.out = dir, .size = sizeof(dir)};

    for (const char *s = path; *s != '\0'; s++) {
        if (*s == '/' && s != path)
            mprt_os_mkdir(dir, DIR_MODE);
        mprt_textbuf_char(&t, *s);
    }
}

static int open_unnamed(const struct mprt_outfile *output)
{
    char dir[MPRT_PATH_BYTES];
    struct mprt_textbuf t = {.out = dir, .size = sizeof(dir)};

    mprt_textbuf_strn(&t, output->path,
                      (size_t)(mprt_outname_base(output->path) - output->path));
    mprt_textbuf_str(&t, ".");
    return mprt_os_create_unnamed(dir, FILE_MODE);
}

/* With continuous=1 the program may be killed while a file is written. If the
 * file system supports it, the unfinished file has no name and vanishes then.
 */
static int open_temp(struct mprt_outfile *output)
{
    int fd;

    output->is_unnamed = false;
    if (mprt_options.continuous && !state.needs_names) {
        fd = open_unnamed(output);
        output->is_unnamed = fd >= 0;
        if (fd >= 0)
            return fd;
    }
    mprt_outname_make_temp(output->temp, output->path);
    fd = mprt_os_create_exclusive(output->temp, FILE_MODE);
    if (fd == -ENOENT) {
        make_parents(output->path);
        fd = mprt_os_create_exclusive(output->temp, FILE_MODE);
    }
    return fd;
}

/* Whether the output is neither our file nor a descriptor of the program. */
static bool is_special(const struct mprt_outfile *output)
{
    return !output->is_file && output->path[0] != '\0';
}

static bool is_directory_name(const char *path)
{
    return path[0] != '\0' && mprt_outname_base(path)[0] == '\0';
}

/* Whether the one file of continuous=1 exists and is to be replaced. */
static bool continues_own(const struct mprt_outfile *output)
{
    return mprt_options.continuous && !output->is_extra &&
           state.own_path[0] != '\0' && state.own_pid == mprt_identity_pid() &&
           state.own_place == mprt_outname_place();
}

static bool make_path(struct mprt_outfile *output, uint32_t number)
{
    const bool fits =
        output->pattern != NULL
            ? mprt_outname_make_as(output->path, output->pattern, number)
            : mprt_outname_make(output->path, output->kind, number);

    if (mprt_options.continuous || output->pattern != NULL)
        mprt_outname_make_absolute(output->path);
    return fits;
}

static bool find_path(struct mprt_outfile *output)
{
    struct mprt_textbuf t = {.out = output->path, .size = sizeof(output->path)};

    if (continues_own(output)) {
        mprt_textbuf_str(&t, state.own_path);
        return true;
    }
    return make_path(output, 0);
}

/* Uses the program's descriptor. The helper has no descriptors and opens the
 * program's again. */
static int use_descriptor(struct mprt_outfile *output, int fd)
{
    output->fd = fd;
    if (!mprt_identity_is_helper())
        return 0;
    if (!mprt_options.continuous)
        output->fd = mprt_procfs_open_fd(fd);
    output->is_opened = !mprt_options.continuous && output->fd >= 0;
    if (output->is_opened)
        return 0;
    MPRT_LOG_ONCE("profiles while the program runs need a file, not a "
                  "descriptor; name one with " MPROF_ENV_PROFILE_FILE
                  " or log_path");
    return -1;
}

/* -- A file that was kept open --------------------------------------------- */

bool mprt_outfile_is_kept(void)
{
    return state.kept_fd > 0 && state.kept_identity != 0 &&
           mprt_os_file_identity(state.kept_fd) == state.kept_identity;
}

bool mprt_outfile_keep_open(const struct mprt_outfile *output)
{
    mprt_outfile_let_go();
    if (output->path[0] == '\0')
        return false;
    state.kept_fd = mprt_os_open_high(output->path);
    state.kept_identity = mprt_os_file_identity(state.kept_fd);
    return mprt_outfile_is_kept();
}

void mprt_outfile_let_go(void)
{
    if (mprt_outfile_is_kept())
        mprt_os_close(state.kept_fd);
    state.kept_fd = 0;
}

/* -- The whole ------------------------------------------------------------- */

static int begin_new(struct mprt_outfile *output)
{
    int fd = -EISDIR;

    if (!make_path(output, 0)) {
        complain_of_length(output->path);
        output->path[0] = '\0';
        return -1;
    }
    if (!is_directory_name(output->path))
        fd = open_temp(output);
    output->fd = fd;
    output->is_file = fd >= 0;
    return fd >= 0 ? 0 : complain(output, fd);
}

int mprt_outfile_begin(struct mprt_outfile *output, enum mprt_outname_kind kind,
                       const char *pattern, bool is_last, bool is_extra)
{
    output->kind = kind;
    output->is_file = false;
    output->is_opened = false;
    output->is_kept = false;
    output->is_extra = pattern != NULL || (is_extra && mprt_options.continuous);
    output->pattern = pattern;
    output->path[0] = '\0';
    if (mprt_options_is_secure())
        return -1;
    if (pattern != NULL)
        return begin_new(output);
    int fd = mprt_outname_descriptor();
    if (fd >= 0)
        return use_descriptor(output, fd);
    output->is_kept = is_last && mprt_outfile_is_kept();
    if (output->is_kept) {
        output->fd = state.kept_fd;
        return 0;
    }
    if (!find_path(output)) {
        complain_of_length(output->path);
        output->path[0] = '\0';
        return -1;
    }
    fd = is_directory_name(output->path) ? -EISDIR
                                         : mprt_os_open_special(output->path);
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
        complain(output, fd);
    output->path[0] = '\0';
    output->fd = MPRT_OS_STDERR;
    return mprt_options.log_fallback_to_stderr ? 0 : -1;
}

void mprt_outfile_cancel(struct mprt_outfile *output)
{
    if (output->is_file) {
        mprt_os_close(output->fd);
        if (!output->is_unnamed)
            mprt_os_unlink(output->temp);
    } else if (output->is_opened || is_special(output)) {
        mprt_os_close(output->fd);
        output->path[0] = '\0';
    }
    output->is_file = false;
}

void mprt_outfile_abandon(const struct mprt_outfile *output)
{
    if (output->is_file && !output->is_unnamed)
        mprt_os_unlink(output->temp);
}

/* Copies our last file into the new one. False if that file has changed; the
 * contents of the new one are undefined then. */
static bool copy_own(const struct mprt_outfile *output, uint8_t *scratch)
{
    const int fd = mprt_os_open_read(state.own_path);
    uint64_t copied = 0;
    int64_t n;

    if (fd < 0)
        return false;
    while ((n = mprt_os_read(fd, scratch, COPY_BYTES)) > 0) {
        if (mprt_os_write_all(output->fd, scratch, (size_t)n) != 0)
            break;
        copied += (uint64_t)n;
    }
    mprt_os_close(fd);
    return n == 0 && copied == state.own_bytes;
}

/* Copies our last file into the new one if they have the same name. Returns
 * whether it did. */
static bool take_over_own(struct mprt_outfile *output)
{
    if (output->kind == MPRT_OUTNAME_RAW || output->pattern != NULL ||
        state.own_path[0] == '\0' || state.own_pid != mprt_identity_pid() ||
        mprt_libc_strcmp(state.own_path, output->path) != 0)
        return false;
    uint8_t *const scratch = mprt_memory_map(COPY_BYTES);
    const bool taken = scratch != NULL && copy_own(output, scratch);
    if (scratch != NULL)
        mprt_memory_unmap(scratch, COPY_BYTES);
    if (!taken) {
        mprt_os_close(output->fd);
        mprt_os_unlink(output->temp);
        output->fd = open_temp(output);
    }
    return taken;
}

/* Renames the finished file to the first free name. */
static int publish(struct mprt_outfile *output)
{
    int err = mprt_os_rename_exclusive(output->temp, output->path);
    uint32_t number = output->pattern == NULL ? state.next_number : 0;

    while (err == -EEXIST && number < NUMBERS_MAX) {
        if (!make_path(output, ++number))
            break;
        err = mprt_os_rename_exclusive(output->temp, output->path);
    }
    if (err == 0 && output->pattern == NULL)
        state.next_number = number;
    return err;
}

static void remember_own(const struct mprt_outfile *output, uint64_t bytes)
{
    struct mprt_textbuf t = {.out = state.own_path,
                             .size = sizeof(state.own_path)};

    mprt_textbuf_str(&t, output->path);
    state.own_bytes = bytes;
    state.own_pid = mprt_identity_pid();
    state.own_place = mprt_outname_place();
}

/* Writes the bytes to a file with a temporary name. */
static int write_temp(struct mprt_outfile *output, const void *data, size_t n)
{
    int err = output->fd;

    if (err >= 0)
        err = mprt_os_write_all(output->fd, data, n);
    if (err == 0 && output->is_unnamed) {
        mprt_outname_make_temp(output->temp, output->path);
        err = mprt_os_name_file(output->fd, output->temp);
        state.needs_names = err != 0;
        output->is_unnamed = err != 0;
    }
    if (output->fd >= 0)
        mprt_os_close(output->fd);
    return err;
}

static int write_file(struct mprt_outfile *output, const void *data, size_t n)
{
    const bool continues = continues_own(output);
    const bool replaces = continues || take_over_own(output);
    const uint64_t before = replaces && !continues ? state.own_bytes : 0;
    int err = write_temp(output, data, n);

    if (err != 0 && output->is_unnamed && state.needs_names) {
        output->fd = open_temp(output);
        err = write_temp(output, data, n);
    }
    if (err == 0)
        err = replaces ? mprt_os_rename_over(output->temp, output->path)
                       : publish(output);
    if (err != 0) {
        if (!output->is_unnamed)
            mprt_os_unlink(output->temp);
        return complain(output, err);
    }
    output->is_new = !replaces;
    if (!output->is_extra)
        remember_own(output, before + n);
    if (mprt_options.verbosity >= 1 && !continues)
        MPRT_LOG("wrote the profile to ", output->path);
    return 0;
}

/* Locks the stream, because several processes may write to one pipe, which
 * takes a part at a time. */
static int write_stream(int fd, const void *data, size_t n)
{
    const bool is_locked = mprt_os_lock_stream(fd);
    const int err = mprt_os_write_all(fd, data, n);

    if (is_locked)
        mprt_os_unlock_stream(fd);
    return err;
}

int mprt_outfile_finish(struct mprt_outfile *output, const void *data, size_t n)
{
    int err;

    if (output->is_file) {
        err = write_file(output, data, n);
        output->is_file = false;
        return err;
    }
    if (output->is_kept)
        mprt_os_empty(output->fd);
    err = write_stream(output->fd, data, n);
    if (err != 0)
        complain(output, err);
    if (output->is_opened || is_special(output)) {
        /* Not a file, so nothing can be taken back. */
        mprt_os_close(output->fd);
        output->path[0] = '\0';
    }
    return err == 0 ? 0 : -1;
}

void mprt_outfile_enter_landlock(void)
{
    state.is_in_landlock = true;
}

bool mprt_outfile_is_out_of_reach(void)
{
    if (state.own_path[0] == '\0' || state.own_pid != mprt_identity_pid())
        return false;
    const int fd = mprt_os_open_read(state.own_path);
    if (fd >= 0)
        mprt_os_close(fd);
    return fd < 0;
}

bool mprt_outfile_can_replace(struct mprt_outfile *output)
{
    if (output->path[0] == '\0')
        return true;
    mprt_outname_make_temp(output->temp, output->path);
    if (mprt_os_rename_over(output->path, output->temp) != 0)
        return false;
    mprt_os_rename_over(output->temp, output->path);
    output->fd = open_temp(output);
    output->is_file = output->fd >= 0;
    const bool can = output->is_file;
    mprt_outfile_cancel(output);
    return can;
}

void mprt_outfile_undo(const struct mprt_outfile *output,
                       const struct mprt_outfile_mark *mark)
{
    /* With continuous=1 the file stays. */
    if (output->path[0] == '\0' || mprt_options.continuous)
        return;
    if (mark->own_bytes != 0 &&
        mprt_libc_strcmp(output->path, state.own_path) == 0 &&
        !output->is_new) {
        mprt_os_truncate(output->path, mark->own_bytes);
        state.own_bytes = mark->own_bytes;
        return;
    }
    mprt_os_unlink(output->path);
    state.own_path[0] = '\0';
    state.next_number = mark->next_number;
}

void mprt_outfile_mark(struct mprt_outfile_mark *mark)
{
    mark->own_bytes = state.own_path[0] != '\0' ? state.own_bytes : 0;
    mark->next_number = state.next_number;
}

void mprt_outfile_in_child(void)
{
    mprt_outfile_reset();
    mprt_outfile_let_go();
}

void mprt_outfile_reset(void)
{
    state.own_path[0] = '\0';
    state.next_number = 0;
}
