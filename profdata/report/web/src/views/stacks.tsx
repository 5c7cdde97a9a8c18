// stacks.tsx -- the table of call stacks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { type Shared, useShared } from "../context.ts";
import { error_of_context } from "../errors.ts";
import { base_name, count } from "../format.ts";
import { field_of, frames_from, NONE, type Profile, shortest, text } from "../profile.ts";
import { word_of } from "../verdict.ts";
import { ColumnChoice } from "./column_choice.tsx";
import { Heading } from "./heading.tsx";
import { SumCell } from "./sum_cell.tsx";
import { VirtualTable } from "./virtual.tsx";
import { Whole } from "./whole.tsx";
import { is_half, is_narrow } from "./width.ts";

const FRAMES_SHOWN = 4;

interface Column {
  name: string;
  title: string;
  unit: string;
  help: string;
  field: string;
  variance?: string;
  /** What the field is divided by. */
  per?: string;
}

/** Columns of metrics with their names, and of all other fields with theirs. */
export function columns_of(profile: Profile): Column[] {
  const taken = new Set(profile.metrics.map((m) => m.field));
  const metrics = profile.metrics.map((m) => ({
    name: m.name,
    title: m.name === "lifetime" ? "average lifetime" : m.title,
    unit: m.unit,
    help: m.title,
    field: m.field,
    ...(m.variance !== undefined && { variance: m.variance }),
    ...(m.name === "lifetime" && { per: "AllocCount" }),
  }));
  const fields = profile.fields
    .filter((f) => !taken.has(f.name))
    .map((f) => ({ name: f.name, title: f.name, unit: f.unit, help: f.help, field: f.name }));
  return [...metrics, ...fields];
}

export function value_of(profile: Profile, column: Column, context: number): number {
  const value = field_of(profile, context, column.field);
  if (column.per === undefined) return value;
  return Math.round(value / (field_of(profile, context, column.per) || 1));
}

function chosen_columns(shared: Shared, all: Column[]): Column[] {
  const { state, profile, metric } = shared;
  const names =
    state.columns === ""
      ? profile.metrics
          .map((m) => m.name)
          .filter((name) => name !== "lifetime" || name === state.sort)
      : state.columns.split(".");
  const first = state.columns === "" || names.includes(metric.name) ? [metric.name] : [];
  const others = names.filter((name) => name !== metric.name);
  const room = state.columns === "" ? (is_narrow() ? 1 : is_half() ? 3 : 5) : all.length;
  return [...first, ...others]
    .slice(0, room)
    .map((name) => all.find((c) => c.name === name))
    .filter((c): c is Column => c !== undefined);
}

/** Formats the callers of a node, as many as fit: "parse ← main". */
export function brief_way(profile: Profile, from: number): string {
  const names: string[] = [];
  let node = from;
  for (; node !== NONE && names.length < FRAMES_SHOWN; node = profile.parent[node] as number)
    names.push(shortest(profile, text(profile, profile.name[node] as number)));
  if (names.length === 0) return "[unknown]";
  return names.join(" ← ") + (node !== NONE ? " ← …" : "");
}

/** A link to the call stack's page; its tooltip is the complete stack. */
export function StackLink({ context }: { context: number }) {
  const { profile, go } = useShared();
  const node = profile.leaf[context] as number;
  const whole = frames_from(profile, node).map((frame) =>
    text(profile, profile.document.frames.name[frame] as number),
  );
  return (
    <button
      type="button"
      class="link"
      title={whole.join(" ← ")}
      onClick={() => go({ view: "site", site: String(context) })}
    >
      {brief_way(profile, node)}
    </button>
  );
}

export function place_of(profile: Profile, frame: number): string {
  const { frames } = profile.document;
  const file = text(profile, frames.file[frame] as number);
  return file === ""
    ? text(profile, frames.module[frame] as number)
    : `${file}:${frames.line[frame]}`;
}

