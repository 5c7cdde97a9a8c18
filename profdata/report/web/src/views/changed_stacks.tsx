// changed_stacks.tsx -- the table of call stacks of two profiles: new, gone, grown and shrunk ones,
// with values per block.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { type Change, change_of, counts_of, KINDS_OF_CHANGE } from "../compare.ts";
import { useShared } from "../context.ts";
import type { Compared } from "../data.ts";
import { count } from "../format.ts";
import { per_block_of } from "../per_block.ts";
import { Choice } from "./choice.tsx";
import { both_of, ChangeCells, PairCells, useUnmeasured } from "./compared.tsx";
import { Heading } from "./heading.tsx";
import { StackLink } from "./stacks.tsx";
import { VirtualTable } from "./virtual.tsx";

const COLUMNS = ["change", "before", "after"] as const;
type Column = (typeof COLUMNS)[number];

/** Sorts by a column, largest first. */
function sort_by(order: number[], values: [Float64Array, Float64Array], column: Column): number[] {
  const [before, after] = values;
  const by: Record<Column, (c: number) => number> = {
    change: (c) => Math.abs((after[c] as number) - (before[c] as number)),
    before: (c) => before[c] as number,
    after: (c) => after[c] as number,
  };
  return order.sort((a, b) => by[column](b) - by[column](a) || a - b);
}

export function ChangedStacks() {
  const shared = useShared();
  const { profile, state, metric, by_context, before, chosen, go } = shared;
  const { held_by } = profile.document.compared as Compared;
  const is_unmeasured = useUnmeasured();
  const column = (COLUMNS as readonly string[]).includes(state.sort)
    ? (state.sort as Column)
    : "change";
  const both = useMemo(() => both_of(shared), [by_context, before]);
  const kind_of = (c: number): Change =>
    change_of(both[0][c] as number, both[1][c] as number, held_by[c] as number);
  const counts = useMemo(
    () => counts_of(profile, both, chosen, is_unmeasured),
    [profile, both, chosen, is_unmeasured],
  );
  const order = useMemo(() => {
    const found: number[] = [];
    for (let c = 0; c < profile.context_count; c++) {
      if (!chosen[c] || is_unmeasured(c)) continue;
      const kind = kind_of(c);
      if (state.change === "" ? kind !== "unchanged" : kind === state.change) found.push(c);
    }
    return sort_by(found, both, column);
  }, [profile, both, chosen, is_unmeasured, state.change, column]);
  const values = per_block_of(profile, metric);
  const row = (i: number) => {
    const c = order[i] as number;
    const pair: [number, number] = [both[0][c] as number, both[1][c] as number];
    const kind = kind_of(c);
    return (
      <tr key={c} aria-rowindex={i + 2} data-kind={kind}>
        <ChangeCells pair={pair} unit={metric.unit} />
        <td class={`kind ${kind}`}>{kind}</td>
        <PairCells pair={pair} unit={metric.unit} />
        <td class="name brief">
          <StackLink context={c} />
        </td>
        {values.map((value) => (
          <td key={value.title} class="number">
            {value.said(c)}
          </td>
        ))}
      </tr>
    );
  };
  const heading = (name: Column, title: string, span = 1) => (
    <Heading
      title={title}
      span={span}
      is_number
      is_sorted={column === name}
      sort={() => go({ sort: name })}
    />
  );
  return (
    <section aria-label="Table of call stacks">
      <div class="choices" role="toolbar" aria-label="Call stacks">
        <Choice
          label="Which"
          value={state.change}
          of={[
            ["", "all that changed"],
            ...KINDS_OF_CHANGE.map((k): [string, string] => [k, `${k} (${count(counts[k])})`]),
          ]}
          set={(which) => go({ change: which })}
        />
        <span class="hint">
          {count(order.length)} of {count(profile.context_count)} call stacks
          {counts.unmeasured > 0 &&
            `; ${count(counts.unmeasured)} are not compared: accesses to their blocks were not measured`}
        </span>
      </div>
      <VirtualTable
        label={`Changes of ${metric.title} by call stack`}
        count={order.length}
        columns={6 + values.length}
        head={
          <tr>
            {heading("change", "change", 2)}
            <th scope="col">kind</th>
            {heading("before", "before")}
            {heading("after", "after")}
            <th scope="col">call stack: function ← its callers</th>
            {values.map((value) => (
              <th key={value.title} scope="col" class="number">
                {value.title}
              </th>
            ))}
          </tr>
        }
        row={row}
      />
    </section>
  );
}
