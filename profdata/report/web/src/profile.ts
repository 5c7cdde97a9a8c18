// profile.ts -- the data in a form that views can sum up quickly.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Document, Field, Links, Metric, Side } from "./data.ts";

export const NONE = -1;

export interface Profile {
  document: Document;
  metrics: Metric[];
  fields: Field[];
  /** As recorded. By node: the caller's node, or NONE; by context: its innermost node, or NONE if
   * the stack is unknown. */
  whole_parent: Int32Array;
  whole_leaf: Int32Array;
  /** By node: is it hidden? */
  hidden: Uint8Array;
  /** By node: the node of the nearest visible caller, or NONE. */
  parent: Int32Array;
  frame: Int32Array;
  /** By node: the name of its frame, an index into strings. */
  name: Int32Array;
  /** By context: its innermost visible node, or NONE. */
  leaf: Int32Array;
  context_count: number;
  /** By complete name. */
  short: Map<string, string>;
  shortest: Map<string, string>;
  /** By context: 1, for choosing all call stacks. */
  everything: Uint8Array;
  /** By node: its caller and the caller's name, or NONE; adjacent, because each step up a call
   * stack needs both. */
  links: Int32Array;
  /** The nodes without a visible caller. */
  outermost: number[];
  /** By node: its first callee, and its next sibling. */
  first_child: Int32Array;
  next_sibling: Int32Array;
}

/** The visible part of call stacks, linked in both directions. */
type Shown = Pick<Profile, "parent" | "links" | "outermost" | "first_child" | "next_sibling">;

function linked(parent: Int32Array, name: Int32Array, hidden: Uint8Array): Shown {
  const links = new Int32Array(2 * parent.length);
  const first_child = new Int32Array(parent.length).fill(NONE);
  const next_sibling = new Int32Array(parent.length).fill(NONE);
  const outermost: number[] = [];
  for (let node = parent.length - 1; node >= 0; node--) {
    const caller = parent[node] as number;
    links[2 * node] = caller;
    links[2 * node + 1] = caller === NONE ? NONE : (name[caller] as number);
    if (hidden[node]) continue;
    if (caller === NONE) {
      outermost.push(node);
      continue;
    }
    next_sibling[node] = first_child[caller] as number;
    first_child[caller] = node;
  }
  outermost.reverse();
  return { parent, links, outermost, first_child, next_sibling };
}

/** Returns the divisor of a metric or of a field that is none. */
export function divisor(side: Side, metric?: string): number {
  return side.divided_by_metric[metric ?? ""] ?? side.divided_by;
}

/** Divides the values of profiles of several runs for the comparison. */
function divide(document: Document): Document {
  const side = document.compared?.sides[1];
  if (side === undefined) return document;
  const metrics = document.metrics.map((m) => ({ ...m, total: m.total / divisor(side, m.name) }));
  const fields = Object.fromEntries(
    Object.entries(document.contexts.fields).map(([field, column]) => {
      const by = divisor(side, metrics.find((m) => m.field === field)?.name);
      return [field, column.map((value) => value / by)];
    }),
  );
  return { ...document, metrics, contexts: { ...document.contexts, fields } };
}

function by_whole(strings: string[], forms: string[]): Map<string, string> {
  const found = new Map<string, string>();
  forms.forEach((form, i) => {
    if (form !== "") found.set(strings[i] as string, form);
  });
  return found;
}

export function profile_of(read: Document): Profile {
  const document = divide(read);
  const frame = Int32Array.from(document.nodes.frame);
  const name = frame.map((f) => document.frames.name[f] as number);
  const parent = Int32Array.from(document.nodes.parent, (ref) => ref - 1);
  const leaf = Int32Array.from(document.contexts.node, (ref) => ref - 1);
  const hidden = new Uint8Array(parent.length);
  return {
    document,
    metrics: document.metrics,
    fields: document.fields,
    whole_parent: parent,
    whole_leaf: leaf,
    hidden,
    frame,
    name,
    leaf,
    ...linked(parent, name, hidden),
    context_count: document.contexts.node.length,
    short: by_whole(document.strings, document.short),
    shortest: by_whole(document.strings, document.shortest),
    everything: new Uint8Array(document.contexts.node.length).fill(1),
  };
}

/** By context: the node of the function that represents it, the caller of the allocation wrappers.
 */