/** The line that allocates, of the innermost function that is no wrapper: "parse.cpp:12". */
export function site_of(profile: Profile, context: number): string {
  const frame = (profile.document.contexts.site[context] as number) - 1;
  const place = frame < 0 ? "" : base_name(place_of(profile, frame));
  const name = text(profile, profile.document.frames.name[frame] ?? 0);
  return name.startsWith(`${place}+`) ? "" : place;
}

/** Is the number of a call stack whose accesses were not measured one of accesses? */
function is_unknown(profile: Profile, column: Column, context: number): boolean {
  return (
    ((profile.document.contexts.flags[context] as number) & 2) !== 0 &&
    value_of(profile, column, context) === 0 &&
    /access|read|write/i.test(column.name)
  );
}

/** Returns the contexts with a value of the metric, sorted by the column, largest first. */
function order_of(profile: Profile, by_context: Float64Array, column: Column): number[] {
  const order: number[] = [];
  by_context.forEach((value, c) => {
    if (value > 0) order.push(c);
  });
  const values = Float64Array.from(by_context, (_, c) => value_of(profile, column, c));
  return order.sort((a, b) => (values[b] as number) - (values[a] as number) || a - b);
}

/** Other verdicts are not shown. */
const VERDICT_SAID: Record<string, string> = { cold: "cold", hot: "hot" };

function has_some_verdict(profile: Profile): boolean {
  for (let c = 0; c < profile.context_count; c++)
    if (VERDICT_SAID[word_of(profile, c) ?? ""] !== undefined) return true;
  return false;
}

export function Stacks() {
  const shared = useShared();
  const { profile, state, metric, by_context, go } = shared;
  const all = useMemo(() => columns_of(profile), [profile]);
  const shown = chosen_columns(shared, all);
  const sort =
    all.find((c) => c.name === state.sort) ?? (all.find((c) => c.name === metric.name) as Column);
  const order = useMemo(() => order_of(profile, by_context, sort), [profile, by_context, sort]);
  const has_types = !is_half() && profile.document.contexts.type.some((t) => t !== 0);
  const has_verdicts = useMemo(() => !is_half() && has_some_verdict(profile), [profile]);
  const row = (i: number) => {
    const context = order[i] as number;
    return (
      <tr key={context} aria-rowindex={i + 2}>
        {shown.map((column) =>
          is_unknown(profile, column, context) ? (
            <td key={column.name} class="number" title="not measured">
              –
            </td>
          ) : (
            <SumCell
              key={column.name}
              of={column}
              value={value_of(profile, column, context)}
              variance={error_of_context(profile, column, context)}
            />
          ),
        )}
        {has_types && (
          <td class="type">
            <Whole name={text(profile, profile.document.contexts.type[context] as number)} />
          </td>
        )}
        {has_verdicts && <td>{VERDICT_SAID[word_of(profile, context) ?? ""]}</td>}
        <td class="name brief">
          <StackLink context={context} /> <small>{site_of(profile, context)}</small>
        </td>
      </tr>
    );
  };
  return (
    <section aria-label="Table of call stacks">
      <div class="choices" role="toolbar" aria-label="Call stacks">
        <ColumnChoice all={all} shown={shown} set={(names) => go({ columns: names.join(".") })} />
        <span class="hint">
          {count(order.length)} of {count(profile.context_count)} call stacks have {metric.title}
        </span>
      </div>
      <VirtualTable
        label="Call stacks"
        count={order.length}
        columns={shown.length + 1 + Number(has_types) + Number(has_verdicts)}
        head={
          <tr>
            {shown.map((column) => (
              <Heading
                key={column.name}
                title={column.title}
                help={column.help}
                is_number
                is_sorted={column === sort}
                sort={() => go({ sort: column.name })}
              />
            ))}
            {has_types && <th scope="col">type</th>}
            {has_verdicts && <th scope="col">verdict</th>}
            <th scope="col">call stack: function ← its callers</th>
          </tr>
        }
        row={row}
      />
    </section>
  );
}
