/* resident.c -- what the resident memory of a run consists of.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/query/resident.h"
#include "profdata/model/runs.h"

const char *const mpdata_resident_names[MPROF_RESIDENT_COUNT] = {
#define Y(X, number, name, member, text) [name] = (text),
    MPROF_RESIDENT_KINDS(Y, , 0, MPROF_RESIDENT, resident, "")
#undef Y
};

const char *const mpdata_resident_keys[MPROF_RESIDENT_COUNT] = {
#define Y(X, number, name, member, text) \
    [name] = &#member[sizeof("resident_") - 1],
    MPROF_RESIDENT_KINDS(Y, , 0, MPROF_RESIDENT, resident, "")
#undef Y
};

static void add_up(struct mpdata_resident *resident)
{
    for (size_t i = 0; i < MPROF_RESIDENT_COUNT; i++)
        resident->sum = mprof_add_sat_u64(resident->sum, resident->bytes[i]);
}

#define Y(X, number, name, member, text) run->member,
struct mpdata_resident mpdata_resident_at_peak(const struct mpdata_run *run)
{
    struct mpdata_resident resident = {{MPROF_RESIDENT_PEAK(Y, )}, 0};

    add_up(&resident);
    return resident;
}

struct mpdata_resident mpdata_resident_at_end(const struct mpdata_run *run)
{
    struct mpdata_resident resident = {{MPROF_RESIDENT_END(Y, )}, 0};

    add_up(&resident);
    return resident;
}
#undef Y

const struct mpdata_run *mpdata_resident_run(const struct mpdata_view *view)
{
    const struct mpdata_run *most = NULL;

    for (uint32_t i = 0; i < view->run_count; i++) {
        if (view->runs[i].rss_highest != 0 &&
            (most == NULL ||
             mpdata_runs_compare_resident(&view->runs[i], most) > 0))
            most = &view->runs[i];
    }
    return most;
}