function callers_of_wrappers({ document, frame, whole_leaf, whole_parent }: Profile): Int32Array {
  return whole_leaf.map((leaf, c) => {
    const site = (document.contexts.site[c] as number) - 1;
    let node = leaf;
    while (node !== NONE && frame[node] !== site) node = whole_parent[node] as number;
    return node === NONE ? leaf : node;
  });
}

/** Returns the profile with fewer frames: without start-up code and allocation wrappers, unless
 * shows_all, and without functions and files that match `pattern`. All call stacks stay; the
 * allocations of a hidden frame become its caller's. */
export function hiding(profile: Profile, shows_all: boolean, pattern: RegExp | undefined): Profile {
  const { frames } = profile.document;
  const { frame, name, whole_parent } = profile;
  const innermost = shows_all ? profile.whole_leaf : callers_of_wrappers(profile);
  const is_leaf = new Uint8Array(frame.length);
  for (const node of innermost) if (node !== NONE) is_leaf[node] = 1;
  const fits = frames_fitting(profile, pattern);
  const hidden = new Uint8Array(frame.length);
  const parent = new Int32Array(frame.length);
  for (let node = 0; node < frame.length; node++) {
    const caller = whole_parent[node] as number;
    const is_first = caller === NONE || (hidden[caller] && parent[caller] === NONE);
    const is_start =
      !shows_all && is_first && frames.start[frame[node] as number] && !is_leaf[node];
    parent[node] = caller !== NONE && hidden[caller] ? (parent[caller] as number) : caller;
    hidden[node] = is_start || fits?.[frame[node] as number] ? 1 : 0;
  }
  const leaf = innermost.map((n) => (n !== NONE && hidden[n] ? (parent[n] as number) : n));
  return {
    ...profile,
    hidden,
    leaf,
    ...linked(parent, name, hidden),
    everything: profile.everything.slice(),
  };
}

export function text(profile: Profile, index: number): string {
  return profile.document.strings[index] ?? "";
}

/** Returns the short form of a C++ name, which fits into tables; any other string unchanged. Views
 * offer the complete name too: see Whole. */
export function short(profile: Profile, whole: string): string {
  return profile.short.get(whole) ?? whole;
}

/** Returns the shortest form of a name. */
export function shortest(profile: Profile, whole: string): string {
  return profile.shortest.get(whole) ?? whole;
}

/** Returns the metric with this name, or the default one. */
export function metric_named(profile: Profile, name: string): Metric {
  const find = (wanted?: string) => profile.metrics.find((m) => m.name === wanted);
  return (find(name) ?? find(profile.document.compared?.metric) ?? profile.metrics[0]) as Metric;
}

/** Returns the metrics that "Show" offers: no lifetimes, because their sum says little; the
 * average per block is a column of the tree and of the call stacks. */
export function metrics_to_show(profile: Profile, chosen?: Metric): Metric[] {
  return profile.metrics.filter((m) => m.name !== "lifetime" || m === chosen);
}

/** Returns the total of a metric; for lifetimes the average per block. */
export function whole_of(
  metric: Metric,
  total_of: (name: string) => number | undefined,
): { title: string; value: number } {
  const total = total_of(metric.name) ?? 0;
  const blocks = total_of("blocks") ?? 0;
  return metric.name === "lifetime" && blocks > 0
    ? { title: "average lifetime", value: total / blocks }
    : { title: metric.title, value: total };
}

export function field_of(profile: Profile, context: number, field: string): number {
  return profile.document.contexts.fields[field]?.[context] ?? 0;
}

/** By string: does it match, in its complete or short form? */
function strings_fitting(profile: Profile, pattern: RegExp): boolean[] {
  return profile.document.strings.map(
    (s) => s !== "" && (pattern.test(s) || pattern.test(short(profile, s))),
  );
}

/** By frame: does its function, file or binary match? undefined without a pattern. */
function frames_fitting(profile: Profile, pattern: RegExp | undefined): boolean[] | undefined {
  if (pattern === undefined) return undefined;
  const { frames } = profile.document;
  const fits = strings_fitting(profile, pattern);
  return frames.name.map(
    (name, f) =>
      (fits[name] || fits[frames.file[f] as number] || fits[frames.module[f] as number]) ?? false,
  );
}

/** Returns which call stacks have a function, file or type that matches, in its complete or short
 * form; all without a pattern. */
