// errors.ts -- standard errors of sums where blocks were sampled.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Metric } from "./data.ts";
import { amount, count } from "./format.ts";
import { type Figures, field_of, LazyFigures, type Profile, values } from "./profile.ts";

/** The metric's variance in the metric's place; undefined where all blocks were seen. */
export function variance_of(profile: Profile, metric: Metric): Metric | undefined {
  const field = metric.variance;
  if (field === undefined || profile.document.contexts.fields[field] === undefined)
    return undefined;
  const total = profile.fields.find((f) => f.name === field)?.total ?? 0;
  return { name: field, title: "standard error", field, unit: metric.unit, total };
}

/** "± 1.5 KiB", of the variance of a sum; "" where nothing was sampled. */
export function error_text(variance: number | undefined, unit: string): string {
  return !variance ? "" : `± ${amount(Math.sqrt(variance), unit)}`;
}

/** The same to the last digit, behind what is exact. */
export function exact_error(variance: number | undefined): string {
  return !variance ? "" : `, standard error ${count(Math.sqrt(variance))}`;
}

export function error_of_context(
  profile: Profile,
  metric: Metric | undefined,
  context: number,
): number | undefined {
  const variance = metric && variance_of(profile, metric);
  return variance && field_of(profile, context, variance.field);
}

/** Variances by context and by node. */
export function variances(
  profile: Profile,
  metric: Metric,
  chosen: Uint8Array,
): Figures | undefined {
  const variance = variance_of(profile, metric);
  if (variance === undefined) return undefined;
  return new LazyFigures(profile, values(profile, variance, chosen));
}
