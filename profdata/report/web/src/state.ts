// state.ts -- what is looked at, kept in the URL's fragment so that it can be sent.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

const DEFAULTS = {
  view: "summary",
  metric: "",
  /** A regular expression: the call stacks that are looked at. */
  filter: "",
  /** Likewise: those that are left out, and frames that are not shown. */
  ignore: "",
  hide: "",
  /** "all", else allocation wrappers and start-up are hidden */
  frames: "",
  /** Only what threads of that name allocated. */
  thread: "",
  /** Of the flame graph: the names on the way to its root. */
  root: "",
  /** down: from main() on; up: from the allocations on. */
  from: "down",
  layout: "icicle",
  recursion: "apart",
  /** "": what fits the profile */
  colour: "",
  /** Of two profiles: whose amounts are the width of boxes. */
  width: "change",
  /** Of two profiles: only call stacks that became that. */
  change: "",
  by: "function",
  sort: "",
  columns: "",
  /** Of the tree: what it says beside the metric. */
  beside: "",
  site: "",
  /** Of runs over time: which one, and what part of it, in ns. */
  run: "",
  span: "",
};

export type State = typeof DEFAULTS;

export function parse(fragment: string): State {
  const found = new URLSearchParams(fragment.replace(/^#/, ""));
  const state = { ...DEFAULTS };
  for (const key of Object.keys(DEFAULTS) as (keyof State)[])
    state[key] = found.get(key) ?? DEFAULTS[key];
  return state;
}

export function fragment_of(state: State): string {
  const said = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS) as (keyof State)[])
    if (state[key] !== DEFAULTS[key]) said.set(key, state[key]);
  return said.toString();
}

/** The expression, or what is wrong with it. */
export function pattern_of(filter: string): { pattern?: RegExp; error?: string } {
  if (filter === "") return {};
  try {
    return { pattern: new RegExp(filter, "i") };
  } catch (error) {
    return { error: String((error as Error).message) };
  }
}

/** A pattern that fits what belongs to a group of that name: as it stands, without the
 * number of a line. */
export function pattern_text(name: string): string {
  return name.replace(/:\d+$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export function numbers_of(list: string): number[] {
  return list === "" ? [] : list.split(".").map(Number);
}
