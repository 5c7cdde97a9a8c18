/* show_rw.c -- prints reads and writes of blocks, if they were counted
 * separately.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"
#include "profdata/base/units.h"

#include <string.h>

/* Formats "3.5 reads", "1 write", "never read"; "no read seen" if accesses may
 * have been missed. */
static struct mpdata_number format_count(uint64_t count, uint64_t blocks,
                                         const char *one, const char *never)
{
    const struct mpdata_number number = mpdata_units_rate(count, blocks);

    return count == 0
               ? mpdata_units_format("%s", never)
               : mpdata_units_format("%s %s%s", number.text, one,
                                     strcmp(number.text, "1") == 0 ? "" : "s");
}

static void format_counts(const struct mprof_mib *mib, bool all_seen, char *out,
                          size_t size)
{
    const bool has_both = mib->TotalReads != 0 && mib->TotalWrites != 0;
    const char *const per_block = mib->MeasuredRw > 1 ? " per block" : "";

    snprintf(out, size, "%s%s, %s%s",
             format_count(mib->TotalReads, mib->MeasuredRw, "read",
                          all_seen ? "never read" : "no read seen")
                 .text,
             has_both || mib->TotalReads == 0 ? "" : per_block,
             format_count(mib->TotalWrites, mib->MeasuredRw, "write",
                          all_seen ? "never written" : "no write seen")
                 .text,
             mib->TotalWrites == 0 ? "" : per_block);
}

/* Formats "3.5 read and 1 written per byte", or "". */
static void format_bytes(const struct mprof_mib *mib, char *out, size_t size)
{
    const bool has_both = mib->TotalReadBytes != 0 && mib->TotalWriteBytes != 0;

    out[0] = '\0';
    if (mib->MeasuredRwBytes != mib->AllocCount || mib->TotalSize == 0)
        return;
    snprintf(
        out, size, "%s %s%s%s per byte",
        mpdata_units_rate(mib->TotalReadBytes != 0 ? mib->TotalReadBytes
                                                   : mib->TotalWriteBytes,
                          mib->TotalSize)
            .text,
        mib->TotalReadBytes != 0 ? "read" : "written", has_both ? " and " : "",
        has_both
            ? mpdata_units_format(
                  "%s written",
                  mpdata_units_rate(mib->TotalWriteBytes, mib->TotalSize).text)
                  .text
            : "");
}

void show_rw_context(FILE *out, const struct mprof_mib *mib, bool all_seen,
                     const char *indent, size_t width)
{
    char counts[MPDATA_UNIT_BYTES * 5];
    char bytes[MPDATA_UNIT_BYTES * 3];
    bool breaks;

    if (mib->MeasuredRw == 0 || mib->TotalReads + mib->TotalWrites == 0)
        return;
    format_counts(mib, all_seen, counts, sizeof(counts));
    format_bytes(mib, bytes, sizeof(bytes));
    breaks = strlen(indent) + strlen(counts) + 2 + strlen(bytes) > width;
    fprintf(out, "%s%s", indent, counts);
    if (bytes[0] != '\0')
        fprintf(out, "%s%s%s", breaks ? ",\n" : ", ", breaks ? indent : "",
                bytes);
    if (mib->MeasuredRw != mib->AllocCount)
        fprintf(out, " (measured for %s of %s blocks)",
                mpdata_units_count(mib->MeasuredRw).text,
                mpdata_units_count(mib->AllocCount).text);
    fputc('\n', out);
}

static void print_part(FILE *out, uint64_t count, uint64_t bytes,
                       bool has_bytes, const char *one)
{
    fputs(mpdata_units_things(count, one).text, out);
    if (has_bytes)
        fprintf(out, " of %s", mpdata_units_bytes(bytes).text);
}

void show_rw_totals(FILE *out, const struct mprof_mib *mib)
{
    const bool has_bytes =
        mib->MeasuredRwBytes != 0 && mib->MeasuredRwBytes == mib->MeasuredRw;

    print_part(out, mib->TotalReads, mib->TotalReadBytes, has_bytes, "read");
    fputs(", ", out);
    print_part(out, mib->TotalWrites, mib->TotalWriteBytes, has_bytes, "write");
    if (mib->MeasuredRw != mib->AllocCount)
        fprintf(out, ", measured for %s",
                mpdata_units_things(mib->MeasuredRw, "block").text);
    fputc('\n', out);
}
