// spreads.ts -- distributions of sizes and lifetimes of blocks, and the call stacks that ended
// blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Links } from "./data.ts";
import { amount } from "./format.ts";
import { field_of, NONE, type Profile } from "./profile.ts";

export type SpreadKind = "size" | "lifetime";

export interface Bucket {
  bucket: number;
  count: number;
}

/** Returns the range of a context's rows. */
function rows_of(contexts: number[], context: number): [number, number] {
  let low = 0;
  let high = contexts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((contexts[middle] as number) < context) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (contexts[end] === context) end++;
  return [low, end];
}

function buckets_of(counts: Map<number, number>): Bucket[] {
  return [...counts]
    .map(([bucket, count]) => ({ bucket, count }))
    .sort((a, b) => a.bucket - b.bucket);
}

/** Returns the distribution of a call stack, smallest values first; empty if unknown. */
export function spread_of(profile: Profile, kind: SpreadKind, context: number): Bucket[] {
  const spread = profile.document.spreads[kind];
  if (spread === undefined) return [];
  const only = spread.only[context] as number;
  if (only !== 0) return [{ bucket: only - 1, count: field_of(profile, context, "AllocCount") }];
  const [first, end] = rows_of(spread.context, context);
  const counts = new Map<number, number>();
  for (let i = first; i < end; i++)
    counts.set(spread.bucket[i] as number, spread.count[i] as number);
  return buckets_of(counts);
}

/** Returns the distribution of all chosen call stacks. */
export function spread_of_all(profile: Profile, kind: SpreadKind, chosen: Uint8Array): Bucket[] {
  const spread = profile.document.spreads[kind];
  const counts = new Map<number, number>();
  if (spread === undefined) return [];
  const add = (bucket: number, count: number) =>
    counts.set(bucket, (counts.get(bucket) ?? 0) + count);
  spread.only.forEach((only, c) => {
    if (only !== 0 && chosen[c]) add(only - 1, field_of(profile, c, "AllocCount"));
  });
  spread.context.forEach((c, i) => {
    if (chosen[c]) add(spread.bucket[i] as number, spread.count[i] as number);
  });
  return buckets_of(counts);
}

/** "64 B to <128 B" */
export function range_of(kind: SpreadKind, bucket: number): string {
  const unit = kind === "size" ? "bytes" : "ns";
  const low = bucket === 0 ? 0 : 2 ** bucket;
  return `${amount(low, unit)} to <${amount(2 ** (bucket + 1), unit)}`;
}

export interface End {
  /** The leaf of the call stack that ended the blocks; NONE: unknown. */
  node: number;
  count: number;
  bytes: number;
}

/** Returns the call stacks that ended blocks of a call stack, by number of blocks, largest first.
 */
export function ends_of(links: Links, context: number): End[] {
  const [first, end] = rows_of(links.context, context);
  const ends: End[] = [];
  for (let i = first; i < end; i++)
    ends.push({
      node: (links.node[i] as number) - 1,
      count: links.count[i] as number,
      bytes: links.bytes[i] as number,
    });
  return ends.sort((a, b) => b.count - a.count || a.node - b.node);
}

/** Returns the context whose call stack ends at the node, or NONE. */
export function context_at(profile: Profile, node: number): number {
  return node === NONE ? NONE : profile.leaf.indexOf(node);
}
