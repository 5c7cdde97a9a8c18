// per_block.ts -- values per block of a call stack, before and after.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { unmeasured, value_text } from "./compare.ts";
import type { Metric } from "./data.ts";
import { bytes, rate, time } from "./format.ts";
import { divisor, type Profile } from "./profile.ts";

export interface PerBlock {
  title: string;
  /** Formats "64 B → 128 B"; a single value if the other is missing or equal. */
  said(context: number): string;
}

/** Metric, divisor, title, formatter. */
type Form = [string, string, string, (value: number) => string];
const FORMS: Form[] = [
  ["accesses", "blocks", "accesses per block", rate],
  ["lifetime", "blocks", "average lifetime", time],
];

/** Returns the metrics of the moment that a metric is about: its bytes and blocks. */
function moment_of(metric: Metric): [string, string] {
  const moment = metric.name.match(/^(peak|live|leaked)(-blocks)?$/)?.[1];
  return moment === undefined ? ["bytes", "blocks"] : [moment, `${moment}-blocks`];
}

function joined(before: string, after: string): string {
  if (before === "" || before === after) return after;
  return after === "" ? before : `${before} → ${after}`;
}

/** Returns the ratios that both profiles measured; numbers and sizes of blocks are those at the
 * moment of `by`. */
export function per_block_of(profile: Profile, by: Metric): PerBlock[] {
  const { compared, contexts } = profile.document;
  if (compared === undefined) return [];
  const named = (name: string) => profile.metrics.find((m) => m.name === name);
  const [bytes_name, blocks_name] = moment_of(by);
  const counted = named(blocks_name);
  const found: PerBlock[] = [];
  if (counted !== undefined)
    found.push({
      title: blocks_name === "blocks" ? "blocks" : counted.title,
      said: (c) => {
        const before = compared.before[counted.field]?.[c];
        const after = contexts.fields[counted.field]?.[c];
        return joined(
          before
            ? value_text(
                profile,
                0,
                before / divisor(compared.sides[0], counted.name),
                counted.unit,
              )
            : "",
          after ? value_text(profile, 1, after, counted.unit) : "",
        );
      },
    });
  const size: Form = [bytes_name, blocks_name, "size of a block", bytes];
  for (const [name, blocks_of_it, title, form] of [size, ...FORMS]) {
    const metric = named(name);
    const blocks = named(blocks_of_it);
    if (metric === undefined || blocks === undefined) continue;
    const old_blocks = compared.before[blocks.field] ?? [];
    const new_blocks = contexts.fields[blocks.field] ?? [];
    const is_unmeasured = unmeasured(profile, metric);
    const of = (columns: Record<string, number[]>, blocks_of: number[], c: number) =>
      blocks_of[c] ? form((columns[metric.field]?.[c] ?? 0) / (blocks_of[c] as number)) : "";
    found.push({
      title,
      said: (c) =>
        is_unmeasured(c)
          ? "not measured"
          : joined(of(compared.before, old_blocks, c), of(contexts.fields, new_blocks, c)),
    });
  }
  return found;
}
