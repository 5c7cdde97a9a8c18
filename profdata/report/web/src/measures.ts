// measures.ts -- the values of a tree's row besides the sort metric: other metrics, and ratios of
// two metrics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Metric } from "./data.ts";
import { amount, exact, rate } from "./format.ts";
import { type Figures, LazyFigures, metrics_to_show, type Profile, values } from "./profile.ts";

export interface Measure {
  name: string;
  title: string;
  help: string;
  metric: Metric;
  /** The divisor of a ratio. */
  per?: Metric;
}

const AVERAGES: [string, string, string, string][] = [
  ["block-size", "bytes a block", "bytes", "blocks"],
  ["block-life", "average lifetime", "lifetime", "blocks"],
  ["block-uses", "accesses a byte", "accesses", "bytes"],
];

export function measures_of(profile: Profile): Measure[] {
  const found: Measure[] = metrics_to_show(profile).map((metric) => ({
    name: metric.name,
    title: metric.title,
    help: metric.title,
    metric,
  }));
  for (const [name, title, of, by] of AVERAGES) {
    const metric = profile.metrics.find((m) => m.name === of);
    const per = profile.metrics.find((m) => m.name === by);
    if (metric !== undefined && per !== undefined)
      found.push({ name, title, help: `${metric.title} by ${per.title}`, metric, per });
  }
  return found;
}

/** Figures of each metric, computed on first use. */
export class FiguresBy {
  private readonly made = new Map<Metric, Figures>();

  constructor(
    private readonly profile: Profile,
    private readonly chosen: Uint8Array,
  ) {}

  of(metric: Metric): Figures {
    let figures = this.made.get(metric);
    if (figures === undefined) {
      figures = new LazyFigures(this.profile, values(this.profile, metric, this.chosen));
      this.made.set(metric, figures);
    }
    return figures;
  }
}

export interface Said {
  said: string;
  exact: string;
}

/** Formats a measure from the sums of its metrics. */
export function said_of(measure: Measure, sum: (metric: Metric) => number): Said {
  const value = sum(measure.metric);
  if (measure.per === undefined)
    return {
      said: amount(value, measure.metric.unit),
      exact: exact(value, measure.metric.unit),
    };
  const whole = sum(measure.per);
  if (whole === 0) return { said: "", exact: "" };
  const each = value / whole;
  const { unit } = measure.metric;
  const said = unit === "bytes" || unit === "ns" ? amount(Math.round(each), unit) : rate(each);
  return { said, exact: `${exact(value, unit)} by ${exact(whole, measure.per.unit)}` };
}
