/* merge.h -- what `memprofdata merge` works on: filled from its options, then
 * read (merge_load.c), chosen from (merge_filter.c) and written
 * (merge_write.c).
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef MPDATA_CMD_MERGE_H
#define MPDATA_CMD_MERGE_H

#include "profdata/cmd/symbol_options.h"
#include "profdata/load/inputs.h"
#include "profdata/load/raw_filter.h"
#include "profdata/model/content.h"
#include "profdata/model/index_options.h"
#include "profdata/model/prune.h"

#include <regex.h>

/* When inputs that cannot be used make the command fail. */
enum merge_failure_mode {
    MERGE_FAIL_ANY, /* one of them */
    MERGE_FAIL_ALL, /* all of them */
    MERGE_FAIL_NEVER
};

enum merge_form { MERGE_FORM_INDEXED, MERGE_FORM_TEXT, MERGE_FORM_YAML };

struct merge_regex {
    const char *text; /* NULL: anything matches */
    regex_t regex;
};

/* Which call stacks are wanted. */
struct merge_filter {
    struct merge_regex function;
    struct merge_regex binary;
    struct merge_regex thread;
    struct mpdata_raw_filter raw; /* asks for binary and thread */
    struct mpdata_binaries named; /* for files that hold no paths */
    bool has_failed;              /* there was no memory for an answer */
};

/* Zero-initialise; mpdata_inputs_init() for the inputs. */
struct merge {
    const char *output;
    struct cmd_symbols symbols;
    struct mpdata_inputs inputs;
    bool has_inputs; /* named, though a directory may be empty */
    enum merge_failure_mode failure_mode;
    bool no_verify;
    uint64_t threads; /* 0: as many as there are processors */
    enum merge_form form;
    struct mpdata_index_options index;
    struct mpdata_prune prune;
    struct merge_filter filter;
    struct mpdata_content content;
    struct mpdata_load_context load;
};

/* Compiles an extended expression, which must not be compiled yet. `text` is
 * borrowed. Errors: NOMEM; VALUE, then why says what is wrong. */
enum mprof_err merge_filter_compile(struct merge_regex *regex, const char *text,
                                    char *why, size_t size);
/* Has the raw filter and the pruning ask the expressions that there are.
 * Returns 0, or an exit status after a message. */
int merge_filter_setup(struct merge *m);
/* Accepts a zeroed one. */
void merge_filter_fini(struct merge_filter *filter);

/* Reads all inputs into m->content and says what became of them: 0, or an exit
 * status. */
int merge_load(struct merge *m);

/* Says how much was left out of how much. */
void merge_load_say_gone(const char *what, uint64_t gone, uint64_t all,
                         uint64_t gone_bytes, uint64_t all_bytes);

/* Prunes m->content and writes it: 0, or an exit status. */
int merge_write(struct merge *m);

#endif
