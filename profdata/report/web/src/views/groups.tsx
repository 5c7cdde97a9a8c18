// groups.tsx -- by function, line, file, module or type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { useShared } from "../context.ts";
import { amount, count, exact, percent } from "../format.ts";
import { type Group, groups_of, KINDS, type Kind, sorted } from "../groups.ts";
import { short } from "../profile.ts";
import { pattern_text } from "../state.ts";
import { Choice } from "./choice.tsx";
import { CopyButton } from "./copy.tsx";
import { Heading } from "./heading.tsx";
import { VirtualTable } from "./virtual.tsx";

export const TITLES: Record<Kind, string> = {
  function: "function",
  site: "function that is none for allocating",
  line: "line",
  file: "file",
  module: "module",
  type: "type",
};
const COLUMNS = ["self", "total", "contexts", "name"] as const;
type Column = (typeof COLUMNS)[number];

function is_column(name: string): name is Column {
  return (COLUMNS as readonly string[]).includes(name);
}

export function Groups() {
  const { profile, state, metric, by_context, whole, go } = useShared();
  const kind = (KINDS as readonly string[]).includes(state.by) ? (state.by as Kind) : "function";
  // Of a type or the like, nothing is called.
  const calls = kind !== "type" && kind !== "site";
  const column: Column = is_column(state.sort) ? state.sort : "total";
  const groups = useMemo(() => groups_of(profile, kind, by_context), [profile, kind, by_context]);
  const rows = useMemo(() => sorted(groups, column), [groups, column]);
  const as_text = () =>
    rows
      .map(
        (g) =>
          `${amount(g.self, metric.unit).padStart(12)} ${amount(g.total, metric.unit).padStart(12)} ${count(g.contexts).padStart(9)}  ${g.name}\n`,
      )
      .join("");
  const row = (i: number) => {
    const group = rows[i] as Group;
    return (
      <tr key={group.name} aria-rowindex={i + 2}>
        <td class="number" title={exact(group.self, metric.unit)}>
          {amount(group.self, metric.unit)}
        </td>
        <td class="number">{percent(group.self, whole)}</td>
        {calls && (
          <>
            <td class="number" title={exact(group.total, metric.unit)}>
              {amount(group.total, metric.unit)}
            </td>
            <td class="number">{percent(group.total, whole)}</td>
          </>
        )}
        <td class="number">{count(group.contexts)}</td>
        <td class="name">
          {group.name.startsWith("[") ? (
            group.name
          ) : (
            <button
              type="button"
              class="link"
              title={group.name}
              onClick={() => go({ view: "stacks", filter: pattern_text(group.name), sort: "" })}
            >
              {short(profile, group.name)}
            </button>
          )}
        </td>
      </tr>
    );
  };
  const heading = (name: Column, title: string, span = 1) => (
    <Heading
      title={title}
      span={span}
      is_sorted={column === name}
      sort={() => go({ sort: name })}
      is_number={name !== "name"}
    />
  );
  return (
    <section aria-label={`By ${kind}`}>
      <div class="choices" role="toolbar" aria-label="Groups">
        <Choice
          label="By"
          value={kind}
          of={KINDS.map((k) => [k, TITLES[k]])}
          set={(by) => go({ by })}
        />
        <CopyButton text={as_text} />
        <span class="hint">{count(rows.length)} rows</span>
      </div>
      <VirtualTable
        label={`${metric.title} by ${kind}`}
        count={rows.length}
        columns={calls ? 6 : 4}
        head={
          <tr>
            {heading("self", calls ? `${metric.title}, its own` : metric.title, 2)}
            {calls && heading("total", "with what it calls", 2)}
            {heading("contexts", "call stacks")}
            {heading("name", kind)}
          </tr>
        }
        row={row}
      />
    </section>
  );
}
