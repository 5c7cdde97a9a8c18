/* advice_copies.c -- finds copies of strings and vectors that are only read.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/judge/advice_rules.h"
#include "profdata/model/details.h"
#include "shared/index_format.h"

#include <stdlib.h>
#include <string.h>

/* libstdc++'s; libc++ rounds up the size of a string's block, so a write after
 * the copy cannot be told from a part of it. */
#define STRING "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"

/* What a function does. */
enum {
    OF_CLASS = 1, /* it is a member of std::string or std::vector */
    DESTROYS = 2,
    COPIES = 4, /* it makes an object with the content of another one */
    /* It writes the content of the block. */
    FILLS_STRING = 8,
    FILLS_VECTOR = 16,
    FILLS = FILLS_STRING | FILLS_VECTOR
};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Returns the parameters of the constructor ("EEC") or destructor ("EED") of a
 * class template, as in "EEC2ERKS1_" or "EEC2B7abi_tagERKS1_"; NULL: it is
 * none. */
static const char *parameters_of(const char *name, const char *kind)
{
    const char *at = strstr(name, kind);

    if (at == NULL || (at[3] != '1' && at[3] != '2'))
        return NULL;
    at += 4;
    if (*at == 'B') {
        char *tag;
        const size_t size = strtoul(at + 1, &tag, 10);

        at = size <= strlen(tag) ? tag + size : tag;
    }
    return at;
}

static uint8_t role_of(const char *name)
{
    const bool is_string =
        has_prefix(name, "_ZN" STRING) || has_prefix(name, "_ZNK" STRING);
    const char *parameters;

    if (!is_string && !has_prefix(name, "_ZNSt6vectorI") &&
        !has_prefix(name, "_ZNSt3__16vectorI"))
        return 0;
    if (parameters_of(name, "EED") != NULL)
        return OF_CLASS | DESTROYS;
    if (is_string && strstr(name, "12_M_constructIP") != NULL)
        return OF_CLASS | COPIES | FILLS_STRING;
    parameters = parameters_of(name, "EEC");
    if (is_string)
        return parameters != NULL || strstr(name, "6substrE") != NULL
                   ? OF_CLASS | COPIES
                   : OF_CLASS;
    return parameters != NULL && has_prefix(parameters, "ERKS")
               ? OF_CLASS | COPIES | FILLS_VECTOR
               : OF_CLASS;
}

enum mprof_err mpdata_advice_copies_make(struct mpdata_advice_rules *r)
{
    r->roles = calloc((size_t)r->view.function_count + 1, 1);
    if (r->roles == NULL)
        return MPROF_E_NOMEM;
    for (uint32_t f = 0; f < r->view.function_count; f++)
        r->roles[f + 1] =
            role_of(r->view.strings[r->view.functions[f].name].bytes);
    return MPROF_E_OK;
}

/* Was nothing written but the copies? Counts of accesses, 8 bytes each, tell it
 * only of blocks of one size. The write of a string's end may be one of the
 * library's, which are not counted. */
static bool is_only_filled(const struct mprof_mib *mib, unsigned role,
                           bool counts_end)
{
    const uint64_t count = mib->AllocCount;
    const uint64_t end = role == FILLS_STRING;
    const uint64_t words = (mprof_sub_sat_u64(mib->MaxSize, end) + 7) / 8;

    if (mib->MeasuredRw != count)
        return false;
    if (mib->MeasuredRwBytes == count)
        return mprof_add_sat_u64(mib->TotalWriteBytes,
                                 counts_end ? 0 : count * end) ==
               mib->TotalSize;
    return mib->MinSize == mib->MaxSize &&
           mib->TotalWrites ==
               mprof_mul_sat_u64(count, words + (counts_end ? end : 0));
}

/* Does a free with this call stack end the copy in an activation of the site's
 * function? Strings and vectors that grow free their block, too. */
static bool is_dropped(const struct mpdata_advice_rules *r, mpdata_ref node,
                       mpdata_ref site)
{
    unsigned roles = 0;

    while (node != 0 && !mpdata_advice_is_function(&r->view, node, site)) {
        const struct mpdata_node *const n = &r->view.nodes[node - 1];

        roles |= r->roles[r->view.frames[n->frame].function];
        node = n->parent;
    }
    return node != 0 && ((roles & OF_CLASS) == 0 || (roles & DESTROYS) != 0);
}

/* The function that makes the copies drops them, or its caller does so soon. */
static uint64_t count_dropped(const struct mpdata_advice_rules *r,
                              uint32_t context, const struct mprof_mib *mib)
{
    const mpdata_ref site = r->sites.nodes[context];
    const struct mpdata_details ends = mpdata_details_of(
        &r->view, &r->view.contexts[context], MPROF_DETAIL_FREE);
    const mpdata_ref caller =
        mpdata_advice_is_share(mib->TemporaryCount, mib->AllocCount, 90)
            ? r->view.nodes[site - 1].parent
            : 0;
    uint64_t blocks = 0;

    for (uint32_t i = 0; i < ends.count; i++) {
        if (!is_dropped(r, ends.rows[i].key, site) &&
            (caller == 0 || !is_dropped(r, ends.rows[i].key, caller)))
            return 0;
        blocks = mprof_add_sat_u64(blocks, ends.rows[i].count);
    }
    return blocks;
}

bool mpdata_advice_copies_have(const struct mpdata_advice_rules *r,
                               uint32_t context, const struct mprof_mib *mib,
                               struct mpdata_advice_found *found)
{
    const mpdata_ref site = r->sites.nodes[context];
    mpdata_ref at = r->view.contexts[context].node;
    unsigned role = 0;
    unsigned outermost = 0; /* what the site's function calls */
    bool is_inlined = false;
    bool has_line = false; /* the library's own code has none */

    while (at != 0 && at != site) {
        const struct mpdata_node *const node = &r->view.nodes[at - 1];
        const struct mpdata_frame *const frame = &r->view.frames[node->frame];

        outermost = r->roles[frame->function];
        if ((role & FILLS) == 0) {
            role = outermost;
            has_line = frame->line != 0;
        }
        is_inlined |= (frame->flags & MPROF_ENTRY_FL_INLINE) != 0;
        at = node->parent;
    }
    role &= FILLS;
    if (at == 0 || role == 0 || (outermost & COPIES) == 0 ||
        !is_only_filled(mib, role, has_line && is_inlined))
        return false;
    const uint64_t blocks = count_dropped(r, context, mib);
    *found =
        (struct mpdata_advice_found){.saved_calls = blocks, .number = blocks};
    return mpdata_advice_is_share(blocks, mib->AllocCount, 90);
}
