// flame_layout.test.ts -- boxes stand within their callers', and are as wide as what
// they have.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { call_tree, find_branch } from "../src/calltree.ts";
import { type Box, box_at, box_beside, boxes_of, rows_of } from "../src/flame_layout.ts";
import { matching, metric_named, node_totals, profile_of, values } from "../src/profile.ts";
import { small } from "./small.ts";

const profile = profile_of(small());
const bytes = values(profile, metric_named(profile, "bytes"), matching(profile, undefined));
const figures = { by_context: bytes, totals: node_totals(profile, bytes) };
const chosen = matching(profile, undefined);
const everything = { chosen, through: node_totals(profile, Float64Array.from(chosen)) };
const root = call_tree(profile, figures, everything, {
  inverted: false,
  folded: false,
});

function named(boxes: Box[], name: number): Box {
  return boxes.find((box) => box.branch.name === name) as Box;
}

test("widths are shares", () => {
  const boxes = boxes_of(root, 0, 100);
  assert.equal(boxes.length, 8);
  assert.equal(rows_of(boxes), 5);
  assert.equal(named(boxes, 1).width, 180 / 187);
  assert.equal(named(boxes, 5).x, named(boxes, 2).width);
  for (const box of boxes) assert.ok(box.x >= 0 && box.x + box.width <= 1 + 1e-9);
});

test("what is too narrow and too deep is left out", () => {
  assert.equal(
    boxes_of(root, 0.3, 100).some((box) => box.branch.name === 5),
    false,
  );
  assert.equal(rows_of(boxes_of(root, 0, 2)), 2);
});

test("a box that is zoomed to fills the width, and so do its callers", () => {
  const top = find_branch(root, [1, 2]);
  const boxes = boxes_of(top, 0, 100);
  assert.deepEqual(
    boxes.slice(0, 3).map((box) => [box.branch.name, box.x, box.width, box.row]),
    [
      [-1, 0, 1, 0],
      [1, 0, 1, 1],
      [2, 0, 1, 2],
    ],
  );
});

test("boxes are found by place and by key", () => {
  const boxes = boxes_of(root, 0, 100);
  const main = box_at(boxes, 0.5, 1) as Box;
  assert.equal(main.branch.name, 1);
  assert.equal(box_at(boxes, 0.999, 1), undefined);
  const parse = box_beside(boxes, main, "in") as Box;
  assert.equal(parse.branch.name, 2);
  assert.equal(box_beside(boxes, parse, "right")?.branch.name, 5);
  assert.equal(box_beside(boxes, parse, "left"), undefined);
  assert.equal(box_beside(boxes, parse, "out"), main);
});
