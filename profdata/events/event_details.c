/* event_details.c -- sums by call stack, kind and key.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/events/event_details.h"
#include "profdata/model/details.h"

#include <stdlib.h>

void mpdata_event_details_init(struct mpdata_event_details *details)
{
    details->at = 0;
    mpdata_set_init(&details->sums,
                    MPDATA_SET_KEY(struct mpdata_event_detail, zero),
                    sizeof(struct mpdata_event_detail));
}

bool mpdata_event_details_add(struct mpdata_event_details *details,
                              const struct mpdata_event_detail *detail)
{
    bool is_new;
    const uint32_t at = mpdata_set_add(&details->sums, detail, &is_new);
    struct mpdata_event_detail *const rows = details->sums.rows.data;

    if (at != 0 && !is_new) {
        rows[at - 1].count += detail->count;
        rows[at - 1].bytes =
            mprof_add_sat_u64(rows[at - 1].bytes, detail->bytes);
    }
    return at != 0;
}

bool mpdata_event_details_number(struct mpdata_event_details *details,
                                 uint32_t rows)
{
    struct mpdata_event_detail number = {.kind = MPDATA_DETAIL_LOG_STACK,
                                         .count = 1};

    for (; number.row < rows; number.row++) {
        number.key = number.row + 1;
        if (!mpdata_event_details_add(details, &number))
            return false;
    }
    return true;
}

MPROF_COMPARATOR(compare, struct mpdata_event_detail,
                 MPROF_UP(row) ?: MPROF_UP(kind) ?: MPROF_UP(key))

void mpdata_event_details_order(struct mpdata_event_details *details)
{
    if (details->sums.rows.count != 0)
        qsort(details->sums.rows.data, details->sums.rows.count,
              sizeof(struct mpdata_event_detail), compare);
}

bool mpdata_event_details_put(struct mpdata_event_details *details,
                              uint32_t row, struct mpdata_vec *to)
{
    const struct mpdata_event_detail *const rows = details->sums.rows.data;

    while (details->at < details->sums.rows.count &&
           rows[details->at].row < row)
        details->at++;
    for (;
         details->at < details->sums.rows.count && rows[details->at].row == row;
         details->at++) {
        const struct mpdata_event_detail *const from = &rows[details->at];
        struct mpdata_detail *const d = mpdata_vec_push(to);

        if (d == NULL)
            return false;
        *d = (struct mpdata_detail){.kind = from->kind,
                                    .key = from->key,
                                    .count = from->count,
                                    .bytes = from->bytes};
    }
    return true;
}

void mpdata_event_details_fini(struct mpdata_event_details *details)
{
    mpdata_set_fini(&details->sums);
}
