// timeline.ts -- the memory of a run over time, without gaps, and positions in the chart.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Document, Series } from "./data.ts";
import { time } from "./format.ts";

/** A part of the run with constant values. */
export interface Slot {
  from: number;
  to: number;
  /** Live bytes at its end, and their maximum. */
  bytes: number;
  most: number;
  blocks: number;
  /** Absent if unknown. */
  rss?: number;
  /** Maximum of what the program mapped. */
  mapped: number;
}

export interface Phase {
  name: string;
  from: number;
  to: number;
  /** Live bytes at its start, and their maximum. */
  bytes: number;
  most: number;
}

export interface Mark {
  name: string;
  ns: number;
  bytes: number;
}

export interface Span {
  from: number;
  to: number;
}

export interface Timeline extends Span {
  step_ns: number;
  slots: Slot[];
  phases: Phase[];
  marks: Mark[];
  dropped_marks: number;
  peak: { ns: number; bytes: number } | undefined;
}

/** Fills gaps between slots with the previous value. */
function slots_of(series: Series, end: number): Slot[] {
  const slots: Slot[] = [];
  for (let i = 0; i < series.slots; i++) {
    const from = series.ns?.[i] ?? 0;
    const bytes = series.bytes?.[i] ?? 0;
    const blocks = series.blocks?.[i] ?? 0;
    const rss = series.rss?.[i] ?? 0;
    const next = i + 1 < series.slots ? (series.ns?.[i + 1] ?? 0) : end;
    const to = Math.min(from + Math.max(1, series.step_ns), next);
    const mapped = series.mapped?.[i] ?? 0;
    const known = rss === 0 ? { blocks, mapped } : { blocks, mapped, rss };
    if (to > from) slots.push({ from, to, bytes, most: series.most?.[i] ?? 0, ...known });
    if (next > to) slots.push({ from: to, to: next, bytes, most: bytes, ...known });
  }
  return slots;
}

export function most_of(slots: Slot[], span: Span, value: (slot: Slot) => number): number {
  let most = 0;
  for (const slot of slots)
    if (slot.from < span.to && slot.to > span.from) most = Math.max(most, value(slot));
  return most;
}

function phases_of(series: Series, slots: Slot[], end: number): Phase[] {
  const begins = series.marks.filter((mark) => mark.phase !== undefined);
  const phases: Phase[] = [];
  begins.forEach((mark, i) => {
    if (typeof mark.phase !== "string") return;
    const span = { from: mark.ns, to: Math.max(mark.ns, begins[i + 1]?.ns ?? end) };
    const most = Math.max(
      mark.bytes,
      most_of(slots, span, (slot) => slot.most),
    );
    phases.push({ name: mark.phase, ...span, bytes: mark.bytes, most });
  });
  return phases;
}

export function timeline_of(document: Document, series: Series): Timeline {
  const run = series.run === undefined ? undefined : document.runs[series.run];
  const from = series.ns?.[0] ?? 0;
  // Values from a file may be 0; steps and runs must have a length.
  const step_ns = Math.max(1, series.step_ns);
  const last = (series.ns?.[series.slots - 1] ?? 0) + step_ns;
  const to = Math.max(from + Math.max(1, from * 1e-9), run?.duration_ns ?? last);
  const slots = slots_of(series, to);
  return {
    from,
    to,
    step_ns,
    slots,
    phases: phases_of(series, slots, to),
    marks: series.marks
      .filter((mark) => mark.phase === undefined)
      .map((mark) => ({ name: mark.mark ?? "", ns: mark.ns, bytes: mark.bytes })),
    dropped_marks: series.dropped_marks ?? 0,
    peak: run?.peak_bytes ? { ns: run.peak_ns ?? 0, bytes: run.peak_bytes } : undefined,
  };
}

/** Returns the slot of a moment; the first or last slot if the moment is outside of all. */
export function slot_at(slots: Slot[], ns: number): number {
  let low = 0;
  let high = slots.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((slots[middle] as Slot).from <= ns) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Clips a span to the run, with at least the length of a slot. */
export function fitting(whole: Timeline, span: Span): Span {
  const length = Math.min(whole.to - whole.from, Math.max(span.to - span.from, whole.step_ns));
  const from = Math.max(whole.from, Math.min(span.from, whole.to - length));
  return { from, to: from + length };
}

/** Scales a span by `factor`; the moment `about` keeps its position. */
export function zoomed(whole: Timeline, span: Span, about: number, factor: number): Span {
  return fitting(whole, {
    from: about - (about - span.from) * factor,
    to: about + (span.to - about) * factor,
  });
}

export function phase_at(timeline: Timeline, ns: number): Phase | undefined {
  return timeline.phases.find((phase) => phase.from <= ns && ns < phase.to);
}

/** Returns the SVG path of a value over the slots, in a box of `width` and `height`; interrupted
 * where the value is unknown. With `closed`, the path goes down to the baseline. */
export function path_of(
  slots: Slot[],
  span: Span,
  box: { width: number; height: number; most: number },
  value: (slot: Slot) => number | undefined,
  closed: boolean,
): string {
  const x = (ns: number) =>
    (
      ((Math.max(span.from, Math.min(ns, span.to)) - span.from) / (span.to - span.from)) *
      box.width
    ).toFixed(1);
  const y = (n: number) => (box.height * (1 - n / (box.most || 1))).toFixed(1);
  const said: string[] = [];
  let is_open = false;
  let end = "0";
  const close = () => {
    if (is_open && closed) said.push(`L${end} ${box.height}Z`);
    is_open = false;
  };
  for (const slot of slots) {
    if (slot.to <= span.from || slot.from >= span.to) continue;
    const n = value(slot);
    if (n === undefined) {
      close();
      continue;
    }
    const start = x(slot.from);
    if (!is_open)
      said.push(closed ? `M${start} ${box.height}L${start} ${y(n)}` : `M${start} ${y(n)}`);
    else said.push(`L${start} ${y(n)}`);
    end = x(slot.to);
    said.push(`L${end} ${y(n)}`);
    is_open = true;
  }
  close();
  return said.join("");
}

/** Returns about `count` round times within the span, in ns. */
export function ticks_of(span: Span, count: number): number[] {
  const rough = (span.to - span.from) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(span.from / step); i * step <= span.to && ticks.length < 100; i++)
    ticks.push(i * step);
  return ticks;
}

/** Returns round numbers from 0 to at least `most`; for bytes, round in the unit in which they are
 * shown. */
export function levels_of(most: number, is_bytes: boolean, count: number): number[] {
  const unit = is_bytes ? 1024 ** Math.floor(Math.log(Math.max(most, 1)) / Math.log(1024)) : 1;
  const rough = Math.max(most, 1) / unit / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10) * power;
  const step = Math.max(1, nice * unit);
  return Array.from({ length: Math.ceil(Math.max(most, 1) / step) + 1 }, (_, i) => i * step);
}

const UNITS: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "us"],
  [1, "ns"],
];

/** Formats a time with the precision of `step`, in the unit of `largest`. */
export function time_in_steps(ns: number, step: number, largest: number): string {
  if (step >= 60e9) return time(ns);
  const [size, unit] = UNITS.find(([n]) => largest >= n) ?? [1, "ns"];
  const places = Math.max(0, Math.min(Math.ceil(Math.log10(size / step) - 1e-9), 9));
  return `${(ns / size).toFixed(places)} ${unit}`;
}

/** Formats a moment with the precision of the recording. */
export function said_time(line: Timeline, ns: number): string {
  return time_in_steps(ns, line.step_ns, line.to);
}
