/* show_numbers.c -- prints reads and writes, leaks, the peak, and how sure
 * estimates are.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/view/show.h"
#include "profdata/base/units.h"
#include "profdata/model/details.h"
#include "shared/index_format.h"

#include <string.h>

#define NS_PER_SECOND UINT64_C(1000000000)

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

void show_numbers_rw(FILE *out, const struct mprof_mib *mib, bool all_seen,
                     const char *indent, size_t width)
{
    char counts[MPDATA_UNIT_BYTES * 5];
    char bytes[MPDATA_UNIT_BYTES * 3];

    if (mib->MeasuredRw == 0 || mib->TotalReads + mib->TotalWrites == 0)
        return;
    format_counts(mib, all_seen, counts, sizeof(counts));
    format_bytes(mib, bytes, sizeof(bytes));
    bool breaks = strlen(indent) + strlen(counts) + 2 + strlen(bytes) > width;
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

void show_numbers_rw_totals(FILE *out, const struct mprof_mib *mib)
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

/* -- leaks ----------------------------------------------------------------- */

static void print_amount(FILE *out, uint64_t bytes, uint64_t blocks)
{
    fprintf(out, "%s in %s", mpdata_units_bytes(bytes).text,
            mpdata_units_things(blocks, "block").text);
}

void show_numbers_leaks_totals(FILE *out, const struct mprof_mib *mib,
                               const struct show_options *options)
{
    const uint64_t reachable = mprof_sub_sat_u64(
        mib->LiveBytes, mib->LeakedBytes + options->suppressed_bytes);

    if (mib->LeakedCount == 0) {
        fputs(mib->SampledCount != 0 ? "nothing of the sampled blocks"
                                     : "nothing",
              out);
    } else {
        fputs(mib->SampledCount != 0 ? "about " : "", out);
        print_amount(out, mib->LeakedBytes, mib->LeakedCount);
        if (mib->IndirectLeakedCount != 0)
            fprintf(out, ", %s of it held by leaked blocks",
                    mpdata_units_bytes(mib->IndirectLeakedBytes).text);
    }
    if (options->suppressed_blocks != 0) {
        fputs("; suppressed: ", out);
        print_amount(out, options->suppressed_bytes,
                     options->suppressed_blocks);
    }
    if (mib->LeakCheckedCount < mib->AllocCount)
        fputs(" (not measured in all runs)\n", out);
    else
        fprintf(out, "; still reachable: %s\n",
                mpdata_units_bytes(reachable).text);
}

void show_numbers_leaks(FILE *out, const struct mprof_mib *mib,
                        const char *indent)
{
    if (mib->LeakedCount == 0)
        return;
    fprintf(out, "%sleaked ", indent);
    print_amount(out, mib->LeakedBytes, mib->LeakedCount);
    if (mib->IndirectLeakedCount == mib->LeakedCount)
        fputs(", held by leaked blocks", out);
    else if (mib->IndirectLeakedCount != 0)
        fprintf(out, ", %s of them held by leaked blocks",
                mpdata_units_count(mib->IndirectLeakedCount).text);
    fputc('\n', out);
}

void show_numbers_idle(FILE *out, const struct mpdata_view *view,
                       const struct mpdata_context *context, const char *indent)
{
    const bool is_seen = (context->flags & MPROF_CONTEXT_UNSEEN_MASK) == 0;

    for (uint32_t kind = MPROF_DETAIL_IDLE;
         is_seen && kind <= MPROF_DETAIL_UNTOUCHED; kind++) {
        const struct mpdata_details rows =
            mpdata_details_of(view, context, kind);
        uint32_t from = 0;

        while (from < rows.count &&
               mprof_detail_fine_low(rows.rows[from].key) < NS_PER_SECOND)
            from++;
        /* One line for each power of two, with all that is longer. */
        while (from < rows.count) {
            const struct mpdata_details_idle idle =
                mpdata_details_idle(&rows, from, true);

            from = mpdata_details_idle(&rows, from, false).end;
            fprintf(out, "%s%s %s or longer: ", indent,
                    kind == MPROF_DETAIL_IDLE ? "alive and not accessed for"
                                              : "alive and never accessed for",
                    mpdata_units_ns(idle.ns).text);
            print_amount(out, idle.bytes, idle.blocks);
            fputc('\n', out);
        }
    }
}

void show_numbers_contents(FILE *out, const struct mpdata_view *view,
                           const struct mpdata_context *context,
                           const char *indent)
{
    const struct mpdata_details_contents freed =
        mpdata_details_contents(view, context, MPROF_DETAIL_DUPLICATE);
    const struct mpdata_details_contents live =
        mpdata_details_contents(view, context, MPROF_DETAIL_LIVE_DUPLICATE);

    if (freed.repeated_blocks != 0)
        fprintf(out, "%sfreed with the content of an earlier block: %s of %s\n",
                indent, mpdata_units_count(freed.repeated_blocks).text,
                mpdata_units_things(freed.blocks, "block").text);
    if (live.repeated_blocks == 0)
        return;
    fprintf(out, "%salive with the content of another live block: ", indent);
    print_amount(out, live.repeated_bytes, live.repeated_blocks);
    fputc('\n', out);
}

