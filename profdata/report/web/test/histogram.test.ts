// histogram.test.ts -- places in blocks, and what stands there.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { places_of } from "../src/histogram.ts";

const cells = [
  [0, 5],
  [2, 7, 1],
];

test("each cell has its place, and the members that have a byte of it", () => {
  const places = places_of({ context: 0, cell_bytes: 8, cells }, "0+8 next;16+4 x;20+4 y;24+9 z");
  assert.deepEqual(
    places.map((p) => [p.from, p.to, p.accesses, p.members]),
    [
      [0, 7, 5, "next"],
      [8, 15, 0, ""],
      [16, 23, 7, "x, y"],
      [24, 31, 1, "z"],
      [32, 39, 0, "z"],
    ],
  );
});

test("elements of an array are one", () => {
  const places = places_of({ context: 0, cell_bytes: 8, cells, element_bytes: 16 }, "0+8 a;8+8 b");
  assert.deepEqual(
    places.map((p) => [p.from, p.accesses, p.members]),
    [
      [0, 12, "a"],
      [8, 1, "b"],
    ],
  );
});

test("what is no member has no name", () => {
  const places = places_of({ context: 0, cell_bytes: 8, cells: [[0, 1]] }, "?;x;0+8;+1 q;-1+9 r");
  assert.deepEqual(places, [{ from: 0, to: 7, accesses: 1, members: "" }]);
});

test("many cells are a few rows", () => {
  const many = [[0, ...new Array(130).fill(2)]];
  const places = places_of({ context: 0, cell_bytes: 8, cells: many }, "");
  assert.equal(places.length, 44);
  assert.deepEqual(places[0], { from: 0, to: 23, accesses: 6, members: "" });
  assert.deepEqual(places.at(-1), { from: 1032, to: 1055, accesses: 2, members: "" });
});

test("large blocks have a histogram too", () => {
  const many = [[0, ...new Array(300_000).fill(1)]];
  const places = places_of({ context: 0, cell_bytes: 8, cells: many }, "0+4294967295 all");
  assert.equal(places.length, 64);
  assert.equal(
    places.reduce((sum, place) => sum + place.accesses, 0),
    300_000,
  );
});
