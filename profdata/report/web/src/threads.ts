// threads.ts -- the allocations of threads with one name, as a profile; and pools.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Metric } from "./data.ts";
import type { Group } from "./groups.ts";
import { type Profile, text, with_fields } from "./profile.ts";

/** Name of unknown threads in the URL and in tables. */
export const NO_THREAD = "[unknown thread]";

/** The names of known threads. */
export function thread_names(profile: Profile): string[] {
  const { threads } = profile.document;
  return [...new Set(threads?.name ?? [])].map((name) => text(profile, name)).sort();
}

/** Sums up a column over the rows of a thread, by context. */
function column_of(profile: Profile, name: string, column: number[] | undefined): number[] {
  const { threads } = profile.document;
  const out = new Array<number>(profile.context_count).fill(0);
  threads?.name.forEach((thread, row) => {
    if (text(profile, thread) !== name) return;
    const context = threads.context[row] as number;
    out[context] = (out[context] as number) + (column?.[row] ?? 0);
  });
  return out;
}

/** Returns the profile with only the allocations of threads with this name, and without data that
 * are not recorded by thread. */
export function of_thread(profile: Profile, name: string): Profile {
  const { threads } = profile.document;
  if (threads === undefined || !thread_names(profile).includes(name)) return profile;
  const fields = Object.fromEntries(
    Object.keys(threads.fields).map((field) => [
      field,
      column_of(profile, name, threads.fields[field]),
    ]),
  );
  const own = with_fields(profile, fields);
  return { ...own, document: { ...own.document, series: [] } };
}

/** By context: does the thread have allocations? */
export function has_thread(profile: Profile, name: string): Uint8Array {
  const { threads } = profile.document;
  const found = new Uint8Array(profile.context_count);
  threads?.name.forEach((thread, row) => {
    if (text(profile, thread) === name) found[threads.context[row] as number] = 1;
  });
  return found;
}

interface Row {
  name: string;
  context: number;
  value: number;
}

function grouped(rows: Row[]): Group[] {
  const groups = new Map<string, Group & { seen: Set<number> }>();
  for (const { name, context, value } of rows) {
    let group = groups.get(name);
    if (group === undefined) {
      group = { name, self: 0, total: 0, contexts: 0, seen: new Set() };
      groups.set(name, group);
    }
    group.self += value;
    group.total += value;
    group.seen.add(context);
  }
  return [...groups.values()].map(({ seen, ...group }) => ({ ...group, contexts: seen.size }));
}

/** Sums up the chosen call stacks by thread; the rest has no name. */
export function groups_of_threads(
  profile: Profile,
  metric: Metric,
  by_context: Float64Array,
  chosen: Uint8Array,
): Group[] {
  const { threads } = profile.document;
  const rest = Float64Array.from(by_context);
  const rows: Row[] = [];
  threads?.name.forEach((name, row) => {
    const context = threads.context[row] as number;
    const value = threads.fields[metric.field]?.[row] ?? 0;
    if (!chosen[context] || value === 0) return;
    rest[context] = Math.max(0, (rest[context] as number) - value);
    rows.push({ name: text(profile, name) || NO_THREAD, context, value });
  });
  rest.forEach((value, context) => {
    if (value > 0) rows.push({ name: NO_THREAD, context, value });
  });
  return grouped(rows);
}

/** Sums up by pool; undefined if the metric is not measured for pools. */
export function groups_of_pools(profile: Profile, metric: Metric): Group[] | undefined {
  const { pools } = profile.document;
  const column = pools?.fields[metric.field];
  if (pools === undefined || column === undefined) return undefined;
  return grouped(
    pools.name.map((name, row) => ({
      name: text(profile, name) || "[pool without a name]",
      context: pools.node[row] as number,
      value: column[row] as number,
    })),
  );
}
