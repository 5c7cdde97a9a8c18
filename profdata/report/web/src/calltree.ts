// calltree.ts -- the call tree by function, from main() down or from the allocations up. Branches
// are created on first access.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { type Chosen, type Figures, NONE, type Profile, sum } from "./profile.ts";

export interface Branch {
  /** Index into strings; NONE for the root. */
  name: number;
  value: number;
  /** Allocated by the function itself; from the allocations up: allocated without a known caller.
   */
  self: number;
  parent: Branch | undefined;
  depth: number;
  /** Largest first; without branches whose value is 0. */
  children(): Branch[];
  /** Sum of another metric over the branch's call stacks. */
  of(figures: Figures): number;
}

export interface TreeOptions {
  /** From the allocations up to their callers. */
  inverted: boolean;
  /** Merge directly recursive calls. */
  folded: boolean;
  /** Keep branches without a value if they have one of these: they are gone in the new profile. */
  beside?: Figures | undefined;
}

function largest_first(branches: Branch[], beside: Figures | undefined): Branch[] {
  return branches
    .filter((branch) => branch.value > 0 || (beside !== undefined && branch.of(beside) > 0))
    .sort((a, b) => b.value - a.value || a.name - b.name);
}

/** Groups nodes by name; drops nodes through which no chosen call stack goes. */
function by_name(
  profile: Profile,
  nodes: Iterable<number>,
  through: Float64Array,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const node of nodes) {
    if (through[node] === 0) continue;
    const name = profile.name[node] as number;
    const same = found.get(name);
    if (same === undefined) found.set(name, [node]);
    else same.push(node);
  }
  return found;
}

function* callees(profile: Profile, node: number): Generator<number> {
  for (
    let n = profile.first_child[node] as number;
    n !== NONE;
    n = profile.next_sibling[n] as number
  )
    yield n;
}

class Down implements Branch {
  private made: Branch[] | undefined;
  /** The first nodes are those that no other node of the branch calls. */
  private readonly outermost: number;
  readonly value: number;
  readonly depth: number;

  constructor(
    private readonly profile: Profile,
    private readonly figures: Figures,
    private readonly through: Float64Array,
    private readonly options: TreeOptions,
    readonly name: number,
    private readonly nodes: number[],
    readonly parent: Branch | undefined,
  ) {
    this.value = nodes.reduce((sum, node) => sum + (figures.totals[node] as number), 0);
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.outermost = nodes.length;
    if (options.folded) this.absorb();
  }

  of(figures: Figures): number {
    let all = 0;
    for (let i = 0; i < this.outermost; i++)
      all += figures.totals[this.nodes[i] as number] as number;
    return all;
  }

  /** Adds the nodes with the same name that these nodes call. */
  private absorb(): void {
    for (let i = 0; i < this.nodes.length; i++)
      for (const node of callees(this.profile, this.nodes[i] as number))
        if (this.profile.name[node] === this.name) this.nodes.push(node);
  }

  private *below(): Generator<number> {
    for (const node of this.nodes)
      for (const callee of callees(this.profile, node))
        if (!this.options.folded || this.profile.name[callee] !== this.name) yield callee;
  }

  children(): Branch[] {
    this.made ??= largest_first(
      [...by_name(this.profile, this.below(), this.through)].map(
        ([name, nodes]) =>
          new Down(this.profile, this.figures, this.through, this.options, name, nodes, this),
      ),
      this.options.beside,
    );
    return this.made;
  }

  get self(): number {
    return this.value - this.children().reduce((sum, child) => sum + child.value, 0);
  }
}

/** A set of call stacks whose innermost functions are the same so far. It does not depend on the
 * metric, so that all metrics share one climb. */
class Climbed {
  private made: Climbed[] | undefined;

  constructor(
    readonly climb: Climb,
    readonly name: number,
    /** The set's range in climb.order; climb.nodes has their current nodes. */
    private readonly first: number,
    private readonly end: number,
    private readonly is_start: boolean,
  ) {}

