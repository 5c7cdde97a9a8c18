// data.ts -- the data of the page, as report/document.c writes them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

export const FORMAT = "memprof report";
export const VERSION = 2;

export interface Metric {
  name: string;
  title: string;
  field: string;
  unit: string;
  total: number;
  /** With sampled blocks: the field with the variance of its sums. */
  variance?: string;
}

export interface Field {
  name: string;
  unit: string;
  help: string;
  total: number;
}

/** A dump of a process; unknown members are absent. */
export interface Run {
  kind: string;
  count: number;
  executable?: string;
  host?: string;
  options?: string;
  tool?: string;
  pid?: number;
  start_ns?: number;
  duration_ns?: number;
  clock_resolution_ns?: number;
  own_memory_bytes?: number;
  own_time_ns?: number;
  truncated_stacks?: number;
  dropped_blocks?: number;
  peak_bytes?: number;
  peak_ns?: number;
  /** What was resident: at the highest reading (rss_peak_code), at the dump (rss_end_code), and the
   * most by the kernel. */
  [rss: `rss_${string}`]: number | undefined;
}

/** A member of a type; without a name a hole. */
export interface Row {
  from: number;
  to: number;
  name?: string;
  type?: string;
  /** Members of one group share counters; the first one has the accesses of all. */
  group?: number;
  accesses?: number;
  /** Of these accesses; absent: none, or not known (rw of the type). */
  writes?: number;
  /** What the reads and writes tell, as "never read". */
  use?: string;
  /** Of a group with several members: to bytes that no other member shares. */
  own_accesses?: number;
  /** The offset in the proposed order. */
  proposed?: number;
  /** It could move to a block of its own. */
  cold?: boolean;
}

export interface Type {
  name: string;
  bytes: number;
  arrays?: boolean;
  /** An object begins a block, and more may follow, with these accesses. */
  open?: boolean;
  behind?: { accesses: number; writes?: number };
  at_least?: boolean;
  /** Reads and writes of members are known. */
  rw?: boolean;
  blocks: number;
  accesses: number;
  /** Most accesses first. */
  contexts: number[];
  /** Of the first contexts, if there are several: the counts of each row, or of its group. */
  stacks?: {
    counted: number;
    accesses: number[];
    writes?: number[];
    behind?: { accesses: number; writes?: number };
  }[];
  proposal?: {
    bytes: number;
    lines_before: number;
    lines: number;
    hot_bytes?: number;
    cold_bytes?: number;
  };
  rows: Row[];
}

/** Call stacks whose small blocks are used together, most bytes first. */
export interface UsedTogether {
  /** 0: they get none. */
  pool: number;
  /** Why. */
  sentence: string;
  blocks: number;
  resident_bytes: number;
  /** Of the live bytes of all small blocks. */
  small_share: number;
  access_share: number;
  contexts: number[];
}

/** What to change at an allocation site, in the words of `memprofdata advise`. */
export interface Advice {
  kind: string;
  saving: string;
  sentence: string;
  action: string;
  /** Its largest call stack. */
  context: number;
  /** How many it is about. */
  stacks: number;
}

/** The memory of a run over time: columns of `slots` rows, ascending by time, one for each slot of
 * step_ns. Columns of zeros are absent; in `rss`, 0 means unknown. Times are relative to the start
 * of the run. */
export interface Series {
  /** Index into runs. */
  run?: number;
  step_ns: number;
  slots: number;
  dropped_marks?: number;
  ns?: number[];
  /** Live bytes at the end of the slot, and their maximum in it. */
  bytes?: number[];
  most?: number[];
  /** At the start of the slot. */
  blocks?: number[];
  rss?: number[];
  /** Maximum in the slot of what the program mapped. */
  mapped?: number[];
  /** Named by the program: a phase that starts (null: the phase ends), or a mark. */
  marks: { ns: number; bytes: number; phase?: string | null; mark?: string | null }[];
}

/** Numbers of blocks by powers of two: bucket b has the values from 2^b to below 2^(b+1), bucket 0
 * also the value 0. */
export interface Spread {
  /** By context: index + 1 of the bucket with all its blocks; 0: several buckets, or unknown. */
  only: number[];
  /** Rows for contexts with several buckets, ascending by context. */
  context: number[];
  bucket: number[];
  count: number[];
}

/** Rows, ascending by context: how many of its blocks another call stack ended. A node is index +
 * 1; 0: unknown. */
export interface Links {
  context: number[];
  node: number[];
  count: number[];
  /** Freed bytes; for realloc, by how much the new blocks were larger. */
  bytes: number[];
}

/** Moments of a log, ascending, and rows, ascending by context: blocks that were alive from moment
 * `from` on, and at moment `to` not any more; 0: they did not end. Both are indexes into ns, and
 * ns.length is after the last one. */
export interface Moments {
  ns: number[];
  context: number[];
  from: number[];
  to: number[];
  blocks: number[];
  bytes: number[];
}

