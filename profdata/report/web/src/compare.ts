// compare.ts -- compares two profiles: values of each call stack, function, line, file, binary or
// type before and after. memprofdata has already paired them; here they are summed up by the rules
// of `memprofdata diff`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Compared, Metric } from "./data.ts";
import { amount, count } from "./format.ts";
import { label_of } from "./groups.ts";
import { divisor, NONE, type Profile, text } from "./profile.ts";

export const KINDS_OF_CHANGE = ["new", "gone", "grown", "shrunk", "unchanged"] as const;
export type Change = (typeof KINDS_OF_CHANGE)[number];

const IN_OLD = 1;
const IN_NEW = 2;
/** Relative rounding error of values that were divided by the number of runs. */
const ROUNDING = 1e-12;

export function is_same(before: number, after: number): boolean {
  return Math.abs(after - before) <= ROUNDING * Math.max(before, after);
}

/** held_by: which profiles contain the row. */
export function change_of(before: number, after: number, held_by: number): Change {
  if (is_same(before, after)) return "unchanged";
  if ((held_by & IN_OLD) === 0) return "new";
  if ((held_by & IN_NEW) === 0) return "gone";
  return after < before ? "shrunk" : "grown";
}

/** From -1 (gone) to 1 (new). */
export function share_of_change(before: number, after: number): number {
  return is_same(before, after) ? 0 : (after - before) / Math.max(before, after);
}

/** Growth by this factor or more is printed as a factor. */
const TIMES_MIN = 10;

/** Formats "+4.5 %", "×2,250", "new" if the old value is 0, "" if nothing changed. */
export function change_percent(before: number, after: number): string {
  if (is_same(before, after)) return "";
  if (before === 0) return "new";
  if (after / before >= TIMES_MIN) return `×${count(after / before)}`;
  const percent = (100 * (after - before)) / before;
  if (Math.abs(percent) < 0.05) return "<0.1 %";
  return `${percent < 0 ? "-" : "+"}${Math.abs(percent).toFixed(1)} %`;
}

/** Divides a profile's values by its number of runs. */
export function divided(column: ArrayLike<number>, by: number): Float64Array {
  return Float64Array.from(column, (value) => value / by);
}

export function old_values(compared: Compared, metric: Metric, chosen: Uint8Array): Float64Array {
  const column = compared.before[metric.field] ?? [];
  const by = divisor(compared.sides[0], metric.name);
  return Float64Array.from(chosen, (is_chosen, c) => (is_chosen ? (column[c] as number) / by : 0));
}

/** Formats a value of one side; "~" marks estimates. */
export function value_text(profile: Profile, side: 0 | 1, value: number, unit: string): string {
  const is_estimate = profile.document.compared?.sides[side].sampled_runs;
  return `${is_estimate ? "~" : ""}${amount(value, unit)}`;
}

/** Call stacks whose accesses one of the profiles did not measure are not compared. */
export function unmeasured(profile: Profile, metric: Metric): (context: number) => boolean {
  const bit = 1 << profile.metrics.indexOf(metric);
  const bits = profile.document.compared?.unmeasured ?? [];
  return (context) => ((bits[context] ?? 0) & bit) !== 0;
}

export interface ChangedGroup {
  name: string;
  kind: Change;
  /** Before and after: values of stacks that allocate in it, and of all stacks through it. */
  self: [number, number];
  total: [number, number];
  contexts: number;
}

export const CHANGED_KINDS = ["function", "line", "file", "module", "type"] as const;
export type ChangedBy = (typeof CHANGED_KINDS)[number];

interface Sum extends ChangedGroup {
  held_by: number;
  /** A frame for the name; preferably of the new profile. */
  frame: number;
  is_unmeasured: boolean;
  last_seen: number;
}

/** Returns the key of a node; `below` is the next node towards the leaf, or NONE. */
function keys_of(
  profile: Profile,
  by: ChangedBy,
): (node: number, below: number) => number | string {
  const { compared, frames } = profile.document;
  const { functions, files, lines, leaves } = compared as Compared;
  if (by === "function") return (node) => functions[profile.frame[node] as number] as number;
  if (by === "file") return (node) => files[profile.frame[node] as number] as number;
  if (by === "line")
    return (node, below) => (below === NONE ? leaves[node] : lines[below]) as number;
  // Binaries are the same if their file names are equal, wherever they were built.
  return (node) => {
    const path = text(profile, frames.module[profile.frame[node] as number] as number);
    return path.slice(path.lastIndexOf("/") + 1);
  };
}

function found<K>(sums: Map<K, Sum>, key: K): Sum {
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = {
      name: "",
      kind: "unchanged",
      self: [0, 0],
      total: [0, 0],
      contexts: 0,
      held_by: 0,
      frame: NONE,
      is_unmeasured: false,
      last_seen: NONE,
    };
    sums.set(key, sum);
  }
  return sum;
}

