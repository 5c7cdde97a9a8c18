// format.test.ts -- the same examples as those of units_test.c.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, bytes, count, percent, rate, time } from "../src/format.ts";

test("bytes have three digits", () => {
  assert.equal(bytes(0), "0 B");
  assert.equal(bytes(1023), "1023 B");
  assert.equal(bytes(1024), "1 KiB");
  assert.equal(bytes(1536), "1.50 KiB");
  assert.equal(bytes(100000), "97.7 KiB");
  assert.equal(bytes(1048575), "1.00 MiB");
  assert.equal(bytes(2 ** 64), "16 EiB");
});

test("times change their unit", () => {
  assert.equal(time(999), "999 ns");
  assert.equal(time(1500), "1.50 us");
  assert.equal(time(999600), "1.00 ms");
  assert.equal(time(2500000000), "2.50 s");
  assert.equal(time(320000000000), "5 min 20 s");
  assert.equal(time(7500000000000), "2 h 5 min");
  assert.equal(time(180000000000000), "2 days 2 h");
});

test("counts are grouped, shares show that little is not nothing", () => {
  assert.equal(count(1234567), "1,234,567");
  assert.equal(percent(1, 3), "33.3 %");
  assert.equal(percent(1, 100000), "<0.1 %");
  assert.equal(percent(0, 5), "0.0 %");
  assert.equal(percent(1, 0), "");
  assert.equal(rate(55.16), "55.2");
  assert.equal(rate(0.004), "<0.01");
  assert.equal(amount(5, "blocks"), "5");
});
