// tree.tsx -- program points: the tree of calls as rows that open and close.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo, useState } from "preact/hooks";
import { type Branch, call_tree, way_to } from "../calltree.ts";
import { type Shared, useShared } from "../context.ts";
import { amount, change, percent } from "../format.ts";
import { NONE, text } from "../profile.ts";
import { CopyButton } from "./copy.tsx";
import { Ways } from "./ways.tsx";

/** Less than so much of the whole is folded. */
const INSIGNIFICANT = 0.01;
/** Rows that are open at first hold at least so much of the whole. */
const OPEN_AT_FIRST = 0.1;
const DEPTH_AT_FIRST = 12;

interface Row {
  branch: Branch;
  key: string;
  is_open: boolean;
  has_more: boolean;
  /** Of a row that stands for small ones. */
  folded: Branch[] | undefined;
}

type Opened = Record<string, boolean>;

function key_of(branch: Branch): string {
  return way_to(branch).join(".");
}

function rows_of(root: Branch, opened: Opened): Row[] {
  const rows: Row[] = [];
  const least = Math.max(root.value, root.other) * INSIGNIFICANT;
  const is_small = (branch: Branch) => Math.max(branch.value, branch.other) < least;
  const visit = (branch: Branch) => {
    const key = key_of(branch);
    const is_open =
      opened[key] ?? (branch.value >= root.value * OPEN_AT_FIRST && branch.depth <= DEPTH_AT_FIRST);
    const children = branch.children();
    rows.push({ branch, key, is_open, has_more: children.length > 0, folded: undefined });
    if (!is_open) return;
    const shows_all = opened[`${key}.all`] ?? false;
    const small = shows_all ? [] : children.filter(is_small);
    for (const child of children) if (shows_all || !is_small(child)) visit(child);
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
  visit(root);
  return rows;
}

function name_of(shared: Shared, row: Row): string {
  if (row.folded !== undefined)
    return row.folded.length === 1 ? "[1 insignificant]" : `[${row.folded.length} insignificant]`;
  return row.branch.name === NONE ? "all" : text(shared.profile, row.branch.name) || "[unknown]";
}

/** From the allocations up, nothing is a function's own. */
function shows_own(shared: Shared, row: Row): boolean {
  return shared.state.from === "down" && row.folded === undefined && row.branch.self > 0;
}

function value_of(row: Row): number {
  return row.folded?.reduce((sum, branch) => sum + branch.value, 0) ?? row.branch.value;
}

/** What a row had before, of two profiles. */
function other_of(row: Row): number {
  return row.folded?.reduce((sum, branch) => sum + branch.other, 0) ?? row.branch.other;
}

/** Behind the value: its share and what is its own; of two profiles, what was there
 * before and the change. */
function figures_of(shared: Shared, row: Row): [string, string] {
  const { metric, whole } = shared;
  const value = value_of(row);
  if (shared.before !== undefined)
    return [amount(other_of(row), metric.unit), change(other_of(row), value, metric.unit)];
  return [
    percent(value, whole),
    shows_own(shared, row) ? amount(row.branch.self, metric.unit) : "",
  ];
}

function as_text(shared: Shared, rows: Row[]): string {
  const { metric } = shared;
  return rows
    .map((row) => {
      const [second, third] = figures_of(shared, row);
      const figures = `${amount(value_of(row), metric.unit).padStart(12)} ${second.padStart(12)} ${third.padStart(12)}`;
      return `${figures}  ${"  ".repeat(row.branch.depth)}${name_of(shared, row)}\n`;
    })
    .join("");
}

export function Tree() {
  const shared = useShared();
  const { profile, state, metric, by_context, totals, before } = shared;
  const heads = before === undefined ? ["share", "its own"] : ["before", "change"];
  const [opened, setOpened] = useState<Opened>({});
  const inverted = state.from === "up";
  const folded = state.recursion === "folded";
  const root = useMemo(
    () => call_tree(profile, by_context, totals, { inverted, folded }, before),
    [profile, by_context, totals, before, inverted, folded],
  );
  const rows = useMemo(() => rows_of(root, opened), [root, opened]);
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
        <CopyButton text={() => as_text(shared, rows)} />
      </div>
      <div class="scroll">
        {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows open and close */}
        <table class="tree" role="treegrid" aria-label={`Tree of calls by ${metric.title}`}>
          <thead>
            <tr>
              <th scope="col" class="number">
                {metric.title}
              </th>
              {heads.map((head) => (
                <th key={head} scope="col" class="number">
                  {head}
                </th>
              ))}
              <th scope="col">function</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => {
              const [second, third] = figures_of(shared, row);
              return (
                <tr
                  key={row.key}
                  tabIndex={i === 0 ? 0 : -1}
                  aria-level={row.branch.depth + 1}
                  {...(row.has_more ? { "aria-expanded": row.is_open } : {})}
                  onKeyDown={(event) => pressed(event, row)}
                  onClick={() => row.has_more && set(row, !row.is_open)}
                >
                  <td class="number">{amount(value_of(row), metric.unit)}</td>
                  <td class="number">{second}</td>
                  <td class="number">{third}</td>
                  <td class="name">
                    <span class="indent" style={{ width: `${Math.min(row.branch.depth, 60)}em` }} />
                    <span class="fold" aria-hidden="true">
                      {row.has_more ? (row.is_open ? "▾" : "▸") : ""}
                    </span>
                    {name_of(shared, row)}
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
