// per_block.ts -- what the blocks of a call stack were like, before and after.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { unmeasured } from "./compare.ts";
import { bytes, count, rate, time } from "./format.ts";
import type { Profile } from "./profile.ts";

export interface PerBlock {
  title: string;
  /** "64 B → 128 B", or one of them where there is but one or both are the same. */
  said(context: number): string;
}

const FORMS: [string, string, (value: number) => string][] = [
  ["bytes", "size of a block", bytes],
  ["accesses", "accesses per block", rate],
  ["lifetime", "a block lived", time],
];

function joined(before: string, after: string): string {
  if (before === "" || before === after) return after;
  return after === "" ? before : `${before} → ${after}`;
}

/** Of what both profiles measured. */
export function per_block_of(profile: Profile): PerBlock[] {
  const { compared, contexts } = profile.document;
  const blocks = profile.metrics.find((m) => m.name === "blocks");
  if (compared === undefined || blocks === undefined) return [];
  const old_blocks = compared.before[blocks.field] ?? [];
  const new_blocks = contexts.fields[blocks.field] ?? [];
  const by = compared.sides[0].divided_by;
  const found: PerBlock[] = [
    {
      title: "blocks",
      said: (c) =>
        joined(
          old_blocks[c] ? count((old_blocks[c] as number) / by) : "",
          new_blocks[c] ? count(new_blocks[c] as number) : "",
        ),
    },
  ];
  for (const [name, title, form] of FORMS) {
    const metric = profile.metrics.find((m) => m.name === name);
    if (metric === undefined) continue;
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
