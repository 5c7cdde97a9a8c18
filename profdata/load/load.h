/* load.h -- loads an input of any kind, detected by content, into the content
 * of a load context.
 *
 * Step 1 (parse.h) parses a file and needs no load context. Step 2 adds it to
 * the content. Step 3 adds the pending dumps when all inputs were read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once

#include "profdata/load/inputs.h"
#include "profdata/load/parse.h"
#include "profdata/load/symbolize.h"

/* Step 2: adds a parsed file, and the profiles that follow in it, to
 * load->content with a weight. Dumps that may
 * have siblings stay pending for mpdata_load_pending(). Consumes *parsed; the
 * caller still calls mpdata_parse_free(). On failure diag->file is set, and the
 * content holds complete dumps of the file at most. */
MPROF_NODISCARD enum mprof_err
mpdata_load_parsed(struct mpdata_load_context *load,
                   struct mpdata_parsed *parsed, const char *path,
                   uint64_t weight, struct mprof_diag *diag);

/* Steps 1 and 2 for one file. */
MPROF_NODISCARD enum mprof_err
mpdata_load_weighted(struct mpdata_load_context *load, const char *path,
                     uint64_t weight, bool verify_checksums,
                     struct mprof_diag *diag);

/* Step 3, after all inputs were added: adds one pending dump that counts
 * (dumps.h). Call it until *is_over. After a failure for one dump the next call
 * goes on with the next one. On failure diag->file names the input at fault, if
 * any; valid until the next call. Errors: those of mpdata_load_weighted();
 * OTHER_DUMP, after which nothing more can be added. */
MPROF_NODISCARD enum mprof_err
mpdata_load_pending(struct mpdata_load_context *load, bool verify_checksums,
                    bool *is_over, struct mprof_diag *diag);
/* Step 3 for all pending dumps; stops at the first failure. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all_pending(struct mpdata_load_context *load, bool verify_checksums,
                        struct mprof_diag *diag);

/* Adds the file of a program or library that was profiled. Errors: those of
 * mpdata_binaries_add(). */
MPROF_NODISCARD enum mprof_err
mpdata_load_add_binary(struct mpdata_load_context *load, const char *path,
                       struct mprof_diag *diag);

/* Adds all inputs to load->content and brings its profile into canonical order.
 * Stops at the first input that cannot be used; skips files in directories that
 * are not profiles. Errors: those of mpdata_load_weighted(), with diag->file
 * valid until mpdata_inputs_fini(); EMPTY without a file if no input is a
 * profile. */
MPROF_NODISCARD enum mprof_err
mpdata_load_all(struct mpdata_load_context *load,
                const struct mpdata_inputs *inputs, bool verify_checksums,
                struct mprof_diag *diag);

/* decay.c -- weights of inputs by their age. */

/* The weight of an input as new as the newest. A power of two, so that it can
 * be halved; larger ones let LLVM's 32-bit counts overflow earlier. */
#define MPDATA_DECAY_WEIGHT 64u

/* Multiplies the weight of each input by MPDATA_DECAY_WEIGHT, halved for each
 * half_life_ns (not 0) that its newest run started before the newest run of all
 * inputs, and rounded. Removes inputs whose weight becomes 0; *removed is their
 * number. Call it after mpdata_inputs_dedupe(). Reads all inputs; those that
 * cannot be read keep their weight, for whoever reads them next to say why.
 * Errors: UNSUPPORTED if an input does not say when it started, with diag->file
 * valid until mpdata_inputs_fini(); NOMEM. */
MPROF_NODISCARD enum mprof_err
mpdata_decay(struct mpdata_inputs *inputs, uint64_t half_life_ns,
             bool verify_checksums, uint32_t *removed, struct mprof_diag *diag);

/* prefetch.c -- parses inputs ahead on several threads and hands them over in
 * their order. Threads unpack and parse in parallel; only the caller's thread
 * changes the load context, so messages, errors and the result are the same as
 * with one thread. */

struct mpdata_prefetch; /* prefetch.c */

/* As many threads as processors, including the caller's. */
#define MPDATA_PREFETCH_ALL UINT32_MAX

/* Starts to parse the inputs (borrowed) with `threads` threads besides the
 * caller's; with none for a single input. At most `threads` + 1 parsed inputs
 * wait in memory. choice: NULL, or for a single input. Returns NULL when out of
 * memory. */
struct mpdata_prefetch *
mpdata_prefetch_start(const struct mpdata_inputs *inputs, uint32_t threads,
                      bool verify_checksums,
                      struct mpdata_event_choice *choice);
/* Accepts NULL. */
void mpdata_prefetch_stop(struct mpdata_prefetch *prefetch);

/* Does mpdata_load_weighted() for the next input. Call it once for each input.
 * Sets *input to the input; diag->file points into it. */
MPROF_NODISCARD enum mprof_err mpdata_prefetch_load(
    struct mpdata_prefetch *prefetch, struct mpdata_load_context *load,
    const struct mpdata_input **input, struct mprof_diag *diag);
