// compare.test.ts -- two profiles that a person can add up: small() is the new one.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { call_tree, find_branch } from "../src/calltree.ts";
import { step_of } from "../src/colours.ts";
import {
  change_of,
  change_percent,
  changed_groups,
  changed_sorted,
  counts_of,
  is_same,
  old_values,
  share_of_change,
  unmeasured,
} from "../src/compare.ts";
import type { Document } from "../src/data.ts";
import { change } from "../src/format.ts";
import { per_block_of } from "../src/per_block.ts";
import { matching, metric_named, node_totals, profile_of, values } from "../src/profile.ts";
import { small } from "./small.ts";

/** The old profile, of two runs, has 300 bytes where the new one has 100, and 14 in a
 * stack main ─ old_load that is gone; the line of load's call was another one. */
function both(): Document {
  const d = small();
  d.strings.push("old_load");
  const old_name = d.strings.length - 1;
  d.frames.name.push(1, old_name);
  d.frames.file.push(6, 7);
  d.frames.line.push(11, 8);
  d.frames.module.push(8, 8);
  d.frames.inline.push(0, 0);
  d.nodes.parent.push(0, 8);
  d.nodes.frame.push(5, 6);
  d.contexts.node.push(9);
  d.contexts.type.push(0);
  d.contexts.site.push(7);
  d.contexts.flags.push(0);
  (d.contexts.fields.TotalSize as number[]).push(0);
  (d.contexts.fields.AllocCount as number[]).push(0);
  d.compared = {
    sides: [
      { input: "old", runs: 2, divided_by: 2, divided_by_metric: {}, stacks: 3 },
      { input: "new", runs: 1, divided_by: 1, divided_by_metric: {}, stacks: 4 },
    ],
    totals: { bytes: 714, blocks: 44 },
    runs: [],
    held_by: [3, 2, 3, 3, 1],
    unmeasured: [0, 0, 0, 2, 0],
    functions: [0, 1, 2, 3, 4, 0, 5],
    files: [0, 0, 0, 1, 1, 0, 1],
    lines: [0, 1, 2, 3, 4, 5, 1, 0, 6],
    leaves: [0, 0, 0, 7, 0, 8, 9, 0, 10],
    before: { TotalSize: [600, 0, 100, 14, 14], AllocCount: [40, 0, 4, 2, 2] },
  };
  return d;
}

const profile = profile_of(both());
const metric = metric_named(profile, "bytes");
const chosen = matching(profile, undefined);
const now = values(profile, metric, chosen);
const old = old_values(both().compared as never, metric, chosen);
const pair: [Float64Array, Float64Array] = [old, now];
const all = () => false;

test("numbers of several runs are those of one", () => {
  assert.deepEqual([...old], [300, 0, 50, 7, 7]);
});

test("what became of something is said in one word", () => {
  assert.equal(change_of(1, 1, 3), "unchanged");
  assert.equal(change_of(0, 0, 2), "unchanged");
  assert.equal(change_of(0, 1, 2), "new");
  // The stack was there, though without any of it.
  assert.equal(change_of(0, 1, 3), "grown");
  assert.equal(change_of(1, 0, 1), "gone");
  assert.equal(change_of(2, 1, 3), "shrunk");
  assert.ok(is_same(0.1 + 0.2, 0.3));
  assert.ok(!is_same(1e15, 1e15 + 2000));
});

test("changes are written as the terminal writes them", () => {
  assert.equal(change(0, 1536, "bytes"), "+1.50 KiB");
  assert.equal(change(3, 1, "blocks"), "-2");
  assert.equal(change(3, 3, "blocks"), "-");
  assert.equal(change_percent(200, 100), "-50.0 %");
  assert.equal(change_percent(100, 104.5), "+4.5 %");
  assert.equal(change_percent(100000, 100001), "<0.1 %");
  assert.equal(change_percent(0, 5), "new");
  assert.equal(change_percent(2, 4500), "×2,250");
  assert.equal(change_percent(10, 99), "+890.0 %");
  assert.equal(change_percent(5, 5), "");
});

test("call stacks are counted by what became of them", () => {
  assert.deepEqual(counts_of(profile, pair, chosen, all), {
    new: 1,
    gone: 1,
    grown: 0,
    shrunk: 1,
    unchanged: 2,
    unmeasured: 0,
  });
  const blocks = metric_named(profile, "blocks");
  assert.deepEqual([0, 1, 2, 3, 4].map(unmeasured(profile, blocks)), [
    false,
    false,
    false,
    true,
    false,
  ]);
  assert.equal(counts_of(profile, pair, chosen, unmeasured(profile, blocks)).unmeasured, 1);
});

