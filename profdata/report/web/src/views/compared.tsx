// compared.tsx -- shared by views of two profiles: cells with before, after and change, and the
// legend.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { change_percent, unmeasured, value_text } from "../compare.ts";
import { type Shared, useShared } from "../context.ts";
import { amount, change, exact } from "../format.ts";

/** The values of the old and the new profile, by call stack. */
export function both_of(shared: Shared): [Float64Array, Float64Array] {
  return [
    shared.before?.by_context ?? new Float64Array(shared.by_context.length),
    shared.by_context,
  ];
}

export function useUnmeasured(): (context: number) => boolean {
  const { profile, metric } = useShared();
  return useMemo(() => unmeasured(profile, metric), [profile, metric]);
}

function exact_change(before: number, after: number, unit: string): string {
  return `${after < before ? "-" : "+"}${exact(Math.abs(after - before), unit)}`;
}

/** Two cells: the change, absolute and relative. */
export function ChangeCells({ pair, unit }: { pair: [number, number]; unit: string }) {
  const [before, after] = pair;
  return (
    <>
      <td class="number" title={exact_change(before, after, unit)}>
        {change(before, after, unit)}
      </td>
      <td class="number">{change_percent(before, after)}</td>
    </>
  );
}

/** Two cells: before and after. */
export function PairCells(props: { pair: [number, number]; unit: string; is_exact?: boolean }) {
  const { profile } = useShared();
  const { pair, unit, is_exact } = props;
  const cell = (side: 0 | 1) => (
    <td class="number" title={exact(pair[side], unit)}>
      {is_exact ? amount(pair[side], unit) : value_text(profile, side, pair[side], unit)}
    </td>
  );
  return (
    <>
      {cell(0)}
      {cell(1)}
    </>
  );
}

export function Legend({ of }: { of: { colour: string; said: string }[] }) {
  return (
    <ul class="legend" aria-label="Legend">
      {of.map((step) => (
        <li key={step.said}>
          <svg width="14" height="14" aria-hidden="true">
            <rect width="14" height="14" fill={step.colour} />
          </svg>
          {step.said}
        </li>
      ))}
    </ul>
  );
}
