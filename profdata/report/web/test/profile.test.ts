// profile.test.ts -- sums over a document, and what a pattern chooses of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Branch, call_tree, find_branch, way_to } from "../src/calltree.ts";
import { groups_of, KINDS, sorted } from "../src/groups.ts";
import {
  hiding,
  matching,
  metric_named,
  node_totals,
  profile_of,
  short,
  shortest,
  stack_of,
  sum,
  text,
  values,
  whole_of,
} from "../src/profile.ts";
import { small } from "./small.ts";

const profile = profile_of(small());
const bytes = values(profile, metric_named(profile, "bytes"), matching(profile, undefined));
const totals = node_totals(profile, bytes);
const figures = { by_context: bytes, totals };
const chosen = matching(profile, undefined);
const everything = { chosen, through: node_totals(profile, Float64Array.from(chosen)) };

function names(branch: Branch): [string, number, number][] {
  return branch.children().map((b) => [text(profile, b.name), b.value, b.self]);
}

test("nodes have what they call, too", () => {
  assert.equal(sum(bytes), 187);
  assert.deepEqual([...totals], [180, 130, 100, 100, 30, 30, 50]);
  assert.deepEqual(stack_of(profile, 1), [2, 1, 1, 0]);
  assert.deepEqual(stack_of(profile, 3), []);
});

test("a metric that is not there is the first", () => {
  assert.equal(metric_named(profile, "").name, "bytes");
  assert.equal(metric_named(profile, "blocks").name, "blocks");
});

test("a pattern chooses stacks by function, file and type", () => {
  const fits = (pattern: RegExp) => [...matching(profile, pattern)];
  assert.deepEqual(fits(/^load$/), [0, 0, 1, 0]);
  assert.deepEqual(fits(/b\.c/), [1, 0, 1, 0]);
  assert.deepEqual(fits(/struct node/), [1, 1, 0, 0]);
  assert.deepEqual(fits(/nothing/), [0, 0, 0, 0]);
});

test("the tree goes from main down", () => {
  const root = call_tree(profile, figures, everything, { inverted: false, folded: false });
  assert.deepEqual([root.value, root.self], [187, 7]);
  assert.deepEqual(names(root), [["main", 180, 0]]);
  const parse = find_branch(root, [1, 2]);
  assert.deepEqual(names(parse), [
    ["new_node", 100, 0],
    ["parse", 30, 0],
  ]);
  assert.deepEqual(way_to(parse), [1, 2]);
  assert.equal(find_branch(root, [1, 9, 9]).name, 1);
});

test("folding makes one of a function that calls itself", () => {
  const root = call_tree(profile, figures, everything, { inverted: false, folded: true });
  const parse = find_branch(root, [1, 2]);
  assert.equal(parse.value, 130);
  assert.deepEqual(names(parse), [["new_node", 130, 30]]);
});

test("the tree goes from allocations up", () => {
  const root = call_tree(profile, figures, everything, { inverted: true, folded: false });
  assert.deepEqual([root.value, root.self], [187, 7]);
  assert.deepEqual(names(root), [
    ["malloc_of", 100, 0],
    ["load", 50, 0],
    ["new_node", 30, 0],
  ]);
  const up = (folded: boolean) =>
    names(find_branch(call_tree(profile, figures, everything, { inverted: true, folded }), [3, 2]));
  assert.deepEqual(up(false), [["parse", 30, 0]]);
  // What has no caller ends there.
  assert.deepEqual(up(true), [["main", 30, 30]]);
});

test("what branches have adds up", () => {
  const check = (branch: Branch): void => {
    const below = branch.children().reduce((all, b) => all + b.value, 0);
    assert.equal(branch.self + below, branch.value);
    branch.children().forEach(check);
  };
  for (const inverted of [false, true])
    for (const folded of [false, true])
      check(call_tree(profile, figures, everything, { inverted, folded }));
});

test("branches have what they have of other metrics", () => {
  const blocks = values(profile, metric_named(profile, "blocks"), chosen);
  const others = { by_context: blocks, totals: node_totals(profile, blocks) };
  const down = (folded: boolean) =>
    find_branch(call_tree(profile, figures, everything, { inverted: false, folded }), [1, 2]);
  assert.deepEqual([down(false).of(others), down(true).of(others)], [11, 11]);
  const root = call_tree(profile, figures, everything, { inverted: true, folded: false });
  assert.equal(root.of(others), 14);
  // Asked before and after their callers were.
  const named = () => root.children().map((b) => [text(profile, b.name), b.of(others)]);
  const before = named();
  const open = (branch: Branch): void => branch.children().forEach(open);
  open(root);
  assert.deepEqual(before, [
    ["malloc_of", 10],
    ["load", 2],
    ["new_node", 1],
  ]);
  assert.deepEqual(named(), before);
});

test("a tree of what is chosen has nothing else", () => {
  const some = matching(profile, /^load$/);
  const by_context = values(profile, metric_named(profile, "bytes"), some);
  const part = { chosen: some, through: node_totals(profile, Float64Array.from(some)) };
  for (const inverted of [false, true]) {
    const root = call_tree(
      profile,
      { by_context, totals: node_totals(profile, by_context) },
      part,
      {
        inverted,
        folded: false,
      },
    );
    assert.deepEqual(names(root), [[inverted ? "load" : "main", 50, 0]]);
  }
});