  /** The sum over its contexts; computed once, from its parts if it was divided. */
  sum(by_context: Float64Array): number {
    const known = this.climb.sums_of(by_context);
    let all = known.get(this);
    if (all !== undefined) return all;
    const { order } = this.climb;
    all = 0;
    let at = this.first;
    for (const part of this.made ?? []) {
      all += part.sum(by_context);
      at = part.end;
    }
    for (; at < this.end; at++) all += by_context[order[at] as number] as number;
    known.set(this, all);
    return all;
  }

  children(): Climbed[] {
    this.made ??= this.part();
    return this.made;
  }

  /** Climbs one step in each stack, in place and only once. Uses plain arrays, because it runs for
   * each step of each stack. */
  private part(): Climbed[] {
    const { links, nodes, names_of, places, place, counts, folded } = this.climb;
    const { name: own, first, end } = this;
    const is_start = this.is_start;
    const names: number[] = [];
    for (let i = first; i < end; i++) {
      let node = nodes[i] as number;
      let name = is_start ? (names_of[node] as number) : (links[2 * node + 1] as number);
      if (!is_start) {
        node = links[2 * node] as number;
        while (folded && name === own) {
          name = links[2 * node + 1] as number;
          node = links[2 * node] as number;
        }
        nodes[i] = node;
      }
      if (node === NONE) {
        places[i] = NONE;
        continue;
      }
      let at = place[name] as number;
      if (at === NONE) {
        at = names.push(name) - 1;
        place[name] = at;
        counts[name] = 0;
      }
      places[i] = at;
      counts[name] = (counts[name] as number) + 1;
    }
    for (const name of names) place[name] = NONE;
    return this.regroup(names);
  }

  /** Makes contexts of a name adjacent; contexts whose stack ends come last. */
  private regroup(names: number[]): Climbed[] {
    const { order, nodes, places, counts, old_order, old_nodes } = this.climb;
    const { first, end } = this;
    const begin = [first];
    names.forEach((name, at) => {
      begin.push((begin[at] as number) + (counts[name] as number));
    });
    if (begin[1] !== end) {
      const free = Int32Array.from(begin);
      old_order.set(order.subarray(first, end), first);
      old_nodes.set(nodes.subarray(first, end), first);
      for (let i = first; i < end; i++) {
        const at = places[i] === NONE ? names.length : (places[i] as number);
        const to = free[at] as number;
        free[at] = to + 1;
        nodes[to] = old_nodes[i] as number;
        order[to] = old_order[i] as number;
      }
    }
    return names.map(
      (name, at) =>
        new Climbed(this.climb, name, begin[at] as number, begin[at + 1] as number, false),
    );
  }
}

/** State shared by all branches of a tree from the allocations up. */
class Climb {
  /** The chosen contexts; those of a branch are adjacent. */
  readonly order: Int32Array;
  /** of the profile */
  readonly links: Int32Array;
  readonly names_of: Int32Array;
  /** By context: the node that the climb has reached. */
  readonly nodes: Int32Array;
  /** While a branch is divided: the index of each context's name, and copies of the old values. */
  readonly places: Int32Array;
  readonly old_order: Int32Array;
  readonly old_nodes: Int32Array;
  /** By name: its index among the children being made, or NONE; and its number of contexts. */
  readonly place: Int32Array;
  readonly counts: Int32Array;
  readonly top: Climbed;
  private readonly sums = new WeakMap<Float64Array, Map<Climbed, number>>();

