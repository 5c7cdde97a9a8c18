// types.ts -- members of types by their accesses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Row, Type } from "./data.ts";

const LINE_BYTES = 64;

/** Accesses to all members of a row's group; to a hole's own bytes. */
function accesses_of(type: Type, row: Row): number {
  if (row.group === undefined) return row.accesses ?? 0;
  return type.rows.find((other) => other.group === row.group)?.accesses ?? 0;
}

/** The type with the counts of one of its call stacks only. */
export function of_stack(type: Type, at: number): Type {
  const counts = type.stacks?.[at];
  if (counts === undefined) return type;
  const { proposal: _, behind: _behind, ...rest } = type;
  const rows = type.rows.map((row, i) => {
    const { use: _use, own_accesses: _own, proposed: _to, cold: _cold, ...same } = row;
    const { accesses: _accesses, writes: _writes, ...uncounted } = same;
    const accesses = counts.accesses[i] ?? 0;
    const is_first = row.name !== undefined && row.accesses !== undefined;
    return is_first || (row.name === undefined && accesses > 0)
      ? { ...uncounted, accesses, writes: counts.writes?.[i] ?? 0 }
      : uncounted;
  });
  const { behind, counted } = counts;
  return { ...rest, ...(behind && { behind }), rows, accesses: counted };
}

/** The part of the largest count among the type's groups, 0 to 1. */
export function heat_of(type: Type, row: Row): number {
  const most = type.rows.reduce((max, other) => Math.max(max, other.accesses ?? 0), 0);
  return most === 0 ? 0 : accesses_of(type, row) / most;
}

/** The bracket that joins members of one group. */
export function joint_of(type: Type, at: number): string {
  const { rows } = type;
  let group: number | undefined;
  for (const row of rows.slice(0, at + 1)) group = row.group ?? group;
  const first = rows.findIndex((row) => row.group === group);
  const last = rows.reduce((found, row, i) => (row.group === group ? i : found), -1);
  if (group === undefined || first === last || at > last) return "";
  return at === first ? "┌" : at === last ? "└" : "│";
}

/** The offset where a cache line ended before the row, if lines end there in every block. */
export function line_ends_before(type: Type, at: number): number | undefined {
  const [before, row] = [type.rows[at - 1], type.rows[at]];
  if (before === undefined || row === undefined) return undefined;
  if (type.arrays && type.bytes % LINE_BYTES !== 0) return undefined;
  const line = Math.floor(row.from / LINE_BYTES);
  return line === Math.floor(before.from / LINE_BYTES) ? undefined : line * LINE_BYTES;
}

/** Members without accesses. Members may share bytes. */
export function unused_of(type: Type): { members: number; bytes: number } {
  let end = 0;
  const unused = { members: 0, bytes: 0 };
  for (const row of type.rows) {
    if (row.name === undefined || accesses_of(type, row) > 0) continue;
    unused.members++;
    unused.bytes += Math.max(0, row.to - Math.max(row.from, end));
    end = Math.max(end, row.to);
  }
  return unused;
}
