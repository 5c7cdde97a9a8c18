// calltree.ts -- the tree of calls, by function, from main() down or from the
// allocations up. Branches are made when they are asked for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { NONE, type Profile, sum } from "./profile.ts";

export interface Branch {
  /** Index into strings; NONE for the root. */
  name: number;
  value: number;
  /** The same of the profile that it is compared with; 0 without one. */
  other: number;
  /** Of what ends here: what it allocates itself; from the allocations up, what
   * has no caller that is known. */
  self: number;
  parent: Branch | undefined;
  depth: number;
  /** Largest first. */
  children(): Branch[];
}

export interface TreeOptions {
  /** From the allocations up to their callers. */
  inverted: boolean;
  /** Calls of a function by itself are one. */
  folded: boolean;
}

/** What call stacks have, by context and by node. */
export interface Amounts {
  by_context: Float64Array;
  totals: Float64Array;
}

function largest_first(branches: Branch[]): Branch[] {
  return branches.sort((a, b) => b.value - a.value || b.other - a.other || a.name - b.name);
}

function sum_of(nodes: number[], totals: Float64Array | undefined): number {
  return totals === undefined ? 0 : nodes.reduce((sum, node) => sum + (totals[node] as number), 0);
}

/** Nodes by name, those with nothing left out. */
function by_name(
  profile: Profile,
  nodes: Iterable<number>,
  totals: Float64Array,
  others: Float64Array | undefined,
): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const node of nodes) {
    if (totals[node] === 0 && !others?.[node]) continue;
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
  readonly value: number;
  readonly other: number;
  readonly depth: number;

  constructor(
    private readonly profile: Profile,
    private readonly totals: Float64Array,
    private readonly others: Float64Array | undefined,
    private readonly folded: boolean,
    readonly name: number,
    private readonly nodes: number[],
    readonly parent: Branch | undefined,
  ) {
    this.value = sum_of(nodes, totals);
    this.other = sum_of(nodes, others);
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    if (folded) this.absorb();
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
        if (!this.folded || this.profile.name[callee] !== this.name) yield callee;
  }

  children(): Branch[] {
    this.made ??= largest_first(
      [...by_name(this.profile, this.below(), this.totals, this.others)].map(
        ([name, nodes]) =>
          new Down(this.profile, this.totals, this.others, this.folded, name, nodes, this),
      ),
    );
    return this.made;
  }

  get self(): number {
    return this.value - this.children().reduce((sum, child) => sum + child.value, 0);
  }
}

interface Step {
  value: number;
  other: number;
  node: number;
}

class Up implements Branch {
  private made: Branch[] | undefined;
  readonly value: number;
  readonly other: number;
  readonly depth: number;

  constructor(
    private readonly profile: Profile,
    private readonly folded: boolean,
    readonly name: number,
    private readonly steps: Step[],
    readonly parent: Branch | undefined,
  ) {
    this.value = steps.reduce((sum, step) => sum + step.value, 0);
    this.other = steps.reduce((sum, step) => sum + step.other, 0);
    this.depth = parent === undefined ? 0 : parent.depth + 1;
  }

  private caller(step: Step): number {
    let node = this.profile.parent[step.node] as number;
    while (this.folded && node !== NONE && this.profile.name[node] === this.name)
      node = this.profile.parent[node] as number;
    return node;
  }

  children(): Branch[] {
    if (this.made !== undefined) return this.made;
    const found = new Map<number, Step[]>();
    for (const step of this.steps) {
      const node = this.depth === 0 ? step.node : this.caller(step);
      if (node === NONE) continue;
      const name = this.profile.name[node] as number;
      const same = found.get(name);
      if (same === undefined) found.set(name, [{ ...step, node }]);
      else same.push({ ...step, node });
    }
    this.made = largest_first(
      [...found].map(([name, steps]) => new Up(this.profile, this.folded, name, steps, this)),
    );
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
    readonly other: number,
    make: (root: Branch) => Branch[],
  ) {
    this.branches = largest_first(make(this));
    this.self = value - this.branches.reduce((sum, branch) => sum + branch.value, 0);
  }

  children(): Branch[] {
    return this.branches;
  }
}

export function call_tree(
  profile: Profile,
  by_context: Float64Array,
  totals: Float64Array,
  options: TreeOptions,
  other?: Amounts,
): Branch {
  const all = sum(by_context);
  const other_all = other === undefined ? 0 : sum(other.by_context);

  if (options.inverted) {
    const steps: Step[] = [];
    by_context.forEach((value, c) => {
      const node = profile.leaf[c] as number;
      const before = other?.by_context[c] ?? 0;
      if ((value !== 0 || before !== 0) && node !== NONE)
        steps.push({ value, other: before, node });
    });
    const top = new Up(profile, options.folded, NONE, steps, undefined);
    return new Root(all, other_all, () => top.children());
  }
  const outermost: number[] = [];
  profile.parent.forEach((caller, node) => {
    if (caller === NONE) outermost.push(node);
  });
  const others = other?.totals;
  return new Root(all, other_all, (root) =>
    [...by_name(profile, outermost, totals, others)].map(
      ([name, nodes]) => new Down(profile, totals, others, options.folded, name, nodes, root),
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
