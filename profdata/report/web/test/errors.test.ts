// errors.test.ts -- standard errors of sampled profiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import assert from "node:assert/strict";
import { test } from "node:test";
import { error_of_context, error_text, exact_error, variances } from "../src/errors.ts";
import { matching, metric_named, profile_of } from "../src/profile.ts";
import { small } from "./small.ts";

test("variances of call stacks add up to those of their callers", () => {
  const document = small();
  const [bytes] = document.metrics;
  if (bytes !== undefined) bytes.variance = "TotalSizeVariance";
  document.fields.push({ name: "TotalSizeVariance", unit: "square", help: "", total: 50 });
  document.contexts.fields.TotalSizeVariance = [9, 16, 25, 0];
  const profile = profile_of(document);
  const metric = metric_named(profile, "bytes");
  const found = variances(profile, metric, matching(profile, undefined));
  assert.equal(found?.totals[0], 50);
  assert.equal(found?.totals[1], 25);
  assert.equal(error_text(found?.totals[1], "bytes"), "± 5 B");
  assert.equal(exact_error(25), ", standard error 5");
  assert.equal(error_of_context(profile, metric, 1), 16);
  assert.equal(error_of_context(profile, metric_named(profile, "blocks"), 1), undefined);
});

test("where all blocks were seen nothing is said", () => {
  const profile = profile_of(small());
  const metric = metric_named(profile, "bytes");
  assert.equal(variances(profile, metric, matching(profile, undefined)), undefined);
  assert.equal(error_text(undefined, "bytes"), "");
  assert.equal(exact_error(undefined), "");
  assert.equal(error_text(0, "bytes"), "");
});