  constructor(
    profile: Profile,
    chosen: Uint8Array,
    readonly folded: boolean,
  ) {
    this.links = profile.links;
    this.names_of = profile.name;
    const names = profile.document.strings.length;
    const { leaf } = profile;
    this.order = new Int32Array(leaf.length);
    this.nodes = new Int32Array(leaf.length);
    this.places = new Int32Array(leaf.length);
    this.old_order = new Int32Array(leaf.length);
    this.old_nodes = new Int32Array(leaf.length);
    this.place = new Int32Array(names).fill(NONE);
    this.counts = new Int32Array(names);
    let count = 0;
    for (let c = 0; c < leaf.length; c++) {
      if (leaf[c] === NONE || !chosen[c]) continue;
      this.order[count] = c;
      this.nodes[count++] = leaf[c] as number;
    }
    this.top = new Climbed(this, NONE, 0, count, true);
  }

  sums_of(by_context: Float64Array): Map<Climbed, number> {
    let sums = this.sums.get(by_context);
    if (sums === undefined) {
      sums = new Map();
      this.sums.set(by_context, sums);
    }
    return sums;
  }
}

/** The latest climbs, by the chosen call stacks. */
const climbs = new WeakMap<Uint8Array, [Climb?, Climb?]>();

function climb_of(profile: Profile, chosen: Uint8Array, folded: boolean): Climb {
  const known = climbs.get(chosen) ?? [];
  climbs.set(chosen, known);
  known[Number(folded)] ??= new Climb(profile, chosen, folded);
  return known[Number(folded)] as Climb;
}

class Up implements Branch {
  private made: Branch[] | undefined;
  readonly name: number;
  readonly value: number;
  readonly depth: number;

  constructor(
    private readonly climbed: Climbed,
    private readonly by_context: Float64Array,
    private readonly beside: Figures | undefined,
    readonly parent: Branch | undefined,
  ) {
    this.name = climbed.name;
    this.value = climbed.sum(by_context);
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  of(figures: Figures): number {
    return this.climbed.sum(figures.by_context);
  }

  children(): Branch[] {
    this.made ??= largest_first(
      this.climbed.children().map((climbed) => new Up(climbed, this.by_context, this.beside, this)),
      this.beside,
    );
    return this.made;
  }

  get self(): number {
    return this.value - this.children().reduce((sum, child) => sum + child.value, 0);
  }
}

/** The root stands for all chosen call stacks. */
class Root implements Branch {
  readonly name = NONE;
  readonly depth = 0;
  readonly parent = undefined;
  readonly self: number;
  private readonly branches: Branch[];

  constructor(
    readonly value: number,
    beside: Figures | undefined,
    make: (root: Branch) => Branch[],
  ) {
    this.branches = largest_first(make(this), beside);
    this.self = value - this.branches.reduce((sum, branch) => sum + branch.value, 0);
  }

  children(): Branch[] {
    return this.branches;
  }

  of(figures: Figures): number {
    return sum(figures.by_context);
  }
}

export function call_tree(
  profile: Profile,
  figures: Figures,
  chosen: Chosen,
  options: TreeOptions,
): Branch {
  const all = sum(figures.by_context);
  if (options.inverted) {
    const { by_context } = figures;
    const { top } = climb_of(profile, chosen.chosen, options.folded);
    return new Root(all, options.beside, (root) =>
      top.children().map((climbed) => new Up(climbed, by_context, options.beside, root)),
    );
  }
  return new Root(all, options.beside, (root) =>
    [...by_name(profile, profile.outermost, chosen.through)].map(
      ([name, nodes]) => new Down(profile, figures, chosen.through, options, name, nodes, root),
    ),
  );
}

/** Follows the names from the root as far as they exist; returns the last branch. */
export function find_branch(root: Branch, names: number[]): Branch {
  let at = root;
  for (const name of names) {
    const next = at.children().find((child) => child.name === name);
    if (next === undefined) break;
    at = next;
  }
  return at;
}

export function way_to(branch: Branch): number[] {
  const names: number[] = [];
  for (let at: Branch | undefined = branch; at !== undefined && at.name !== NONE; at = at.parent)
    names.push(at.name);
  return names.reverse();
}
