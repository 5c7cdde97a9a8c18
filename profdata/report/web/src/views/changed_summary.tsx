// changed_summary.tsx -- the summary of two profiles: what grew or shrank, and where.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import { type ChangedBy, changed_groups, counts_of, KINDS_OF_CHANGE } from "../compare.ts";
import { useShared } from "../context.ts";
import type { Compared } from "../data.ts";
import { base_name, change, count } from "../format.ts";
import { divisor, short, whole_of } from "../profile.ts";
import { both_of, ChangeCells, PairCells, useUnmeasured } from "./compared.tsx";
import { Scroll } from "./scroll.tsx";
import { Runs, Sentences } from "./summary.tsx";

function Totals() {
  const { profile, metric, go } = useShared();
  const compared = profile.document.compared as Compared;
  const [old_side, new_side] = compared.sides;
  return (
    <Scroll label="Totals">
      <table class="totals">
        <thead>
          <tr>
            <th scope="col">in all</th>
            <th scope="col" class="number">
              before
            </th>
            <th scope="col" class="number">
              after
            </th>
            <th scope="col" class="number" colSpan={2}>
              change
            </th>
          </tr>
        </thead>
        <tbody>
          {profile.metrics.map((m) => {
            const after = whole_of(
              m,
              (name) => profile.metrics.find((n) => n.name === name)?.total,
            );
            const before = whole_of(
              m,
              (name) => (compared.totals[name] ?? 0) / divisor(old_side, name),
            );
            const pair: [number, number] = [before.value, after.value];
            return (
              <tr key={m.name} data-metric={m.name} class={m === metric ? "chosen" : ""}>
                <th scope="row">
                  <button
                    type="button"
                    class="link"
                    onClick={() =>
                      m.name === "lifetime"
                        ? go({ view: "stacks" })
                        : go({ metric: m.name, view: "flame", root: "" })
                    }
                  >
                    {after.title}
                  </button>
                </th>
                <PairCells pair={pair} unit={m.unit} />
                <ChangeCells pair={pair} unit={m.unit} />
              </tr>
            );
          })}
          <tr>
            <th scope="row">call stacks</th>
            <PairCells pair={[old_side.stacks, new_side.stacks]} unit="stacks" is_exact />
            <ChangeCells pair={[old_side.stacks, new_side.stacks]} unit="stacks" />
          </tr>
        </tbody>
      </table>
    </Scroll>
  );
}

function Counts() {
  const shared = useShared();
  const { profile, metric, by_context, before, chosen, go } = shared;
  const is_unmeasured = useUnmeasured();
  const counts = useMemo(
    () => counts_of(profile, both_of(shared), chosen, is_unmeasured),
    [profile, by_context, before, chosen, is_unmeasured],
  );
  return (
    <section>
      <h2>Call stacks by {metric.title}</h2>
      <ul class="cards">
        {KINDS_OF_CHANGE.map((kind) => (
          <li key={kind}>
            <button
              type="button"
              data-change={kind}
              onClick={() => go({ view: "stacks", change: kind, sort: "" })}
            >
              <b>{count(counts[kind])}</b>
              <span class={`kind ${kind}`}>{kind}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const SHOWN = 8;

function Largest({ by, title }: { by: ChangedBy; title: string }) {
  const shared = useShared();
  const { profile, metric, by_context, before, chosen, go } = shared;
  const is_unmeasured = useUnmeasured();
  const rows = useMemo(
    () =>
      changed_groups(profile, by, both_of(shared), chosen, is_unmeasured)
        .groups.filter(({ self }) => self[0] !== self[1])
        .slice(0, SHOWN),
    [profile, by, by_context, before, chosen, is_unmeasured],
  );
  const most = rows.reduce((max, g) => Math.max(max, Math.abs(g.self[1] - g.self[0])), 0) || 1;
  return (
    <section>
      <h2>
        {title}: {metric.title}
      </h2>
      {rows.length === 0 && <p class="hint">Nothing changed.</p>}
      <table class="bars changes">
        <tbody>
          {rows.map((row) => {
            const difference = row.self[1] - row.self[0];
            const width = (50 * Math.abs(difference)) / most;
            return (
              <tr key={row.name}>
                <th scope="row" title={row.name}>
                  {short(profile, row.name)}
                </th>
                <td>
                  <svg
                    width="100%"
                    height="14"
                    role="img"
                    aria-label={`${row.kind}, ${change(...row.self, metric.unit)}`}
                  >
                    <line x1="50%" x2="50%" y1="0" y2="14" class="axis" />
                    <rect
                      x={`${difference < 0 ? 50 - width : 50}%`}
                      width={`${width}%`}
                      y="2"
                      height="10"
                      class={difference < 0 ? "less" : "more"}
                    />
                  </svg>
                </td>
                <td class="number">{change(...row.self, metric.unit)}</td>
                <td class={`kind ${row.kind}`}>{row.kind}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <button type="button" class="link" onClick={() => go({ view: "groups", by, sort: "" })}>
        Show all
      </button>
    </section>
  );
}

export function compared_title(compared: Compared): string {
  const [before, after] = compared.sides.map((side) => base_name(side.input));
  return `Heap profiles compared: ${before} → ${after}`;
}

export function ChangedSummary() {
  const { profile } = useShared();
  const { compared, contexts, findings, notes, runs } = profile.document;
  const has_types = contexts.type.some((t) => t !== 0);
  return (
    <>
      <div class="columns">
        <div>
          <Totals />
          <Sentences title="What changed" said={findings} />
        </div>
        <div>
          <Counts />
          <Largest by="function" title="Functions that allocate more or less" />
          {has_types && <Largest by="type" title="Types of the objects" />}
        </div>
      </div>
      <div class="columns">
        <Runs title="Before" runs={(compared as Compared).runs} />
        <Runs title="After" runs={runs} />
        <Sentences title="Notes on these numbers" said={notes} />
      </div>
    </>
  );
}
