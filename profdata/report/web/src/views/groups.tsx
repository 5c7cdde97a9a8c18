// groups.tsx -- tables by function, line, file, binary or type.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { type Shared, useShared } from "../context.ts";
import type { Metric } from "../data.ts";
import { estimated, variance_of } from "../errors.ts";
import { count, percent } from "../format.ts";
import { type Group, groups_of, KINDS, type Kind, sorted } from "../groups.ts";
import { type Profile, short } from "../profile.ts";
import { pattern_text } from "../state.ts";
import { groups_of_pools, groups_of_threads } from "../threads.ts";
import { Choice } from "./choice.tsx";
import { CopyButton } from "./copy.tsx";
import { Heading } from "./heading.tsx";
import { SumCell } from "./sum_cell.tsx";
import { VirtualTable } from "./virtual.tsx";
import { is_narrow } from "./width.ts";

export const TITLES: Record<Kind, string> = {
  function: "function",
  line: "line",
  file: "file",
  module: "binary",
  type: "type",
  thread: "thread",
  pool: "pool",
};
const COLUMNS = ["self", "total", "contexts", "name"] as const;
type Column = (typeof COLUMNS)[number];

/** Returns "1 line", "2 lines", "2 binaries". */
function counted(n: number, kind: Kind): string {
  const title = TITLES[kind];
  return `${count(n)} ${n === 1 ? title : `${title}s`.replace(/ys$/, "ies")}`;
}

function is_column(name: string): name is Column {
  return (COLUMNS as readonly string[]).includes(name);
}

/** The kinds of groups for which the profile has data. */
function kinds_of(profile: Profile, thread: string): Kind[] {
  const { threads, pools } = profile.document;
  return KINDS.filter(
    (kind) =>
      (kind !== "thread" || (threads !== undefined && thread === "")) &&
      (kind !== "pool" || pools !== undefined),
  );
}

function found(shared: Shared, kind: Kind, metric: Metric, by_context: Float64Array): Group[] {
  const { profile, chosen } = shared;
  if (kind === "thread") return groups_of_threads(profile, metric, by_context, chosen);
  if (kind === "pool") return groups_of_pools(profile, metric) ?? [];
  return groups_of(profile, kind, by_context);
}

/** By name of a group: the variance of its sums. */
function variances_of(shared: Shared, kind: Kind): Map<string, Group> {
  const variance = variance_of(shared.profile, shared.metric);
  if (variance === undefined || shared.variance === undefined) return new Map();
  const groups = found(shared, kind, variance, shared.variance.by_context);
  return new Map(groups.map((group) => [group.name, group]));
}

/** A link from a group to its call stacks or to the thread's allocations. */
function Name({ kind, name }: { kind: Kind; name: string }) {
  const { profile, go } = useShared();
  if (name.startsWith("[") || kind === "pool") return <>{name}</>;
  const clicked = () =>
    kind === "thread"
      ? go({ thread: name, by: "function", sort: "" })
      : go({ view: "stacks", filter: pattern_text(name), sort: "" });
  return (
    <button type="button" class="link" title={name} onClick={clicked}>
      {short(profile, name)}
    </button>
  );
}

export function Groups() {
  const shared = useShared();
  const { profile, state, metric, by_context, chosen, variance, whole, go } = shared;
  const kinds = kinds_of(profile, state.thread);
  const kind = kinds.find((k) => k === state.by) ?? "function";
  // Types, threads and pools have no callees.
  const calls = !["type", "thread", "pool"].includes(kind);
  const is_phone = is_narrow();
  const span = is_phone ? 1 : 2;
  const column: Column = is_column(state.sort) ? state.sort : "self";
  const groups = useMemo(
    () => found(shared, kind, metric, by_context),
    [profile, kind, metric, by_context, chosen],
  );
  const errors = useMemo(() => variances_of(shared, kind), [profile, kind, variance]);
  // Blocks of pools lie inside other blocks, so their total is separate.
  const all = kind === "pool" ? groups.reduce((sum, group) => sum + group.self, 0) : whole;
  const rows = useMemo(() => sorted(groups, column), [groups, column]);
  const said = (g: Group, of: "self" | "total") =>
    estimated(profile, metric, g[of], errors.get(g.name)?.[of]).padStart(errors.size ? 24 : 12);
  const as_text = () =>
    rows
      .map(
        (g) =>
          `${said(g, "self")} ${said(g, "total")} ${count(g.contexts).padStart(9)}  ${g.name}\n`,
      )
      .join("");
  const row = (i: number) => {
    const group = rows[i] as Group;
    return (
      <tr key={group.name} aria-rowindex={i + 2}>
        <SumCell value={group.self} variance={errors.get(group.name)?.self} />
        <td class="number aside">{percent(group.self, all)}</td>
        {calls && (
          <>
            <SumCell value={group.total} variance={errors.get(group.name)?.total} />
            <td class="number aside">{percent(group.total, whole)}</td>
          </>
        )}
        {!is_phone && <td class="number">{count(group.contexts)}</td>}
        <td class="name">
          <Name kind={kind} name={group.name} />
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
    <section aria-label={`By ${TITLES[kind]}`}>
      <div class="choices" role="toolbar" aria-label="Groups">
        <Choice
          label="By"
          value={kind}
          of={kinds.map((k) => [k, TITLES[k]])}
          set={(by) => go({ by })}
        />
        <CopyButton text={as_text} />
        <span class="hint">
          {counted(rows.length, kind)}
          {calls && `; self: what a ${TITLES[kind]} allocates, total: self and all its callees`}
        </span>
      </div>
      {kind === "pool" && profile.document.pools?.fields[metric.field] === undefined && (
        <p class="hint">
          The profile does not have {metric.title} of pools. Choose another metric above.
        </p>
      )}
      <VirtualTable
        label={`${metric.title} by ${TITLES[kind]}`}
        count={rows.length}
        columns={calls ? 6 : 4}
        head={
          <tr>
            {heading("self", calls ? "self" : metric.title, span)}
            {calls && heading("total", "total", span)}
            {!is_phone && heading("contexts", "call stacks")}
            {heading("name", TITLES[kind])}
          </tr>
        }
        row={row}
      />
    </section>
  );
}
