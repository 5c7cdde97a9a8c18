/* llvm_raw_text.h -- LLVM's text form of a raw profile.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_LLVM_RAW_TEXT_H
#define MPDATA_LLVM_RAW_TEXT_H

#include "profdata/base/sink.h"
#include "profdata/raw/raw.h"

/* Who knows the names of addresses: a location is one that was looked up. */
struct mpdata_llvm_names {
    void *context;
    const struct mpdata_profile *profile; /* that frames are of */
    /* Looks up the frames of a dump: locations[i] is that of frames[i], 0 where
     * no name is known and where it is the runtime's own. */
    enum mprof_err (*find)(void *context, struct mpdata_raw *dump,
                           uint32_t *locations, struct mprof_diag *diag);
    /* The frames of a location, innermost first; until the next find(). */
    const mpdata_ref *(*locate)(void *context, uint32_t location,
                                uint32_t *count);
};

/* The file as llvm-profdata 22 prints it. Errors: those of names->find(),
 * NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_llvm_raw_text(struct mpdata_sink *out, struct mpdata_raw_file *raw,
                     const struct mpdata_llvm_names *names,
                     struct mprof_diag *diag);

#endif
