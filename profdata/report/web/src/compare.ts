// compare.ts -- two profiles: what each call stack, function, line, file, module or
// type had before, and what became of it. Which are the same one, memprofdata has
// said; here they are added up, by the rules of `memprofdata diff`.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Compared, Metric } from "./data.ts";
import { count } from "./format.ts";
import { label_of } from "./groups.ts";
import { NONE, type Profile, text } from "./profile.ts";

export const KINDS_OF_CHANGE = ["new", "gone", "grown", "shrunk", "unchanged"] as const;
export type Change = (typeof KINDS_OF_CHANGE)[number];

const IN_OLD = 1;
const IN_NEW = 2;
/** Of what is divided by runs, this is rounding. */
const ROUNDING = 1e-12;

export function is_same(before: number, after: number): boolean {
  return Math.abs(after - before) <= ROUNDING * Math.max(before, after);
}

/** held_by: which of the profiles has it at all. */
export function change_of(before: number, after: number, held_by: number): Change {
  if (is_same(before, after)) return "unchanged";
  if ((held_by & IN_OLD) === 0) return "new";
  if ((held_by & IN_NEW) === 0) return "gone";
  return after < before ? "shrunk" : "grown";
}

/** From -1, all of it is gone, to 1, all of it is new. */
export function share_of_change(before: number, after: number): number {
  return is_same(before, after) ? 0 : (after - before) / Math.max(before, after);
}

/** From here on a growth is said as so many times. */
const TIMES_MIN = 10;

/** "+4.5 %"; "×2,250"; "new" where nothing was there before; "" where nothing changed. */
export function change_percent(before: number, after: number): string {
  if (is_same(before, after)) return "";
  if (before === 0) return "new";
  if (after / before >= TIMES_MIN) return `×${count(after / before)}`;
  const percent = (100 * (after - before)) / before;
  if (Math.abs(percent) < 0.05) return "<0.1 %";
  return `${percent < 0 ? "-" : "+"}${Math.abs(percent).toFixed(1)} %`;
}

/** Numbers of one profile as they are compared: of one run, where those differ. */
export function divided(column: ArrayLike<number>, by: number): Float64Array {
  return Float64Array.from(column, (value) => value / by);
}

export function old_values(compared: Compared, metric: Metric, chosen: Uint8Array): Float64Array {
  const column = compared.before[metric.field] ?? [];
  const by = compared.sides[0].divided_by;
  return Float64Array.from(chosen, (is_chosen, c) => (is_chosen ? (column[c] as number) / by : 0));
}

/** Call stacks whose accesses one of the profiles did not see are not compared. */
export function unmeasured(profile: Profile, metric: Metric): (context: number) => boolean {
  const bit = 1 << profile.metrics.indexOf(metric);
  const bits = profile.document.compared?.unmeasured ?? [];
  return (context) => ((bits[context] ?? 0) & bit) !== 0;
}

export interface ChangedGroup {
  name: string;
  kind: Change;
  /** Before and after: of the stacks that allocate in it, and of all that come
   * through it. */
  self: [number, number];
  total: [number, number];
  contexts: number;
}

export const CHANGED_KINDS = ["function", "line", "file", "module", "type"] as const;
export type ChangedBy = (typeof CHANGED_KINDS)[number];

interface Sum extends ChangedGroup {
  held_by: number;
  /** The frame that it is named after: the new profile's come first. */
  frame: number;
  is_unmeasured: boolean;
  last_seen: number;
}

/** What a node, below which stands another or NONE, belongs to. */
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
  // A program that was built elsewhere is the same one.
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
    // Hidden frames are passed, for a line is that of the call of what is below it.
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

/** Most changed first, of those that changed; how many are not compared. */
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

/** How many call stacks became what. */
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
