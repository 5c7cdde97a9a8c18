// types.test.ts -- members of types.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Type } from "../src/data.ts";
import { heat_of, joint_of, line_ends_before, of_stack, unused_of } from "../src/types.ts";

const type: Type = {
  name: "item",
  bytes: 88,
  blocks: 1,
  accesses: 60,
  contexts: [0],
  rows: [
    { from: 0, to: 1, name: "flag", type: "char", group: 0, accesses: 40 },
    { from: 1, to: 4 },
    { from: 4, to: 8, name: "key", type: "int", group: 0 },
    { from: 8, to: 72, name: "text", type: "char[64]", group: 1, accesses: 20 },
    { from: 72, to: 80, name: "low", type: "int:3", group: 2, accesses: 0 },
    { from: 72, to: 80, name: "high", type: "int:7", group: 2 },
    { from: 80, to: 88 },
  ],
};
const of_each = <T>(fn: (at: number) => T) => type.rows.map((_, i) => fn(i));

test("members of one group have one heat and are joined", () => {
  const heats = type.rows.map((row) => heat_of(type, row));
  assert.deepEqual(heats, [1, 0, 1, 0.5, 0, 0, 0]);
  const joints = of_each((at) => joint_of(type, at));
  assert.deepEqual(joints, ["┌", "│", "└", "", "┌", "└", ""]);
});

test("cache lines end before rows, unless elements begin anywhere", () => {
  const ends = of_each((at) => line_ends_before(type, at));
  assert.deepEqual(ends, [undefined, undefined, undefined, undefined, 64, undefined, undefined]);
  assert.equal(line_ends_before({ ...type, arrays: true }, 4), undefined);
});

test("unused bytes count once", () => {
  assert.deepEqual(unused_of(type), { members: 2, bytes: 8 });
  assert.deepEqual(unused_of({ ...type, rows: [] }), { members: 0, bytes: 0 });
});

test("a call stack's counts replace those of all", () => {
  const stacks = [
    { counted: 9, accesses: [8, 0, 8, 0, 1, 1, 0], writes: [3, 0, 3, 0, 0, 0, 0] },
    { counted: 51, accesses: [32, 2, 32, 20, 0, 0, 0] },
  ];
  const both = { ...type, contexts: [7, 3], stacks };
  const rows = of_stack(both, 0).rows;
  assert.deepEqual(rows[0], { ...type.rows[0], accesses: 8, writes: 3 });
  assert.deepEqual(rows[1], { from: 1, to: 4 });
  assert.deepEqual(rows[2], type.rows[2]);
  assert.equal(of_stack(both, 0).accesses, 9);
  assert.equal(of_stack(both, 1).rows[1]?.accesses, 2);
  assert.equal(of_stack(both, 2), both);
});
