// state.ts -- the state of the page, kept in the URL's fragment so that it can be sent.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

const DEFAULTS = {
  view: "summary",
  metric: "",
  /** A regular expression: which call stacks to show. */
  filter: "",
  /** Regular expressions: which call stacks to remove, and which frames to hide. */
  ignore: "",
  hide: "",
  /** "all"; else allocation wrappers and start-up code are hidden */
  frames: "",
  /** Show only the allocations of threads with this name. */
  thread: "",
  /** Of a log: show only the blocks that were alive at this moment, in ns; or those that were
   * allocated between two moments and were alive at the second one. */
  moment: "",
  /** Of the flame graph: the names on the way to its root. */
  root: "",
  /** down: from main(); up: from the allocations. */
  from: "down",
  layout: "icicle",
  recursion: "apart",
  /** "": the default for the profile */
  colour: "",
  /** With two profiles: which values determine the width of boxes. */
  width: "change",
  /** With two profiles: show only call stacks with this kind of change. */
  change: "",
  by: "function",
  sort: "",
  columns: "",
  /** Of the tree: additional columns. */
  beside: "",
  site: "",
  /** Index of the type whose members are shown. */
  type: "",
  /** Of runs over time: index of the run, and the visible part of it, in ns. */
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

/** Compiles the expression, or returns its error. */
export function pattern_of(filter: string): { pattern?: RegExp; error?: string } {
  if (filter === "") return {};
  try {
    return { pattern: new RegExp(filter, "i") };
  } catch (error) {
    return { error: String((error as Error).message) };
  }
}

/** Returns a pattern that matches the members of a group with this name: the literal name without a
 * line number. */
export function pattern_text(name: string): string {
  return name.replace(/:\d+$/, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

export function numbers_of(list: string): number[] {
  return list === "" ? [] : list.split(".").map(Number);
}
