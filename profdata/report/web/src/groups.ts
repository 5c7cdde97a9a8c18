// groups.ts -- sums up call stacks by function, line, file, binary or type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { NONE, type Profile, text } from "./profile.ts";

export const KINDS = ["function", "line", "file", "module", "type", "thread", "pool"] as const;
export type Kind = (typeof KINDS)[number];

export interface Group {
  name: string;
  /** of stacks that allocate in it */
  self: number;
  /** of stacks through it, each counted once */
  total: number;
  contexts: number;
}

/** Returns the name of a frame's group. */
export function label_of(profile: Profile, kind: Kind, f: number): string {
  const { frames } = profile.document;
  const file = text(profile, frames.file[f] as number);
  const name = text(profile, frames.name[f] as number);
  if (kind === "function") return name;
  if (kind === "module") return text(profile, frames.module[f] as number) || "[unknown binary]";
  if (kind === "file") return file || "[unknown file]";
  return file === "" ? `${name} [no line]` : `${file}:${frames.line[f]}`;
}

/** Returns a number for each frame's group, and the names of the groups. */
function keys_of(profile: Profile, kind: Kind): { key: Int32Array; names: string[] } {
  const { frames } = profile.document;
  const names: string[] = [];
  const known = new Map<string, number>();
  const key = Int32Array.from(frames.name, (_, f) => {
    const name = label_of(profile, kind, f);
    let at = known.get(name);
    if (at === undefined) {
      at = names.length;
      known.set(name, at);
      names.push(name);
    }
    return at;
  });
  return { key, names };
}

/** Groups call stacks by a single name. */
function by_name(by_context: Float64Array, name_of: (context: number) => string): Group[] {
  const groups = new Map<string, Group>();
  by_context.forEach((value, c) => {
    if (value === 0) return;
    const name = name_of(c);
    let group = groups.get(name);
    if (group === undefined) {
      group = { name, self: 0, total: 0, contexts: 0 };
      groups.set(name, group);
    }
    group.self += value;
    group.total += value;
    group.contexts++;
  });
  return [...groups.values()];
}

/** Returns the function that represents a call stack: the innermost one that is not an allocation
 * wrapper, judged by its name. */
export function site_name(profile: Profile, context: number): string {
  const { frames, contexts } = profile.document;
  const frame = (contexts.site[context] as number) - 1;
  return frame < 0 ? "[unknown]" : text(profile, frames.name[frame] as number);
}

/** Returns all groups that have a value; recursion counts once. */
export function groups_of(profile: Profile, kind: Kind, by_context: Float64Array): Group[] {
  if (kind === "type")
    return by_name(
      by_context,
      (c) => text(profile, profile.document.contexts.type[c] as number) || "[unknown type]",
    );
  const { key, names } = keys_of(profile, kind);
  // A hidden frame may be in another binary than its caller.
  const [leaf, parent] =
    kind === "module" ? [profile.whole_leaf, profile.whole_parent] : [profile.leaf, profile.parent];
  const groups = names.map((name) => ({ name, self: 0, total: 0, contexts: 0 }));
  const last_seen = new Int32Array(names.length).fill(NONE);
  for (let c = 0; c < by_context.length; c++) {
    const value = by_context[c] as number;
    if (value === 0) continue;
    let is_leaf = true;
    for (let node = leaf[c] as number; node !== NONE; node = parent[node] as number) {
      const at = key[profile.frame[node] as number] as number;
      const group = groups[at] as Group;
      if (is_leaf) group.self += value;
      is_leaf = false;
      if (last_seen[at] === c) continue;
      last_seen[at] = c;
      group.total += value;
      group.contexts++;
    }
  }
  return groups.filter((g) => g.contexts > 0);
}

export function sorted(groups: Group[], column: "self" | "total" | "contexts" | "name"): Group[] {
  const by_name = (a: Group, b: Group) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return [...groups].sort((a, b) =>
    column === "name" ? by_name(a, b) : b[column] - a[column] || b.total - a.total || by_name(a, b),
  );
}
