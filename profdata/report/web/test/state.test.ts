// state.test.ts -- an address says what is looked at.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { fragment_of, numbers_of, parse, pattern_of } from "../src/state.ts";

test("a state becomes the same state", () => {
  const state = { ...parse(""), view: "flame", filter: "a&b=c#d <x>", root: "1.2.3" };
  assert.deepEqual(parse(`#${fragment_of(state)}`), state);
  assert.equal(fragment_of(parse("")), "");
});

test("what is not known is left out", () => {
  assert.equal(fragment_of(parse("#view=tree&nonsense=1")), "view=tree");
});

test("an expression that is none is said to be", () => {
  assert.equal(pattern_of("").pattern, undefined);
  assert.ok(pattern_of("A.c").pattern?.test("abc"));
  assert.match(pattern_of("(").error ?? "", /\(/);
  assert.deepEqual(numbers_of("1.22"), [1, 22]);
  assert.deepEqual(numbers_of(""), []);
});
