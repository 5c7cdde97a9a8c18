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

/** What a value is of: its unit and, with sampled blocks, the field with its variance. */
export type Kind = Pick<Metric, "unit" | "variance">;

/** With sampled blocks, sums are estimates. */
export function is_sampled(profile: Profile): boolean {
  return profile.metrics.some((m) => m.variance !== undefined);
}

/** Formats a value: "1.5 KiB ± 12 B"; "~1.5 KiB" for an estimate whose error is unknown; "1.5 KiB"
 * if it is exact, as is the sum over blocks that are always sampled. */
export function estimated(
  profile: Profile,
  of: Kind,
  value: number,
  variance: number | undefined,
): string {
  return `${mark(profile, of, value, variance)}${amount(value, of.unit)} ${error_text(variance, of.unit)}`.trim();
}

/** Returns "~" for an estimate whose error is unknown. */
export function mark(
  profile: Profile,
  of: Kind,
  value: number,
  variance: number | undefined,
): string {
  const is_exact = of.variance !== undefined && value > 0;
  return is_sampled(profile) && !variance && !is_exact ? "~" : "";
}

/** Formats the standard error exactly, for the end of an exact value. */
export function exact_error(variance: number | undefined): string {
  return !variance ? "" : `, standard error ${count(Math.sqrt(variance))}`;
}

export function error_of_context(profile: Profile, of: Kind, context: number): number | undefined {
  return of.variance === undefined ? undefined : field_of(profile, context, of.variance);
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