test("functions have what changed in them, each stack once", () => {
  const { groups, unchanged } = changed_groups(profile, "function", pair, chosen, all);
  assert.deepEqual(
    groups.map((g) => [g.name, g.kind, ...g.self, ...g.total]),
    [
      ["malloc_of", "shrunk", 300, 100, 300, 100],
      ["new_node", "grown", 0, 30, 300, 130],
      ["old_load", "gone", 7, 0, 7, 0],
      ["main", "shrunk", 0, 0, 357, 180],
      ["parse", "shrunk", 0, 0, 300, 130],
    ],
  );
  assert.equal(unchanged, 1);
  assert.equal(changed_sorted(groups, "name")[0]?.name, "main");
  assert.equal(changed_sorted(groups, "after")[0]?.name, "main");
  assert.equal(changed_sorted(groups, "change")[0]?.name, "malloc_of");
});

test("lines, files, binaries and types add up as well", () => {
  for (const by of ["line", "file", "module", "type"] as const) {
    const { groups } = changed_groups(profile, by, pair, chosen, all);
    const own = groups.reduce((sum, g) => sum + g.self[1] - g.self[0], 0);
    assert.equal(own, 187 - 364, by);
  }
  const { groups } = changed_groups(profile, "line", pair, chosen, all);
  // main calls parse() and load() on one line.
  assert.deepEqual(
    groups.filter((g) => g.name === "a.c:10").map((g) => g.total),
    [[350, 180]],
  );
});

test("groups that one of them did not see are left out", () => {
  const { groups, unmeasured } = changed_groups(profile, "function", pair, chosen, (c) => c === 0);
  assert.equal(unmeasured, 1);
  assert.ok(groups.every((g) => g.name !== "malloc_of"));
});

test("branches have both amounts, gone ones too", () => {
  const totals = node_totals(profile, now);
  const before = { by_context: old, totals: node_totals(profile, old) };
  const through = node_totals(profile, new Float64Array(chosen));
  const tree = (inverted: boolean) =>
    call_tree(
      profile,
      { by_context: now, totals },
      { chosen, through },
      { inverted, folded: false, beside: before },
    );
  for (const inverted of [false, true]) {
    const root = tree(inverted);
    assert.deepEqual([root.value, root.of(before)], [187, 364]);
  }
  const root = tree(false);
  const main = find_branch(root, [1]);
  assert.deepEqual([main.value, main.of(before)], [180, 357]);
  const gone = main.children().at(-1);
  assert.deepEqual([gone?.value, gone?.of(before)], [0, 7]);
});

test("colours go from gone to new", () => {
  const said = (before: number, after: number) => step_of(share_of_change(before, after)).said;
  assert.equal(said(5, 0), "gone");
  assert.equal(said(100, 40), "half or less");
  assert.equal(said(100, 90), "less");
  assert.equal(said(1000, 1001), "about the same");
  assert.equal(said(100, 110), "more");
  assert.equal(said(100, 250), "twice or more");
  assert.equal(said(0, 5), "new");
  assert.equal(said(0, 0), "about the same");
});

test("blocks before and after", () => {
  const [blocks, size] = per_block_of(profile, metric_named(profile, "bytes"));
  assert.deepEqual(
    [0, 1, 2, 4].map((c) => blocks?.said(c)),
    ["20 → 10", "1", "2", "1"],
  );
  assert.deepEqual(
    [0, 1, 2, 4].map((c) => size?.said(c)),
    ["15 B → 10 B", "30 B", "25 B", "7 B"],
  );
});

test("blocks of the moment that a metric is of", () => {
  const d = both();
  const peak = { name: "peak", title: "peak bytes", field: "PeakBytes", unit: "bytes", total: 96 };
  const blocks = {
    name: "peak-blocks",
    title: "peak blocks",
    field: "PeakCount",
    unit: "blocks",
    total: 6,
  };
  d.metrics.push(peak, blocks);
  d.contexts.fields.PeakBytes = [96, 0, 0, 0, 0];
  d.contexts.fields.PeakCount = [6, 0, 0, 0, 0];
  Object.assign(d.compared?.before ?? {}, {
    PeakBytes: [24, 0, 0, 0, 10],
    PeakCount: [4, 0, 0, 0, 2],
  });
  const p = profile_of(d);
  const [counted, size] = per_block_of(p, metric_named(p, "peak"));
  assert.equal(counted?.title, "peak blocks");
  assert.deepEqual(
    [counted?.said(0), size?.said(0), size?.said(4)],
    ["2 → 6", "6 B → 16 B", "5 B"],
  );
  assert.equal(per_block_of(p, metric_named(p, "bytes"))[0]?.title, "blocks");
});
