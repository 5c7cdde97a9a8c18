// spreads.test.ts -- blocks by powers of two, and who ended them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Profile, profile_of } from "../src/profile.ts";
import { context_at, ends_of, range_of, spread_of, spread_of_all } from "../src/spreads.ts";
import { small } from "./small.ts";

function profile_with(): Profile {
  return profile_of({
    ...small(),
    // The first is in two buckets, the second in one; the others are not known.
    spreads: { size: { only: [0, 5, 0, 0], context: [0, 0], bucket: [3, 4], count: [6, 4] } },
    links: {
      realloc: { context: [], node: [], count: [], bytes: [] },
      free: { context: [0, 2, 2], node: [7, 0, 4], count: [10, 1, 2], bytes: [100, 20, 30] },
    },
  });
}

test("a call stack's blocks are in one bucket, in several, or not known", () => {
  const profile = profile_with();
  const of = (context: number) =>
    spread_of(profile, "size", context).map((b) => [b.bucket, b.count]);
  assert.deepEqual(of(0), [
    [3, 6],
    [4, 4],
  ]);
  assert.deepEqual(of(1), [[4, 1]]);
  assert.deepEqual(of(2), []);
  assert.deepEqual(spread_of(profile, "lifetime", 0), []);
});

test("all that is chosen is added up", () => {
  const profile = profile_with();
  const all = (chosen: number[]) =>
    spread_of_all(profile, "size", Uint8Array.from(chosen)).map((b) => [b.bucket, b.count]);
  assert.deepEqual(all([1, 1, 1, 1]), [
    [3, 6],
    [4, 5],
  ]);
  assert.deepEqual(all([0, 1, 1, 1]), [[4, 1]]);
  assert.deepEqual(spread_of_all(profile, "lifetime", Uint8Array.from([1, 1, 1, 1])), []);
});

test("buckets are named by what is in them", () => {
  assert.equal(range_of("size", 0), "0 B to <2 B");
  assert.equal(range_of("size", 9), "512 B to <1 KiB");
  assert.equal(range_of("lifetime", 10), "1.02 us to <2.05 us");
  assert.equal(range_of("size", 63), "8 EiB to <16 EiB");
});

test("ends have who did it, the most first", () => {
  const profile = profile_with();
  const { free, realloc } = profile.document.links;
  assert.deepEqual(ends_of(free, 2), [
    { node: 3, count: 2, bytes: 30 },
    { node: -1, count: 1, bytes: 20 },
  ]);
  assert.deepEqual(ends_of(free, 1), []);
  assert.deepEqual(ends_of(realloc, 0), []);
  assert.equal(context_at(profile, 3), 0);
  assert.equal(context_at(profile, 1), -1);
});