/** The profile to compare with. Fields are the metrics that both profiles have. Frames and nodes of
 * the old profile follow those of the new one. A context is a call stack of either profile,
 * represented by the new one if it has it. */
export interface Compared {
  /** The metric to show first. */
  metric: string;
  /** The old profile and the new one. */
  sides: [Side, Side];
  /** Totals of the old profile, by name of the metric. */
  totals: Record<string, number>;
  runs: Run[];
  /** By context: 1 if only the old profile has it, 2 if only the new one, 3 if both. */
  held_by: number[];
  /** By context: bit i is set if metrics[i] must not be compared. */
  unmeasured: number[];
  /** Equal numbers are the same function, file or line in both profiles: functions and files by
   * frame; lines by node, for the call that leads to it; leaves by node, for its allocation. */
  functions: number[];
  files: number[];
  lines: number[];
  leaves: number[];
  /** The fields of the old profile. */
  before: Record<string, number[]>;
}

export interface Side {
  input: string;
  runs?: number;
  /** Divisor of its values for the comparison. */
  divided_by: number;
  /** Other divisors by metric, which fewer runs measured. */
  divided_by_metric: Record<string, number>;
  stacks: number;
  /** How many of the runs recorded a sample of the blocks. */
  sampled_runs?: number;
}

/** The accesses of a context's blocks, by cells of cell_bytes each. */
export interface Histogram {
  context: number;
  cell_bytes: number;
  /** Groups of adjacent cells: index of the first cell, then their accesses. */
  cells: number[][];
  /** Size of an element, if blocks are arrays. */
  element_bytes?: number;
  /** Index into strings: the fields of the block or element (shared/type_format.h). */
  members?: number;
}

/** Columns: the values at one index are a row. Strings are indexes into `strings`; 0 is "". A
 * node's parent is its caller's node, as index + 1, and always an earlier one; 0: none. */
export interface Document {
  format: string;
  version: number;
  metrics: Metric[];
  fields: Field[];
  runs: Run[];
  notes: string[];
  findings: string[];
  strings: string[];
  /** By string: the short form of a C++ name, as printed by `memprofdata show`, and the shortest
   * form; "" if it equals the name, and for other strings. */
  short: string[];
  shortest: string[];
  frames: {
    name: number[];
    file: number[];
    line: number[];
    module: number[];
    inline: number[];
    /** 1: it runs before main() or a thread's function. */
    start: number[];
  };
  nodes: { parent: number[]; frame: number[] };
  contexts: {
    node: number[];
    type: number[];
    /** The frame of the function that represents it, as index + 1. */
    site: number[];
    /** 1: the stack was truncated; 2: accesses were not measured */
    flags: number[];
    fields: Record<string, number[]>;
    /** For a single profile: indexes into `verdicts` and `verdict_reasons`, and the numbers behind
     * them; null: unknown. */
    verdict?: number[];
    why?: number[];
    verdict_numbers?: Record<string, (number | null)[]>;
  };
  verdicts?: string[];
  verdict_reasons?: { name: string; sentence: string }[];
  compared?: Compared;
  /** Lines around the frames of the largest call stacks: the number of the first line, and the
   * texts. */
  sources?: {
    file: string;
    missing?: boolean;
    changed?: boolean;
    lines?: [number, ...string[]][];
  }[];
  histograms: Histogram[];
  series: Series[];
  /** Of a log. */
  moments?: Moments;
  spreads: { size?: Spread; lifetime?: Spread };
  links: { realloc: Links; free: Links };
  /** Rows: allocations of a context by threads of one name. Absent if all threads have one name. */
  threads?: { name: number[]; context: number[]; fields: Record<string, number[]> };
  /** Rows: allocations by pools of one name at a call stack, whose node is index + 1. */
  pools?: { name: number[]; node: number[]; fields: Record<string, number[]> };
  /** Types with histograms, most accesses first. */
  types?: Type[];
  /** The groups with the strongest links come first. */
  groups?: UsedTogether[];
  /** The first of advice_count rows, most first. */
  advice?: Advice[];
  advice_count?: number;
  /** The profile is the heap at a moment of a log. */
  is_of_moment?: boolean;
}

function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpacked(base64: string): Promise<unknown> {
  try {
    const packed = new Blob([bytes_of(base64.trim())]).stream();
    const text = new Response(packed.pipeThrough(new DecompressionStream("gzip"))).text();
    return JSON.parse(await text);
  } catch {
    throw new Error("the data in it are damaged or cut short");
  }
}

/** Decodes the text of the page's data element. */
export async function decode(base64: string): Promise<Document> {
  const document = (await unpacked(base64)) as Document;

  if (document.format !== FORMAT || document.version !== VERSION)
    throw new Error(
      `its data are ${document.format} ${document.version}, and it reads ${FORMAT} ${VERSION}`,
    );
  return document;
}