export function matching(profile: Profile, pattern: RegExp | undefined): Uint8Array {
  if (pattern === undefined) return profile.everything;
  const chosen = new Uint8Array(profile.context_count);
  const { contexts } = profile.document;
  const fits = strings_fitting(profile, pattern);
  const frame_fits = frames_fitting(profile, pattern);
  const through = new Uint8Array(profile.frame.length);
  for (let node = 0; node < through.length; node++) {
    const caller = profile.whole_parent[node] as number;
    const is_fit =
      frame_fits?.[profile.frame[node] as number] || (caller !== NONE && through[caller]);
    through[node] = is_fit ? 1 : 0;
  }
  for (let c = 0; c < chosen.length; c++) {
    const leaf = profile.whole_leaf[c] as number;
    const is_fit = (leaf !== NONE && through[leaf]) || fits[contexts.type[c] as number];
    chosen[c] = is_fit ? 1 : 0;
  }
  return chosen;
}

/** By context: its value of the metric; 0 for contexts that are not chosen. */
export function values(profile: Profile, metric: Metric, chosen: Uint8Array): Float64Array {
  const column = profile.document.contexts.fields[metric.field] ?? [];
  const out = new Float64Array(profile.context_count);
  for (let c = 0; c < out.length; c++) out[c] = chosen[c] ? (column[c] as number) : 0;
  return out;
}

export function sum(numbers: Float64Array): number {
  let total = 0;
  for (const n of numbers) total += n;
  return total;
}

/** By node: the sum over it and all nodes below it. */
export function node_totals(profile: Profile, by_context: Float64Array): Float64Array {
  const totals = new Float64Array(profile.parent.length);
  for (let c = 0; c < by_context.length; c++) {
    const leaf = profile.leaf[c] as number;
    if (leaf !== NONE) totals[leaf] = (totals[leaf] as number) + (by_context[c] as number);
  }
  for (let node = totals.length - 1; node >= 0; node--) {
    const caller = profile.parent[node] as number;
    if (caller !== NONE) totals[caller] = (totals[caller] as number) + (totals[node] as number);
  }
  return totals;
}

/** Values of a metric by context, and totals by node. */
export interface Figures {
  readonly by_context: Float64Array;
  readonly totals: Float64Array;
}

/** The chosen call stacks, and by node how many of them go through it. */
export interface Chosen {
  readonly chosen: Uint8Array;
  readonly through: Float64Array;
}

/** Computes totals on first use, because not all views need them. */
export class LazyFigures implements Figures {
  private made: Float64Array | undefined;

  constructor(
    private readonly profile: Profile,
    readonly by_context: Float64Array,
  ) {}

  get totals(): Float64Array {
    this.made ??= node_totals(this.profile, this.by_context);
    return this.made;
  }
}

/** Computes `through` on first use. */
export class LazyChosen implements Chosen {
  private made: Float64Array | undefined;

  constructor(
    private readonly profile: Profile,
    readonly chosen: Uint8Array,
  ) {}

  get through(): Float64Array {
    this.made ??= node_totals(this.profile, Float64Array.from(this.chosen));
    return this.made;
  }
}

const NO_LINKS: Links = { context: [], node: [], count: [], bytes: [] };

/** Returns the profile with other values: only these fields, by context, and without data that
 * belong to the others. */
export function with_fields(profile: Profile, fields: Record<string, number[]>): Profile {
  const total = (field: string) => sum(Float64Array.from(fields[field] ?? []));
  const metrics = profile.metrics
    .filter((metric) => fields[metric.field] !== undefined)
    .map((metric) => ({ ...metric, total: total(metric.field) }));
  const kept = profile.fields
    .filter((field) => fields[field.name] !== undefined)
    .map((field) => ({ ...field, total: total(field.name) }));
  const { verdict: _, why: __, verdict_numbers: ___, ...contexts } = profile.document.contexts;
  const { verdicts: _v, verdict_reasons: _r, advice: _a, ...document } = profile.document;
  return {
    ...profile,
    metrics,
    fields: kept,
    document: {
      ...document,
      metrics,
      fields: kept,
      contexts: { ...contexts, fields },
      findings: [],
      histograms: [],
      spreads: {},
      links: { realloc: NO_LINKS, free: NO_LINKS },
    },
  };
}

/** Returns the frames from a node to its outermost caller, including hidden ones. */
export function frames_from(profile: Profile, from: number): number[] {
  const frames: number[] = [];
  for (let node = from; node !== NONE; node = profile.whole_parent[node] as number)
    frames.push(profile.frame[node] as number);
  return frames;
}

/** Returns the frames of a call stack, innermost first, including hidden ones. */
export function stack_of(profile: Profile, context: number): number[] {
  return frames_from(profile, profile.whole_leaf[context] as number);
}
