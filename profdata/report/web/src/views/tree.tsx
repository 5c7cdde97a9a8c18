// tree.tsx -- the call tree as rows that open and close.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo, useState } from "preact/hooks";
import { type Branch, call_tree, way_to } from "../calltree.ts";
import { value_text } from "../compare.ts";
import { type Shared, useShared } from "../context.ts";
import { estimated, is_sampled } from "../errors.ts";
import { amount, change, percent } from "../format.ts";
import { FiguresBy, type Measure, measures_of, type Said, said_of } from "../measures.ts";
import { type Figures, NONE, text } from "../profile.ts";
import { ColumnChoice } from "./column_choice.tsx";
import { CopyButton } from "./copy.tsx";
import { Heading } from "./heading.tsx";
import { SumCell } from "./sum_cell.tsx";
import { Ways } from "./ways.tsx";
import { Whole } from "./whole.tsx";

/** Rows with a smaller share of the total are folded. */
const INSIGNIFICANT = 0.01;
/** Rows are open initially if they have this share of the total and are not deeper than these
 * limits; a chain of single calls counts as one fork. */
const OPEN_AT_FIRST = 0.1;
const FORKS_AT_FIRST = 8;
const DEPTH_AT_FIRST = 60;

interface Row {
  branch: Branch;
  key: string;
  is_open: boolean;
  has_more: boolean;
  /** The branches that a folded row stands for. */
  folded: Branch[] | undefined;
}

/** Deep rows are indented by less, to leave room for names. */
function indent_of(depth: number): number {
  return Math.min(depth, 10) + 0.3 * Math.min(Math.max(0, depth - 10), 80);
}

type Opened = Record<string, boolean>;

function key_of(branch: Branch): string {
  return way_to(branch).join(".");
}

function rows_of(root: Branch, opened: Opened, before: Figures | undefined): Row[] {
  const rows: Row[] = [];
  const most_of = (branch: Branch) =>
    Math.max(branch.value, before === undefined ? 0 : branch.of(before));
  const least = most_of(root) * INSIGNIFICANT;
  const visit = (branch: Branch, forks: number) => {
    const key = key_of(branch);
    const is_open =
      opened[key] ??
      (branch.value >= root.value * OPEN_AT_FIRST &&
        forks <= FORKS_AT_FIRST &&
        branch.depth <= DEPTH_AT_FIRST);
    const children = branch.children();
    rows.push({ branch, key, is_open, has_more: children.length > 0, folded: undefined });
    if (!is_open) return;
    const shows_all = opened[`${key}.all`] ?? false;
    const small = shows_all ? [] : children.filter((child) => most_of(child) < least);
    const is_fork = children.length - small.length > 1;
    for (const child of children)
      if (shows_all || most_of(child) >= least) visit(child, forks + Number(is_fork));
    const first = small[0];
    if (first !== undefined)
      rows.push({
        branch: first,
        key: `${key}.all`,
        is_open: false,
        has_more: true,
        folded: small,
      });
  };
  visit(root, 0);
  return rows;
}

function name_of(shared: Shared, row: Row): string {
  if (row.folded !== undefined)
    return row.folded.length === 1 ? "[1 insignificant]" : `[${row.folded.length} insignificant]`;
  return row.branch.name === NONE ? "all" : text(shared.profile, row.branch.name) || "[unknown]";
}

/** From the allocations up, rows have no allocations of their own. */
function shows_own(shared: Shared, row: Row): boolean {
  return shared.state.from === "down" && row.folded === undefined && row.branch.self > 0;
}

function value_of(row: Row): number {
  return row.folded?.reduce((sum, branch) => sum + branch.value, 0) ?? row.branch.value;
}

/** The variance of the row's value, with sampling. */
function variance_in(shared: Shared, row: Row): number | undefined {
  const { variance } = shared;
  const branches = row.folded ?? [row.branch];
  return variance && branches.reduce((sum, branch) => sum + branch.of(variance), 0);
}

/** Number of initial columns: the first metrics except lifetimes, whose sums say little. */
const SHOWN_AT_FIRST = 3;

function shown_of(shared: Shared, all: Measure[]): Measure[] {
  const others = all.filter((measure) => measure.name !== shared.metric.name);
  if (shared.state.beside === "")
    return others
      .filter(({ name, per }) => per === undefined && name !== "lifetime")
      .slice(0, SHOWN_AT_FIRST);
  const names = shared.state.beside.split(".");
  return others.filter((measure) => names.includes(measure.name));
}

/** The mark of values whose error is not shown. */
function guess({ profile }: Shared): string {
  return is_sampled(profile) ? "~" : "";
}

/** The row's value of another measure. */
function measured(shared: Shared, row: Row, measure: Measure, figures: FiguresBy): Said {
  const branches = row.folded ?? [row.branch];
  const { said, exact } = said_of(measure, (metric) =>
    branches.reduce((sum, branch) => sum + branch.of(figures.of(metric)), 0),
  );
  return { said: said && `${guess(shared)}${said}`, exact };
}

interface Shown {
  shared: Shared;
  rows: Row[];
  measures: Measure[];
  figures: FiguresBy;
}

/** The cells after the value: its share and the function's own allocations; with two profiles, the
 * old value and the change. */