const char *show_numbers_why_no_leaks(enum mpdata_metric metric)
{
    return metric == MPDATA_METRIC_LEAKED ||
                   metric == MPDATA_METRIC_LEAKED_BLOCKS
               ? " With MEMPROF_OPTIONS=leaks=1 leaks are looked for when the "
                 "program ends, and when it gets the signal of dump_signal; "
                 "memprof_leaks() looks for them, too. Other dumps, those of "
                 "dump_interval for example, do not have them."
               : "";
}

/* -- the peak -------------------------------------------------------------- */

/* A run records its peak and each call stack's part of it. The sum over some of
 * the call stacks is their part of the run's peak; their own peak, which may be
 * at another time, is unknown. */

/* Is the sum only a part of the run's peak, because contexts were filtered out?
 */
static bool is_part(const struct mpdata_top_list *list,
                    const struct show_options *options)
{
    return list->totals.PeakBytes != list->runs.peak_bytes &&
           (options->suppressed_blocks != 0 || options->is_left_out);
}

void show_numbers_peak_totals(FILE *out, const struct mpdata_top_list *list,
                              const struct show_options *options)
{
    const uint64_t runs = list->runs.peak_runs;
    const uint64_t blocks = list->totals.PeakCount;
    const char *const about = list->totals.SampledCount != 0 ? "about " : "";

    fprintf(out, "%s%s in %s%s", about,
            mpdata_units_bytes(is_part(list, options) ? list->totals.PeakBytes
                                                      : list->runs.peak_bytes)
                .text,
            about, mpdata_units_things(blocks, "block").text);
    if (is_part(list, options))
        fprintf(out, ", of the run%s peak%s of %s%s", runs == 1 ? "'s" : "s'",
                runs == 1 ? "" : "s", about,
                mpdata_units_bytes(list->runs.peak_bytes).text);
    if (runs != 1)
        fputs(", summed over all runs", out);
    else if (list->runs.peak_ns != 0)
        fprintf(out, ", %s after the start",
                mpdata_units_ns(list->runs.peak_ns).text);
    fputs(list->totals.MeasuredCount < list->totals.AllocCount
              ? " (not measured in all runs)\n"
              : "\n",
          out);
}

void show_numbers_peak(FILE *out, const struct mprof_mib *mib,
                       enum mpdata_metric sort, const char *indent)
{
    if (mib->MeasuredCount == 0 ||
        (sort != MPDATA_METRIC_PEAK && sort != MPDATA_METRIC_PEAK_BLOCKS &&
         sort != MPDATA_METRIC_TEMPORARY))
        return;
    fprintf(out, "%sat the peak %s in %s, most at a time %s, %s temporary\n",
            indent, mpdata_units_bytes(mib->PeakBytes).text,
            mpdata_units_things(mib->PeakCount, "block").text,
            mpdata_units_bytes(mib->MaxLiveBytes).text,
            mpdata_units_share(mib->TemporaryCount, mib->MeasuredCount).text);
}

/* -- estimates ------------------------------------------------------------- */

void show_numbers_sampled_totals(FILE *out, const struct mprof_mib *mib)
{
    uint64_t bytes;
    uint64_t blocks;

    fprintf(out, "%s", mpdata_units_things(mib->SampledCount, "block").text);
    if (mpdata_metrics_error(mib, MPDATA_METRIC_BYTES, &bytes) &&
        mpdata_metrics_error(mib, MPDATA_METRIC_BLOCKS, &blocks)) {
        fprintf(out, "; standard errors %s", mpdata_units_bytes(bytes).text);
        fprintf(out, " and %s blocks allocated",
                mpdata_units_count(blocks).text);
    }
    fputc('\n', out);
}

void show_numbers_sampled(FILE *out, const struct mprof_mib *mib,
                          enum mpdata_metric sort, const char *indent)
{
    uint64_t error;

    if (mib->SampledCount == 0)
        return;
    fprintf(out, "%sfrom %s", indent,
            mpdata_units_things(mib->SampledCount, "sampled block").text);
    if (mpdata_metrics_error(mib, sort, &error))
        fprintf(out, ", standard error %s (%s)",
                mpdata_metrics_text(sort, error).text,
                mpdata_units_share(error, mpdata_metrics_get(mib, sort)).text);
    fputc('\n', out);
}

void show_numbers_bursts(FILE *out, const struct mprof_mib *mib,
                         const char *indent)
{
    uint64_t error;

    if (mib->BurstVariance == 0 || mib->TotalAccessCount == 0 ||
        !mpdata_metrics_error(mib, MPDATA_METRIC_ACCESSES, &error))
        return;
    fprintf(out, "%saccesses counted in bursts, standard error %s (%s)\n",
            indent, mpdata_units_count(error).text,
            mpdata_units_share(error, mib->TotalAccessCount).text);
}
