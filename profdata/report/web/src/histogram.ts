// histogram.ts -- accesses by offset in the block, with the names of fields.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Histogram } from "./data.ts";

export interface Place {
  /** Offsets in the block, or in an element of an array; `to` is included. */
  from: number;
  to: number;
  accesses: number;
  /** "next, key" */
  members: string;
}

/** The same as for `memprofdata show --histogram`. */
const ROWS_MAX = 64;
/** Limit of the size of a type with fields. */
const SIZE_MAX = 65536;

interface Member {
  from: number;
  to: number;
  name: string;
}

/** Parses "0+8 next;8+4 key:int", without types; ignores malformed parts. */
function members_of(text: string): Member[] {
  return text.split(";").flatMap((part) => {
    const [, from, bytes, name] = /^(\d+)\+(\d+) ([^:]+)/.exec(part) ?? [];
    if (name === undefined) return [];
    return [{ from: Number(from), to: Number(from) + Number(bytes), name }];
  });
}

/** Math.max() for more numbers than a call may have arguments. */
function largest(numbers: Iterable<number>): number {
  let most = 0;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}

/** Returns accesses by offset, including fields without accesses. */
function sums_of(histogram: Histogram, known: Member[]): Map<number, number> {
  const { cell_bytes, element_bytes } = histogram;
  const sums = new Map<number, number>();
  for (const [first, ...run] of histogram.cells)
    run.forEach((accesses, i) => {
      const offset = ((first as number) + i) * cell_bytes;
      const from = element_bytes === undefined ? offset : offset % element_bytes;
      sums.set(from, (sums.get(from) ?? 0) + accesses);
    });
  const all = largest(known.map((member) => Math.min(member.to, SIZE_MAX)));
  for (let from = 0; from < all; from += cell_bytes) if (!sums.has(from)) sums.set(from, 0);
  return sums;
}

/** Joins cells so that there are at most ROWS_MAX rows. members: see shared/type_format.h. */
export function places_of(histogram: Histogram, members: string): Place[] {
  const { cell_bytes } = histogram;
  const known = members_of(members);
  const sums = sums_of(histogram, known);
  const end = largest(sums.keys()) + cell_bytes;
  const step = Math.ceil(end / cell_bytes / ROWS_MAX) * cell_bytes;
  const rows = new Map<number, number>();
  for (const [at, accesses] of sums) {
    const from = at - (at % step);
    rows.set(from, (rows.get(from) ?? 0) + accesses);
  }
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([from, accesses]) => {
      const here = known.filter((member) => member.from < from + step && member.to > from);
      return {
        from,
        to: from + step - 1,
        accesses,
        members: here.map((member) => member.name).join(", "),
      };
    });
}
