// small.ts -- a document that a person can add up.
//
//   main (1) ─ parse (2) ─ new_node (3) ─ malloc_of (4)   100 bytes, 10 blocks
//            │           └ parse (5) ─ new_node (6)        30 bytes, 1 block
//            └ load (7)                                    50 bytes, 2 blocks
//   [no stack]                                              7 bytes, 1 block
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import type { Document } from "../src/data.ts";

export function small(): Document {
  return {
    format: "memprof report",
    version: 2,
    metrics: [
      { name: "bytes", title: "bytes allocated", field: "TotalSize", unit: "bytes", total: 187 },
      { name: "blocks", title: "blocks allocated", field: "AllocCount", unit: "blocks", total: 14 },
    ],
    fields: [
      { name: "TotalSize", unit: "bytes", help: "", total: 187 },
      { name: "AllocCount", unit: "blocks", help: "", total: 14 },
    ],
    runs: [],
    notes: [],
    findings: [],
    strings: [
      "",
      "main",
      "parse",
      "new_node",
      "malloc_of",
      "load",
      "a.c",
      "b.c",
      "prog",
      "struct node",
    ],
    short: [],
    shortest: [],
    frames: {
      name: [1, 2, 3, 4, 5],
      file: [6, 6, 6, 7, 7],
      line: [10, 20, 30, 5, 9],
      module: [8, 8, 8, 8, 8],
      inline: [0, 0, 1, 0, 0],
      start: [0, 0, 0, 0, 0],
    },
    nodes: { parent: [0, 1, 2, 3, 2, 5, 1], frame: [0, 1, 2, 3, 1, 2, 4] },
    contexts: {
      node: [4, 6, 7, 0],
      type: [9, 9, 0, 0],
      site: [3, 3, 5, 0],
      flags: [0, 0, 0, 0],
      fields: { TotalSize: [100, 30, 50, 7], AllocCount: [10, 1, 2, 1] },
    },
    histograms: [],
    series: [],
    spreads: {},
    links: {
      realloc: { context: [], node: [], count: [], bytes: [] },
      free: { context: [], node: [], count: [], bytes: [] },
    },
  };
}
