// moments.test.ts -- the blocks of a log at a moment.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { choice_of, of_moment, said_choice, state_of } from "../src/moments.ts";
import { type Profile, profile_of } from "../src/profile.ts";
import { small } from "./small.ts";

/** Context 0: 2 blocks from moment 0 to 2, and 1 block that did not end; context 1: a block from
 * moment 1 that ended after the last one; context 2: a block from the last moment on. */
function logged(): Profile {
  const document = small();
  document.contexts.fields.LiveBytes = [5, 0, 9, 0];
  document.contexts.fields.LiveCount = [1, 0, 1, 0];
  document.metrics.push(
    { name: "live", title: "live", field: "LiveBytes", unit: "bytes", total: 14 },
    { name: "accesses", title: "accesses", field: "TotalAccessCount", unit: "", total: 1 },
  );
  document.contexts.verdict = [0, 0, 0, 0];
  document.runs = [{ kind: "", count: 1, peak_ns: 100 }];
  document.series = [{ step_ns: 1, slots: 0, marks: [{ ns: 300, bytes: 0, phase: "end of all" }] }];
  document.moments = {
    ns: [0, 100, 200, 300],
    context: [0, 0, 1, 2],
    from: [0, 0, 1, 3],
    to: [2, 0, 4, 0],
    blocks: [2, 1, 1, 1],
    bytes: [20, 5, 7, 9],
  };
  return profile_of(document);
}

function bytes_of(state: string): number[] {
  const profile = logged();
  const choice = choice_of(profile.document, state);
  assert.notEqual(choice, undefined);
  return of_moment(profile, choice).document.contexts.fields.TotalSize as number[];
}

test("a block is alive from its first moment on until its end", () => {
  assert.deepEqual(bytes_of("0"), [25, 0, 0, 0]);
  assert.deepEqual(bytes_of("100"), [25, 7, 0, 0]);
  assert.deepEqual(bytes_of("200"), [5, 7, 0, 0]);
  assert.deepEqual(bytes_of("300"), [5, 7, 9, 0]);
});

test("what was allocated after a moment and is alive at a later one", () => {
  assert.deepEqual(bytes_of("0.100"), [0, 7, 0, 0]);
  assert.deepEqual(bytes_of("0.300"), [0, 7, 9, 0]);
  assert.deepEqual(bytes_of("100.300"), [0, 0, 9, 0]);
});

test("only what is known of a moment is left, with its sums", () => {
  const profile = of_moment(logged(), { at: 3 });
  assert.deepEqual(
    profile.metrics.map((m) => [m.name, m.total]),
    [
      ["bytes", 21],
      ["blocks", 3],
      ["live", 14],
    ],
  );
  assert.equal(profile.document.contexts.verdict, undefined);
  const whole = logged();
  assert.equal(of_moment(whole, undefined), whole);
});

test("addresses choose the nearest moment, or nothing", () => {
  const { document } = logged();
  assert.deepEqual(choice_of(document, "149"), { at: 1 });
  assert.deepEqual(choice_of(document, "1.999"), { after: 0, at: 3 });
  assert.deepEqual(choice_of(document, "201.199"), { at: 2 });
  for (const state of ["", "x", "."]) assert.equal(choice_of(document, state)?.after, undefined);
  assert.equal(choice_of(document, "x"), undefined);
  assert.equal(choice_of(small(), "100"), undefined);
  for (const choice of [{ at: 2 }, { after: 0, at: 3 }])
    assert.deepEqual(choice_of(document, state_of(document.moments as never, choice)), choice);
});

test("moments have the names that the program gave them", () => {
  const { document } = logged();
  assert.equal(said_choice(document, { at: 1 }), "alive at 100.0 ns (peak)");
  assert.equal(
    said_choice(document, { after: 0, at: 3 }),
    "allocated between 0.0 ns and 300.0 ns (phase end of all) and still alive",
  );
});
