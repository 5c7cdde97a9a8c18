// site.tsx -- all that is known of one call stack that allocated.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useShared } from "../context.ts";
import { amount, count, percent } from "../format.ts";
import { field_of, stack_of, text } from "../profile.ts";
import { CopyButton } from "./copy.tsx";
import { columns_of } from "./stacks.tsx";

function Histogram({ cells, cell_bytes }: { cells: number[][]; cell_bytes: number }) {
  const counts: [number, number][] = cells.flatMap(([first, ...run]) =>
    run.map((hits, i): [number, number] => [(first as number) + i, hits]),
  );
  const most = counts.reduce((max, [, count]) => Math.max(max, count), 0);
  return (
    <table class="bars">
      <caption>Accesses by place in the block</caption>
      <tbody>
        {counts.slice(0, 512).map(([cell, hits]) => (
          <tr key={cell}>
            <th scope="row">
              byte {count(cell * cell_bytes)} to {count((cell + 1) * cell_bytes - 1)}
            </th>
            <td>
              <meter min={0} max={most || 1} value={hits} aria-label={`${count(hits)} accesses`} />
            </td>
            <td class="number">{count(hits)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Site() {
  const { profile, state, go } = useShared();
  const context = Number(state.site);
  if (!(context >= 0 && context < profile.context_count))
    return <p>There is no such call stack.</p>;
  const { frames, contexts, histograms } = profile.document;
  const stack = stack_of(profile, context);
  const place = (f: number) => {
    const file = text(profile, frames.file[f] as number);
    return file === "" ? text(profile, frames.module[f] as number) : `${file}:${frames.line[f]}`;
  };
  const flags = contexts.flags[context] as number;
  const type = text(profile, contexts.type[context] as number);
  const histogram = histograms.find((h) => h.context === context);
  const lines = () =>
    stack.map((f) => `${text(profile, frames.name[f] as number)}\n    ${place(f)}\n`).join("");
  return (
    <section aria-label="Call stack">
      <div class="choices">
        <button type="button" onClick={() => go({ view: "stacks", site: "" })}>
          ← Call stacks
        </button>
        <CopyButton text={lines} />
      </div>
      <h2>
        {stack.length === 0
          ? "[unknown]"
          : text(profile, frames.name[stack[0] as number] as number)}
      </h2>
      {type !== "" && (
        <p>
          Allocates <code>{type}</code>.
        </p>
      )}
      {(flags & 1) !== 0 && (
        <p>The stack was deeper than what is recorded: its outer frames are cut.</p>
      )}
      {(flags & 2) !== 0 && <p>Accesses to these blocks were not measured.</p>}
      <div class="columns">
        <ol class="stack">
          {stack.map((f, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stack never changes its order
            <li key={i}>
              <span>{text(profile, frames.name[f] as number)}</span>
              {frames.inline[f] === 1 && <i> inlined</i>}
              <small>{place(f)}</small>
            </li>
          ))}
        </ol>
        <div>
          <table class="facts">
            <tbody>
              {columns_of(profile).map((column) => {
                const value = field_of(profile, context, column.field);
                const metric = profile.metrics.find((m) => m.name === column.name);
                return (
                  <tr key={column.name} title={column.help}>
                    <th scope="row">{column.title}</th>
                    <td class="number">{amount(value, column.unit)}</td>
                    <td class="number">
                      {metric === undefined ? "" : percent(value, metric.total)}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {histogram !== undefined && (
            <Histogram cells={histogram.cells} cell_bytes={histogram.cell_bytes} />
          )}
        </div>
      </div>
    </section>
  );
}
