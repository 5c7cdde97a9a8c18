// flame_layout.ts -- the layout of a flame graph.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Branch } from "./calltree.ts";

export interface Box {
  branch: Branch;
  /** Relative to the total width. */
  x: number;
  width: number;
  row: number;
}

/** Returns boxes of at least `narrowest` width, callers first: the branches on the way to `top`
 * with the full width, then `top` and the branches below it. */
export function boxes_of(top: Branch, narrowest: number, rows_max: number): Box[] {
  const boxes: Box[] = [];
  const way: Branch[] = [];
  for (let at: Branch | undefined = top.parent; at !== undefined; at = at.parent) way.push(at);
  way.reverse().forEach((branch, row) => {
    boxes.push({ branch, x: 0, width: 1, row });
  });
  const first = boxes.length;
  boxes.push({ branch: top, x: 0, width: 1, row: first });
  for (let i = first; i < boxes.length; i++) {
    const box = boxes[i] as Box;
    if (box.row + 1 >= rows_max || box.branch.value === 0) continue;
    let x = box.x;
    for (const branch of box.branch.children()) {
      const width = (box.width * branch.value) / box.branch.value;
      if (width < narrowest) break;
      boxes.push({ branch, x, width, row: box.row + 1 });
      x += width;
    }
  }
  return boxes;
}

export function rows_of(boxes: Box[]): number {
  return boxes.reduce((rows, box) => Math.max(rows, box.row + 1), 0);
}

export function box_at(boxes: Box[], x: number, row: number): Box | undefined {
  return boxes.find((box) => box.row === row && x >= box.x && x < box.x + box.width);
}

/** Returns the next box to the left or right, above or below, for the keyboard. */
export function box_beside(
  boxes: Box[],
  from: Box,
  step: "in" | "out" | "left" | "right",
): Box | undefined {
  if (step === "out") return boxes.find((box) => box.branch === from.branch.parent);
  if (step === "in") return boxes.find((box) => box.branch.parent === from.branch);
  const row = boxes.filter((box) => box.row === from.row);
  return row[row.indexOf(from) + (step === "left" ? -1 : 1)];
}
