// changed_groups.tsx -- two profiles by function, line, file, binary or type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import {
  CHANGED_COLUMNS,
  CHANGED_KINDS,
  type ChangedBy,
  type ChangedColumn,
  type ChangedGroup,
  change_percent,
  changed_groups,
  changed_sorted,
  value_text,
} from "../compare.ts";
import { useShared } from "../context.ts";
import { change, count } from "../format.ts";
import { type Profile, short } from "../profile.ts";
import { pattern_text } from "../state.ts";
import { Choice } from "./choice.tsx";
import { both_of, ChangeCells, PairCells, useUnmeasured } from "./compared.tsx";
import { CopyButton } from "./copy.tsx";
import { TITLES } from "./groups.tsx";
import { Heading } from "./heading.tsx";
import { VirtualTable } from "./virtual.tsx";

function as_text(profile: Profile, rows: ChangedGroup[], unit: string): string {
  return rows
    .map((g) => {
      const figures = [
        change(...g.self, unit).padStart(12),
        change_percent(...g.self).padStart(10),
        value_text(profile, 0, g.total[0], unit).padStart(12),
        value_text(profile, 1, g.total[1], unit).padStart(12),
        change(...g.total, unit).padStart(12),
      ].join(" ");
      return `${figures}  ${g.kind.padEnd(8)}  ${g.name}\n`;
    })
    .join("");
}

export function ChangedGroups() {
  const shared = useShared();
  const { profile, state, metric, chosen, by_context, before, go } = shared;
  const by = (CHANGED_KINDS as readonly string[]).includes(state.by)
    ? (state.by as ChangedBy)
    : "function";
  const calls = by !== "type";
  const column = (CHANGED_COLUMNS as readonly string[]).includes(state.sort)
    ? (state.sort as ChangedColumn)
    : "change";
  const is_unmeasured = useUnmeasured();
  const found = useMemo(
    () => changed_groups(profile, by, both_of(shared), chosen, is_unmeasured),
    [profile, by, by_context, before, chosen, is_unmeasured],
  );
  const rows = useMemo(() => changed_sorted(found.groups, column), [found, column]);
  const heading = (name: ChangedColumn, title: string, span = 1) => (
    <Heading
      title={title}
      span={span}
      is_sorted={column === name}
      sort={() => go({ sort: name })}
      is_number={name !== "name"}
    />
  );
  const row = (i: number) => {
    const group = rows[i] as ChangedGroup;
    return (
      <tr key={`${group.name} ${i}`} aria-rowindex={i + 2} data-kind={group.kind}>
        <ChangeCells pair={group.self} unit={metric.unit} />
        <PairCells pair={group.total} unit={metric.unit} />
        {calls && <ChangeCells pair={group.total} unit={metric.unit} />}
        <td class={`kind ${group.kind}`}>{group.kind}</td>
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
  return (
    <section aria-label={`Changes by ${TITLES[by]}`}>
      <div class="choices" role="toolbar" aria-label="Groups">
        <Choice
          label="By"
          value={by}
          of={CHANGED_KINDS.map((k) => [k, TITLES[k]])}
          set={(next) => go({ by: next })}
        />
        <CopyButton text={() => as_text(profile, rows, metric.unit)} />
        <span class="hint">
          {count(rows.length)} changed, {count(found.unchanged)} unchanged
          {found.unmeasured > 0 &&
            `, ${count(found.unmeasured)} not compared: accesses to their blocks were not measured`}
        </span>
      </div>
      <VirtualTable
        label={`Changes of ${metric.title} by ${TITLES[by]}`}
        count={rows.length}
        columns={calls ? 8 : 6}
        head={
          <tr>
            {heading("change", calls ? "self: change" : "change", 2)}
            {heading("before", calls ? "total: before" : "before")}
            {heading("after", calls ? "total: after" : "after")}
            {calls && heading("total", "total: change", 2)}
            <th scope="col">kind</th>
            {heading("name", TITLES[by])}
          </tr>
        }
        row={row}
      />
    </section>
  );
}
