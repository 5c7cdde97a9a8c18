/* show_rw.c -- prints reads and writes of blocks, if they were counted
 * separately.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"
#include "profdata/base/units.h"

#include <string.h>

/* Formats "3.5 reads", "1 write", "never read"; "no read seen" if accesses may
 * have been missed. */
static void add_count(char *out, size_t size, uint64_t count, uint64_t blocks,
                      const char *one, const char *never)
{
    char number[MPDATA_UNIT_BYTES];

    if (count == 0) {
        snprintf(out, size, "%s", never);
        return;
    }
    mpdata_units_rate(count, blocks, number, sizeof(number));
    snprintf(out, size, "%s %s%s", number, one,
             strcmp(number, "1") == 0 ? "" : "s");
}

static void format_counts(const struct mprof_mib *mib, bool all_seen, char *out,
                          size_t size)
{
    char reads[MPDATA_UNIT_BYTES * 2];
    char writes[MPDATA_UNIT_BYTES * 2];
    const bool has_both = mib->TotalReads != 0 && mib->TotalWrites != 0;
    const char *const per_block = mib->MeasuredRw > 1 ? " per block" : "";

    add_count(reads, sizeof(reads), mib->TotalReads, mib->MeasuredRw, "read",
              all_seen ? "never read" : "no read seen");
    add_count(writes, sizeof(writes), mib->TotalWrites, mib->MeasuredRw,
              "write", all_seen ? "never written" : "no write seen");
    snprintf(out, size, "%s%s, %s%s", reads,
             has_both || mib->TotalReads == 0 ? "" : per_block, writes,
             mib->TotalWrites == 0 ? "" : per_block);
}

/* Formats "3.5 bytes read and 1 written per byte", or "". */
static void format_bytes(const struct mprof_mib *mib, char *out, size_t size)
{
    char read[MPDATA_UNIT_BYTES];
    char written[MPDATA_UNIT_BYTES];

    mpdata_units_rate(mib->TotalReadBytes, mib->TotalSize, read, sizeof(read));
    mpdata_units_rate(mib->TotalWriteBytes, mib->TotalSize, written,
                      sizeof(written));
    out[0] = '\0';
    if (mib->MeasuredRwBytes != mib->AllocCount || mib->TotalSize == 0)
        return;
    if (mib->TotalReadBytes == 0)
        snprintf(out, size, "%s written per byte", written);
    else if (mib->TotalWriteBytes == 0)
        snprintf(out, size, "%s read per byte", read);
    else
        snprintf(out, size, "%s read and %s written per byte", read, written);
}

void show_rw_context(FILE *out, const struct mprof_mib *mib, bool all_seen,
                     const char *indent, size_t width)
{
    char counts[MPDATA_UNIT_BYTES * 5];
    char bytes[MPDATA_UNIT_BYTES * 3];
    char measured[MPDATA_UNIT_BYTES];
    char blocks[MPDATA_UNIT_BYTES];
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
                mpdata_units_count(mib->MeasuredRw, measured, sizeof(measured)),
                mpdata_units_count(mib->AllocCount, blocks, sizeof(blocks)));
    fputc('\n', out);
}

static void print_part(FILE *out, uint64_t count, uint64_t bytes,
                       bool has_bytes, const char *one)
{
    char text[MPDATA_UNIT_BYTES];

    fprintf(out, "%s %s%s", mpdata_units_count(count, text, sizeof(text)), one,
            count == 1 ? "" : "s");
    if (has_bytes)
        fprintf(out, " of %s", mpdata_units_bytes(bytes, text, sizeof(text)));
}

void show_rw_totals(FILE *out, const struct mprof_mib *mib)
{
    const bool has_bytes =
        mib->MeasuredRwBytes != 0 && mib->MeasuredRwBytes == mib->MeasuredRw;
    char measured[MPDATA_UNIT_BYTES];

    print_part(out, mib->TotalReads, mib->TotalReadBytes, has_bytes, "read");
    fputs(", ", out);
    print_part(out, mib->TotalWrites, mib->TotalWriteBytes, has_bytes, "write");
    if (mib->MeasuredRw != mib->AllocCount)
        fprintf(out, ", measured for %s block%s",
                mpdata_units_count(mib->MeasuredRw, measured, sizeof(measured)),
                mib->MeasuredRw == 1 ? "" : "s");
    fputc('\n', out);
}