function figures_of(shared: Shared, row: Row): [string, string] {
  const { metric, whole, before } = shared;
  const value = value_of(row);
  if (before === undefined)
    return [
      percent(value, whole),
      shows_own(shared, row) ? `${guess(shared)}${amount(row.branch.self, metric.unit)}` : "",
    ];
  const branches = row.folded ?? [row.branch];
  const old = branches.reduce((sum, branch) => sum + branch.of(before), 0);
  return [value_text(shared.profile, 0, old, metric.unit), change(old, value, metric.unit)];
}

function heads_of(shared: Shared): string[] {
  return shared.before === undefined ? ["share", "self"] : ["before", "change"];
}

function as_text({ shared, rows, measures, figures }: Shown): string {
  const { metric } = shared;
  const titles = [metric.title, ...heads_of(shared), ...measures.map((m) => m.title)];
  const room = (at: number) => (at === 0 && shared.variance !== undefined ? 24 : 12);
  const widths = titles.map((title, at) => Math.max(room(at), title.length));
  const line = (cells: string[], name: string) =>
    `${cells.map((cell, i) => cell.padStart(widths[i] as number)).join(" ")}  ${name}\n`;
  const lines = rows.map((row) => {
    const value = estimated(shared.profile, metric, value_of(row), variance_in(shared, row));
    const cells = [value, ...figures_of(shared, row)];
    const others = measures.map((measure) => measured(shared, row, measure, figures).said);
    return line([...cells, ...others], `${"  ".repeat(row.branch.depth)}${name_of(shared, row)}`);
  });
  return line(titles, "function") + lines.join("");
}

function Head({ shared, measures }: { shared: Shared; measures: Measure[] }) {
  const { metric, go } = shared;
  return (
    <tr>
      <Heading title={metric.title} is_number is_sorted sort={() => go({ metric: metric.name })} />
      {heads_of(shared).map((head) => (
        <th key={head} scope="col" class="number">
          {head}
        </th>
      ))}
      {measures.map((measure) =>
        measure.per === undefined ? (
          <Heading
            key={measure.name}
            title={measure.title}
            help="order by it"
            is_number
            is_sorted={false}
            sort={() =>
              go({
                metric: measure.name,
                beside: [metric, ...measures].map((shown) => shown.name).join("."),
              })
            }
          />
        ) : (
          <th key={measure.name} scope="col" class="number" title={measure.help}>
            {measure.title}
          </th>
        ),
      )}
      <th scope="col">function, with all its callees</th>
    </tr>
  );
}

export function Tree() {
  const shared = useShared();
  const { profile, state, metric, figures: sums, stacks, chosen, before, go } = shared;
  const [opened, setOpened] = useState<Opened>({});
  const inverted = state.from === "up";
  const folded = state.recursion === "folded";
  const root = useMemo(
    () => call_tree(profile, sums, stacks, { inverted, folded, beside: before }),
    [profile, sums, stacks, before, inverted, folded],
  );
  const rows = useMemo(() => rows_of(root, opened, before), [root, opened, before]);
  const all = useMemo(() => measures_of(profile), [profile]);
  const figures = useMemo(() => new FiguresBy(profile, chosen), [profile, chosen]);
  const measures = shown_of(shared, all);
  const set = (row: Row, is_open: boolean) => setOpened({ ...opened, [row.key]: is_open });
  const pressed = (event: KeyboardEvent, row: Row) => {
    const element = event.currentTarget as HTMLElement;
    if (event.key === "ArrowRight" && row.has_more && !row.is_open) set(row, true);
    else if (event.key === "ArrowLeft" && row.is_open) set(row, false);
    else if (event.key === "Enter" || event.key === " ") set(row, !row.is_open);
    else if (event.key === "ArrowDown") (element.nextElementSibling as HTMLElement | null)?.focus();
    else if (event.key === "ArrowUp")
      (element.previousElementSibling as HTMLElement | null)?.focus();
    else return;
    event.preventDefault();
  };

  return (
    <section aria-label="Tree of calls">
      <div class="choices" role="toolbar" aria-label="Tree">
        <Ways />
        <ColumnChoice
          all={all.filter((measure) => measure.name !== metric.name)}
          shown={measures}
          set={(names) => go({ beside: names.join(".") })}
        />
        <CopyButton text={() => as_text({ shared, rows, measures, figures })} />
      </div>
      <div class="scroll">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows open and close */}
        <table class="tree" role="treegrid" aria-label={`Tree of calls by ${metric.title}`}>
          <thead>
            <Head shared={shared} measures={measures} />
          </thead>
          <tbody>
            {rows.map((row, i) => {
              const value = value_of(row);
              return (
                <tr
                  key={row.key}
                  tabIndex={i === 0 ? 0 : -1}
                  aria-level={row.branch.depth + 1}
                  {...(row.has_more ? { "aria-expanded": row.is_open } : {})}
                  onKeyDown={(event) => pressed(event, row)}
                  onClick={() => row.has_more && set(row, !row.is_open)}
                >
                  <SumCell value={value} variance={variance_in(shared, row)} />
                  {figures_of(shared, row).map((figure, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: there are always two
                    <td key={at} class="number">
                      {figure}
                    </td>
                  ))}
                  {measures.map((measure) => {
                    const { said, exact } = measured(shared, row, measure, figures);
                    return (
                      <td key={measure.name} class="number" title={exact}>
                        {said}
                      </td>
                    );
                  })}
                  <td class="name">
                    <span class="indent" style={{ width: `${indent_of(row.branch.depth)}em` }} />
                    <span class="fold" aria-hidden="true">
                      {row.has_more ? (row.is_open ? "▾" : "▸") : ""}
                    </span>
                    <Whole name={name_of(shared, row)} />
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