function add(pair: [number, number], before: number, after: number): void {
  pair[0] += before;
  pair[1] += after;
}

function add_all(
  profile: Profile,
  by: ChangedBy,
  values: [Float64Array, Float64Array],
  chosen: Uint8Array,
  is_unmeasured: (context: number) => boolean,
): Map<string | number, Sum> {
  const sums = new Map<string | number, Sum>();
  const { contexts } = profile.document;
  const { held_by } = profile.document.compared as Compared;
  const key_of = keys_of(profile, by);
  for (let c = 0; c < profile.context_count; c++) {
    if (!chosen[c]) continue;
    const [before, after] = [values[0][c] as number, values[1][c] as number];
    const enter = (sum: Sum, frame: number, is_leaf: boolean) => {
      sum.held_by |= held_by[c] as number;
      if (frame !== NONE && (sum.frame === NONE || frame < sum.frame)) sum.frame = frame;
      if (is_leaf) {
        add(sum.self, before, after);
        sum.is_unmeasured ||= is_unmeasured(c);
      }
      if (sum.last_seen === c) return;
      sum.last_seen = c;
      add(sum.total, before, after);
      sum.contexts++;
    };
    if (by === "type") {
      const name = text(profile, contexts.type[c] as number) || "[unknown type]";
      const sum = found(sums, name);
      sum.name = name;
      enter(sum, NONE, true);
      continue;
    }
    // Skip hidden frames: a line is that of the call of the next visible node below.
    const leaf = (by === "module" ? profile.whole_leaf : profile.leaf)[c] as number;
    let below = NONE;
    let is_reached = false;
    for (
      let node = leaf === NONE ? NONE : (profile.whole_leaf[c] as number);
      node !== NONE;
      below = node, node = profile.whole_parent[node] as number
    ) {
      is_reached ||= node === leaf;
      if (is_reached && (by === "module" || !profile.hidden[node]))
        enter(found(sums, key_of(node, below)), profile.frame[node] as number, node === leaf);
    }
  }
  return sums;
}

/** The changed groups, the largest change first, and how many were not compared. */
export function changed_groups(
  profile: Profile,
  by: ChangedBy,
  values: [Float64Array, Float64Array],
  chosen: Uint8Array,
  is_unmeasured: (context: number) => boolean,
): { groups: ChangedGroup[]; unmeasured: number; unchanged: number } {
  const sums = [...add_all(profile, by, values, chosen, is_unmeasured).values()];
  for (const sum of sums) {
    const [before, after] = is_same(...sum.self) ? sum.total : sum.self;
    sum.kind = change_of(before, after, sum.held_by);
    if (sum.name === "") sum.name = label_of(profile, by, sum.frame);
  }
  const compared = sums.filter((sum) => !sum.is_unmeasured);
  const groups = compared.filter((sum) => sum.kind !== "unchanged");
  return {
    groups: groups.sort(most_changed_first),
    unmeasured: sums.length - compared.length,
    unchanged: compared.length - groups.length,
  };
}

function distance(pair: [number, number]): number {
  return Math.abs(pair[1] - pair[0]);
}

function by_name(a: ChangedGroup, b: ChangedGroup): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function most_changed_first(a: ChangedGroup, b: ChangedGroup): number {
  return (
    distance(b.self) - distance(a.self) || distance(b.total) - distance(a.total) || by_name(a, b)
  );
}

export const CHANGED_COLUMNS = ["change", "before", "after", "total", "name"] as const;
export type ChangedColumn = (typeof CHANGED_COLUMNS)[number];

export function changed_sorted(groups: ChangedGroup[], column: ChangedColumn): ChangedGroup[] {
  const number_of: Partial<Record<ChangedColumn, (g: ChangedGroup) => number>> = {
    before: (g) => g.total[0],
    after: (g) => g.total[1],
    total: (g) => distance(g.total),
  };
  const number = number_of[column];
  if (column === "name") return [...groups].sort(by_name);
  if (number === undefined) return groups;
  return [...groups].sort((a, b) => number(b) - number(a) || most_changed_first(a, b));
}

/** The number of call stacks by kind of change. */
export function counts_of(
  profile: Profile,
  values: [Float64Array, Float64Array],
  chosen: Uint8Array,
  is_unmeasured: (context: number) => boolean,
): Record<Change | "unmeasured", number> {
  const counts = { new: 0, gone: 0, grown: 0, shrunk: 0, unchanged: 0, unmeasured: 0 };
  const { held_by } = profile.document.compared as Compared;
  for (let c = 0; c < profile.context_count; c++) {
    if (!chosen[c]) continue;
    const kind = change_of(values[0][c] as number, values[1][c] as number, held_by[c] as number);
    counts[is_unmeasured(c) ? "unmeasured" : kind]++;
  }
  return counts;
}
