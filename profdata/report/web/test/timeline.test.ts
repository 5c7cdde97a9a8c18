// timeline.test.ts -- a run over time without gaps, and parts of it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Document, Series } from "../src/data.ts";
import {
  fitting,
  levels_of,
  path_of,
  phase_at,
  slot_at,
  type Timeline,
  ticks_of,
  time_in_steps,
  timeline_of,
  zoomed,
} from "../src/timeline.ts";
import { small } from "./small.ts";

/** Slots of 10 ns; between 20 and 50 nothing happened. */
const SERIES: Series = {
  run: 0,
  step_ns: 10,
  slots: 3,
  ns: [0, 10, 50],
  bytes: [5, 30, 0],
  most: [7, 40, 35],
  blocks: [0, 1, 2],
  rss: [100, 0, 300],
  marks: [
    { ns: 2, bytes: 5, phase: "load" },
    { ns: 12, bytes: 20, mark: "half" },
    { ns: 30, bytes: 30, phase: "work" },
    { ns: 55, bytes: 1, phase: null },
  ],
};

function line_of(run: { duration_ns?: number; peak_bytes?: number; peak_ns?: number }): Timeline {
  const document: Document = { ...small(), runs: [{ kind: "MEMPROF", count: 1, ...run }] };
  return timeline_of(document, SERIES);
}

const line = line_of({ duration_ns: 100, peak_bytes: 40, peak_ns: 15 });

test("slots have no gaps: what lived, lived on", () => {
  assert.deepEqual(
    line.slots.map((slot) => [slot.from, slot.to, slot.most, slot.blocks, slot.rss]),
    [
      [0, 10, 7, 0, 100],
      [10, 20, 40, 1, undefined],
      [20, 50, 30, 1, undefined],
      [50, 60, 35, 2, 300],
      [60, 100, 0, 2, 300],
    ],
  );
  assert.deepEqual([line.from, line.to], [0, 100]);
  assert.deepEqual(line.peak, { ns: 15, bytes: 40 });
});

test("what the run does not say is not made up", () => {
  const other = line_of({});
  assert.equal(other.to, 60);
  assert.equal(other.peak, undefined);
});

test("phases go on until the next, and know what lived at most", () => {
  assert.deepEqual(line.phases, [
    { name: "load", from: 2, to: 30, bytes: 5, most: 40 },
    { name: "work", from: 30, to: 55, bytes: 30, most: 35 },
  ]);
  assert.deepEqual(line.marks, [{ name: "half", ns: 12, bytes: 20 }]);
  assert.equal(phase_at(line, 1), undefined);
  assert.equal(phase_at(line, 30)?.name, "work");
  assert.equal(phase_at(line, 55), undefined);
});

test("a moment has its slot", () => {
  const at = (ns: number) => line.slots[slot_at(line.slots, ns)]?.from;
  assert.deepEqual([-5, 0, 9, 10, 49, 50, 1000].map(at), [0, 0, 0, 10, 20, 50, 60]);
});

test("parts stay within the run, and are no narrower than a slot", () => {
  assert.deepEqual(fitting(line, { from: -20, to: 20 }), { from: 0, to: 40 });
  assert.deepEqual(fitting(line, { from: 90, to: 91 }), { from: 90, to: 100 });
  assert.deepEqual(fitting(line, { from: -1e9, to: 1e9 }), { from: 0, to: 100 });
  assert.deepEqual(zoomed(line, line, 40, 0.5), { from: 20, to: 70 });
  assert.deepEqual(zoomed(line, { from: 20, to: 70 }, 40, 2), { from: 0, to: 100 });
});

test("lines go by steps, and are broken where nothing is known", () => {
  const box = { width: 100, height: 10, most: 300 };
  assert.equal(
    path_of(line.slots, line, box, (slot) => slot.rss, false),
    "M0.0 6.7L10.0 6.7M50.0 0.0L60.0 0.0L60.0 0.0L100.0 0.0",
  );
  assert.equal(
    path_of(line.slots, { from: 0, to: 10 }, { ...box, most: 7 }, (slot) => slot.most, true),
    "M0.0 10L0.0 0.0L100.0 0.0L100.0 10Z",
  );
});

test("ticks are round", () => {
  assert.deepEqual(ticks_of({ from: 3, to: 101 }, 5), [20, 40, 60, 80, 100]);
  assert.equal(time_in_steps(1.5e9, 5e8, 2e9), "1.5 s");
  assert.equal(time_in_steps(2e9, 1e9, 2e9), "2 s");
  assert.equal(time_in_steps(1234567, 1000, 9e6), "1.235 ms");
  assert.equal(time_in_steps(7200e9, 60e9, 9e12), "2 h 0 min");
});

test("levels are round, and the last has room for all", () => {
  const mib = 1 << 20;
  assert.deepEqual(levels_of(27 * mib, true, 5), [0, 10 * mib, 20 * mib, 30 * mib]);
  assert.deepEqual(levels_of(1.35 * mib, true, 3), [0, 0.5 * mib, mib, 1.5 * mib]);
  assert.deepEqual(levels_of(201_366, false, 4), [0, 100_000, 200_000, 300_000]);
  assert.deepEqual(levels_of(0, true, 5), [0, 1]);
  assert.deepEqual(levels_of(2, false, 2), [0, 1, 2]);
});
