// errors.ts -- standard errors of sums over sampled blocks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Metric } from "./data.ts";
import { amount, count } from "./format.ts";
import { type Figures, field_of, LazyFigures, type Profile, values } from "./profile.ts";

/** Returns a metric whose field is the metric's variance; undefined without sampling. */
export function variance_of(profile: Profile, metric: Metric): Metric | undefined {
  const field = metric.variance;
  if (field === undefined || profile.document.contexts.fields[field] === undefined)
    return undefined;
  const total = profile.fields.find((f) => f.name === field)?.total ?? 0;
  return { name: field, title: "standard error", field, unit: metric.unit, total };
}

/** Formats "± 1.5 KiB" for the variance of a sum; "" without sampling. */
export function error_text(variance: number | undefined, unit: string): string {
  return !variance ? "" : `± ${amount(Math.sqrt(variance), unit)}`;
}

/** Formats the standard error exactly, for the end of an exact value. */
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
