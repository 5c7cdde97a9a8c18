/* foreign.h -- heap profiles of other tools: one file and one row per format.
 * These profiles record allocations, but no accesses.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/model/profile.h"

struct mpdata_event_choice;

/* X(name, title) stands for mpdata_NAME_is() and mpdata_NAME_read(). */
#define MPDATA_FOREIGN_FORMATS(X)                \
    X(pprof, "profile of pprof")                 \
    X(heaptrack, "heaptrack file")               \
    X(luajit, "log of LuaJIT's memory profiler") \
    X(mono_mlpd, "log of Mono's profiler")       \
    X(mono_first, "log of Mono's first profiler")

/* Does a file of this format begin like `data`, the first 64 KiB of a file or
 * more? */
typedef bool mpdata_foreign_is_fn(const uint8_t *data, size_t size);
/* Adds the file to *into; after a failure *into can only be freed. Memory is
 * bounded by the file's size. Errors: those of a reader; UNSUPPORTED for a
 * profile that is not a heap profile. If a log is damaged, the result is OK,
 * *into has what stands before the damage, and *diag, which the caller zeroed,
 * has the error. diag may be NULL. */
typedef enum mprof_err mpdata_foreign_read_fn(const uint8_t *data, size_t size,
                                              struct mpdata_profile *into,
                                              struct mprof_diag *diag);

struct mpdata_foreign {
    const char *title;
    mpdata_foreign_is_fn *is;
    mpdata_foreign_read_fn *read;
};

/* Returns the format of a file, or NULL. */
const struct mpdata_foreign *mpdata_foreign_find(const uint8_t *data,
                                                 size_t size);

/* Reads a file of a known format into *into, which is empty. Errors: those of
 * mpdata_foreign_read_fn; FRAMES if its call stacks have more frames in total
 * than mpdata_profile_frames_max() allows for its size. */
MPROF_NODISCARD enum mprof_err mpdata_foreign_read(const uint8_t *data,
                                                   size_t size,
                                                   struct mpdata_profile *into,
                                                   struct mprof_diag *diag);
/* The same of the chosen blocks of a log; of other files the whole, and
 * choice->is_found stays false. Errors also: those of
 * mpdata_event_choice_find(), USAGE for a log that does not tell ends. */
MPROF_NODISCARD enum mprof_err mpdata_foreign_read_moment(
    const uint8_t *data, size_t size, struct mpdata_event_choice *choice,
    struct mpdata_profile *into, struct mprof_diag *diag);
enum mprof_err mpdata_luajit_moment(const uint8_t *data, size_t size,
                                    struct mpdata_event_choice *choice,
                                    struct mpdata_profile *into,
                                    struct mprof_diag *diag);

#define MPDATA_FOREIGN_NO_ENDS                                           \
    "the log does not tell which objects ended, so what was alive at a " \
    "moment "                                                            \
    "is unknown"
/* The moment must be one of a heapshot. */
enum mprof_err mpdata_mono_mlpd_moment(const uint8_t *data, size_t size,
                                       struct mpdata_event_choice *choice,
                                       struct mpdata_profile *into,
                                       struct mprof_diag *diag);

/* The call stacks of a log, by number, from 0 on. */
struct mpdata_foreign_stacks {
    mpdata_ref *leaves; /* owned; nodes of the profile */
    uint32_t count;
};
typedef enum mprof_err mpdata_foreign_stacks_fn(
    const uint8_t *data, size_t size, struct mpdata_profile *into,
    struct mpdata_foreign_stacks *stacks, struct mprof_diag *diag);

/* Adds the call stacks of a log (mpdata_foreign_log_is()) to *into, which is
 * empty. *stacks is zeroed before, and freed by the caller in any case. Errors:
 * as mpdata_foreign_read(). */
MPROF_NODISCARD enum mprof_err mpdata_foreign_read_stacks(
    const uint8_t *data, size_t size, struct mpdata_profile *into,
    struct mpdata_foreign_stacks *stacks, struct mprof_diag *diag);
mpdata_foreign_stacks_fn mpdata_luajit_stacks;
mpdata_foreign_stacks_fn mpdata_mono_mlpd_stacks;
mpdata_foreign_stacks_fn mpdata_mono_first_stacks;

#define X(name, title)                       \
    mpdata_foreign_is_fn mpdata_##name##_is; \
    mpdata_foreign_read_fn mpdata_##name##_read;
MPDATA_FOREIGN_FORMATS(X)
#undef X
