// calltree.ts -- the tree of calls, by function, from main() down or from the
// allocations up. Branches are made when they are asked for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { NONE, type Profile, sum } from "./profile.ts";

export interface Branch {
  /** Index into strings; NONE for the root. */
  name: number;
  value: number;
  /** Of what ends here: what it allocates itself; from the allocations up, what
   * has no caller that is known. */
  self: number;
  parent: Branch | undefined;
  depth: number;
  /** Largest first; those that have nothing are left out. */
  children(): Branch[];
  /** What all call stacks of it have of another metric. */
  of(figures: Figures): number;
}

/** What call stacks, and what nodes with all that they call, have of a metric. */
export interface Figures {
  by_context: Float64Array;
  totals: Float64Array;
}

/** The call stacks that are chosen, and by node how many come through it. */
export interface Chosen {
  chosen: Uint8Array;
  through: Float64Array;
}

export interface TreeOptions {
  /** From the allocations up to their callers. */
  inverted: boolean;
  /** Calls of a function by itself are one. */
  folded: boolean;
  /** What has nothing, but something of these, is not left out: what is gone. */
  beside?: Figures | undefined;
}

function largest_first(branches: Branch[], beside: Figures | undefined): Branch[] {
  return branches
    .filter((branch) => branch.value > 0 || (beside !== undefined && branch.of(beside) > 0))
    .sort((a, b) => b.value - a.value || a.name - b.name);
}

/** Nodes by name, those through which nothing comes that is chosen left out. */
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
  /** The first nodes are those that no other one of them calls. */
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

  /** Takes in the nodes that these call of the same name. */
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

/** What all branches of a tree from the allocations up share. */
interface Climb {
  /** By node its caller and its name, beside each other because both are asked. */
  links: Int32Array;
  by_context: Float64Array;
  options: TreeOptions;
  /** The chosen contexts; those of a branch stand beside each other. */
  order: Int32Array;
  /** By name: its place among the children that are being made, or NONE. */
  place: Int32Array;
  /** By name: what they have, and how many they are. */
  sums: Float64Array;
  counts: Int32Array;
}

/** Children that are being made: what they are called, have, and are. */
interface Group {
  name: number;
  value: number;
  count: number;
  begin: number;
}

class Up implements Branch {
  private made: Branch[] | undefined;
  readonly depth: number;

  constructor(
    private readonly climb: Climb,
    readonly name: number,
    readonly value: number,
    /** Where its contexts begin in climb.order. */
    private readonly first: number,
    /** By context: how far its stack was climbed. */
    private readonly nodes: Int32Array,
    readonly parent: Branch | undefined,
  ) {
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  of(figures: Figures): number {
    const { order } = this.climb;
    let all = 0;
    for (let i = 0; i < this.nodes.length; i++)
      all += figures.by_context[order[this.first + i] as number] as number;
    return all;
  }

  private caller(from: number): number {
    const { options, links } = this.climb;
    let node = links[2 * from] as number;
    while (options.folded && node !== NONE && links[2 * node + 1] === this.name)
      node = links[2 * node] as number;
    return node;
  }

  /** One step up each stack: `next` gets the nodes, `places` the groups that they
   * are of. Loops over plain arrays: it is done for each step of each stack. */
  private groups(next: Int32Array, places: Int32Array): Group[] {
    const { by_context, order, place, sums, counts, links } = this.climb;
    const { nodes, first } = this;
    const is_start = this.depth === 0;
    const names: number[] = [];
    for (let i = 0; i < next.length; i++) {
      const from = nodes[i] as number;
      const node = is_start ? from : this.caller(from);
      next[i] = node;
      places[i] = NONE;
      if (node === NONE) continue;
      const name = links[2 * node + 1] as number;
      if (place[name] === NONE) {
        place[name] = names.push(name) - 1;
        sums[name] = 0;
        counts[name] = 0;
      }
      places[i] = place[name] as number;
      sums[name] = (sums[name] as number) + (by_context[order[first + i] as number] as number);
      counts[name] = (counts[name] as number) + 1;
    }
    for (const name of names) place[name] = NONE;
    return names.map((name) => ({
      name,
      value: sums[name] as number,
      count: counts[name] as number,
      begin: 0,
    }));
  }

  /** Puts the contexts of a group beside each other; those that go no further come
   * last. Returns the nodes in the new order. */
  private regroup(groups: Group[], next: Int32Array, places: Int32Array): Int32Array {
    const { order } = this.climb;
    if (groups[0]?.count === next.length) return next;
    const old = order.slice(this.first, this.first + next.length);
    const nodes = new Int32Array(next.length);
    const free = new Int32Array(groups.length);
    let end = 0;
    groups.forEach((group, at) => {
      group.begin = end;
      free[at] = end;
      end += group.count;
    });
    for (let i = 0; i < next.length; i++) {
      const at = places[i] as number;
      let to = end;
      if (at === NONE) end++;
      else {
        to = free[at] as number;
        free[at] = to + 1;
      }
      nodes[to] = next[i] as number;
      order[this.first + to] = old[i] as number;
    }
    return nodes;
  }

  children(): Branch[] {
    if (this.made !== undefined) return this.made;
    const next = new Int32Array(this.nodes.length);
    const places = new Int32Array(this.nodes.length);
    const groups = this.groups(next, places);
    const nodes = this.regroup(groups, next, places);
    const made = groups.map(({ name, value, begin, count }) => {
      const part = nodes.subarray(begin, begin + count);
      return new Up(this.climb, name, value, this.first + begin, part, this);
    });
    this.made = largest_first(made, this.climb.options.beside);
    return this.made;
  }

  get self(): number {
    return this.value - this.children().reduce((sum, child) => sum + child.value, 0);
  }
}

/** The root stands for all that is chosen. */
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

function climb_from(
  profile: Profile,
  by_context: Float64Array,
  chosen: Uint8Array,
  options: TreeOptions,
): Up {
  const order = new Int32Array(profile.context_count);
  const nodes = new Int32Array(profile.context_count);
  let count = 0;
  profile.leaf.forEach((leaf, c) => {
    if (leaf === NONE || !chosen[c]) return;
    order[count] = c;
    nodes[count++] = leaf;
  });
  const names = profile.document.strings.length;
  const links = new Int32Array(2 * profile.parent.length);
  profile.parent.forEach((parent, node) => {
    links[2 * node] = parent;
    links[2 * node + 1] = profile.name[node] as number;
  });
  const climb = {
    links,
    by_context,
    options,
    order,
    place: new Int32Array(names).fill(NONE),
    sums: new Float64Array(names),
    counts: new Int32Array(names),
  };
  return new Up(climb, NONE, 0, 0, nodes.subarray(0, count), undefined);
}

export function call_tree(
  profile: Profile,
  figures: Figures,
  { chosen, through }: Chosen,
  options: TreeOptions,
): Branch {
  const all = sum(figures.by_context);
  if (options.inverted) {
    const top = climb_from(profile, figures.by_context, chosen, options);
    return new Root(all, options.beside, () => top.children());
  }
  const outermost: number[] = [];
  profile.parent.forEach((caller, node) => {
    if (caller === NONE) outermost.push(node);
  });
  return new Root(all, options.beside, (root) =>
    [...by_name(profile, outermost, through)].map(
      ([name, nodes]) => new Down(profile, figures, through, options, name, nodes, root),
    ),
  );
}

/** The branch by the names on the way to it, as far as it goes. */
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