test("groups count recursion once, and what is their own adds up", () => {
  const by_function = new Map(groups_of(profile, "function", bytes).map((g) => [g.name, g]));
  assert.deepEqual(by_function.get("parse"), { name: "parse", self: 0, total: 130, contexts: 2 });
  assert.deepEqual(by_function.get("new_node"), {
    name: "new_node",
    self: 30,
    total: 130,
    contexts: 2,
  });
  for (const kind of KINDS) {
    const own = groups_of(profile, kind, bytes).reduce((all, g) => all + g.self, 0);
    assert.ok(own === 187 || own === 180, `${kind}: ${own}`);
  }
  assert.equal(sorted(groups_of(profile, "line", bytes), "name")[0]?.name, "a.c:10");
});

test("hidden frames leave what they allocate to their callers", () => {
  const self = (shown: typeof profile) =>
    sorted(groups_of(shown, "function", bytes), "self").map((g) => [g.name, g.self, g.total]);
  // malloc_of is no function to be named.
  const without = hiding(profile, false, undefined);
  assert.deepEqual(self(without), [
    ["new_node", 130, 130],
    ["load", 50, 50],
    ["main", 0, 180],
    ["parse", 0, 130],
  ]);
  assert.deepEqual(stack_of(without, 0), stack_of(profile, 0));
  assert.deepEqual(self(hiding(profile, true, undefined)), self(profile));
  assert.deepEqual(self(hiding(profile, false, /^(new_node|main)$/)), [
    ["parse", 130, 130],
    ["load", 50, 50],
  ]);
  assert.deepEqual(
    self(hiding(profile, true, /b\.c/)).map(([name, own]) => [name, own]),
    [
      ["new_node", 130],
      ["main", 50],
      ["parse", 0],
    ],
  );
  // Nothing is left of a stack.
  assert.deepEqual([...hiding(profile, true, /./).leaf], [-1, -1, -1, -1]);
});

test("start-up is hidden from the outermost frame on, but for what it allocates", () => {
  const document = small();
  document.frames.start = [1, 1, 0, 0, 1];
  document.contexts.site = [4, 3, 5, 0];
  const shown = hiding(profile_of(document), false, undefined);
  assert.deepEqual([...shown.hidden], [1, 1, 0, 0, 1, 0, 0]);
  const root = call_tree(
    shown,
    { by_context: bytes, totals: node_totals(shown, bytes) },
    { chosen: shown.everything, through: node_totals(shown, Float64Array.from([1, 1, 1, 1])) },
    { inverted: false, folded: false },
  );
  assert.deepEqual(names(root), [
    ["new_node", 130, 30],
    ["load", 50, 50],
  ]);
});

test("names are shown short, and found by both forms", () => {
  const document = small();
  document.strings[3] = "(anonymous namespace)::new_node(std::__cxx11::list<int>)";
  document.short = document.strings.map((_, i) => (i === 3 ? "new_node(std::list<int>)" : ""));
  document.shortest = document.strings.map((_, i) => (i === 3 ? "new_node(...)" : ""));
  const profile = profile_of(document);
  const whole = document.strings[3];
  assert.equal(short(profile, whole), "new_node(std::list<int>)");
  assert.equal(shortest(profile, whole), "new_node(...)");
  assert.equal(short(profile, "parse"), "parse");
  assert.deepEqual([...matching(profile, /__cxx11/)], [1, 1, 0, 0]);
  assert.deepEqual([...matching(profile, /^new_node\(std::list/)], [1, 1, 0, 0]);
});

test("a tree from the allocations up is climbed once for all metrics", () => {
  const blocks = values(profile, metric_named(profile, "blocks"), chosen);
  const all = { chosen: chosen.slice(), through: everything.through };
  const options = { inverted: true, folded: false };
  const first = call_tree(profile, figures, all, options);
  for (const branch of first.children()) branch.children();
  const by_blocks = { by_context: blocks, totals: node_totals(profile, blocks) };
  const second = call_tree(profile, by_blocks, all, options);
  // Parted before, or not, and for whichever metric it is asked.
  const fresh = call_tree(profile, by_blocks, { ...all, chosen: chosen.slice() }, options);
  const seen = (branch: Branch): unknown => [
    branch.name,
    branch.value,
    branch.self,
    branch.of(figures),
    branch.children().map(seen),
  ];
  assert.deepEqual(second.children().map(seen), fresh.children().map(seen));
  assert.deepEqual(names(first), names(call_tree(profile, figures, everything, options)));
});

test("of lifetimes it is a block's that is said", () => {
  const lifetime = {
    name: "lifetime",
    title: "all",
    field: "TotalLifetimeNs",
    unit: "ns",
    total: 0,
  };
  const totals: Record<string, number> = { lifetime: 1000, blocks: 4 };
  assert.deepEqual(
    whole_of(lifetime, (name) => totals[name]),
    { title: "average lifetime", value: 250 },
  );
  assert.deepEqual(
    whole_of(lifetime, (name) => (name === "lifetime" ? 7 : undefined)),
    { title: "all", value: 7 },
  );
});
