// time_tables.tsx -- tables of a run over time: phases, marks, and all slots.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useState } from "preact/hooks";
import { bytes, count, exact } from "../format.ts";
import { phase_at, type Slot, type Span, said_time, type Timeline } from "../timeline.ts";
import { CopyButton } from "./copy.tsx";
import { VirtualTable } from "./virtual.tsx";

export function Named({ line, show }: { line: Timeline; show(span: Span): void }) {
  if (line.phases.length + line.marks.length === 0) return null;
  const rows = [
    ...line.phases.map((phase) => ({ ...phase, is_phase: true, ns: phase.from })),
    ...line.marks.map((mark) => ({ ...mark, is_phase: false, to: mark.ns, most: undefined })),
  ].sort((a, b) => a.ns - b.ns);
  return (
    <>
      <VirtualTable
        label="Phases and marks"
        count={rows.length}
        columns={5}
        head={
          <tr>
            <th scope="col" class="number">
              from
            </th>
            <th scope="col" class="number">
              for
            </th>
            <th scope="col" class="number">
              alive
            </th>
            <th scope="col" class="number">
              at most
            </th>
            <th scope="col">phase or mark</th>
          </tr>
        }
        row={(i) => {
          const row = rows[i] as (typeof rows)[number];
          return (
            <tr key={i} aria-rowindex={i + 2}>
              <td class="number">{said_time(line, row.ns)}</td>
              <td class="number">{row.is_phase ? said_time(line, row.to - row.ns) : ""}</td>
              <td class="number">{bytes(row.bytes)}</td>
              <td class="number">{row.most === undefined ? "" : bytes(row.most)}</td>
              <td class="name">
                {row.is_phase ? (
                  <button
                    type="button"
                    class="link"
                    onClick={() => show({ from: row.ns, to: row.to })}
                  >
                    {`phase ${row.name}`}
                  </button>
                ) : (
                  `mark ${row.name}`
                )}
              </td>
            </tr>
          );
        }}
      />
      {line.dropped_marks > 0 && (
        <p class="hint">{count(line.dropped_marks)} more did not fit into the profile.</p>
      )}
    </>
  );
}

const HEADS = [
  "from",
  "alive at most",
  "alive at last",
  "blocks at first",
  "resident at first",
  "mapped at most",
  "phase",
];

interface Cell {
  said: string;
  /** The exact value. */
  exact: string;
}

function cells_of(line: Timeline, slot: Slot): Cell[] {
  const size = (n: number): Cell => ({ said: bytes(n), exact: exact(n, "bytes") });
  const name = phase_at(line, slot.from)?.name ?? "";
  return [
    { said: said_time(line, slot.from), exact: exact(slot.from, "ns") },
    size(slot.most),
    size(slot.bytes),
    { said: count(slot.blocks), exact: exact(slot.blocks, "blocks") },
    slot.rss === undefined ? { said: "", exact: "not known" } : size(slot.rss),
    size(slot.mapped),
    { said: name, exact: name },
  ];
}

export function Table({ line, slots }: { line: Timeline; slots: Slot[] }) {
  const [is_open, setOpen] = useState(false);
  const as_text = () =>
    [HEADS, ...slots.map((slot) => cells_of(line, slot).map((cell) => cell.said))]
      .map(
        (cells) =>
          `${cells
            .map((cell) => cell.padStart(14))
            .join(" ")
            .trimEnd()}\n`,
      )
      .join("");
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {is_open && (
        <>
          <div class="choices">
            <CopyButton text={as_text} />
            <span class="hint">{count(slots.length)} parts of the run</span>
          </div>
          <VirtualTable
            label="The run over time"
            count={slots.length}
            columns={HEADS.length}
            head={
              <tr>
                {HEADS.map((head) => (
                  <th key={head} scope="col" class={head === "phase" ? "" : "number"}>
                    {head}
                  </th>
                ))}
              </tr>
            }
            row={(i) => (
              <tr key={i} aria-rowindex={i + 2}>
                {cells_of(line, slots[i] as Slot).map((cell, k) => (
                  <td
                    key={HEADS[k]}
                    class={HEADS[k] === "phase" ? "name" : "number"}
                    title={cell.exact}
                  >
                    {cell.said}
                  </td>
                ))}
              </tr>
            )}
          />
        </>
      )}
    </details>
  );
}
